// The words of PodUnavailableBudget's field errors, those of OpenKruise, since users match on them.

export const wording = {
  totalNumber: 'must be a valid int32',
  totalDiffers: 'must match spec.protectTotalReplicas when both are set',
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
