// The words of WorkloadSpread's field errors, those of OpenKruise where it has the rule, since users match on them.

export const wording = {
  // Target.
  targetMissing: 'no targetRef defined in WorkloadSpread',
  targetIncomplete: 'empty TargetReference is not valid for WorkloadSpread.',
  targetGroup: (kind: string) => `TargetReference is not valid for ${kind}.`,
  targetUnlisted: "TargetReference's GroupKind is not permitted.",
  targetImmutable: 'change TargetReference is not permitted for WorkloadSpread',
  targetTaken: (other: string) => `ws.spec.targetRef is in conflict with other WorkloadSpread ${other}`,

  // Subsets.
  subsetsMissing: 'subsets number must >= 1 in WorkloadSpread',
  subsetTwice: (name: string) => `duplicated subset name ${name}`,
  unmerged: (reason: string) => `failed to merge patch: ${reason}`,
  unreadable: (reason: string) => `failed to unmarshal: ${reason}`,
  amountTypes: 'the maxReplicas type of all subsets must be the same',
  amountOfStatefulSet: 'the maxReplicas type must be Int for StatefulSet',
  amountInvalid: 'maxReplicas is not valid for subset',
  sumAbove100: "the sum of all subset's maxReplicas exceeds 100% is no permitted",
  sumBelow100: 'maxReplicas sum of all subsets must equal 100% when type is specified as percent',

  // Strategy.
  strategyType: "ScheduleStrategy's type is not valid",
  adaptiveType: "the scheduleStrategy's type must be adaptive when using adaptive scheduleStrategy",
  lastSubsetLimited: "the last subset's maxReplicas must be not specified when using adaptive scheduleStrategy",
  seconds: (limit: number) => `rescheduleCriticalSeconds < 0 or rescheduleCriticalSeconds > ${limit} is not permitted`,
} as const;
