// The words of the Advanced StatefulSet's field errors, those of OpenKruise, since users match on them.

export const wording = {
  podManagementPolicy: "must be 'OrderedReady' or 'Parallel'",
  ordinalNotRange: (index: number, text: string) => `${index} th reserve ordinal is not a valid range: ${text}`,
  ordinalInvalid: (index: number, text: string, fault: string) =>
    `${index} th reserve ordinal is invalid: ${text}, err = ${fault}`,
  ordinalNegative: (index: number, ordinal: number) => `${index} th reserve ordinal is negative: ${ordinal}`,
  invalidRange: (text: string) => `invalid range ${text}`,
  updateType: "must be 'RollingUpdate' or 'OnDelete'",
  rollingUpdateOnly: "only allowed for updateStrategy 'RollingUpdate'",
  minReadySeconds: (limit: number) => `must be no more than ${limit} seconds`,
  amountUnreadable: (fault: string) => `getValueFromIntOrPercent error: ${fault}`,
  amountTooSmall: 'should not be less than 1',
  parallelOnly: 'can only work with Parallel PodManagementPolicyType',
  podUpdatePolicy: "must be 'ReCreate', InPlaceIfPossible or 'InPlaceOnly'",
  readinessGateMissing: (policy: string) => `must contains InPlaceUpdateReady when podUpdatePolicy is ${policy}`,
  unorderedNeedsParallel: 'unorderedUpdate can only work with Parallel PodManagementPolicyType',
  selectorEmpty: 'empty selector is invalid for statefulset',
  noDeadline: 'activeDeadlineSeconds in StatefulSet is not Supported',
  immutable:
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'reserveOrdinals', " +
    "'lifecycle', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy', `volumeClaimTemplates`, " +
    "`VolumeClaimUpdateStrategy` and 'updateStrategy' are forbidden",
  imagesOnly: (op: string, path: string) =>
    `invalid template modified with InPlaceOnly strategy: ${op} ${path}, ` +
    'currently only image update is allowed for InPlaceOnly',

  // Claim templates.
  claimNumber: 'volumeClaimTemplate can not be added or deleted when OnRollingUpdate',
  claimRenamed: 'volumeClaimTemplate name can not be modified',
  claimIncompatible:
    'storageClassName and accessModes of a volumeClaimTemplate can not be modified when OnRollingUpdate',
  classMissing: (name: string) => `StorageClass.storage.k8s.io ${JSON.stringify(name)} not found`,
  classFixed: (name: string) => `storage class ${name} does not support volume expansion`,

  // Warnings.
  startIgnored: 'spec.ordinals: has no effect without feature gate StatefulSetStartOrdinal',
  startNegative: 'spec.ordinals.start: no pod can have a negative ordinal',
} as const;
