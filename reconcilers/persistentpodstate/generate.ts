// The PersistentPodState that a workload asks for by its annotations is made, kept up and deleted (persistentpodstate 3.3).

import { equalJson, type Json, type JsonObject } from '../../api/core/json.ts';
import { controllerOf, type KubeObject } from '../../kube/objects.ts';
import type { Plan } from '../../kube/plan.ts';
import type { Reader } from '../../kube/reader.ts';
import { apiVersionOf, type Resource } from '../../kube/resource.ts';
import { type generatingWorkload, POD_STATES, type PodState, type Wish, wishOf } from './objects.ts';

export type GenerateState = {
  readonly type: 'generate';
  readonly workload: KubeObject;
  readonly resource: Resource;
  /** What has the name of the workload. */
  readonly present: PodState | undefined;
};

/** Undefined when the workload is gone: what was made for it goes with it. */
export function fetchGenerate(
  reader: Reader,
  { resource, reference }: NonNullable<ReturnType<typeof generatingWorkload>>,
): GenerateState | undefined {
  const workload = reader.get(resource, reference);
  if (workload === undefined || workload.metadata.deletionTimestamp !== undefined) return undefined;
  const present = reader.get(POD_STATES, reference) as PodState | undefined;
  return { type: 'generate', workload, resource, present };
}

export function planGenerate({ workload, resource, present }: GenerateState): Plan {
  const wish = wishOf(workload);
  // What somebody made by hand stays as it is.
  if (present !== undefined && controllerOf(present)?.uid !== workload.metadata.uid) return { groups: [] };
  if (!wish.isOn) return { groups: present === undefined ? [] : [[removal(present)]] };
  if (wish.required.length === 0 && wish.preferred.length === 0) return { groups: [] };
  const spec = specFor(workload, resource, wish);
  if (present === undefined)
    return { groups: [[{ type: 'create', resource: POD_STATES, object: made(workload, resource, spec) }]] };
  if (equalJson(present.spec as unknown as Json, spec)) return { groups: [] };
  return {
    groups: [[{ type: 'update', resource: POD_STATES, object: { ...present, spec } as unknown as JsonObject }]],
  };
}

function removal({ metadata }: PodState) {
  return { type: 'delete', resource: POD_STATES, reference: metadata, uid: metadata.uid } as const;
}

function specFor({ metadata }: KubeObject, resource: Resource, { required, preferred, annotations }: Wish): JsonObject {
  return {
    targetRef: { apiVersion: apiVersionOf(resource), kind: resource.kind, name: metadata.name },
    ...(annotations.length > 0 && { persistentPodAnnotations: annotations.map((key) => ({ key })) }),
    ...(required.length > 0 && { requiredPersistentTopology: { keys: [...required] } }),
    ...(preferred.length > 0 && {
      preferredPersistentTopology: [{ weight: 100, preference: { keys: [...preferred] } }],
    }),
  };
}

function made({ metadata }: KubeObject, resource: Resource, spec: JsonObject): JsonObject {
  const { name, namespace = '', uid } = metadata;
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  return {
    apiVersion: apiVersionOf(POD_STATES),
    kind: POD_STATES.kind,
    metadata: { name, namespace, ownerReferences: [{ ...type, name, uid, controller: true }] },
    spec,
  };
}
