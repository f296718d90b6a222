// Containers of a pod (core/v1 of Kubernetes 1.32), members in Go's order (sidecarset 2).
import {
  always,
  boolean,
  int32,
  int64,
  intOrString,
  list,
  map,
  nullable,
  optional,
  pointer,
  quantity,
  required,
  type Static,
  struct,
  text,
} from './schema.ts';

const atomic = { 'x-kubernetes-list-type': 'atomic' };

export const LocalObjectReference = struct(
  'v1.LocalObjectReference',
  { name: optional(text(), 'Name of the referent.', { default: '' }) },
  { 'x-kubernetes-map-type': 'atomic' },
);
export type LocalObjectReference = Static<typeof LocalObjectReference>;

export const ContainerPort = struct('v1.ContainerPort', {
  name: optional(text()),
  hostPort: optional(int32()),
  containerPort: required(int32()),
  protocol: optional(text('v1.Protocol')),
  hostIP: optional(text()),
});
export type ContainerPort = Static<typeof ContainerPort>;

export const ObjectFieldSelector = struct(
  'v1.ObjectFieldSelector',
  {
    apiVersion: optional(text(), 'Version of the schema that the path is written in; v1 if absent.'),
    fieldPath: required(text(), 'Path of the field.'),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);
export type ObjectFieldSelector = Static<typeof ObjectFieldSelector>;

export const ResourceFieldSelector = struct(
  'v1.ResourceFieldSelector',
  {
    containerName: optional(text()),
    resource: required(text()),
    divisor: always(quantity(), '', { filled: true }),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);
export type ResourceFieldSelector = Static<typeof ResourceFieldSelector>;

const keySelector = { name: optional(text()), key: required(text()), optional: pointer(boolean()) };
const ConfigMapKeySelector = struct('v1.ConfigMapKeySelector', keySelector);
const SecretKeySelector = struct('v1.SecretKeySelector', keySelector);

export const EnvVarSource = struct('v1.EnvVarSource', {
  fieldRef: pointer(ObjectFieldSelector),
  resourceFieldRef: pointer(ResourceFieldSelector),
  configMapKeyRef: pointer(ConfigMapKeySelector),
  secretKeyRef: pointer(SecretKeySelector),
});
export type EnvVarSource = Static<typeof EnvVarSource>;

export const EnvVar = struct('v1.EnvVar', {
  name: required(text()),
  value: optional(text()),
  valueFrom: pointer(EnvVarSource),
});
export type EnvVar = Static<typeof EnvVar>;

const environmentSource = { name: optional(text()), optional: pointer(boolean()) };
export const EnvFromSource = struct('v1.EnvFromSource', {
  prefix: optional(text()),
  configMapRef: pointer(struct('v1.ConfigMapEnvSource', environmentSource)),
  secretRef: pointer(struct('v1.SecretEnvSource', environmentSource)),
});
export type EnvFromSource = Static<typeof EnvFromSource>;

/** Resource names and amounts. */
export const ResourceList = map(quantity(), 'v1.ResourceList');
export type ResourceList = Static<typeof ResourceList>;

export const ResourceRequirements = struct('v1.ResourceRequirements', {
  limits: optional(ResourceList),
  requests: optional(ResourceList),
  claims: optional(list(struct('v1.ResourceClaim', { name: required(text()), request: optional(text()) }))),
});
export type ResourceRequirements = Static<typeof ResourceRequirements>;

export const ContainerResizePolicy = struct('v1.ContainerResizePolicy', {
  resourceName: required(text('v1.ResourceName')),
  restartPolicy: required(text('v1.ResourceResizeRestartPolicy')),
});
export type ContainerResizePolicy = Static<typeof ContainerResizePolicy>;

export const VolumeMount = struct('v1.VolumeMount', {
  name: required(text()),
  readOnly: optional(boolean()),
  recursiveReadOnly: pointer(text('v1.RecursiveReadOnlyMode')),
  mountPath: required(text()),
  subPath: optional(text()),
  mountPropagation: pointer(text('v1.MountPropagationMode')),
  subPathExpr: optional(text()),
});
export type VolumeMount = Static<typeof VolumeMount>;

const VolumeDevice = struct('v1.VolumeDevice', { name: required(text()), devicePath: required(text()) });

export const ExecAction = struct('v1.ExecAction', { command: optional(list(text(), atomic)) });

export const HTTPGetAction = struct('v1.HTTPGetAction', {
  path: optional(text()),
  port: required(intOrString()),
  host: optional(text()),
  scheme: optional(text('v1.URIScheme')),
  httpHeaders: optional(list(struct('v1.HTTPHeader', { name: required(text()), value: required(text()) }), atomic)),
});
export type HTTPGetAction = Static<typeof HTTPGetAction>;

export const TCPSocketAction = struct('v1.TCPSocketAction', {
  port: required(intOrString()),
  host: optional(text()),
});

const GRPCAction = struct('v1.GRPCAction', {
  port: required(int32()),
  service: nullable(text(), '', { default: '', required: false }),
});

const SleepAction = struct('v1.SleepAction', { seconds: required(int64()) });

export const Probe = struct('v1.Probe', {
  exec: pointer(ExecAction),
  httpGet: pointer(HTTPGetAction),
  tcpSocket: pointer(TCPSocketAction),
  grpc: pointer(GRPCAction),
  initialDelaySeconds: optional(int32()),
  timeoutSeconds: optional(int32()),
  periodSeconds: optional(int32()),
  successThreshold: optional(int32()),
  failureThreshold: optional(int32()),
  terminationGracePeriodSeconds: pointer(int64()),
});
export type Probe = Static<typeof Probe>;

export const LifecycleHandler = struct('v1.LifecycleHandler', {
  exec: pointer(ExecAction),
  httpGet: pointer(HTTPGetAction),
  tcpSocket: pointer(TCPSocketAction),
  sleep: pointer(SleepAction),
});
export type LifecycleHandler = Static<typeof LifecycleHandler>;

export const Lifecycle = struct('v1.Lifecycle', {
  postStart: pointer(LifecycleHandler),
  preStop: pointer(LifecycleHandler),
});
export type Lifecycle = Static<typeof Lifecycle>;

const Capabilities = struct('v1.Capabilities', {
  add: optional(list(text('v1.Capability'))),
  drop: optional(list(text('v1.Capability'))),
});

export const SELinuxOptions = struct('v1.SELinuxOptions', {
  user: optional(text()),
  role: optional(text()),
  type: optional(text()),
  level: optional(text()),
});

export const WindowsSecurityContextOptions = struct('v1.WindowsSecurityContextOptions', {
  gmsaCredentialSpecName: pointer(text()),
  gmsaCredentialSpec: pointer(text()),
  runAsUserName: pointer(text()),
  hostProcess: pointer(boolean()),
});
export type WindowsSecurityContextOptions = Static<typeof WindowsSecurityContextOptions>;

export const SeccompProfile = struct('v1.SeccompProfile', {
  type: required(text('v1.SeccompProfileType')),
  localhostProfile: pointer(text()),
});
export type SeccompProfile = Static<typeof SeccompProfile>;

export const AppArmorProfile = struct('v1.AppArmorProfile', {
  type: required(text('v1.AppArmorProfileType')),
  localhostProfile: pointer(text()),
});
export type AppArmorProfile = Static<typeof AppArmorProfile>;

export const SecurityContext = struct('v1.SecurityContext', {
  capabilities: pointer(Capabilities),
  privileged: pointer(boolean()),
  seLinuxOptions: pointer(SELinuxOptions),
  windowsOptions: pointer(WindowsSecurityContextOptions),
  runAsUser: pointer(int64()),
  runAsGroup: pointer(int64()),
  runAsNonRoot: pointer(boolean()),
  readOnlyRootFilesystem: pointer(boolean()),
  allowPrivilegeEscalation: pointer(boolean()),
  procMount: pointer(text('v1.ProcMountType')),
  seccompProfile: pointer(SeccompProfile),
  appArmorProfile: pointer(AppArmorProfile),
});
export type SecurityContext = Static<typeof SecurityContext>;

export const Container = struct('v1.Container', {
  name: required(text()),
  image: optional(text()),
  command: optional(list(text())),
  args: optional(list(text())),
  workingDir: optional(text()),
  ports: optional(list(ContainerPort)),
  envFrom: optional(list(EnvFromSource)),
  env: optional(list(EnvVar)),
  resources: always(ResourceRequirements),
  resizePolicy: optional(list(ContainerResizePolicy)),
  restartPolicy: pointer(text('v1.ContainerRestartPolicy')),
  volumeMounts: optional(list(VolumeMount)),
  volumeDevices: optional(list(VolumeDevice)),
  livenessProbe: pointer(Probe),
  readinessProbe: pointer(Probe),
  startupProbe: pointer(Probe),
  lifecycle: pointer(Lifecycle),
  terminationMessagePath: optional(text()),
  terminationMessagePolicy: optional(text('v1.TerminationMessagePolicy')),
  imagePullPolicy: optional(text('v1.PullPolicy')),
  securityContext: pointer(SecurityContext),
  stdin: optional(boolean()),
  stdinOnce: optional(boolean()),
  tty: optional(boolean()),
});
export type Container = Static<typeof Container>;

export const EphemeralContainer = struct('v1.EphemeralContainer', {
  ...Container.fields,
  targetContainerName: optional(text()),
});
export type EphemeralContainer = Static<typeof EphemeralContainer>;
