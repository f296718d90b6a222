// What the operating system of a pod forbids, and Windows containers that share the host's process space.
import type { Container } from '../containers.ts';
import type { PodSpec } from '../pod.ts';
import type { Field } from './field.ts';
import { wording } from './wording.ts';

const SYSTEMS = ['linux', 'windows'];
const LINUX_POD_MEMBERS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
] as const;
const LINUX_CONTAINER_MEMBERS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

/** If the pod names its operating system: a known one, and no member that only others have. */
export function validateOperatingSystem(spec: Field<PodSpec | undefined>): void {
  const system = spec.at('os');
  if (!system.isSet) return;
  const name = system.value?.name ?? '';
  if (!system.at('name').require(wording.osNameRequired)) return;
  if (name === 'linux') validateLinux(spec);
  else if (name === 'windows') validateWindows(spec);
  else system.unsupported(SYSTEMS, name);
}

/** Either all containers share the host's process space or none does, and then the host's network too. */
export function validateHostProcess(spec: Field<PodSpec | undefined>, allowPrivileged: boolean): void {
  const pod = spec.value?.securityContext?.windowsOptions?.hostProcess;
  const containers = allContainers(spec);
  let sharing = 0;
  for (const container of containers) {
    const field = container.at('securityContext').at('windowsOptions').at('hostProcess');
    if (pod !== undefined && field.value !== undefined && field.value !== pod) {
      field.invalid(wording.hostProcessDiffers(pod));
    }
    if (field.value ?? pod) sharing++;
  }
  if (sharing === 0) return;
  if (sharing !== containers.length) spec.invalid(wording.hostProcessMixed, '');
  if (spec.value?.hostNetwork !== true) spec.at('hostNetwork').invalid(wording.hostProcessNetwork, false);
  if (!allowPrivileged) spec.forbidden(wording.hostProcessForbidden);
}

/** Init, regular and ephemeral containers, in this order. */
export function allContainers(spec: Field<PodSpec | undefined>): readonly Field<Container>[] {
  const ephemeral = spec.at('ephemeralContainers').items();
  return [...spec.at('initContainers').items(), ...spec.at('containers').items(), ...ephemeral];
}

function validateLinux(spec: Field<PodSpec | undefined>): void {
  const containers = allContainers(spec).map((container) => container.at('securityContext').at('windowsOptions'));
  for (const options of [spec.at('securityContext').at('windowsOptions'), ...containers]) {
    if (options.isSet) options.forbidden(wording.windowsOnly);
  }
}

function validateWindows(spec: Field<PodSpec | undefined>): void {
  const context = spec.at('securityContext');
  for (const member of LINUX_POD_MEMBERS) forbidIfGiven(context.at(member));
  for (const member of ['hostPID', 'hostIPC'] as const) if (spec.at(member).isSet) forbidIfGiven(spec.at(member));
  forbidIfGiven(spec.at('hostUsers'));
  forbidIfGiven(spec.at('shareProcessNamespace'));
  for (const container of allContainers(spec)) {
    for (const member of LINUX_CONTAINER_MEMBERS) forbidIfGiven(container.at('securityContext').at(member));
  }
}

function forbidIfGiven(field: Field<unknown>): void {
  if (field.value !== undefined && !isEmptyList(field.value)) field.forbidden(wording.linuxOnly);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
