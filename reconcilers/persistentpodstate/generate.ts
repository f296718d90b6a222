// The PersistentPodState that a workload asks for by its annotations is made, kept up and deleted (persistentpodstate 3.3).

import { equalJson, type Json, type JsonObject } from '../../api/core/json.ts';
import { groupOf } from '../../api/core/references.ts';
import { listedWorkloads } from '../../api/kinds/persistentpodstate/listed-workloads.ts';
import { KRUISE_CONFIGURATION } from '../../api/names.ts';
import { controllerOf, type KubeObject } from '../../kube/objects.ts';
import type { Plan } from '../../kube/plan.ts';
import { apiVersionOf } from '../../kube/resource.ts';
import type { Sources } from '../shared/workloads.ts';
import {
  type Asking,
  generatingResource,
  POD_STATES,
  type PodState,
  readVersion,
  type Wish,
  wishOf,
} from './objects.ts';

export type GenerateState = {
  readonly type: 'generate';
  readonly workload: KubeObject;
  /** As the workload is named in what is made for it. */
  readonly apiVersion: string;
  /** What has the name of the workload. */
  readonly present: PodState | undefined;
};

/** Undefined when the workload is gone, and what was made for it goes with it; or when its kind is not listed any more. */
export function fetchGenerate(sources: Sources, asking: Asking, systemNamespace: string): GenerateState | undefined {
  const { reader, lookUp } = sources;
  const { apiVersion, kind, namespace = '', name } = asking;
  const resource = generatingResource(asking);
  if (resource === undefined && !isListed(sources, asking, systemNamespace)) return undefined;
  const workload =
    resource === undefined ? lookUp({ apiVersion, kind, namespace, name }) : reader.get(resource, { namespace, name });
  if (workload === undefined || workload.metadata.deletionTimestamp !== undefined) return undefined;
  const present = reader.get(POD_STATES, { namespace, name }) as PodState | undefined;
  return { type: 'generate', workload, apiVersion: readVersion(asking), present };
}

function isListed({ lookUp }: Sources, { apiVersion, kind }: Asking, namespace: string): boolean {
  const configMap = lookUp({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: KRUISE_CONFIGURATION });
  const list = listedWorkloads(configMap as unknown as JsonObject | undefined);
  if (typeof list === 'string') return false;
  return list.some(({ Group = '', Kind = '' }) => Group === groupOf(apiVersion) && Kind === kind);
}

export function planGenerate(state: GenerateState): Plan {
  const { workload, present } = state;
  const wish = wishOf(workload);
  // What somebody made by hand stays as it is.
  if (present !== undefined && controllerOf(present)?.uid !== workload.metadata.uid) return { groups: [] };
  if (!wish.isOn) return { groups: present === undefined ? [] : [[removal(present)]] };
  if (wish.required.length === 0 && wish.preferred.length === 0) return { groups: [] };
  const spec = specFor(state, wish);
  if (present === undefined) return { groups: [[{ type: 'create', resource: POD_STATES, object: made(state, spec) }]] };
  if (equalJson(present.spec as unknown as Json, spec)) return { groups: [] };
  return {
    groups: [[{ type: 'update', resource: POD_STATES, object: { ...present, spec } as unknown as JsonObject }]],
  };
}

function removal({ metadata }: PodState) {
  return { type: 'delete', resource: POD_STATES, reference: metadata, uid: metadata.uid } as const;
}

function specFor({ workload, apiVersion }: GenerateState, { required, preferred, annotations }: Wish): JsonObject {
  return {
    targetRef: { apiVersion, kind: workload.kind, name: workload.metadata.name },
    ...(annotations.length > 0 && { persistentPodAnnotations: annotations.map((key) => ({ key })) }),
    ...(required.length > 0 && { requiredPersistentTopology: { keys: [...required] } }),
    ...(preferred.length > 0 && {
      preferredPersistentTopology: [{ weight: 100, preference: { keys: [...preferred] } }],
    }),
  };
}

function made({ workload, apiVersion }: GenerateState, spec: JsonObject): JsonObject {
  const { name, namespace = '', uid } = workload.metadata;
  const type = { apiVersion, kind: workload.kind };
  return {
    apiVersion: apiVersionOf(POD_STATES),
    kind: POD_STATES.kind,
    metadata: { name, namespace, ownerReferences: [{ ...type, name, uid, controller: true }] },
    spec,
  };
}
