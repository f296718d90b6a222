// Containers of a pod: regular, init and ephemeral ones. What they have in common is checked alike; each list adds its own.
import type { Container, EphemeralContainer } from '../containers.ts';
import { validateHostPortConflicts, validatePorts } from './container-ports.ts';
import { validateEnv, validateEnvFrom } from './environment.ts';
import type { Field } from './field.ts';
import { type Volumes, validateVolumeDevices, validateVolumeMounts } from './mounts.ts';
import { dnsLabel } from './names.ts';
import { validateLifecycle, validateReadinessProbe, validateRestartProbe } from './probes.ts';
import { type DeclaredClaims, validateResizePolicy, validateResources } from './resources.ts';
import { type SecurityScope, validateSecurityContext } from './security-context.ts';
import { wording } from './wording.ts';

const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

/** What the rules of a container take from its pod. */
export type ContainerScope = SecurityScope & {
  volumes: Volumes;
  claims: DeclaredClaims;
  /** The pod's grace period in seconds. */
  graceSeconds: number;
  restartPolicy: string;
};

/** Regular containers: at least one. */
export function validateContainers(containers: Field<Container[] | null | undefined>, scope: ContainerScope): void {
  if (!containers.require()) return;
  const names = new Set<string>();
  for (const container of containers.items()) {
    validateContainer(container, scope);
    validateUniqueName(container, names);
    validateProbesAndHooks(container, scope);
    if (container.at('restartPolicy').value !== undefined) {
      container.at('restartPolicy').forbidden(wording.noRestartPolicy);
    }
  }
  validateHostPortConflicts(containers, containers.value ?? []);
}

/** Init containers; those that restart may have what regular ones have. */
export function validateInitContainers(
  containers: Field<Container[] | undefined>,
  regular: readonly Container[],
  scope: ContainerScope,
): void {
  const names = new Set(regular.map((container) => container.name));
  for (const container of containers.items()) {
    validateContainer(container, scope);
    const policy = container.at('restartPolicy');
    if (policy.value !== undefined) policy.among(['Always']);
    validateUniqueName(container, names, 'skip');
    // Init containers run one by one. Compatibility: a conflict within one is reported at index 0.
    if (container.value !== undefined) validateHostPortConflicts(containers, [container.value]);
    if (policy.value === 'Always') validateProbesAndHooks(container, scope);
    else forbidProbesAndHooks(container);
    if (container.at('resizePolicy').isSet) container.at('resizePolicy').invalid(wording.resizeOnInitContainer);
  }
}

/** Ephemeral containers; `others` are the regular and init ones. */
export function validateEphemeralContainers(
  containers: Field<EphemeralContainer[] | undefined>,
  others: readonly Container[],
  scope: ContainerScope,
): void {
  const otherNames = new Set(others.map((container) => container.name));
  const names = new Set(otherNames);
  for (const container of containers.items()) {
    validateContainer(container, scope);
    validateImageBlanks(container);
    validateUniqueName(container, names);
    const target = container.at('targetContainerName');
    if (target.isSet && !otherNames.has(target.value ?? '')) target.notFound();
    forbidInEphemeral(container);
  }
}

/**
 * Ephemeral containers that no pod is known for yet: only their own members are looked at, neither volumes nor targets nor
 * what they may not have anyway. (ephemeraljob 2)
 */
export function validateDetachedContainers(
  containers: Field<EphemeralContainer[] | null | undefined>,
  scope: SecurityScope,
): void {
  const names = new Set<string>();
  for (const container of containers.items()) {
    validateIdentity(container);
    validateEnvironment(container);
    container.at('imagePullPolicy').requireAmong(PULL_POLICIES);
    validateSecurityContext(container.at('securityContext'), scope);
    validateImageBlanks(container);
    validateUniqueName(container, names);
    forbidInEphemeral(container);
  }
}

/** What all containers have in common. */
function validateContainer(container: Field<Container>, scope: ContainerScope): void {
  validateIdentity(container);
  validateEnvironment(container);
  validateVolumeMounts(container, scope.volumes);
  validateVolumeDevices(container, scope.volumes);
  container.at('imagePullPolicy').requireAmong(PULL_POLICIES);
  validateResources(container.at('resources'), scope.claims);
  validateResizePolicy(container.at('resizePolicy'), scope.restartPolicy);
  validateSecurityContext(container.at('securityContext'), scope);
}

function validateIdentity(container: Field<Container>): void {
  if (container.at('name').require()) container.at('name').follow(dnsLabel);
  container.at('image').require();
  container.at('terminationMessagePolicy').requireAmong(MESSAGE_POLICIES);
}

function validateEnvironment(container: Field<Container>): void {
  validatePorts(container.at('ports'));
  validateEnv(container.at('env'));
  validateEnvFrom(container.at('envFrom'));
}

/** Only for pods themselves, not for templates: the image has no blanks around it. */
export function validateImageBlanks(container: Field<Container>): void {
  const image = container.at('image');
  if (image.value !== image.value?.trim()) image.invalid(wording.blanksAround);
}

/** A pull policy, as images in volumes have it too. */
export function validatePullPolicy(policy: Field<string | undefined>): void {
  policy.requireAmong(PULL_POLICIES);
}

// Compatibility: a second container without name counts as a duplicate, but not among init containers.
function validateUniqueName(
  container: Field<Container>,
  names: Set<string>,
  unnamed: 'count' | 'skip' = 'count',
): void {
  const name = container.value?.name ?? '';
  if (names.has(name)) container.at('name').duplicate();
  else if (name !== '' || unnamed === 'count') names.add(name);
}

function validateProbesAndHooks(container: Field<Container>, scope: ContainerScope): void {
  validateLifecycle(container.at('lifecycle'), scope.graceSeconds);
  validateRestartProbe(container.at('livenessProbe'));
  validateReadinessProbe(container.at('readinessProbe'));
  validateRestartProbe(container.at('startupProbe'));
}

function forbidProbesAndHooks(container: Field<Container>): void {
  for (const member of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    if (container.at(member).isSet) container.at(member).forbidden(wording.notForInitContainers);
  }
}

const FORBIDDEN_IN_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

function forbidInEphemeral(container: Field<EphemeralContainer>): void {
  const hasResources = Object.keys(container.value?.resources ?? {}).length > 0;
  for (const member of FORBIDDEN_IN_EPHEMERAL) {
    const field = container.at(member);
    // Whatever decoding has kept was given, also an empty list.
    const isGiven = member === 'resources' ? hasResources : field.value !== undefined;
    if (isGiven) field.forbidden(wording.notForEphemeralContainers);
  }
  for (const mount of container.at('volumeMounts').items()) {
    for (const member of ['subPath', 'subPathExpr'] as const) {
      if (mount.at(member).isSet) mount.at(member).forbidden(wording.notForEphemeralContainers);
    }
  }
}
