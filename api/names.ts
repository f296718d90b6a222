// Names on objects that other software relies on: annotations, labels, environment variables, conditions. Only plain
// string constants, because the policies (AssemblyScript) import this very file.

// Groups of our kinds.
export const APPS_GROUP = 'apps.kruise.io';
export const POLICY_GROUP = 'policy.kruise.io';

// Where the installation lives unless configured otherwise, and the service of its webhooks (operations 10).
export const SYSTEM_NAMESPACE = 'kruise-system';
export const WEBHOOK_SERVICE = 'kruise-webhook-service';

// SidecarSet and its revisions (sidecarset 10.1).
export const SIDECARSET_HASH = 'kruise.io/sidecarset-hash';
export const SIDECARSET_HASH_WITHOUT_IMAGE = 'kruise.io/sidecarset-hash-without-image';
export const SIDECARSET_INJECTED_LIST = 'kruise.io/sidecarset-injected-list';
export const SIDECARSET_INPLACE_UPDATE_STATE = 'kruise.io/sidecarset-inplace-update-state';
export const SIDECARSET_WORKING_HOT_UPGRADE_CONTAINER = 'kruise.io/sidecarset-working-hotupgrade-container';
export const SIDECARSET_NAME = 'kruise.io/sidecarset-name';
export const SIDECARSET_CUSTOM_VERSION = 'apps.kruise.io/sidecarset-custom-version';
export const SIDECARSET_CANARY = 'apps.kruise.io/sidecarset-canary';
export const SIDECARSET_BASE = 'apps.kruise.io/sidecarset-base';
// Followed by the name of the container.
export const SIDECARSET_VERSION_PREFIX = 'version.sidecarset.kruise.io/';
export const SIDECARSET_VERSION_ALT_PREFIX = 'versionalt.sidecarset.kruise.io/';
export const SIDECARSET_UPGRADABLE_CONDITION = 'SidecarSetUpgradable';

// Environment of injected containers.
export const IS_INJECTED_ENV = 'IS_INJECTED';
export const SIDECARSET_VERSION_ENV = 'SIDECARSET_VERSION';
export const SIDECARSET_VERSION_ALT_ENV = 'SIDECARSET_VERSION_ALT';

// ConfigMap in the system namespace and the key of the patchPodMetadata whitelist (sidecarset 4.6).
export const KRUISE_CONFIGURATION = 'kruise-configuration';
export const SIDECARSET_PATCH_WHITELIST_KEY = 'SidecarSet_PatchPodMetadata_WhiteList';

// Revisions of every kind.
export const CONTROLLER_REVISION_HASH = 'controller.kubernetes.io/hash';

// Labels of namespaces.
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';
export const CONTROL_PLANE_LABEL = 'control-plane';

// Readiness gate and pod condition, and who claims that a pod is not ready (podreadiness 3 and 4).
export const KRUISE_POD_READY = 'KruisePodReady';
export const READINESS_GATES_NOT_READY = 'ReadinessGatesNotReady';
export const NOT_READY_AGENT_CONTAINER_RECREATE_REQUEST = 'ContainerRecreateRequest';
export const NOT_READY_AGENT_LIFECYCLE = 'Lifecycle';
export const NOT_READY_KEY_PRE_DELETE = 'preDeleteHook';
export const NOT_READY_KEY_PRE_UPDATE = 'preUpdateHook';
