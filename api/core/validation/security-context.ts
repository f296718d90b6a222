// Security contexts of containers and of pods.
import type { SecurityContext } from '../containers.ts';
import type { PodSecurityContext, PodSpec } from '../pod.ts';
import type { Field } from './field.ts';
import {
  validateAppArmorProfile,
  validateId,
  validateSeccompProfile,
  validateWindowsOptions,
} from './security-profiles.ts';
import { wording } from './wording.ts';

const PROC_MOUNTS = ['Default', 'Unmasked'];
const GROUPS_POLICIES = ['Merge', 'Strict'];
const GROUP_CHANGE_POLICIES = ['Always', 'OnRootMismatch'];
const LABEL_CHANGE_POLICIES = ['MountOption', 'Recursive'];

const SYSCTL_LENGTH = 253;
const sysctlPart = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const sysctlText = `^(${sysctlPart}[\\./])*${sysctlPart}$`;
const sysctlPattern = new RegExp(sysctlText);

/** What a container's context depends on. */
export type SecurityScope = {
  /** False if the cluster lets no container run privileged. */
  allowPrivileged: boolean;
  /** False if the pod has a user namespace of its own. */
  hostUsers: boolean;
};

/** The security context of a container, if it is there. */
export function validateSecurityContext(context: Field<SecurityContext | undefined>, scope: SecurityScope): void {
  if (context.value === undefined) return;
  if (context.value.privileged === true && !scope.allowPrivileged) {
    context.at('privileged').forbidden(wording.privilegedForbidden);
  }
  validateId(context.at('runAsUser'));
  validateId(context.at('runAsGroup'));
  validateProcMount(context.at('procMount'), scope.hostUsers);
  validateSeccompProfile(context.at('seccompProfile'));
  validateEscalation(context);
  validateWindowsOptions(context.at('windowsOptions'));
  validateAppArmorProfile(context.at('appArmorProfile'));
}

/** The security context of a pod. `spec` is the pod's: host namespaces stand there. */
export function validatePodSecurityContext(
  context: Field<PodSecurityContext | undefined>,
  spec: PodSpec | undefined,
): void {
  validateId(context.at('fsGroup'));
  validateId(context.at('runAsUser'));
  validateId(context.at('runAsGroup'));
  for (const group of context.at('supplementalGroups').items()) validateId(group);
  amongIfGiven(context.at('supplementalGroupsPolicy'), GROUPS_POLICIES);
  if (spec?.shareProcessNamespace === true && spec.hostPID === true) {
    context.place('shareProcessNamespace').invalid(wording.processNamespaces, true);
  }
  validateSysctls(context.at('sysctls'), spec);
  amongIfGiven(context.at('fsGroupChangePolicy'), GROUP_CHANGE_POLICIES);
  validateSeccompProfile(context.at('seccompProfile'));
  validateWindowsOptions(context.at('windowsOptions'));
  validateAppArmorProfile(context.at('appArmorProfile'));
  amongIfGiven(context.at('seLinuxChangePolicy'), LABEL_CHANGE_POLICIES);
}

function validateProcMount(mount: Field<string | undefined>, hostUsers: boolean): void {
  amongIfGiven(mount, PROC_MOUNTS);
  if (mount.value === 'Unmasked' && hostUsers) mount.invalid(wording.unmaskedNeedsUserNamespace);
}

function validateEscalation(context: Field<SecurityContext | undefined>): void {
  const { allowPrivilegeEscalation, privileged, capabilities } = context.value ?? {};
  if (allowPrivilegeEscalation !== false) return;
  if (privileged === true) context.invalid(wording.escalationWhilePrivileged);
  for (const capability of capabilities?.add ?? []) {
    if (capability === 'CAP_SYS_ADMIN') context.invalid(wording.escalationWithSysAdmin);
  }
}

function validateSysctls(sysctls: Field<PodSecurityContext['sysctls']>, spec: PodSpec | undefined): void {
  const names = new Set<string>();
  for (const item of sysctls.items()) {
    const name = item.at('name');
    const text = name.value ?? '';
    if (name.require()) {
      if (text.length > SYSCTL_LENGTH || !sysctlPattern.test(text)) {
        name.invalid(wording.sysctlName(SYSCTL_LENGTH, sysctlText));
      } else if (names.has(text)) {
        name.duplicate();
      }
    }
    const namespace = namespaceOf(text);
    if (spec?.hostNetwork === true && namespace === 'net') name.invalid(wording.sysctlOfHost('hostNetwork'));
    if (spec?.hostIPC === true && namespace === 'ipc') name.invalid(wording.sysctlOfHost('hostIPC'));
    names.add(text);
  }
}

function namespaceOf(sysctl: string): 'net' | 'ipc' | undefined {
  const separator = /[./]/.exec(sysctl)?.[0];
  const name = separator === '/' ? sysctl.replaceAll('/', '.') : sysctl;
  if (name.startsWith('net.')) return 'net';
  return /^(kernel\.sem$|kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(name) ? 'ipc' : undefined;
}

function amongIfGiven(field: Field<string | undefined>, supported: readonly string[]): void {
  if (field.value !== undefined) field.among(supported);
}
