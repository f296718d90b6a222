// The words of PodProbeMarker's field errors, those of OpenKruise, since users match on them.

export const wording = {
  selectorMissing: 'empty Selector is not valid for PodProbeMarker.',
  selectorEmpty: 'empty selector is not valid for podProbeMarker.',
  probesEmpty: 'empty probes is not valid for PodProbeMarker.',
  nameWithSeparator: "probe name can't contains '#'.",
  nameOrContainerMissing: "probe name and containerName can't be empty.",
  nameReserved: (name: string) => `probe name can't be ${name}`,
  nameTwice: 'probe name must be unique in PodProbeMarker.',
  nothingToDo: 'podConditionType and markerPolicy cannot be empty at the same time',
  conditionTwice: (type: string) => `podConditionType ${type} must be unique in podProbeMarker`,
  conditionTaken: (type: string) =>
    `spec.probes: podConditionType ${type} is written by others too; the result of the probe may replace theirs`,
  stateTwice: 'marker policy state must be unique.',
  stateUnknown: "marker policy state must be 'True' or 'False'",
  nothingToMark: "marker policy annotations or labels can't be both empty",
  hostForbidden: 'host field in probes is not allowed',
  selectorImmutable: 'selector must be immutable',
} as const;
