// CloneSet between v1alpha1 and v1beta1: the update type is split in two, reuse of claims is said the other way round,
// and three annotations and a label become members (cloneset 1.3).
import type { CloneSetSpec } from '../../core/cloneset.ts';
import { parseInteger } from '../../core/integers.ts';
import type { ObjectMeta } from '../../core/meta.ts';
import type { InPlaceUpdateStrategy } from '../../core/update-strategies.ts';
import {
  CLONESET_EXCLUDE_PREPARING_DELETE,
  IMAGE_PREDOWNLOAD_MIN_UPDATED_READY_PODS,
  IMAGE_PREDOWNLOAD_PARALLELISM,
  IMAGE_PREDOWNLOAD_TIMEOUT_SECONDS,
} from '../../names.ts';
import type { CloneSet, CloneSetV1alpha1 } from './schema.ts';

type Annotations = { [name: string]: string };
type SpecV1alpha1 = NonNullable<CloneSetV1alpha1['spec']>;

const POLICIES = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'];

/** To v1beta1. Annotations and the label stay. Takes over the parts of a decoded object. */
export function toV1beta1({ spec = {}, ...rest }: CloneSetV1alpha1): CloneSet {
  const { scaleStrategy = {}, updateStrategy = {}, ...shared } = spec;
  const { disablePVCReuse = false, ...scaling } = scaleStrategy;
  const { labels = {}, annotations = {} } = rest.metadata ?? {};
  return {
    ...rest,
    spec: {
      ...shared,
      scaleStrategy: {
        ...scaling,
        ...(!disablePVCReuse && { enablePVCReuse: true }),
        ...(labels[CLONESET_EXCLUDE_PREPARING_DELETE] === 'true' && { excludePreparingDelete: true }),
      },
      updateStrategy: toSplitStrategy(updateStrategy, annotations),
    },
  };
}

// Compatibility: with OnDelete the members of a rolling update are dropped.
function toSplitStrategy(
  { type = '', inPlaceUpdateStrategy, ...shared }: NonNullable<SpecV1alpha1['updateStrategy']>,
  annotations: Annotations,
): NonNullable<CloneSetSpec['updateStrategy']> {
  if (type === 'OnDelete') return { type };
  const inPlace = withPreDownload(inPlaceUpdateStrategy, annotations);
  const rollingUpdate = { ...shared, podUpdatePolicy: POLICIES.includes(type) ? type : 'ReCreate' };
  return {
    type: 'RollingUpdate',
    rollingUpdate: inPlace === undefined ? rollingUpdate : { ...rollingUpdate, inPlaceUpdateStrategy: inPlace },
  };
}

// Compatibility: what v1alpha1 says about pre-download inside the strategy does not count, only the annotations do.
function withPreDownload(
  strategy: InPlaceUpdateStrategy | undefined,
  annotations: Annotations,
): InPlaceUpdateStrategy | undefined {
  const parallelism = annotations[IMAGE_PREDOWNLOAD_PARALLELISM] ?? '';
  const timeout = annotations[IMAGE_PREDOWNLOAD_TIMEOUT_SECONDS] ?? '';
  const minimum = annotations[IMAGE_PREDOWNLOAD_MIN_UPDATED_READY_PODS] ?? '';
  if (strategy === undefined && parallelism === '' && timeout === '' && minimum === '') return undefined;
  const { gracePeriodSeconds = 0 } = strategy ?? {};
  const [seconds, pods] = [parseInt32(timeout), parseInt32(minimum)];
  return {
    ...(gracePeriodSeconds !== 0 && { gracePeriodSeconds }),
    ...(parallelism !== '' && { imagePreDownloadParallelism: parseInt32(parallelism) ?? parallelism }),
    ...(seconds !== undefined && { imagePreDownloadTimeoutSeconds: seconds }),
    ...(pods !== undefined && { imagePreDownloadMinUpdatedReadyPods: pods }),
  };
}

/**
 * To v1alpha1. Annotations follow their members; without a member, one that is there stays.
 * Compatibility: v1alpha1 has no word for `excludePreparingDelete` without the label, nor for a `podUpdatePolicy` beside
 * OnDelete, and clients expect no annotation for them: they are lost.
 */
export function toV1alpha1({ spec = {}, metadata, ...rest }: CloneSet): CloneSetV1alpha1 {
  const { scaleStrategy = {}, updateStrategy = {}, ...shared } = spec;
  const { enablePVCReuse = false, excludePreparingDelete: _lost, ...scaling } = scaleStrategy;
  const { podUpdatePolicy = '', inPlaceUpdateStrategy, ...rolling } = updateStrategy.rollingUpdate ?? {};
  const policy = POLICIES.includes(podUpdatePolicy) ? podUpdatePolicy : 'ReCreate';
  const { inPlace, annotations } = splitInPlace(inPlaceUpdateStrategy ?? {});
  const newMetadata = withAnnotations(metadata, annotations);
  return {
    ...rest,
    ...(newMetadata !== undefined && { metadata: newMetadata }),
    spec: {
      ...shared,
      scaleStrategy: { ...scaling, ...(!enablePVCReuse && { disablePVCReuse: true }) },
      updateStrategy: {
        type: updateStrategy.type === 'OnDelete' ? 'OnDelete' : policy,
        ...rolling,
        ...(inPlace !== undefined && { inPlaceUpdateStrategy: inPlace }),
      },
    },
  };
}

// A strategy that says nothing is none.
function splitInPlace(strategy: InPlaceUpdateStrategy): {
  inPlace: InPlaceUpdateStrategy | undefined;
  annotations: Annotations;
} {
  const {
    gracePeriodSeconds = 0,
    imagePreDownloadParallelism: parallelism,
    imagePreDownloadTimeoutSeconds: timeout,
    imagePreDownloadMinUpdatedReadyPods: minimum,
  } = strategy;
  const annotations: Annotations = {};
  if (parallelism !== undefined) annotations[IMAGE_PREDOWNLOAD_PARALLELISM] = String(parallelism);
  if (timeout !== undefined) annotations[IMAGE_PREDOWNLOAD_TIMEOUT_SECONDS] = String(timeout);
  if (minimum !== undefined) annotations[IMAGE_PREDOWNLOAD_MIN_UPDATED_READY_PODS] = String(minimum);
  const saysNothing = gracePeriodSeconds === 0 && Object.keys(annotations).length === 0;
  if (saysNothing) return { inPlace: undefined, annotations };
  return { inPlace: gracePeriodSeconds === 0 ? {} : { gracePeriodSeconds }, annotations };
}

function withAnnotations(metadata: ObjectMeta | undefined, added: Annotations): ObjectMeta | undefined {
  if (Object.keys(added).length === 0) return metadata;
  return { ...metadata, annotations: { ...metadata?.annotations, ...added } };
}

function parseInt32(digits: string): number | undefined {
  const number = parseInteger(digits, 32);
  return typeof number === 'number' ? number : undefined;
}
