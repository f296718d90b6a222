// The spec of a pod, as a template has it: the full rules of Kubernetes 1.32. (admission-overview 8.3)

import { toNumber } from '../json.ts';
import type { PodSpec } from '../pod.ts';
import { validateAffinity } from './affinity.ts';
import {
  type ContainerScope,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from './containers.ts';
import { Field } from './field.ts';
import { validateLabels } from './metadata.ts';
import { dnsLabel, dnsSubdomain, exceeds } from './names.ts';
import { validateHostProcess, validateOperatingSystem } from './operating-system.ts';
import { ipAddress } from './paths.ts';
import { declaredClaims, NO_CLAIMS, validateResources } from './resources.ts';
import { validateGates, validateSpreadConstraints, validateTolerations } from './scheduling.ts';
import { validatePodSecurityContext } from './security-context.ts';
import { validateVolumes } from './volumes.ts';
import { wording } from './wording.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const GREATEST_DEADLINE = 2147483647;
const NAMESERVERS = 3;
const SEARCHES = 32;
const SEARCH_BYTES = 2048;

export type PodSpecOptions = {
  /** Whether the cluster lets containers run privileged; yes if absent. */
  allowPrivileged?: boolean;
  /** The name of the pod, for a pod and not a template. */
  podName?: string;
};

/** All rules of a pod spec; it should have been defaulted, since absent policies are errors. */
export function validatePodSpec(spec: Field<PodSpec | undefined>, options: PodSpecOptions = {}): void {
  const { allowPrivileged = true, podName = '' } = options;
  const grace = spec.at('terminationGracePeriodSeconds');
  if (grace.value === undefined) grace.required();
  const volumes = validateVolumes(spec.at('volumes'), podName);
  validateResourceClaims(spec.at('resourceClaims'), podName);
  const scope: ContainerScope = {
    volumes,
    claims: declaredClaims((spec.value?.resourceClaims ?? []).map(({ name }) => name).sort()),
    graceSeconds: toNumber(grace.value ?? 0),
    restartPolicy: spec.value?.restartPolicy ?? '',
    hostUsers: spec.value?.hostUsers !== false,
    allowPrivileged,
  };
  validateAllContainers(spec, scope);
  validateHostNetworkPorts(spec);
  spec.at('restartPolicy').requireAmong(RESTART_POLICIES);
  spec.at('dnsPolicy').requireAmong(DNS_POLICIES);
  validateLabels(spec.at('nodeSelector'));
  validatePodSecurityContext(spec.at('securityContext'), spec.value);
  validateAffinity(spec.at('affinity'));
  validateDns(spec);
  validateGates(spec);
  validateSpreadConstraints(spec.at('topologySpreadConstraints'));
  validateHostProcess(spec, allowPrivileged);
  validateUserNamespace(spec);
  validateNames(spec);
  validateTolerations(spec.at('tolerations'));
  validateHostAliases(spec);
  validateClasses(spec);
  validateOperatingSystem(spec);
}

function validateAllContainers(spec: Field<PodSpec | undefined>, scope: ContainerScope): void {
  const regular = spec.value?.containers ?? [];
  const init = spec.value?.initContainers ?? [];
  validateContainers(spec.at('containers'), scope);
  validateInitContainers(spec.at('initContainers'), regular, scope);
  validateEphemeralContainers(spec.at('ephemeralContainers'), [...regular, ...init], scope);
}

function validateHostNetworkPorts(spec: Field<PodSpec | undefined>): void {
  if (spec.value?.hostNetwork !== true) return;
  for (const container of spec.at('containers').items()) {
    for (const port of container.at('ports').items()) {
      const hostPort = port.value?.hostPort ?? 0;
      if (hostPort === 0 || hostPort === port.value?.containerPort) continue;
      port.at('hostPort').invalid(wording.hostPortUnlikeContainerPort);
    }
  }
}

function validateResourceClaims(claims: Field<PodSpec['resourceClaims']>, podName: string): void {
  const names = new Set<string>();
  for (const claim of claims.items()) {
    const { resourceClaimName, resourceClaimTemplateName } = claim.value ?? {};
    const name = claim.at('name');
    if (name.require()) {
      if (names.has(name.value ?? '')) name.duplicate();
      else if (name.follow(dnsLabel) && podName !== '' && resourceClaimTemplateName !== undefined) {
        const finalName = `${podName}-${name.value}`;
        for (const detail of dnsSubdomain(finalName)) name.invalid(wording.claimFinalName(detail), finalName);
      }
      names.add(name.value ?? '');
    }
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      claim.invalid(wording.claimSourceTwice);
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      claim.invalid(wording.claimSourceMissing);
    }
    if (resourceClaimName !== undefined) claim.at('resourceClaimName').follow(dnsSubdomain);
    if (resourceClaimTemplateName !== undefined) claim.at('resourceClaimTemplateName').follow(dnsSubdomain);
  }
}

function validateDns(spec: Field<PodSpec | undefined>): void {
  const config = spec.at('dnsConfig');
  const nameservers = config.at('nameservers');
  const searches = config.at('searches');
  if (spec.value?.dnsPolicy === 'None') {
    if (!config.require(wording.dnsConfigRequired)) return;
    if (!nameservers.require(wording.nameserverRequired)) return;
  }
  if ((nameservers.value?.length ?? 0) > NAMESERVERS) nameservers.invalid(wording.tooManyNameservers(NAMESERVERS));
  for (const server of nameservers.items()) server.follow(ipAddress);
  if ((searches.value?.length ?? 0) > SEARCHES) searches.invalid(wording.tooManySearches(SEARCHES));
  if (exceeds((searches.value ?? []).join(' '), SEARCH_BYTES)) searches.invalid(wording.searchesTooLong(SEARCH_BYTES));
  for (const search of searches.items()) {
    const domain = (search.value ?? '').replace(/\.$/, '');
    for (const detail of dnsSubdomain(domain)) search.invalid(detail, domain);
  }
  for (const option of config.at('options').items()) {
    if (!option.at('name').isSet) option.required(wording.empty);
  }
}

function validateUserNamespace(spec: Field<PodSpec | undefined>): void {
  if (spec.value?.hostUsers !== false) return;
  const { hostNetwork, hostPID, hostIPC } = spec.value;
  // Compatibility: two of the paths start with a capital letter.
  if (hostNetwork === true) spec.at('hostNetwork').forbidden(wording.userNamespaceOfHost);
  if (hostPID === true) spec.place('HostPID').forbidden(wording.userNamespaceOfHost);
  if (hostIPC === true) spec.place('HostIPC').forbidden(wording.userNamespaceOfHost);
}

function validateNames(spec: Field<PodSpec | undefined>): void {
  spec.at('serviceAccountName').followIfSet(dnsSubdomain);
  spec.at('nodeName').followIfSet(dnsSubdomain);
  spec.at('activeDeadlineSeconds').between(1, GREATEST_DEADLINE);
  spec.at('hostname').followIfSet(dnsLabel);
  spec.at('subdomain').followIfSet(dnsLabel);
}

function validateHostAliases(spec: Field<PodSpec | undefined>): void {
  for (const alias of spec.at('hostAliases').items()) {
    alias.at('ip').follow(ipAddress);
    for (const hostname of alias.at('hostnames').items()) hostname.follow(dnsSubdomain);
  }
}

function validateClasses(spec: Field<PodSpec | undefined>): void {
  spec.at('priorityClassName').followIfSet(dnsSubdomain);
  if (spec.value?.runtimeClassName !== undefined) spec.at('runtimeClassName').follow(dnsSubdomain);
  if (spec.value?.preemptionPolicy !== undefined) spec.at('preemptionPolicy').requireAmong(PREEMPTION_POLICIES);
  const limits = spec.value?.overhead;
  if (limits !== undefined) validateResources(Field.below(spec.at('overhead'), { limits }), NO_CLAIMS);
}
