// The objects that the controller of PersistentPodState reads, and the keys that stand for workloads which ask for one
// (persistentpodstate 1.6 and 3).

import type { DeepReadonly } from '../../api/core/json.ts';
import { groupOf } from '../../api/core/references.ts';
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

/** Workloads whose annotations may ask for a PersistentPodState without being listed by the operator. */
const GENERATING: readonly Resource[] = [STATEFUL_SETS, ADVANCED_STATEFUL_SETS];

const GENERATE = 'generate';

/** A workload that may ask for a PersistentPodState, or what stands for it in a key. */
export type Asking = { readonly apiVersion: string; readonly kind: string } & ObjectReference;

/** The key by which the object that a workload asks for is looked after: no object can have such a name. */
export function generationKey({ apiVersion, kind, namespace, name }: Asking): ObjectReference {
  return { namespace, name: [GENERATE, apiVersion, kind, name].join('#') };
}

/** The workload that such a key stands for; undefined for keys of other objects. */
export function generatingWorkload({ namespace, name: text }: ObjectReference): Asking | undefined {
  const [mark, apiVersion, kind, name, ...more] = text.split('#');
  if (mark !== GENERATE || apiVersion === undefined || kind === undefined || name === undefined || more.length > 0) {
    return undefined;
  }
  return { apiVersion, kind, namespace, name };
}

/** The resource of a kind of workload that always may ask; its version does not matter. */
export function generatingResource({ apiVersion, kind }: Pick<Asking, 'apiVersion' | 'kind'>): Resource | undefined {
  const group = groupOf(apiVersion);
  return GENERATING.find((resource) => resource.kind === kind && resource.group === group);
}

/** The version in which workloads of the kind are read, so that each has one key; its own where that is not fixed. */
export function readVersion(type: Pick<Asking, 'apiVersion' | 'kind'>): string {
  const resource = generatingResource(type);
  return resource === undefined ? type.apiVersion : apiVersionOf(resource);
}

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
