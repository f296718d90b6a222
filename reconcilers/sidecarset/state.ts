// What is known about a SidecarSet when its next steps are decided, read from memory (sidecarset 7.2 and 7.3).

import { decode } from '../../api/core/decode.ts';
import type { JsonObject } from '../../api/core/json.ts';
import { matchesSelector, selectorFault } from '../../api/core/selector.ts';
import { description, SidecarSet } from '../../api/kinds/sidecarset/schema.ts';
import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import type { Reader, Stored } from '../../kube/reader.ts';
import { CONTROLLER_REVISIONS, NAMESPACES, PODS, resourceOf } from '../../kube/resource.ts';
import { type SetOfPods, type SidecarPod, setOfPods } from './pods.ts';

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
  /** Active pods that were injected, match the selectors and have the sidecars of today, in no order. */
  readonly pods: readonly SidecarPod[];
  /** ControllerRevisions with the label or the beginning of the name of the SidecarSet. */
  readonly revisions: readonly KubeObject[];
  /** SidecarSets that are named in conditions of the pods and are still there. */
  readonly knownSets: ReadonlySet<string>;
};

/** What is known of pods. */
export type KnownPods = (stored: Stored, about: SetOfPods) => SidecarPod;

type Looking = { readonly reader: Reader; readonly systemNamespace: string; readonly known: KnownPods };

/** Undefined if there is no such SidecarSet. */
export function fetchState({ reader, systemNamespace, known }: Looking, { name }: ObjectReference): State | undefined {
  const object = reader.get(SIDECAR_SETS, { name });
  if (object === undefined) return undefined;
  const set = decode(SidecarSet, object as JsonObject).value;
  const about = setOfPods(object, set);
  const stored = isReadable(set) ? reader.stored(PODS, INJECTED_INDEX, name) : [];
  const isOfNamespace = namespacesOf(reader, set);
  const pods = stored.map((one) => known(one, about)).filter((pod) => pod.isOfSet && isOfNamespace(pod.namespace));
  const named = new Set(pods.flatMap((pod) => pod.named));
  return {
    object,
    set,
    systemNamespace,
    pods,
    revisions: reader.indexed(CONTROLLER_REVISIONS, REVISION_INDEX, name),
    knownSets: new Set([...named].filter((other) => reader.get(SIDECAR_SETS, { name: other }) !== undefined)),
  };
}

/** Finds out what is asked of the pods of a SidecarSet, one in each step. */
export function* findPods({ reader, known }: Looking, { name }: ObjectReference): Iterable<SidecarPod> {
  const object = reader.get(SIDECAR_SETS, { name });
  if (object === undefined) return;
  const about = setOfPods(object, decode(SidecarSet, object as JsonObject).value);
  for (const stored of reader.stored(PODS, INJECTED_INDEX, name)) yield known(stored, about);
}

/** A SidecarSet whose selectors cannot be read has no pods. */
function isReadable({ spec: { selector, namespaceSelector } = {} }: SidecarSet): boolean {
  return [selector, namespaceSelector].every((one) => one === undefined || selectorFault(one) === undefined);
}

function namespacesOf(reader: Reader, { spec: { namespaceSelector } = {} }: SidecarSet): (name: string) => boolean {
  if (namespaceSelector === undefined) return () => true;
  const known = new Map<string, boolean>();
  return (name) => {
    const isKnown = known.get(name);
    if (isKnown !== undefined) return isKnown;
    const isMatching = matchesSelector(namespaceSelector, reader.get(NAMESPACES, { name })?.metadata.labels);
    known.set(name, isMatching);
    return isMatching;
  };
}
