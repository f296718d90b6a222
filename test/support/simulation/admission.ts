// The webhooks of pods in a simulated cluster: the real policies, with what they know of budgets and spreads lagging
// behind the world, and what they decide written to it as the gateway writes it.

import type { JsonObject } from '../../../api/core/json.ts';
import { effectiveGates } from '../../../api/gates.ts';
import { StatusError } from '../../../component/errors.ts';
import { type Cluster, type Effect, type FactAnswer, Policies, type Question } from '../../../evaluator/policies.ts';
import { type KubeObject, keyOf, type ObjectReference } from '../../../kube/objects.ts';
import { PODS, type Resource } from '../../../kube/resource.ts';
import { readVerdict, type Verdict } from '../answer.ts';
import { SYSTEM_NAMESPACE } from '../builders/cluster.ts';
import type { SimulatedCluster } from '../simulated-cluster.ts';

const encoder = new TextEncoder();
const compiled = await Policies.load();

export class SimulatedAdmission {
  readonly #world: SimulatedCluster;
  readonly #policies: Policies;
  readonly #followed: readonly Resource[];
  /** Objects that have changed and that the policies have not been told of. */
  readonly #stale = new Map<string, { resource: Resource; reference: ObjectReference }>();
  #requests = 0;

  /** `followed` are the resources of policy objects. There is one of these at a time: they share a module. */
  constructor(world: SimulatedCluster, followed: readonly Resource[]) {
    this.#world = world;
    this.#followed = followed;
    this.#policies = compiled;
    const gates = effectiveGates(new Map([['PodUnavailableBudgetUpdateGate', true]]));
    this.#policies.configure({ gates, systemNamespace: SYSTEM_NAMESPACE });
    world.objects.onChange(({ resource, old, new: current }) => {
      const { kind, metadata } = (current ?? old) as KubeObject;
      if (followed.includes(resource)) this.#stale.set(`${kind} ${keyOf(metadata)}`, { resource, reference: metadata });
    });
  }

  /** What could happen next here, as an actor of `SimulatedCluster.rest`: one of the objects becomes known. */
  readonly actor = (): readonly (() => void)[] =>
    [...this.#stale].map(([key, { resource, reference }]) => () => {
      this.#stale.delete(key);
      this.#learn(resource, reference);
    });

  /** Forgets everything, for the next cluster. */
  end(): void {
    for (const resource of this.#followed) {
      for (const { apiVersion, kind, metadata } of this.#world.list(resource)) {
        this.#policies.remove({ apiVersion, kind, ...metadata });
      }
    }
  }

  isAvailable(pod: unknown): boolean {
    return this.#policies.isAvailable(pod);
  }

  /** Creates a pod as a controller does, with what the webhook makes of it; undefined if it is refused. */
  create(pod: JsonObject, isLost = false): KubeObject | undefined {
    const verdict = this.#ask('/mutate-pod', { operation: 'CREATE', object: pod, oldObject: null });
    if (!verdict.allowed || isLost) return undefined;
    return this.#world.create(PODS, verdict.object ?? pod);
  }

  /** Deletes a pod; false if it is refused. */
  delete(pod: KubeObject): boolean {
    const { name, namespace } = pod.metadata;
    const request = { operation: 'DELETE', name, namespace: namespace ?? '', object: null };
    const verdict = this.#ask('/validate-pod', { ...request, oldObject: pod as unknown as JsonObject });
    if (verdict.allowed) this.#world.delete(PODS, pod.metadata);
    return verdict.allowed;
  }

  /** Changes the spec of a pod; false if it is refused. */
  update(pod: KubeObject, changed: KubeObject): boolean {
    const { name, namespace } = pod.metadata;
    const object = changed as unknown as JsonObject;
    const request = { operation: 'UPDATE', name, namespace: namespace ?? '', object };
    const verdict = this.#ask('/validate-pod', { ...request, oldObject: pod as unknown as JsonObject });
    if (verdict.allowed) this.#world.change(PODS, pod.metadata, () => object);
    return verdict.allowed;
  }

  #ask(path: string, parts: JsonObject): Verdict {
    const request = {
      uid: `00000000-0000-4000-9000-${String(++this.#requests).padStart(12, '0')}`,
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      namespace: 'shop',
      userInfo: { username: 'controller' },
      dryRun: false,
      options: {},
      ...parts,
    };
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
    const cluster: Cluster = {
      answer: (question) => this.#answer(question),
      commit: (effects) => this.#commit(effects),
    };
    const answer = this.#policies.review(path, encoder.encode(JSON.stringify(review)), this.#world.now, cluster);
    return readVerdict(request, answer);
  }

  #answer(question: Question): FactAnswer {
    if (!('get' in question)) return { error: 'nothing is counted here' };
    const { apiVersion, kind, namespace = '', name } = question.get;
    return {
      answer: (this.#world.objects.find(apiVersion, kind, { namespace, name }) ?? null) as unknown as JsonObject,
    };
  }

  #commit(effects: readonly Effect[]): 'done' | 'conflict' {
    for (const { kind, namespace, name, uid, resourceVersion, status } of effects) {
      const resource = this.#followed.find((one) => one.kind === kind);
      const current = resource === undefined ? undefined : this.#world.get(resource, { namespace, name });
      if (resource === undefined || current === undefined) throw new Error(`no ${kind} ${name} to write to`);
      const metadata = { ...current.metadata, uid, resourceVersion };
      try {
        this.#world.objects.update(resource, { ...current, metadata, status } as unknown as JsonObject, 'status');
      } catch (error) {
        if (!(error instanceof StatusError && error.code === 409)) throw error;
        this.#learn(resource, current.metadata);
        return 'conflict';
      }
      // The answer to the write tells the new state.
      this.#learn(resource, current.metadata);
    }
    return 'done';
  }

  #learn(resource: Resource, reference: ObjectReference): void {
    const object = this.#world.get(resource, reference);
    const { kind, group, version } = resource;
    if (object !== undefined) this.#policies.apply(encoder.encode(JSON.stringify(object)));
    else
      this.#policies.remove({
        apiVersion: `${group}/${version}`,
        kind,
        namespace: reference.namespace ?? '',
        name: reference.name,
      });
  }
}
