// What is recorded on a pod about its update in place, byte for byte (inplace-update 2.3 and 3.3), and how it is read.

import { ResourceRequirements } from '../../../api/core/containers.ts';
import { decode } from '../../../api/core/decode.ts';
import { encode } from '../../../api/core/encode.ts';
import { type Json, readJson } from '../../../api/core/json.ts';
import { ObjectMeta } from '../../../api/core/meta.ts';
import {
  type AnyStruct,
  boolean,
  int32,
  list,
  map,
  nullable,
  optional,
  pointer,
  required,
  type Static,
  struct,
  text,
  time,
} from '../../../api/core/schema.ts';
import {
  INPLACE_UPDATE_GRACE,
  INPLACE_UPDATE_STATE,
  LEGACY_INPLACE_UPDATE_GRACE,
  LEGACY_INPLACE_UPDATE_STATE,
} from '../../../api/names.ts';
import type { Pod } from '../pod.ts';

const LastStatus = struct('pub.InPlaceUpdateContainerStatus', { imageID: optional(text()) });
const Batch = struct('pub.InPlaceUpdateContainerBatch', {
  timestamp: nullable(time()),
  containers: nullable(list(text())),
});

/** How far the update of a pod has come. SidecarSets record theirs in the same form. */
export const UpdateState = struct('pub.InPlaceUpdateState', {
  revision: required(text()),
  updateTimestamp: nullable(time()),
  lastContainerStatuses: nullable(map(LastStatus)),
  updateEnvFromMetadata: optional(boolean()),
  updateResources: optional(boolean()),
  updateImages: optional(boolean()),
  nextContainerImages: optional(map(text())),
  nextContainerRefMetadata: optional(map(ObjectMeta)),
  nextContainerResources: optional(map(ResourceRequirements)),
  preCheckBeforeNext: pointer(
    struct('pub.InPlaceUpdatePreCheckBeforeNext', { containersRequiredReady: optional(list(text())) }),
  ),
  containerBatchesRecord: optional(list(Batch)),
});
export type UpdateState = Static<typeof UpdateState>;

/** What an update changes of a pod. `metaDataPatch` is a strategic merge patch of the pod, in base64. */
export const UpdateSpec = struct('inplaceupdate.UpdateSpec', {
  revision: required(text()),
  containerImages: optional(map(text())),
  containerRefMetadata: optional(map(ObjectMeta)),
  containerResources: optional(map(ResourceRequirements)),
  metaDataPatch: optional(text()),
  updateEnvFromMetadata: optional(boolean()),
  graceSeconds: optional(int32()),
});
export type UpdateSpec = Static<typeof UpdateSpec>;

/** Reads JSON of a schema; undefined if it cannot be read. A null is a value in which nothing is said. */
export function readRecord<S extends AnyStruct>(schema: S, text: string): Static<S> | undefined {
  const json = readJson(text);
  if (json === undefined) return undefined;
  const { value, errors } = decode(schema, json ?? {});
  return errors.length > 0 ? undefined : value;
}

/** The text of a record as it stands in an annotation. */
export function writeRecord<S extends AnyStruct>(schema: S, value: Static<S>): string {
  return encode(schema, value as Json);
}

/** The annotation in its present or former name; undefined if the pod has neither. */
export function stateTextOf(pod: Pod): string | undefined {
  return annotationOf(pod, INPLACE_UPDATE_STATE, LEGACY_INPLACE_UPDATE_STATE);
}

/** The annotation in its present or former name; undefined if the pod has neither. */
export function graceTextOf(pod: Pod): string | undefined {
  return annotationOf(pod, INPLACE_UPDATE_GRACE, LEGACY_INPLACE_UPDATE_GRACE);
}

/** Annotations to be set, or removed where null, so that the pod carries this state and the grace, or none. */
export function stateAnnotations(pod: Pod, state: UpdateState, grace?: UpdateSpec): Record<string, string | null> {
  const annotations: Record<string, string | null> = { [INPLACE_UPDATE_STATE]: writeRecord(UpdateState, state) };
  if (grace !== undefined) annotations[INPLACE_UPDATE_GRACE] = writeRecord(UpdateSpec, grace);
  const gone = [LEGACY_INPLACE_UPDATE_STATE, LEGACY_INPLACE_UPDATE_GRACE];
  if (grace === undefined) gone.push(INPLACE_UPDATE_GRACE);
  for (const name of gone) if (has(pod, name)) annotations[name] = null;
  return annotations;
}

/** Whether something is left to be changed in a later batch. */
export function hasNextBatch(state: UpdateState): boolean {
  const { nextContainerImages = {}, nextContainerRefMetadata = {}, nextContainerResources = {} } = state;
  return [nextContainerImages, nextContainerRefMetadata, nextContainerResources].some(
    (next) => Object.keys(next).length > 0,
  );
}

function annotationOf(pod: Pod, name: string, legacyName: string): string | undefined {
  return pod.metadata.annotations?.[has(pod, name) ? name : legacyName];
}

function has(pod: Pod, annotation: string): boolean {
  return Object.hasOwn(pod.metadata.annotations ?? {}, annotation);
}
