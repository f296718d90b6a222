// What is known about a SidecarSet when its next steps are decided, read from memory (sidecarset 7.2 and 7.3).

import { decode } from '../../api/core/decode.ts';
import type { JsonObject } from '../../api/core/json.ts';
import { matchesSelector, selectorFault } from '../../api/core/selector.ts';
import { description, SidecarSet } from '../../api/kinds/sidecarset/schema.ts';
import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import type { Reader } from '../../kube/reader.ts';
import { CONTROLLER_REVISIONS, NAMESPACES, PODS, resourceOf } from '../../kube/resource.ts';
import { isActive, type Pod } from '../shared/pod.ts';
import { upgradableByName } from './condition.ts';
import { areSidecarsIn, sidecarsOf } from './sidecars.ts';

export const SIDECAR_SETS = resourceOf(description);

/** Index of pods by the SidecarSets that they were injected by. */
export const INJECTED_INDEX = 'sidecarset-injected';
/** Index of the ControllerRevisions of the system namespace by the SidecarSet that they are, or may be, of. */
export const REVISION_INDEX = 'sidecarset-revision';

export type State = {
  /** As it was read. */
  readonly object: KubeObject;
  /** The same in typed form. */
  readonly set: SidecarSet;
  /** Where revisions are kept. */
  readonly systemNamespace: string;
  /** Active pods that were injected, match the selectors and have the sidecars of today. */
  readonly pods: readonly Pod[];
  /** ControllerRevisions with the label or the beginning of the name of the SidecarSet. */
  readonly revisions: readonly KubeObject[];
  /** SidecarSets that are named in conditions of the pods and are still there. */
  readonly knownSets: ReadonlySet<string>;
};

/** Undefined if there is no such SidecarSet. */
export function fetchState(reader: Reader, { name }: ObjectReference, systemNamespace: string): State | undefined {
  const object = reader.get(SIDECAR_SETS, { name });
  if (object === undefined) return undefined;
  const set = decode(SidecarSet, object as JsonObject).value;
  const pods = matchingPods(reader, name, set);
  const named = new Set(pods.flatMap((pod) => [...upgradableByName(pod).keys()]));
  return {
    object,
    set,
    systemNamespace,
    pods,
    revisions: reader.indexed(CONTROLLER_REVISIONS, REVISION_INDEX, name),
    knownSets: new Set([...named].filter((other) => reader.get(SIDECAR_SETS, { name: other }) !== undefined)),
  };
}

function matchingPods(reader: Reader, name: string, set: SidecarSet): Pod[] {
  const { selector, namespaceSelector } = set.spec ?? {};
  const isBad = (one: typeof selector) => one !== undefined && selectorFault(one) !== undefined;
  if (isBad(selector) || isBad(namespaceSelector)) return [];
  const namespaces = new Map<string, boolean>();
  const isOfNamespace = (namespace: string): boolean => {
    if (namespaceSelector === undefined) return true;
    let isMatching = namespaces.get(namespace);
    if (isMatching === undefined) {
      const labels = reader.get(NAMESPACES, { name: namespace })?.metadata.labels;
      isMatching = matchesSelector(namespaceSelector, labels);
      namespaces.set(namespace, isMatching);
    }
    return isMatching;
  };
  const sidecars = sidecarsOf(set);
  return (reader.indexed(PODS, INJECTED_INDEX, name) as readonly Pod[])
    .filter((pod) => isActive(pod) && matchesSelector(selector, pod.metadata.labels))
    .filter((pod) => isOfNamespace(pod.metadata.namespace ?? '') && areSidecarsIn(pod, sidecars))
    .sort(byKey);
}

// Readers give no order; with one, the same cluster gives the same plan.
function byKey(a: Pod, b: Pod): number {
  const [x, y] = [a, b].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`) as [string, string];
  return x < y ? -1 : x > y ? 1 : 0;
}
