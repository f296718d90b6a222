// The words of CloneSet's field errors, those of OpenKruise, since users match on them.

export const wording = {
  selectorEmpty: 'empty selector is invalid for cloneset',
  noDeadline: 'activeDeadlineSeconds in cloneset is not Supported',
  duplicatedPods: (names: readonly string[]) => `duplicated items [${names.join(' ')}]`,
  podMissing: (name: string) => `find pod ${name} failed: Pod ${JSON.stringify(name)} not found`,
  podTerminating: (name: string) => `find pod ${name} already terminating`,
  podOfOther: (name: string) => `find pod ${name} owner is not this CloneSet`,
  type: "must be 'RollingUpdate' or 'OnDelete'",
  typeV1alpha1: "must be 'ReCreate', InPlaceIfPossible or 'InPlaceOnly'",
  podUpdatePolicy: "must be 'ReCreate', 'InPlaceIfPossible' or 'InPlaceOnly'",
  amount: (member: string, fault: string) => `failed GetScaledValueFromIntOrPercent for ${member}: ${fault}`,
  noSurgeInPlace: 'can not use maxSurge with strategy type InPlaceOnly',
  nothingMoves: 'maxUnavailable and maxSurge should not both be less than 1',
  noPercentage: 'imagePreDownloadParallelism does not support percentage value',
  parallelism: 'imagePreDownloadParallelism must be an integer',
  deadlineTooShort: 'must be greater than minReadySeconds',
  immutable:
    "updates to cloneset spec for fields other than 'replicas', 'template', 'lifecycle', 'scaleStrategy', " +
    "'updateStrategy', 'minReadySeconds', 'progressDeadlineSeconds', 'volumeClaimTemplates' and " +
    "'revisionHistoryLimit' are forbidden",
  imagesOnly: (op: string, path: string) =>
    `only allowed to update images in spec for InPlaceOnly, but found ${op} ${path}`,

  // Warnings.
  noAmount: (path: string, value: number | string) =>
    `${path}: ${JSON.stringify(value)} is not usable: expected a whole number or percentage of at least 0`,
  saysNothing: (what: 'annotation' | 'label', name: string, member: string) =>
    `${what} ${name} has no effect in v1beta1: set ${member}`,
} as const;
