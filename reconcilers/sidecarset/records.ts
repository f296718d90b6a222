// The annotations by which a pod remembers what its SidecarSets put into it, byte for byte (sidecarset 5.8, 9.1, 10.2).

import { decode } from '../../api/core/decode.ts';
import { encode } from '../../api/core/encode.ts';
import { isObject, type Json, readJson } from '../../api/core/json.ts';
import { list, map, nullable, optional, required, type Static, struct, text, time } from '../../api/core/schema.ts';
import {
  SIDECARSET_HASH,
  SIDECARSET_HASH_WITHOUT_IMAGE,
  SIDECARSET_INJECTED_LIST,
  SIDECARSET_INPLACE_UPDATE_STATE,
  SIDECARSET_WORKING_HOT_UPGRADE_CONTAINER,
} from '../../api/names.ts';
import { UpdateState } from '../shared/inplace/state.ts';
import type { Pod } from '../shared/pod.ts';

const HashEntry = struct('sidecarcontrol.SidecarSetUpgradeSpec', {
  updateTimestamp: nullable(time()),
  hash: required(text()),
  sidecarSetName: required(text()),
  sidecarList: nullable(list(text())),
  controllerRevision: optional(text()),
});
/** What a pod has of a SidecarSet. */
export type HashEntry = Static<typeof HashEntry>;
type HashAnnotation = typeof SIDECARSET_HASH | typeof SIDECARSET_HASH_WITHOUT_IMAGE;

const HashEntries = map(HashEntry);
const Texts = map(text());
const UpdateStates = map(UpdateState);

/** Names of the SidecarSets whose sidecars the pod has. */
export function injectedSets(annotations: Readonly<Record<string, string>> | undefined): readonly string[] {
  return (annotations?.[SIDECARSET_INJECTED_LIST] ?? '').split(',').filter((name) => name !== '');
}

/** The hash that the pod has of the SidecarSet, in either form of the annotation; '' if there is none to be read. */
export function recordedHash(pod: Pod, annotation: HashAnnotation, set: string): string {
  const entry = entryOf(pod, annotation, set);
  const hash = isObject(entry) ? entry.hash : entry;
  return typeof hash === 'string' ? hash : '';
}

/** Name of the ControllerRevision that the pod has of the SidecarSet; '' if there is none. */
export function recordedRevision(pod: Pod, set: string): string {
  const entry = entryOf(pod, SIDECARSET_HASH, set);
  const revision = isObject(entry) ? entry.controllerRevision : undefined;
  return typeof revision === 'string' ? revision : '';
}

/** The hash annotation with this entry; the other entries stay. */
export function withHashEntry(pod: Pod, set: string, entry: HashEntry): string {
  return encode(HashEntries, { ...entriesOf(pod, SIDECARSET_HASH, entry), [set]: entry } as Json);
}

/** The annotation without images in its present form, if the pod has it in the legacy one. */
export function renewedWithoutImage(pod: Pod, entry: HashEntry): string | undefined {
  const annotation = pod.metadata.annotations?.[SIDECARSET_HASH_WITHOUT_IMAGE];
  if (readText(Texts, annotation) === undefined) return undefined;
  return encode(HashEntries, entriesOf(pod, SIDECARSET_HASH_WITHOUT_IMAGE, entry) as Json);
}

/** Has the SidecarSet upgraded the pod before? */
export function wasUpgraded(pod: Pod, set: string): boolean {
  const states = readJson(pod.metadata.annotations?.[SIDECARSET_INPLACE_UPDATE_STATE] ?? '');
  return isObject(states) && Object.hasOwn(states, set);
}

/** The image ids, by container, that are recorded as those before the upgrade; undefined if they cannot be read. */
export function lastImageIds(pod: Pod, set: string): ReadonlyMap<string, string> | undefined {
  const annotation = pod.metadata.annotations?.[SIDECARSET_INPLACE_UPDATE_STATE];
  if (annotation === undefined) return new Map();
  const states = readJson(annotation);
  if (!isObject(states)) return undefined;
  const state = own(states, set) ?? {};
  const last = isObject(state) ? (state.lastContainerStatuses ?? {}) : undefined;
  if (!isObject(last)) return undefined;
  const ids = new Map<string, string>();
  for (const [container, status] of Object.entries(last)) {
    const imageID = isObject(status) ? (status.imageID ?? '') : undefined;
    if (typeof imageID !== 'string') return undefined;
    ids.set(container, imageID);
  }
  return ids;
}

/**
 * The state annotation after an upgrade of these containers, whose present image ids are recorded. `revision` and `time` are
 * those of the first upgrade.
 */
export function withUpgradeState(
  pod: Pod,
  set: string,
  upgrade: { revision: string; time: string; imageIds: ReadonlyMap<string, string> },
): string {
  const states = readText(UpdateStates, pod.metadata.annotations?.[SIDECARSET_INPLACE_UPDATE_STATE]) ?? {};
  const state = own(states, set) ?? { revision: upgrade.revision, updateTimestamp: upgrade.time };
  const lastContainerStatuses = { ...state.lastContainerStatuses };
  for (const [container, imageID] of upgrade.imageIds) lastContainerStatuses[container] = { imageID };
  return encode(UpdateStates, { ...states, [set]: { ...state, lastContainerStatuses } } as Json);
}

/** Which container of each pair works, by the name of the pair. */
export function workingContainers(pod: Pod): Readonly<Record<string, string>> {
  return readText(Texts, pod.metadata.annotations?.[SIDECARSET_WORKING_HOT_UPGRADE_CONTAINER]) ?? {};
}

/** The annotation for these working containers. */
export function writeWorkingContainers(working: Readonly<Record<string, string>>): string {
  return encode(Texts, working);
}

function entryOf(pod: Pod, annotation: HashAnnotation, set: string): Json | undefined {
  const entries = readJson(pod.metadata.annotations?.[annotation] ?? '');
  return isObject(entries) ? own(entries, set) : undefined;
}

// Entries of the legacy form are a hash for each SidecarSet. They get the time of the entry that is written now, and the
// sidecars if they are of its SidecarSet.
function entriesOf(pod: Pod, annotation: HashAnnotation, written: HashEntry): Record<string, HashEntry> {
  const value = pod.metadata.annotations?.[annotation];
  const legacy = readText(Texts, value);
  if (legacy === undefined) return readText(HashEntries, value) ?? {};
  const renewed = Object.entries(legacy).map(([set, hash]): [string, HashEntry] => {
    const { updateTimestamp = null, sidecarList } = written;
    const isWritten = set === written.sidecarSetName && sidecarList !== undefined;
    return [set, { updateTimestamp, hash, sidecarSetName: set, ...(isWritten && { sidecarList }) }];
  });
  return Object.fromEntries(renewed);
}

/** The value of a schema that a text holds; undefined for no text and one that cannot be read. */
function readText<S extends Parameters<typeof decode>[0]>(schema: S, value: string | undefined): Static<S> | undefined {
  const json = readJson(value ?? '');
  if (!isObject(json)) return undefined;
  const decoded = decode(schema, json);
  return decoded.errors.length > 0 ? undefined : (decoded.value as Static<S>);
}

function own<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
