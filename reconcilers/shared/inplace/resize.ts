// Changes of cpu and memory of running containers: by the `resize` subresource where the API server has it, else in the spec
// (inplace-update 2.6 and 3.4).

import type { JsonObject } from '../../../api/core/json.ts';
import { type Gates, isEnabled } from '../../../api/gates.ts';
import { IN_PLACE_UPDATE_READY } from '../../../api/names.ts';
import { hasReadinessGate, type Pod, type PodContainer } from '../pod.ts';
import { isSameAmount } from './amounts.ts';
import type { UpdateSpec } from './state.ts';

type Resources = NonNullable<UpdateSpec['containerResources']>;
const RESIZABLE: ReadonlySet<string> = new Set(['cpu', 'memory']);

/** Whether an API server of this version (`v1.33.1-gke.1`) resizes pods by the subresource; false for one that is no version. */
export function hasResizeSubresource(gitVersion: string): boolean {
  const match = /^v?(\d+)[^.]*\.(\d+)[^.]*\.\d/.exec(gitVersion);
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > 1 || (major === 1 && minor >= 32);
}

/** Patches of containers that give them these resources, without those that have them already. */
export function resizedContainers(pod: Pod, resources: Resources, names: readonly string[]): readonly JsonObject[] {
  return pod.spec.containers
    .filter(({ name }) => names.includes(name) && Object.hasOwn(resources, name))
    .flatMap((container) => {
      const changed: JsonObject = {};
      for (const kind of ['limits', 'requests'] as const) {
        const amounts = changedAmounts(container, kind, resources[container.name]?.[kind]);
        if (Object.keys(amounts).length > 0) changed[kind] = amounts;
      }
      return Object.keys(changed).length === 0 ? [] : [{ name: container.name, resources: changed }];
    });
}

/** Must the pod be taken out of service for the update? Not for one that changes nothing but resources without a restart. */
export function mustGoDown(pod: Pod, spec: UpdateSpec, gates: Gates): boolean {
  if (!hasReadinessGate(pod, IN_PLACE_UPDATE_READY)) return false;
  const { containerImages = {}, containerResources = {}, updateEnvFromMetadata } = spec;
  const isOnlyResources =
    Object.keys(containerResources).length > 0 &&
    Object.keys(containerImages).length === 0 &&
    updateEnvFromMetadata !== true;
  if (!isEnabled(gates, 'InPlaceWorkloadVerticalScaling') || !isOnlyResources) return true;
  return pod.spec.containers.some((container) => isRestartedBy(container, containerResources));
}

function changedAmounts({ resources }: PodContainer, kind: 'limits' | 'requests', wanted: Resources[string]['limits']) {
  return Object.fromEntries(
    Object.entries(wanted ?? {}).filter(
      ([name, amount]) => RESIZABLE.has(name) && !isSameAmount(resources?.[kind]?.[name], amount),
    ),
  );
}

function isRestartedBy({ name, resizePolicy = [] }: PodContainer, resources: Resources): boolean {
  const { limits = {}, requests = {} } = (Object.hasOwn(resources, name) ? resources[name] : undefined) ?? {};
  const changed = new Set([...Object.keys(limits), ...Object.keys(requests)]);
  return resizePolicy.some((policy) => policy.restartPolicy === 'RestartContainer' && changed.has(policy.resourceName));
}
