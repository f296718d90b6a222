// What is said about a CloneSet that is admitted, since OpenKruise has no rule against it, though it will not do what it says
// (cloneset 8.3 to 8.5).
import { parseInteger } from '../../core/integers.ts';
import type { JsonObject } from '../../core/json.ts';
import { longNameWarning } from '../../core/validation/workload.ts';
import {
  CLONESET_EXCLUDE_PREPARING_DELETE,
  IMAGE_PREDOWNLOAD_MIN_UPDATED_READY_PODS,
  IMAGE_PREDOWNLOAD_PARALLELISM,
  IMAGE_PREDOWNLOAD_TIMEOUT_SECONDS,
} from '../../names.ts';
import { parseApiVersion, type ValidationContext } from '../kind.ts';
import type { CloneSet, CloneSetV1alpha1 } from './schema.ts';
import { wording } from './wording.ts';

const NO_DEADLINE = 2147483647;
const IN_PLACE = 'spec.updateStrategy.rollingUpdate.inPlaceUpdateStrategy';

/** Annotations of v1alpha1, and the members that v1beta1 has for them. */
const PRE_DOWNLOAD = [
  [IMAGE_PREDOWNLOAD_PARALLELISM, 'imagePreDownloadParallelism'],
  [IMAGE_PREDOWNLOAD_TIMEOUT_SECONDS, 'imagePreDownloadTimeoutSeconds'],
  [IMAGE_PREDOWNLOAD_MIN_UPDATED_READY_PODS, 'imagePreDownloadMinUpdatedReadyPods'],
] as const;

/** The warnings about a set, in the version in which it was sent, that validation has nothing against. */
export function warnCloneSet(object: JsonObject, _old: JsonObject | undefined, { gates }: ValidationContext): string[] {
  const hasShortLabels = gates.get('CloneSetShortHash') === true;
  return [...(hasShortLabels ? [] : longNameWarning((object as CloneSet).metadata)), ...specWarnings(object)];
}

function specWarnings(object: JsonObject): string[] {
  if (parseApiVersion(object.apiVersion).version === 'v1alpha1') {
    const { scaleStrategy, updateStrategy } = (object as CloneSetV1alpha1).spec ?? {};
    return [
      ...amountWarning('spec.scaleStrategy.maxUnavailable', scaleStrategy?.maxUnavailable),
      ...amountWarning('spec.updateStrategy.maxUnavailable', updateStrategy?.maxUnavailable),
      ...amountWarning('spec.updateStrategy.maxSurge', updateStrategy?.maxSurge),
    ];
  }
  const { scaleStrategy, updateStrategy } = (object as CloneSet).spec ?? {};
  const rolling = updateStrategy?.rollingUpdate;
  return [
    ...amountWarning('spec.scaleStrategy.maxUnavailable', scaleStrategy?.maxUnavailable),
    ...amountWarning('spec.updateStrategy.rollingUpdate.maxUnavailable', rolling?.maxUnavailable),
    ...amountWarning('spec.updateStrategy.rollingUpdate.maxSurge', rolling?.maxSurge),
    ...deadlineWarning(object as CloneSet),
    ...annotationWarnings(object as CloneSet),
  ];
}

/** Amounts are read as whole numbers or percentages when they are used, whatever admission lets pass. */
function amountWarning(path: string, value: number | string | undefined): string[] {
  if (value === undefined) return [];
  const number = typeof value === 'number' ? value : parseInteger(value.replaceAll('%', ''), 32);
  return typeof number === 'number' && number >= 0 ? [] : [wording.noAmount(path, value)];
}

function deadlineWarning({ spec }: CloneSet): string[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec ?? {};
  if (deadline === undefined || deadline === NO_DEADLINE || deadline > minReadySeconds) return [];
  return [`spec.progressDeadlineSeconds: ${wording.deadlineTooShort}`];
}

// Only conversion from v1alpha1 reads them.
function annotationWarnings({ metadata, spec }: CloneSet): string[] {
  const { annotations = {}, labels = {} } = metadata ?? {};
  const inPlace = spec?.updateStrategy?.rollingUpdate?.inPlaceUpdateStrategy;
  const warnings = PRE_DOWNLOAD.filter(
    ([name, member]) => (annotations[name] ?? '') !== '' && inPlace?.[member] === undefined,
  ).map(([name, member]) => wording.saysNothing('annotation', name, `${IN_PLACE}.${member}`));
  const isExcluding = spec?.scaleStrategy?.excludePreparingDelete === true;
  if (labels[CLONESET_EXCLUDE_PREPARING_DELETE] === 'true' && !isExcluding) {
    const member = 'spec.scaleStrategy.excludePreparingDelete';
    warnings.push(wording.saysNothing('label', CLONESET_EXCLUDE_PREPARING_DELETE, member));
  }
  return warnings;
}
