// The objects that the controller of PersistentPodState reads, and the keys that stand for workloads which ask for one
// (persistentpodstate 1.6 and 3).

import type { DeepReadonly } from '../../api/core/json.ts';
import {
  description,
  type PersistentPodState,
  type PersistentPodStateSpec,
} from '../../api/kinds/persistentpodstate/schema.ts';
import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import { apiVersionOf, type Resource, resourceOf, STATEFUL_SETS } from '../../kube/resource.ts';
import { ADVANCED_STATEFUL_SETS } from '../shared/workloads.ts';

export const POD_STATES = resourceOf(description);

export type PodState = KubeObject & {
  readonly spec?: DeepReadonly<PersistentPodStateSpec>;
  readonly status?: Status;
};
export type Status = DeepReadonly<NonNullable<PersistentPodState['status']>>;
export type Record = NonNullable<Status['podStates']>[string];

/** Workloads whose annotations may ask for a PersistentPodState. */
export const GENERATING: readonly Resource[] = [STATEFUL_SETS, ADVANCED_STATEFUL_SETS];

const GENERATE = 'generate';

/** The key by which the object that a workload asks for is looked after: no object can have such a name. */
export function generationKey(resource: Resource, { namespace, name }: ObjectReference): ObjectReference {
  return { namespace, name: [GENERATE, apiVersionOf(resource), resource.kind, name].join('#') };
}

/** The workload that such a key stands for; undefined for keys of other objects. */
export function generatingWorkload({ namespace, name: text }: ObjectReference): WorkloadKey | undefined {
  const [mark, apiVersion, kind, name, ...more] = text.split('#');
  if (mark !== GENERATE || name === undefined || more.length > 0) return undefined;
  const resource = GENERATING.find((one) => apiVersionOf(one) === apiVersion && one.kind === kind);
  return resource === undefined ? undefined : { resource, reference: { namespace, name } };
}

type WorkloadKey = { readonly resource: Resource; readonly reference: ObjectReference };

/** Annotations of workloads. */
const AUTO_GENERATE = 'kruise.io/auto-generate-persistent-pod-state';
const REQUIRED = 'kruise.io/required-persistent-topology';
const PREFERRED = 'kruise.io/preferred-persistent-topology';
const ANNOTATIONS = 'kruise.io/persistent-pod-annotations';

/** What a workload asks for by its annotations. */
export type Wish = {
  readonly isOn: boolean;
  readonly required: readonly string[];
  readonly preferred: readonly string[];
  readonly annotations: readonly string[];
};

export function wishOf({ metadata: { annotations = {} } }: KubeObject): Wish {
  return {
    isOn: annotations[AUTO_GENERATE] === 'true',
    required: listIn(annotations[REQUIRED]),
    preferred: listIn(annotations[PREFERRED]),
    annotations: listIn(annotations[ANNOTATIONS]),
  };
}

function listIn(text = ''): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
