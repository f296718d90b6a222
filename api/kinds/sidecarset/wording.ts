// The words of SidecarSet's field errors, those of OpenKruise where it has the rule, since users match on them.
import { KRUISE_CONFIGURATION, SIDECARSET_BASE, SIDECARSET_PATCH_WHITELIST_KEY } from '../../names.ts';

export const wording = {
  // Metadata and canary.
  name: "sidecarset name must consist of alphanumeric characters or '-'",
  baseIsItself: 'base sidecarSet cannot be itself',
  baseImmutable: `annotations[${SIDECARSET_BASE}] is immutable`,
  baseMissing: (base: string) =>
    `fetch base sidecarSet[${base}] failed: SidecarSet.apps.kruise.io ${JSON.stringify(base)} not found`,
  baseIsCanary: (base: string) => `base sidecarSet[${base}] cannot be a canary sidecarSet`,
  canaryType: (type: string) => `${type} is not supported for canary sidecarSet`,

  // Spec.
  initContainersNotUpgraded: 'The initContainer in-place upgrade is not currently supported.',
  selectorMissing: 'no selector defined for SidecarSet',
  selectorEmpty: 'empty selector is not valid for sidecarset.',
  nothingToInject: 'no initContainer or container defined for SidecarSet',
  revisionUnnamed: 'revisionName and customVersion cannot be empty simultaneously',
  revisionMissing: (name: string) =>
    `Cannot find specific ControllerRevision, err: ControllerRevision.apps ${JSON.stringify(name)} not found`,
  revisionPolicy: (policy: string) => `Invalid policy ${policy}, supported: [Always, Partial]`,
  partitionWithSelector: 'Partition and Selector cannot be used together',

  // Containers.
  podInjectPolicy: 'unsupported pod inject policy',
  shareVolumePolicy: 'unsupported share volume policy',
  resourcesTwice: 'resourcesPolicy and resources cannot be configured together',
  resourcesOfInitContainer: 'resourcesPolicy is only supported for containers with RestartPolicy Always',
  targetsMissing: 'targetContainersNameRegex cannot be empty',
  targetsPattern: (reason: string) => `invalid regular expression: ${reason}`,
  expressionsMissing: 'at least one of limits or requests must be configured',
  expression: (reason: string) => `invalid expression: ${reason}`,
  emptyImageMissing: 'HotUpgrade needs an image for the idle container',

  // Annotations for pods.
  annotationsMissing: 'no annotations defined for SidecarSet',
  patchPolicyMissing: 'no patchPolicy defined for patchPodMetadata',
  annotationTwice: (key: string) => `patch annotation[${key}] already exist`,
  annotationNotAllowed: (key: string) => `sidecarSet patch metadata annotation(${key}) is not allowed`,
  nothingAllowed: (namespace: string) =>
    'sidecarSet patch metadata is not allowed: no rule for this SidecarSet in ' +
    `ConfigMap ${namespace}/${KRUISE_CONFIGURATION}, key ${SIDECARSET_PATCH_WHITELIST_KEY}`,
  whitelistUnreadable: (reason: string) =>
    `cannot read ${SIDECARSET_PATCH_WHITELIST_KEY} of ConfigMap ${KRUISE_CONFIGURATION}: ${reason}`,

  // Updates and other SidecarSets.
  containerAdded: (name: string) => `container ${name} is not found`,
  upgradeTypeImmutable: (name: string) => `container ${name} upgradeType is immutable`,
  containerTaken: (name: string, other: string) => `container ${name} already exist in ${other}`,
  initContainerTaken: (name: string, other: string) => `initContainer ${name} already exist in ${other}`,
  volumeDiffers: (name: string, other: string) => `volume ${name} is in conflict with sidecarset ${other}`,
  annotationTaken: (key: string, other: string) => `annotation ${key} is in conflict with sidecarset ${other}`,
} as const;
