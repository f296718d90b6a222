// Defaults of the pod templates and claim templates of workloads, and when they are filled in (admission-overview 5.2,
// 7.1, 7.2). The functions complete the decoded value that they are given; only absent values are filled.
import type { Gates } from '../gates.ts';
import {
  defaultContainer,
  defaultEphemeralContainer,
  defaultProbe,
  defaultVolume,
  roundUpResources,
} from './container-defaults.ts';
import type { Container, EphemeralContainer } from './containers.ts';
import { decode } from './decode.ts';
import { encode } from './encode.ts';
import { defaultPullPolicy } from './images.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import type { LabelSelector } from './meta.ts';
import type { PodSpec, PodTemplateSpec } from './pod.ts';
import type { AnyStruct } from './schema.ts';
import type { PersistentVolumeClaim } from './volumes.ts';

const defaultGraceSeconds = 30;

/**
 * Whether a request defaults the templates of a workload: on CREATE, and on UPDATE when `spec.template` is another one
 * than before; never with gate TemplateNoDefaults. `template` is the decoded `spec.template`, before defaulting, and
 * `schema` its description; `old` is the object before an UPDATE, decoded or as it came, in the same version.
 */
export function isTemplateDefaulted(
  template: Json | undefined,
  schema: AnyStruct,
  { gates, old }: { gates: Gates; old?: JsonObject },
): boolean {
  if (gates.get('TemplateNoDefaults') === true) return false;
  if (old === undefined) return true;
  const oldTemplate = decode(schema, isObject(old.spec) ? (old.spec.template ?? {}) : {}).value as Json;
  // As Go writes them: members that only typing adds do not count.
  return encode(schema, template ?? {}) !== encode(schema, oldTemplate);
}

/**
 * Writes an absent selector as null, as Go does: the API server then refuses the object by the type of the member.
 * Compatibility: users match on that refusal.
 */
export function writeSelector(spec: { selector?: LabelSelector }): void {
  (spec as JsonObject).selector ??= null;
}

/** Completes a pod template as the webhooks of workloads do: what Kubernetes fills in, but images are pulled always. */
export function defaultPodTemplate(template: PodTemplateSpec, gates: Gates): void {
  template.metadata ??= {};
  template.spec ??= {};
  const spec = template.spec;
  spec.dnsPolicy ??= 'ClusterFirst';
  spec.restartPolicy ??= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= defaultGraceSeconds;
  spec.schedulerName ??= 'default-scheduler';
  if (spec.hostNetwork === true && gates.get('DefaultHostNetworkHostPortsInPodTemplates') === true) {
    defaultHostPorts(spec);
  }
  for (const container of spec.initContainers ?? []) {
    container.imagePullPolicy ??= defaultPullPolicy(container.image ?? '');
    defaultContainer(container);
    defaultProbes(container);
  }
  for (const container of spec.containers ?? []) {
    container.imagePullPolicy ??= 'Always';
    defaultContainer(container);
    defaultProbes(container);
  }
  for (const container of spec.ephemeralContainers ?? []) {
    defaultEphemeralContainer(container);
    defaultProbes(container);
  }
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  roundUpResources(spec.overhead);
}

/** Completes the claim template of a workload. The volume mode stays as it is. */
export function defaultClaimTemplate(claim: PersistentVolumeClaim): void {
  claim.status ??= {};
  claim.status.phase ??= 'Pending';
  roundUpResources(claim.spec?.resources?.limits);
  roundUpResources(claim.spec?.resources?.requests);
  roundUpResources(claim.status.capacity);
}

function defaultProbes({ livenessProbe, readinessProbe, startupProbe }: Container | EphemeralContainer): void {
  defaultProbe(livenessProbe);
  defaultProbe(readinessProbe);
  defaultProbe(startupProbe);
}

function defaultHostPorts(spec: PodSpec): void {
  for (const { ports = [] } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    for (const port of ports) if (port.containerPort !== 0) port.hostPort ??= port.containerPort;
  }
}
