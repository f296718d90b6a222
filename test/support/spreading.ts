// A small cluster in front of the webhooks of pods, with WorkloadSpreads in it: creates, deletes and evicts pods, and
// shows what became of a spread's status.
import type { JsonObject } from '../../api/core/json.ts';
import type { Webhooks } from '../../evaluator/webhooks.ts';
import { readVerdict, type Verdict } from './answer.ts';
import { container, type PodParts, pod } from './builders/pod.ts';
import { controllerReference, workloadOf } from './builders/policies.ts';
import { NOW } from './injection.ts';
import { holdWebhooks, replacing } from './policy-module.ts';

export const TIME = '2026-07-02T08:00:00Z';
export const MATCHED = 'apps.kruise.io/matched-workloadspread';
export const KRUISE = 'apps.kruise.io/v1beta1';
export const APPS = 'apps/v1';

/** A subset: its name, its `maxReplicas`, and what else it says. */
export type Subset = [name: string, max?: number | string | undefined, more?: JsonObject];

export type SpreadParts = {
  name?: string;
  target?: [kind: string, name?: string, apiVersion?: string];
  filter?: JsonObject;
  status?: JsonObject;
  metadata?: JsonObject;
};

/** A WorkloadSpread `spread` of CloneSet `web` in namespace `shop`. */
export function spread(subsets: Subset[], parts: SpreadParts = {}): JsonObject {
  const [kind, name = 'web', apiVersion = KRUISE] = parts.target ?? ['CloneSet'];
  const title = parts.name ?? 'spread';
  return {
    apiVersion: KRUISE,
    kind: 'WorkloadSpread',
    metadata: { name: title, namespace: 'shop', uid: `uid-${title}`, resourceVersion: '5', ...parts.metadata },
    spec: {
      targetRef: { apiVersion, kind, name },
      ...(parts.filter === undefined ? {} : { targetFilter: parts.filter }),
      subsets: subsets.map(([subset, maxReplicas, more]) => ({
        name: subset,
        ...(maxReplicas === undefined ? {} : { maxReplicas }),
        ...more,
      })),
    },
    ...(parts.status === undefined ? {} : { status: parts.status }),
  };
}

/** A status with one ledger; each entry is name, missing, and what else it says. */
export function ledger(entries: [name: string, missing: number, more?: JsonObject][], version = 'versionIgnored') {
  return { versionedSubsetStatuses: { [version]: ledgerEntries(entries) } };
}

export function ledgerEntries(entries: [name: string, missing: number, more?: JsonObject][]): JsonObject[] {
  return entries.map(([name, missingReplicas, more]) => ({ name, replicas: 0, missingReplicas, ...more }));
}

export type SpreadPodParts = PodParts & { owner?: [kind: string, name?: string, apiVersion?: string]; subset?: string };

/** A pod of CloneSet `web`; an empty name makes it one that only has a generateName. */
export function podOf(name: string, { owner, subset, metadata, ...parts }: SpreadPodParts = {}): JsonObject {
  const [kind, ownerName = 'web', apiVersion = KRUISE] = owner ?? ['CloneSet'];
  const annotations = subset === undefined ? {} : { [MATCHED]: JSON.stringify({ name: 'spread', subset }) };
  const made = pod({
    containers: [container('app')],
    ...parts,
    annotations: { ...annotations, ...parts.annotations },
    metadata: { ownerReferences: [controllerReference(kind, ownerName, apiVersion)], ...metadata },
  });
  const { name: _unnamed, ...unnamed } = made.metadata as JsonObject;
  return { ...made, metadata: name === '' ? { ...unnamed, generateName: 'web-' } : { ...unnamed, name } };
}

/** A pod of Deployment `web` by its ReplicaSet of this template hash. */
export function podOfDeployment(hash: string, parts: SpreadPodParts = {}): JsonObject {
  const labels = { app: 'web', 'pod-template-hash': hash };
  return podOf('', { owner: ['ReplicaSet', `web-${hash}`, 'apps/v1'], labels, ...parts });
}

/** For a spread of Deployment `web`. */
export const OF_DEPLOYMENT: Pick<SpreadParts, 'target'> = { target: ['Deployment', 'web', APPS] };

/** Deployment `web`. */
export function deployment(replicas = 4, apiVersion = APPS): JsonObject {
  return { ...workloadOf('Deployment', 'web', apiVersion), spec: { replicas } };
}

/** A ReplicaSet of a template hash, by default of Deployment `web`. */
export function replicaSet(hash: string, owner = controllerReference('Deployment', 'web', APPS)): JsonObject {
  return workloadOf('ReplicaSet', `web-${hash}`, APPS, owner);
}

const POD = { group: '', version: 'v1', kind: 'Pod' };
const PODS = { group: '', version: 'v1', resource: 'pods' };

export class Spreading {
  readonly #webhooks: Webhooks;
  readonly #replace: (objects: readonly JsonObject[]) => void;
  #uid = 0;

  private constructor(webhooks: Webhooks) {
    this.#webhooks = webhooks;
    this.#replace = replacing(webhooks);
  }

  static async start(gates: Record<string, boolean> = {}): Promise<Spreading> {
    return new Spreading(await holdWebhooks(gates));
  }

  /** Makes the cluster hold exactly these objects. */
  hold(...objects: JsonObject[]): this {
    this.#replace(objects);
    return this;
  }

  create(object: JsonObject, parts: JsonObject = {}): Verdict {
    const options = { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' };
    return this.#ask('/mutate-pod', { kind: POD, operation: 'CREATE', object, oldObject: null, options, ...parts });
  }

  /** The spec of the pod after its creation; throws an Error when it is refused. */
  createdSpec(object: JsonObject, parts: JsonObject = {}): JsonObject {
    const { allowed, code, message, object: created } = this.create(object, parts);
    if (!allowed) throw new Error(`${code} ${message}`);
    return created?.spec as JsonObject;
  }

  /** Likewise, in a subset that patches the spec so. */
  patchedSpec(patch: JsonObject, podSpec: JsonObject = {}, containers: JsonObject[] = [container('app')]): JsonObject {
    this.hold(spread([['a', 9, { patch: { spec: patch } }], ['b']]));
    return this.createdSpec(podOf('p', { spec: podSpec, containers }));
  }

  /** What the pod's annotation says after its creation: name, subset and perhaps uid; undefined without one. */
  place(object: JsonObject, parts: JsonObject = {}): { name?: string; subset?: string; uid?: string } | undefined {
    const { allowed, object: created, message } = this.create(object, parts);
    if (!allowed) throw new Error(`the pod is refused: ${message}`);
    const { annotations } = (created?.metadata ?? {}) as { annotations?: JsonObject };
    const text = annotations?.[MATCHED];
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  }

  delete(object: JsonObject, parts: JsonObject = {}): Verdict {
    const options = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' };
    const { name } = object.metadata as { name: string };
    const request = { kind: POD, operation: 'DELETE', name, object: null, oldObject: object, options, ...parts };
    return this.#ask('/validate-pod', request);
  }

  /** The pod has to be in the cluster. */
  evict(name: string, deleteOptions?: JsonObject): Verdict {
    const kind = { group: 'policy', version: 'v1', kind: 'Eviction' };
    const more = deleteOptions === undefined ? {} : { deleteOptions };
    const object = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'shop' }, ...more };
    const options = { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' };
    const request = { kind, subResource: 'eviction', name, operation: 'CREATE', object, oldObject: null, options };
    return this.#ask('/validate-pod', request);
  }

  /** The status of a spread as it is stored by now. */
  status(name = 'spread'): JsonObject | undefined {
    const stored = this.#webhooks.object({ apiVersion: KRUISE, kind: 'WorkloadSpread', namespace: 'shop', name });
    return stored?.status as JsonObject | undefined;
  }

  /** The ledgers of the spread by version; undefined before the first booking. */
  ledgers(): Record<string, JsonObject[]> | undefined {
    return this.status()?.versionedSubsetStatuses as Record<string, JsonObject[]> | undefined;
  }

  /** `missingReplicas` of each subset of a version. */
  missing(version = 'versionIgnored') {
    return this.ledgers()?.[version]?.map(({ missingReplicas }) => missingReplicas);
  }

  explain(object: JsonObject, parts: JsonObject = {}): { name: string; matched: boolean; reason: string }[] {
    const options = { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' };
    const request = this.#request({ kind: POD, operation: 'CREATE', object, oldObject: null, options, ...parts });
    return this.#webhooks
      .explain(bodyOf(request), NOW)
      .filter(({ kind }) => kind === 'WorkloadSpread')
      .map(({ name, matched, reason }) => ({ name, matched, reason }));
  }

  #request(parts: JsonObject): JsonObject {
    const uid = `d0a2b1c3-0000-4000-8000-${String(this.#uid++).padStart(12, '0')}`;
    return { uid, resource: PODS, namespace: 'shop', dryRun: false, userInfo: { username: 'admin' }, ...parts };
  }

  #ask(path: string, parts: JsonObject): Verdict {
    const request = this.#request(parts);
    const { body } = this.#webhooks.answer(path, bodyOf(request), NOW);
    return readVerdict(request, body);
  }
}

function bodyOf(request: JsonObject): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }),
  );
}
