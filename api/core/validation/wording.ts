// The words of field errors, in one place. Users and tools match on these texts, so they are Kubernetes' own, to the
// letter; which rule uses which is left to the validators.

const KIB = 1024;

export const wording = {
  // Numbers.
  notNegative: 'must be greater than or equal to 0',
  positive: 'must be greater than zero',
  above0: 'must be greater than 0',
  between: (low: number, high: number) => `must be between ${low} and ${high}, inclusive`,
  integer: 'must be an integer',
  one: 'must be 1',
  weight: 'must be in the range 1-100',
  percentAbove100: 'must not be greater than 100%',
  fileMode: 'must be a number between 0 and 0777 (octal), both inclusive',

  // Texts.
  nonEmpty: 'must be non-empty',
  empty: 'must not be empty',
  noMoreCharacters: (limit: number) => `must be no more than ${limit} characters`,
  tooLong: (limitBytes: number) => `may not be more than ${limitBytes} bytes`,
  unique: 'must be unique',
  noDots: 'must not contain dots',
  immutable: 'field is immutable',

  // Paths.
  relativePath: 'must be a relative path',
  absolutePath: 'must be an absolute path',
  noBacksteps: "must not contain '..'",
  noBackstepsInDevice: "can not contain backsteps ('..')",
  notDotDot: "must not start with '..'",

  // Object metadata.
  nameRequired: 'name or generateName is required',
  namespaceNotAllowed: 'not allowed on this type',
  resourceVersionRequired: 'must be specified for an update',
  generationDecremented: 'must not be decremented',
  ownerVersionEmpty: 'version must not be empty',
  oneController: (first: string, second: string) =>
    `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`,
  disallowedOwner: (version: string, kind: string) => `/${version}, Kind=${kind} is disallowed from being an owner`,
  twoDeletionFinalizers: 'finalizer orphan and foregroundDeletion cannot be both set',
  newFinalizers: (names: readonly string[]) =>
    'no new finalizers can be added if the object is being deleted, found new finalizers ' +
    `[]string{${names.map((name) => JSON.stringify(name)).join(', ')}}`,

  // Selectors.
  valuesRequired: "must be specified when `operator` is 'In' or 'NotIn'",
  valuesForbidden: "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
  oneValueRequired: "must be specified single value when `operator` is 'Lt' or 'Gt'",
  oneFieldValueRequired: "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
  badOperator: 'not a valid selector operator',
  badFieldKey: 'not a valid field selector key',
  selectorMismatch: '`selector` does not match template `labels`',

  // Environment.
  fieldPathUnconverted: (reason: string) => `error converting fieldPath: ${reason}`,
  divisors: (supported: string, resource: string) =>
    `only divisor's values ${supported} are supported with the ${resource} resource`,
  envSourceMissing: 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
  envSourceWithValue: 'may not be specified when `value` is not empty',
  envFromSourceMissing: 'must specify one of: `configMapRef` or `secretRef`',
  oneSourceOnly: 'may not have more than one field specified at a time',

  // Containers.
  blanksAround: 'must not have leading or trailing whitespace',
  hostPortUnlikeContainerPort: 'must match `containerPort` when `hostNetwork` is true',
  noRestartPolicy: 'may not be set for non-init containers',
  notForInitContainers: 'may not be set for init containers without restartPolicy=Always',
  resizeOnInitContainer: 'must not be set for init containers',
  resizeWhenNeverRestarted: "must be 'NotRequired' when `restartPolicy` is 'Never'",
  notForEphemeralContainers: 'cannot be set for an Ephemeral Container',
  ephemeralContainersInTemplate: 'ephemeral containers not allowed in pod template',
  handlerMissing: 'must specify a handler type',
  oneHandlerOnly: 'may not specify more than 1 handler type',
  sleepSeconds: (graceSeconds: number) =>
    `must be greater than 0 and less than terminationGracePeriodSeconds (${graceSeconds}). ` +
    'Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.',
  noGraceOnReadiness: 'must not be set for readinessProbes',

  // Mounts and devices.
  nameAmongDevices: 'must not already exist in volumeDevices',
  pathAmongDevices: 'must not already exist as a path in volumeDevices',
  nameAmongMounts: 'must not already exist in volumeMounts',
  pathAmongMounts: 'must not already exist as a path in volumeMounts',
  subPathAndExpression: 'subPathExpr and subPath are mutually exclusive',
  subPathInImage: 'not allowed in image volume sources',
  bidirectionalUnprivileged: 'Bidirectional mount propagation is available only to privileged containers',
  recursiveNeedsReadOnly: 'may only be specified when readOnly is true',
  recursiveNeedsNoPropagation: 'may only be specified when mountPropagation is None or not specified',
  blockNeedsClaim: 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',

  // Resources.
  standardResource: 'must be a standard resource type or fully qualified',
  standardContainerResource: 'must be a standard resource for containers',
  extendedResource: "doesn't follow extended resource name standard",
  equalToLimit: (resource: string, limit: string) => `must be equal to ${resource} limit of ${limit}`,
  withinLimit: (resource: string, limit: string) => `must be less than or equal to ${resource} limit of ${limit}`,
  limitRequired: 'Limit must be set for non overcommitable resources',
  hugePagesAlone: 'HugePages require cpu or memory',
  claimUnknown: (claims: readonly string[]) =>
    `must be one of the names in pod.spec.resourceClaims${claims.length === 0 ? ' which is empty' : `: ${claims.join(', ')}`}`,
  claimSourceMissing: 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
  claimSourceTwice: 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',

  // Security.
  privilegedForbidden: 'disallowed by cluster policy',
  unmaskedNeedsUserNamespace: '`hostUsers` must be false to use `Unmasked`',
  escalationWhilePrivileged: 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
  escalationWithSysAdmin: 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
  profileTypeRequired: (member: string) => `type is required when ${member} is set`,
  localhostProfileRequired: (technology: string) => `must be set when ${technology} type is Localhost`,
  localhostProfileForbidden: (technology: string) => `can only be set when ${technology} type is Localhost`,
  profilePadded: 'must not be padded with whitespace',
  profileTypesDiffer: (technology: string) => `${technology} type in annotation and field must match`,
  profilesDiffer: (technology: string) => `${technology} profile in annotation and field must match`,
  badSeccompProfile: 'must be a valid seccomp profile',
  badAppArmorProfile: (profile: string) => `invalid AppArmor profile name: ${JSON.stringify(profile)}`,
  containerNotFound: 'container not found',
  credentialSpecEmpty: 'gmsaCredentialSpec cannot be an empty string',
  credentialSpecTooLarge: (limitBytes: number) => `gmsaCredentialSpec size must be under ${limitBytes / KIB} KiB`,
  userNameEmpty: 'runAsUserName cannot be an empty string',
  userNameControl: 'runAsUserName cannot contain control characters',
  userNameBackslashes: 'runAsUserName cannot contain more than one backslash',
  userDomainTooLong: (limit: number) => `runAsUserName's Domain length must be under ${limit} characters`,
  userDomainFormat: "runAsUserName's Domain doesn't match the NetBios nor the DNS format",
  userEmpty: "runAsUserName's User cannot be empty",
  userTooLong: (limit: number) => `runAsUserName's User length must not be longer than ${limit} characters`,
  userCharacters: `runAsUserName's User cannot contain the following characters: "/:;|=,+*?<>@[]`,
  userDots: "runAsUserName's User cannot contain only periods or spaces",
  hostProcessDiffers: (pod: boolean) => `pod hostProcess value must be identical if both are specified, was ${pod}`,
  hostProcessMixed: 'If pod contains any hostProcess containers then all containers must be HostProcess containers',
  hostProcessNetwork: 'hostNetwork must be true if pod contains any hostProcess containers',
  hostProcessForbidden: 'hostProcess containers are disallowed by cluster policy',
  processNamespaces: 'ShareProcessNamespace and HostPID cannot both be enabled',
  sysctlName: (limit: number, pattern: string) => `must have at most ${limit} characters and match regex ${pattern}`,
  sysctlOfHost: (member: string) => `may not be specified when '${member}' is true`,
  userNamespaceOfHost: 'when `pod.Spec.HostUsers` is false',
  osNameRequired: 'cannot be empty',
  windowsOnly: 'windows options cannot be set for a linux pod',
  linuxOnly: 'cannot be set for a windows pod',

  // Volumes.
  volumeSourceMissing: 'must specify a volume type',
  oneVolumeSourceOnly: 'may not specify more than 1 volume type',
  oneProjectionOnly: 'may not specify more than 1 volume type per source',
  pathProjectedTwice: 'conflicting duplicate paths',
  tokenTooShort: 'may not specify a duration less than 10 minutes',
  tokenTooLong: 'may not specify a duration larger than 2^32 seconds',
  fieldOrResourceRequired: 'one of fieldRef and resourceFieldRef is required',
  fieldAndResource: 'fieldRef and resourceFieldRef can not be specified simultaneously',
  trustByNameOrSigner: 'either name or signerName must be specified',
  trustByNameAndSigner: 'only one of name and signerName may be used',
  trustNameRequired: 'must be a valid object name',
  signerNameRequired: 'must be a valid signer name',
  trustSelectorWithName: 'labelSelector must be unset if name is specified',
  sizeLimit: 'SizeLimit field must be a valid resource quantity',
  claimOfEphemeralVolume: 'must not reference a PVC that gets created for an ephemeral volume',
  claimName: (claim: string, reason: string) => `PVC name ${JSON.stringify(claim)}: ${reason}`,
  claimMetadata: 'cannot be set for an ephemeral volume',
  accessModeRequired: 'at least 1 access mode is required',
  exclusiveAccessMode: 'may not use ReadWriteOncePod with other access modes',
  dataSourceGroup: "must be a core type if apiGroup is unspecified, only 'PersistentVolumeClaim' is supported",
  dataSourcesDiffer: 'must match dataSourceRef',
  dataSourceOtherNamespace: 'may not be specified when dataSourceRef.namespace is specified',
  targetOrWideRequired: 'must specify either targetWWNs or wwids, but not both',
  targetAndWide: 'targetWWNs and wwids can not be specified simultaneously',
  lunRequired: 'lun is required if targetWWNs is specified',
  flockerRequired: 'one of datasetName and datasetUUID is required',
  flockerTwice: 'datasetName and datasetUUID can not be specified simultaneously',
  noSlash: "must not contain '/'",
  registry: 'must be a host:port pair or multiple pairs separated by commas',
  tenant: 'must be a UUID and may not exceed a length of 64 characters',
  reservedOption: 'kubernetes.io and k8s.io namespaces are reserved',
  iscsiName: 'must be valid format',

  // Pods.
  mirrorNeedsNode: 'must set spec.nodeName if mirror pod annotation is set',
  ipAddress: 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  dnsConfigRequired: 'must provide `dnsConfig` when `dnsPolicy` is None',
  nameserverRequired: 'must provide at least one DNS nameserver when `dnsPolicy` is None',
  tooManyNameservers: (limit: number) => `must not have more than ${limit} nameservers`,
  tooManySearches: (limit: number) => `must not have more than ${limit} search paths`,
  searchesTooLong: (limit: number) =>
    `must not have more than ${limit} characters (including spaces) in the search list`,
  claimFinalName: (reason: string) => `final ResourceClaim name: ${reason}`,

  // Scheduling.
  nodeTermRequired: 'must have at least one node selector term',
  topologyKeyRequired: 'can not be empty',
  keysNeedSelector: 'must not be specified when labelSelector is not set',
  keyInSelector: 'exists in both matchLabelKeys and labelSelector',
  keyInBoth: 'exists in both matchLabelKeys and mismatchLabelKeys',
  minDomains: (action: string) => `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
  emptyKeyNeedsExists: 'operator must be Exists when `key` is empty, which means "match all values and all keys"',
  secondsNeedNoExecute: "effect must be 'NoExecute' when `tolerationSeconds` is set",
  existsHasNoValue: "value must be empty when `operator` is 'Exists'",

  // Workloads.
  nameTooLongForPods:
    'metadata.name: pods may be refused, since the name of their revision does not fit into a label: use 52 characters',

  // Update order (shared by the kinds that sort pods).
  oneOfTwoPriorities: 'only one of weightPriority and orderPriority can be used',
  priorityWeight: 'weight must be valid number in the range 1-100',
  prioritySelectorEmpty: 'selector can not be empty',
  prioritySelector: (reason: string) => `invalid selector ${reason}`,
  orderKeyEmpty: 'order key can not be empty',
  scatterKeyEmpty: 'key should not be empty',
  scatterTwice: (key: string, value: string) => `duplicated key=${key} value=${value}`,
} as const;
