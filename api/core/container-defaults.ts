// Defaults of containers and volumes that Kubernetes itself would fill in at pod creation (sidecarset 3,
// admission-overview 7). Each function completes the decoded value that it is given; only absent values are filled.
import type { Container, EphemeralContainer, LifecycleHandler, Probe, ResourceList } from './containers.ts';
import { formatQuantity, isMilli, parseQuantity, roundUpToMilli } from './quantity.ts';
import type { DownwardAPIVolumeFile, Volume } from './volumes.ts';

const defaultFileMode = 0o644;
const defaultTokenSeconds = 3600;

/** Termination message, port protocols, field references of the environment, resources rounded up to milli. */
export function defaultContainer(container: Container): void {
  container.terminationMessagePath ??= '/dev/termination-log';
  container.terminationMessagePolicy ??= 'File';
  defaultEphemeralContainer(container);
}

/** What is filled in for containers of every kind: all of the above but the termination message. */
export function defaultEphemeralContainer(container: Container | EphemeralContainer): void {
  for (const port of container.ports ?? []) port.protocol ??= 'TCP';
  for (const { valueFrom } of container.env ?? []) if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ??= 'v1';
  roundUpResources(container.resources?.limits);
  roundUpResources(container.resources?.requests);
  defaultHandler(container.lifecycle?.postStart);
  defaultHandler(container.lifecycle?.preStop);
}

/** Numbers of a probe, and path and scheme of its HTTP request. */
export function defaultProbe(probe: Probe | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
  defaultHandler(probe);
}

/** Rounds every amount up to a multiple of 1/1000. */
export function roundUpResources(resources: ResourceList | undefined): void {
  for (const [name, text] of Object.entries(resources ?? {})) {
    const quantity = parseQuantity(text);
    if (quantity === undefined || isMilli(quantity) || resources === undefined) continue;
    resources[name] = formatQuantity(roundUpToMilli(quantity));
  }
}

/** An empty directory if there is no source; file modes, field references, token lifetime, host path type. */
export function defaultVolume(volume: Volume): void {
  // Members that are not known here may be sources of a newer Kubernetes.
  if (Object.keys(volume).every((member) => member === 'name')) volume.emptyDir = {};
  if (volume.hostPath !== undefined) volume.hostPath.type ??= '';
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) {
    if (source !== undefined) source.defaultMode ??= defaultFileMode;
  }
  defaultDownwardItems(volume.downwardAPI?.items);
  for (const projection of volume.projected?.sources ?? []) {
    defaultDownwardItems(projection.downwardAPI?.items);
    if (projection.serviceAccountToken !== undefined) {
      projection.serviceAccountToken.expirationSeconds ??= defaultTokenSeconds;
    }
  }
}

function defaultHandler(handler: LifecycleHandler | Probe | undefined): void {
  if (handler?.httpGet === undefined) return;
  handler.httpGet.path ??= '/';
  handler.httpGet.scheme ??= 'HTTP';
}

function defaultDownwardItems(items: DownwardAPIVolumeFile[] | undefined): void {
  for (const { fieldRef } of items ?? []) if (fieldRef !== undefined) fieldRef.apiVersion ??= 'v1';
}
