// A small cluster in front of the policy module: holds objects, creates pods through `/mutate-pod`.
import type { JsonObject } from '../../api/core/json.ts';
import type { Explanation, ObjectReference } from '../../evaluator/policies.ts';
import { readVerdict, type Verdict } from './answer.ts';
import { type HeldObjects, holdPolicies } from './policy-module.ts';

/** The time of every decision here, unless a test says otherwise. */
export const NOW = Date.parse('2026-07-02T08:00:00Z');

export class Injection {
  readonly #policies: HeldObjects;

  private constructor(policies: HeldObjects) {
    this.#policies = policies;
  }

  /** Gates are at their defaults but for those given. */
  static async start(gates: Record<string, boolean> = {}): Promise<Injection> {
    return new Injection(await holdPolicies(gates));
  }

  /** Makes the cluster hold exactly these objects, as stored, in this order of arrival. */
  hold(...objects: JsonObject[]): this {
    this.#policies.hold(objects);
    return this;
  }

  /** Adds or replaces one more object. */
  apply(object: JsonObject): void {
    this.#policies.apply(object);
  }

  /** An object as it is by now, with what decisions have written. */
  object(reference: ObjectReference): JsonObject | undefined {
    return this.#policies.object(reference);
  }

  remove(reference: ObjectReference): void {
    this.#policies.remove(reference);
  }

  /** The verdict on creating the pod; `parts` replace members of the request. */
  review(pod: JsonObject, parts: JsonObject = {}, nowMs = NOW): Verdict {
    const request = creationOf(pod, parts);
    return readVerdict(request, this.#policies.review('/mutate-pod', bodyOf(request), nowMs));
  }

  /** Why each policy acts or does not act on the pod when it is created. */
  explain(pod: JsonObject, parts: JsonObject = {}): Explanation[] {
    return this.#policies.explain(bodyOf(creationOf(pod, parts)), NOW);
  }

  /** The pod as it is created. Throws if it is refused. */
  create(pod: JsonObject, parts: JsonObject = {}, nowMs = NOW): JsonObject {
    const verdict = this.review(pod, parts, nowMs);
    if (verdict.object === undefined) throw new Error(`the pod is refused: ${verdict.code} ${verdict.message}`);
    return verdict.object;
  }
}

/** The request that creates a pod; `parts` replace members of it. */
function creationOf(pod: JsonObject, parts: JsonObject): JsonObject {
  const metadata = pod.metadata as JsonObject;
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const resource = { group: '', version: 'v1', resource: 'pods' };
  return {
    uid: 'd0a2b1c3-0000-4000-8000-000000000001',
    kind,
    resource,
    requestKind: kind,
    requestResource: resource,
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? 'default',
    operation: 'CREATE',
    userInfo: { username: 'system:serviceaccount:kube-system:replicaset-controller' },
    object: pod,
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    ...parts,
  };
}

function bodyOf(request: JsonObject): Uint8Array {
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  return new TextEncoder().encode(JSON.stringify(review));
}
