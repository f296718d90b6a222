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

// ConfigMap in the system namespace, the key of the patchPodMetadata whitelist (sidecarset 4.6), and those of the kinds
// of workloads that are accepted besides the well-known ones (workloadspread 6, persistentpodstate 1.4).
export const KRUISE_CONFIGURATION = 'kruise-configuration';
export const SIDECARSET_PATCH_WHITELIST_KEY = 'SidecarSet_PatchPodMetadata_WhiteList';
export const WORKLOADSPREAD_WORKLOADS_KEY = 'WorkloadSpread_Watch_Custom_Workload_WhiteList';
export const PERSISTENTPODSTATE_WORKLOADS_KEY = 'PPS_Watch_Custom_Workload_WhiteList';

// Which WorkloadSpread a pod was created by, its subset and the id of the booking, and the labels by which the pods of
// another template are counted apart (workloadspread 4 and 7).
export const MATCHED_WORKLOADSPREAD = 'apps.kruise.io/matched-workloadspread';
export const POD_TEMPLATE_HASH = 'pod-template-hash';
export const CONTROLLER_REVISION_LABEL = 'controller-revision-hash';
export const VERSION_IGNORED = 'versionIgnored';

// What v1alpha1 of PodUnavailableBudget says in annotations (podunavailablebudget 1.2).
export const PUB_PROTECT_OPERATIONS = 'kruise.io/pub-protect-operations';
export const PUB_PROTECT_TOTAL_REPLICAS = 'pub.kruise.io/protect-total-replicas';

// Which budget a pod counts for; the second is what older releases wrote (podunavailablebudget 3.1).
export const RELATED_PUB = 'pub.kruise.io/related-pub';
export const LEGACY_RELATED_PUB = 'kruise.io/related-pub';

// Pods that no budget protects, and the beginning of the labels of pods that serve nobody (podunavailablebudget 4).
export const PUB_NO_PROTECT = 'pub.kruise.io/no-protect';
export const UNAVAILABLE_POD_PREFIX = 'unavailable-pod.kruise.io/';

// Where the kubelet has a pod from: another value than `api` is a static pod's.
export const CONFIG_SOURCE = 'kubernetes.io/config.source';

// How far the update of a pod in place has come (inplace-update 1); the second of each is what older releases wrote.
export const INPLACE_UPDATE_STATE = 'apps.kruise.io/inplace-update-state';
export const LEGACY_INPLACE_UPDATE_STATE = 'inplace-update-state';
export const INPLACE_UPDATE_GRACE = 'apps.kruise.io/inplace-update-grace';
export const LEGACY_INPLACE_UPDATE_GRACE = 'inplace-update-grace';
export const RUNTIME_CONTAINERS_META = 'apps.kruise.io/runtime-containers-meta';

// Order in which the containers of a pod start (containerlaunchpriority 5): annotation, its value, what users set on
// containers, what they get.
export const CONTAINER_LAUNCH_PRIORITY = 'apps.kruise.io/container-launch-priority';
export const LAUNCH_ORDERED = 'Ordered';
export const CONTAINER_PRIORITY_ENV = 'KRUISE_CONTAINER_PRIORITY';
export const CONTAINER_BARRIER_ENV = 'KRUISE_CONTAINER_BARRIER';
// Behind the name of the pod: its ConfigMap; before the priority: the key in it.
export const BARRIER_SUFFIX = '-barrier';
export const BARRIER_KEY_PREFIX = 'p_';

// The PersistentPodState whose record a pod was created with (persistentpodstate 2).
export const INJECTED_PERSISTENT_POD_STATE = 'kruise.io/injected-persistent-pod-state';

// Liveness probes that the platform runs (enhancedlivenessprobe 4).
export const USING_ENHANCED_LIVENESS = 'apps.kruise.io/using-enhanced-liveness';
export const CONTAINER_PROBE_CONTEXT = 'apps.kruise.io/container-probe-context';

// Probes handed over to virtual nodes, and the markers that they are of (podprobemarker 7).
export const POD_PROBE = 'kruise.io/podprobe';
export const POD_PROBE_MARKER_LIST = 'kruise.io/podprobemarker-list';

// Label of objects that may not be deleted, and its values (deletion-protection 1).
export const DELETE_PROTECTION = 'policy.kruise.io/delete-protection';
export const PROTECT_ALWAYS = 'Always';
export const PROTECT_CASCADING = 'Cascading';

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

// Image pulls (images 8).
export const IMAGEPULLJOB_FINALIZER = 'apps.kruise.io/deletion-protection';

// Container recreation (containerrecreaterequest 6). The annotations carry in v1alpha1 what v1beta1 has in its status.
export const CRR_POD_UID = 'crr.apps.kruise.io/pod-uid';
export const CRR_NODE_NAME = 'crr.apps.kruise.io/node-name';
export const CRR_ACTIVE = 'crr.apps.kruise.io/active';
export const CRR_UNREADY_ACQUIRED = 'crr.apps.kruise.io/unready-acquired';
export const CRR_SYNC_CONTAINER_STATUSES = 'crr.apps.kruise.io/sync-container-statuses';
export const CRR_PRE_RECREATE_GRACE = 'PreRecreateGrace';

// Label and value of nodes that have no daemon, also on what is about them (images 8, containerrecreaterequest 6).
export const NODE_TYPE = 'type';
export const VIRTUAL_KUBELET = 'virtual-kubelet';

// Condition of a pod whose sidecars were ended after its main containers.
export const SIDECAR_TERMINATED = 'SidecarTerminated';

// Labels that BroadcastJob puts on its pods (broadcastjob 4.3).
export const BROADCASTJOB_NAME = 'broadcastjob-name';
export const BROADCASTJOB_CONTROLLER_UID = 'broadcastjob-controller-uid';

// What v1alpha1 of CloneSet says in annotations and in a label (cloneset 1.2), and the hash of the claim templates that
// its revisions carry (cloneset 3.7).
export const IMAGE_PREDOWNLOAD_PARALLELISM = 'apps.kruise.io/image-predownload-parallelism';
export const IMAGE_PREDOWNLOAD_TIMEOUT_SECONDS = 'apps.kruise.io/image-predownload-timeout-seconds';
export const IMAGE_PREDOWNLOAD_MIN_UPDATED_READY_PODS = 'apps.kruise.io/image-predownload-min-updated-ready-pods';
export const CLONESET_EXCLUDE_PREPARING_DELETE = 'apps.kruise.io/cloneset-scaling-exclude-preparing-delete';
export const CLONESET_CLAIM_TEMPLATES_HASH = 'kruise.io/cloneset-volumeclaimtemplate-hash';

// What v1alpha1 of the Advanced DaemonSet says in an annotation (advanced-daemonset 1.1).
export const DAEMONSET_PROGRESSIVE_CREATE_POD = 'daemonset.kruise.io/progressive-create-pod';

// Readiness gate of pods that are updated in place (inplace-update 4).
export const IN_PLACE_UPDATE_READY = 'InPlaceUpdateReady';

// Marks the default storage class.
export const DEFAULT_STORAGE_CLASS = 'storageclass.kubernetes.io/is-default-class';
