// A small cluster in front of `/validate-pod`: holds pods and budgets, disturbs pods, and tells the status of budgets.
import { isObject, type JsonObject } from '../../api/core/json.ts';
import type { ObjectReference } from '../../evaluator/policies.ts';
import { readVerdict, type Verdict } from './answer.ts';
import { type HeldObjects, holdPolicies, referenceTo } from './policy-module.ts';

/** The time of every decision here. */
export const NOW = Date.parse('2026-07-02T08:00:00Z');

export type BudgetParts = {
  spec?: JsonObject;
  annotations?: Record<string, string>;
  /** Replaces members of the status: by default one unit is left of ten replicas. */
  status?: JsonObject;
};

/** The budget `web-pub` of namespace `shop`, as a controller has left it. */
export function protecting({ spec, annotations = {}, status }: BudgetParts = {}): JsonObject {
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name: 'web-pub', namespace: 'shop', uid: 'uid-web-pub', resourceVersion: '7', annotations },
    spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: '30%', ...spec },
    status: {
      observedGeneration: 1,
      unavailableAllowed: 1,
      currentAvailable: 8,
      desiredAvailable: 7,
      totalReplicas: 10,
      ...status,
    },
  };
}

export type RunningParts = {
  name?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  metadata?: JsonObject;
  containers?: JsonObject[];
  spec?: JsonObject;
  status?: JsonObject;
  containerStatuses?: JsonObject[];
};

/** A pod of `web-pub` that runs and is ready. */
export function running(parts: RunningParts = {}): JsonObject {
  const {
    name = 'web-0',
    labels = {},
    annotations = {},
    containers = [main()],
    containerStatuses = [mainStatus()],
  } = parts;
  const related = { 'pub.kruise.io/related-pub': 'web-pub', 'kruise.io/related-pub': 'web-pub' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      labels: { app: 'web', ...labels },
      annotations: { ...related, ...annotations },
      ...parts.metadata,
    },
    spec: { containers, nodeName: 'node-1', ...parts.spec },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses,
      ...parts.status,
    },
  };
}

/** Its container. */
export function main(more: JsonObject = {}): JsonObject {
  return { name: 'main', image: 'registry.example.com/web:1', resources: {}, ...more };
}

/** The status of that. */
export function mainStatus(more: JsonObject = {}): JsonObject {
  return {
    name: 'main',
    ready: true,
    image: 'registry.example.com/web:1',
    imageID: `registry.example.com/web@sha256:${'1'.repeat(64)}`,
    containerID: 'containerd://c1',
    ...more,
  };
}

export const DISRUPTIVE_UPDATE = { containers: [main({ image: 'registry.example.com/web:2' })] };

export class Protection {
  readonly #policies: HeldObjects;

  private constructor(policies: HeldObjects) {
    this.#policies = policies;
  }

  /** Both gates of budgets are on, others at their defaults but for those given. */
  static async start(gates: Record<string, boolean> = {}): Promise<Protection> {
    return new Protection(await holdPolicies({ PodUnavailableBudgetUpdateGate: true, ...gates }));
  }

  /** Makes the cluster hold exactly these objects. */
  hold(...objects: JsonObject[]): this {
    this.#policies.hold(objects);
    return this;
  }

  delete(pod: JsonObject, more: JsonObject = {}): Verdict {
    return this.review({ operation: 'DELETE', object: null, oldObject: pod, ...more }, pod);
  }

  update(old: JsonObject, updated: JsonObject, more: JsonObject = {}): Verdict {
    return this.review({ operation: 'UPDATE', object: updated, oldObject: old, ...more }, old);
  }

  /** The live pod is what the cluster holds. */
  evict(pod: JsonObject, body: JsonObject = {}, more: JsonObject = {}): Verdict {
    const { name, namespace } = pod.metadata as JsonObject;
    const object = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, ...body } as JsonObject;
    return this.review({ operation: 'CREATE', subResource: 'eviction', object, oldObject: null, ...more }, pod);
  }

  /** Sends a request about a pod. */
  review(parts: JsonObject, pod: JsonObject): Verdict {
    const request = requestAbout(pod, parts);
    return readVerdict(request, this.#policies.review('/validate-pod', bodyOf(request), NOW));
  }

  /** Does a budget count the pod? */
  isAvailable(pod: JsonObject): boolean {
    return this.#policies.isAvailable(pod);
  }

  /** An object by now. */
  object(reference: ObjectReference): JsonObject | undefined {
    return this.#policies.object(reference);
  }

  /** The status of `web-pub` by now. */
  get status(): JsonObject {
    return statusOf(this, protecting());
  }
}

/** The status of an object by now. */
export function statusOf(cluster: Protection, object: JsonObject): JsonObject {
  const status = cluster.object(referenceTo(object))?.status;
  return isObject(status) ? status : {};
}

/** The request of a review about a pod; `parts` replace its members. */
export function requestAbout(pod: JsonObject, parts: JsonObject): JsonObject {
  const { name, namespace } = pod.metadata as JsonObject;
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const resource = { group: '', version: 'v1', resource: 'pods' };
  return {
    uid: 'd0a2b1c3-0000-4000-8000-000000000002',
    kind,
    resource,
    name: name ?? '',
    namespace: namespace ?? '',
    userInfo: { username: 'admin' },
    dryRun: false,
    options: {},
    ...parts,
  };
}

export function bodyOf(request: JsonObject): Uint8Array {
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  return new TextEncoder().encode(JSON.stringify(review));
}
