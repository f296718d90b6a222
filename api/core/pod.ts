// Pod spec and pod template (core/v1 of Kubernetes 1.32), members in Go's order.
import {
  AppArmorProfile,
  Container,
  EphemeralContainer,
  LocalObjectReference,
  ResourceList,
  ResourceRequirements,
  SELinuxOptions,
  SeccompProfile,
  WindowsSecurityContextOptions,
} from './containers.ts';
import { LabelSelector, ObjectMeta } from './meta.ts';
import {
  always,
  boolean,
  int32,
  int64,
  list,
  map,
  nullable,
  optional,
  pointer,
  required,
  type Static,
  struct,
  text,
} from './schema.ts';
import { Volume } from './volumes.ts';

const atomic = { 'x-kubernetes-list-type': 'atomic' };

export const NodeSelectorRequirement = struct('v1.NodeSelectorRequirement', {
  key: required(text()),
  operator: required(text('v1.NodeSelectorOperator')),
  values: optional(list(text(), atomic)),
});
export type NodeSelectorRequirement = Static<typeof NodeSelectorRequirement>;

export const NodeSelectorTerm = struct(
  'v1.NodeSelectorTerm',
  {
    matchExpressions: optional(list(NodeSelectorRequirement, atomic)),
    matchFields: optional(list(NodeSelectorRequirement, atomic)),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);
export type NodeSelectorTerm = Static<typeof NodeSelectorTerm>;

export const PreferredSchedulingTerm = struct('v1.PreferredSchedulingTerm', {
  weight: required(int32()),
  preference: required(NodeSelectorTerm),
});
export type PreferredSchedulingTerm = Static<typeof PreferredSchedulingTerm>;

const NodeAffinity = struct('v1.NodeAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: pointer(
    struct('v1.NodeSelector', { nodeSelectorTerms: nullable(list(NodeSelectorTerm)) }),
  ),
  preferredDuringSchedulingIgnoredDuringExecution: optional(list(PreferredSchedulingTerm)),
});

export const PodAffinityTerm = struct('v1.PodAffinityTerm', {
  labelSelector: pointer(LabelSelector),
  namespaces: optional(list(text())),
  topologyKey: required(text()),
  namespaceSelector: pointer(LabelSelector),
  matchLabelKeys: optional(list(text())),
  mismatchLabelKeys: optional(list(text())),
});
export type PodAffinityTerm = Static<typeof PodAffinityTerm>;

const WeightedPodAffinityTerm = struct('v1.WeightedPodAffinityTerm', {
  weight: required(int32()),
  podAffinityTerm: required(PodAffinityTerm),
});

const podAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: optional(list(PodAffinityTerm)),
  preferredDuringSchedulingIgnoredDuringExecution: optional(list(WeightedPodAffinityTerm)),
};
export const PodAffinity = struct('v1.PodAffinity', podAffinity);
export type PodAffinity = Static<typeof PodAffinity>;
const PodAntiAffinity = struct('v1.PodAntiAffinity', podAffinity);

export const Affinity = struct('v1.Affinity', {
  nodeAffinity: pointer(NodeAffinity),
  podAffinity: pointer(PodAffinity),
  podAntiAffinity: pointer(PodAntiAffinity),
});
export type Affinity = Static<typeof Affinity>;

export const Toleration = struct('v1.Toleration', {
  key: optional(text()),
  operator: optional(text('v1.TolerationOperator')),
  value: optional(text()),
  effect: optional(text('v1.TaintEffect')),
  tolerationSeconds: pointer(int64()),
});
export type Toleration = Static<typeof Toleration>;

export const TopologySpreadConstraint = struct('v1.TopologySpreadConstraint', {
  maxSkew: required(int32()),
  topologyKey: required(text()),
  whenUnsatisfiable: required(text('v1.UnsatisfiableConstraintAction')),
  labelSelector: pointer(LabelSelector),
  minDomains: pointer(int32()),
  nodeAffinityPolicy: pointer(text('v1.NodeInclusionPolicy')),
  nodeTaintsPolicy: pointer(text('v1.NodeInclusionPolicy')),
  matchLabelKeys: optional(list(text())),
});
export type TopologySpreadConstraint = Static<typeof TopologySpreadConstraint>;

export const PodSecurityContext = struct('v1.PodSecurityContext', {
  seLinuxOptions: pointer(SELinuxOptions),
  windowsOptions: pointer(WindowsSecurityContextOptions),
  runAsUser: pointer(int64()),
  runAsGroup: pointer(int64()),
  runAsNonRoot: pointer(boolean()),
  supplementalGroups: optional(list(int64())),
  supplementalGroupsPolicy: pointer(text('v1.SupplementalGroupsPolicy')),
  fsGroup: pointer(int64()),
  sysctls: optional(list(struct('v1.Sysctl', { name: required(text()), value: required(text()) }))),
  fsGroupChangePolicy: pointer(text('v1.PodFSGroupChangePolicy')),
  seccompProfile: pointer(SeccompProfile),
  appArmorProfile: pointer(AppArmorProfile),
  seLinuxChangePolicy: pointer(text('v1.PodSELinuxChangePolicy')),
});
export type PodSecurityContext = Static<typeof PodSecurityContext>;

const PodDNSConfig = struct('v1.PodDNSConfig', {
  nameservers: optional(list(text())),
  searches: optional(list(text())),
  options: optional(list(struct('v1.PodDNSConfigOption', { name: optional(text()), value: pointer(text()) }))),
});

const HostAlias = struct('v1.HostAlias', { ip: required(text()), hostnames: optional(list(text())) });

const PodResourceClaim = struct('v1.PodResourceClaim', {
  name: required(text()),
  resourceClaimName: pointer(text()),
  resourceClaimTemplateName: pointer(text()),
});

export const PodSpec = struct('v1.PodSpec', {
  volumes: optional(list(Volume)),
  initContainers: optional(list(Container)),
  containers: nullable(list(Container)),
  ephemeralContainers: optional(list(EphemeralContainer)),
  restartPolicy: optional(text('v1.RestartPolicy')),
  terminationGracePeriodSeconds: pointer(int64()),
  activeDeadlineSeconds: pointer(int64()),
  dnsPolicy: optional(text('v1.DNSPolicy')),
  nodeSelector: optional(map(text())),
  serviceAccountName: optional(text()),
  serviceAccount: optional(text()),
  automountServiceAccountToken: pointer(boolean()),
  nodeName: optional(text()),
  hostNetwork: optional(boolean()),
  hostPID: optional(boolean()),
  hostIPC: optional(boolean()),
  shareProcessNamespace: pointer(boolean()),
  securityContext: pointer(PodSecurityContext),
  imagePullSecrets: optional(list(LocalObjectReference)),
  hostname: optional(text()),
  subdomain: optional(text()),
  affinity: pointer(Affinity),
  schedulerName: optional(text()),
  tolerations: optional(list(Toleration)),
  hostAliases: optional(list(HostAlias)),
  priorityClassName: optional(text()),
  priority: pointer(int32()),
  dnsConfig: pointer(PodDNSConfig),
  readinessGates: optional(
    list(struct('v1.PodReadinessGate', { conditionType: required(text('v1.PodConditionType')) })),
  ),
  runtimeClassName: pointer(text()),
  enableServiceLinks: pointer(boolean()),
  preemptionPolicy: pointer(text('v1.PreemptionPolicy')),
  overhead: optional(ResourceList),
  topologySpreadConstraints: optional(list(TopologySpreadConstraint)),
  setHostnameAsFQDN: pointer(boolean()),
  os: pointer(struct('v1.PodOS', { name: required(text('v1.OSName')) })),
  hostUsers: pointer(boolean()),
  schedulingGates: optional(list(struct('v1.PodSchedulingGate', { name: required(text()) }))),
  resourceClaims: optional(list(PodResourceClaim)),
  resources: pointer(ResourceRequirements),
});
export type PodSpec = Static<typeof PodSpec>;

export const PodTemplateSpec = struct('v1.PodTemplateSpec', {
  metadata: always(ObjectMeta, '', { filled: true }),
  spec: always(PodSpec, '', { filled: true }),
});
export type PodTemplateSpec = Static<typeof PodTemplateSpec>;
