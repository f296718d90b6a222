// One batch of an update, written into a pod (inplace-update 3.2).

import { isObject, type Json, type JsonObject, parseJson } from '../../../api/core/json.ts';
import { type Gates, isEnabled } from '../../../api/gates.ts';
import { type Pod, statusOf, timestamp } from '../pod.ts';
import { nextBatch, type Remaining } from './batches.ts';
import { resizedContainers } from './resize.ts';
import type { UpdateSpec, UpdateState } from './state.ts';

export type UpdateContext = {
  readonly gates: Gates;
  /** Does the API server resize pods by a subresource? See `hasResizeSubresource`. */
  readonly resizeSubresource: boolean;
  /** Unix time in milliseconds. */
  readonly now: number;
};

/** What a batch changes. */
export type Batch = {
  readonly state: UpdateState;
  /** Members of a patch of the pod. */
  readonly metadata: JsonObject;
  readonly containers: readonly JsonObject[];
  /** Containers that must be resized before, by the subresource. */
  readonly resize: readonly JsonObject[];
};

/** The next batch of what the spec changes; what comes later is left in the state. */
export function applyBatch(pod: Pod, state: UpdateState, spec: UpdateSpec, context: UpdateContext): Batch {
  const names = nextBatch(pod, spec);
  const { containerImages = {}, containerResources = {} } = spec;
  const images = part(containerImages, (name) => names.includes(name));
  const isVertical = isEnabled(context.gates, 'InPlaceWorkloadVerticalScaling');
  const resized = isVertical ? resizedContainers(pod, containerResources, names) : [];
  const changed: readonly JsonObject[] = context.resizeSubresource ? [] : resized;
  return {
    state: stateAfter(pod, state, { names, images, later: laterOf(pod, spec, names, isVertical), now: context.now }),
    metadata: metadataOf(spec, names),
    containers: joined([...Object.entries(images).map(([name, image]) => ({ name, image })), ...changed]),
    resize: context.resizeSubresource ? resized : [],
  };
}

function part<T>(map: Readonly<Record<string, T>>, isIn: (name: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(map).filter(([name]) => isIn(name)));
}

function laterOf(pod: Pod, spec: UpdateSpec, names: readonly string[], isVertical: boolean): Remaining {
  const there = new Set(pod.spec.containers.map(({ name }) => name));
  const isLater = (name: string) => there.has(name) && !names.includes(name);
  return {
    containerImages: part(spec.containerImages ?? {}, isLater),
    containerRefMetadata: part(spec.containerRefMetadata ?? {}, isLater),
    containerResources: isVertical ? part(spec.containerResources ?? {}, isLater) : {},
  };
}

type Step = { names: readonly string[]; images: Record<string, string>; later: Remaining; now: number };

function stateAfter(pod: Pod, before: UpdateState, { names, images, later, now }: Step): UpdateState {
  const {
    nextContainerImages: _images,
    nextContainerRefMetadata: _metadata,
    nextContainerResources: _resources,
    preCheckBeforeNext: _check,
    ...state
  } = before;
  const hasLater = Object.values(later).some((map) => Object.keys(map).length > 0);
  const lastContainerStatuses = { ...state.lastContainerStatuses };
  for (const name of Object.keys(images)) {
    const imageID = statusOf(pod, name)?.imageID;
    if (imageID !== undefined && !Object.hasOwn(lastContainerStatuses, name)) lastContainerStatuses[name] = { imageID };
  }
  return {
    ...state,
    ...(Object.keys(lastContainerStatuses).length > 0 && { lastContainerStatuses }),
    ...(hasLater && {
      nextContainerImages: later.containerImages ?? {},
      nextContainerRefMetadata: later.containerRefMetadata ?? {},
      nextContainerResources: later.containerResources ?? {},
      preCheckBeforeNext: { containersRequiredReady: [...names] },
    }),
    containerBatchesRecord: [
      ...(state.containerBatchesRecord ?? []),
      { timestamp: timestamp(now), containers: [...names] },
    ],
  };
}

function metadataOf(
  { metaDataPatch = '', containerRefMetadata = {} }: UpdateSpec,
  names: readonly string[],
): JsonObject {
  const patch = metaDataPatch === '' ? {} : parseJson(Buffer.from(metaDataPatch, 'base64').toString());
  const metadata = isObject(patch) && isObject(patch.metadata) ? patch.metadata : {};
  const read = { labels: {}, annotations: {} };
  for (const name of names) {
    const references = Object.hasOwn(containerRefMetadata, name) ? containerRefMetadata[name] : undefined;
    Object.assign(read.labels, references?.labels);
    Object.assign(read.annotations, references?.annotations);
  }
  return {
    ...metadata,
    ...joinedMaps(metadata, 'labels', read.labels),
    ...joinedMaps(metadata, 'annotations', read.annotations),
  };
}

/** The member of the metadata with more keys. */
export function joinedMaps(metadata: JsonObject, name: 'labels' | 'annotations', more: JsonObject): JsonObject {
  const before = metadata[name];
  const all = { ...(isObject(before) ? before : {}), ...more };
  return Object.keys(all).length === 0 ? {} : { [name]: all };
}

// One item for each container.
function joined(items: readonly JsonObject[]): readonly JsonObject[] {
  const byName = new Map<Json, JsonObject>();
  for (const item of items) byName.set(item.name ?? '', { ...byName.get(item.name ?? ''), ...item });
  return [...byName.values()];
}
