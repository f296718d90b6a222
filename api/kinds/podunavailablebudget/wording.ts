// The words of PodUnavailableBudget's field errors, those of OpenKruise, since users match on them.
import { quote } from '../../core/field-error.ts';
import { PUB_PROTECT_OPERATIONS } from '../../names.ts';
import { OPERATIONS } from './schema.ts';

export const wording = {
  totalNumber: 'must be a valid int32',
  totalDiffers: 'must match spec.protectTotalReplicas when both are set',
  operationUnknown: (word: string) =>
    `metadata.annotations[${PUB_PROTECT_OPERATIONS}]: ${quote(word)} is no operation: expected ${OPERATIONS.join(', ')}`,
  noPods: 'no selector or targetRef defined in PodUnavailableBudget',
  podsTwice: 'selector and targetRef are mutually exclusive',
  targetIncomplete: 'empty targetRef is not valid for PodUnavailableBudget',
  selectorEmpty: 'empty selector is not valid for PodUnavailableBudget.',
  noBudget: 'no maxUnavailable or minAvailable defined in PodUnavailableBudget',
  budgetTwice: 'maxUnavailable and minAvailable are mutually exclusive',
  ignoredEmpty: 'empty ignoredPodSelector is not valid for PodUnavailableBudget',
  podsImmutable: 'selector and targetRef cannot be modified',
  targetTaken: (other: string) => `pub.spec.targetReference is in conflict with other PodUnavailableBudget ${other}`,
  selectorTaken: (other: string) => `pub.spec.selector is in conflict with other PodUnavailableBudget ${other}`,
  unconverted: (version: string, reason: string) => `failed to convert ${version} PUB to v1beta1: ${reason}`,
} as const;
