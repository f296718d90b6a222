// Whether the update of a pod in place is finished (inplace-update 5).

import { isSameImage } from '../../../api/core/image-reference.ts';
import { type Gates, isEnabled } from '../../../api/gates.ts';
import { type Pod, type PodContainer, statusOf } from '../pod.ts';
import { haveSameAmounts } from './amounts.ts';
import { isEnvironmentCurrent, isPlainCurrent, runtimeReport } from './hashes.ts';
import { graceTextOf, hasNextBatch, readRecord, stateTextOf, UpdateState } from './state.ts';

/** Is no update under way, nor waiting? One whose record cannot be read counts as under way. */
export function isUpdateComplete(pod: Pod, gates: Gates): boolean {
  if (graceTextOf(pod) !== undefined) return false;
  const text = stateTextOf(pod);
  if (text === undefined) return true;
  const state = readRecord(UpdateState, text);
  return state !== undefined && !hasNextBatch(state) && areContainersComplete(pod, state, gates);
}

/** Do the containers run what was written into the pod so far? */
export function areContainersComplete(pod: Pod, state: UpdateState, gates: Gates): boolean {
  const report = runtimeReport(pod);
  if (report === 'unreadable') return false;
  const { containers } = pod.spec;
  if (state.updateEnvFromMetadata === true) {
    if (report === undefined || !containers.every((one) => isEnvironmentCurrent(pod, one, report))) return false;
  }
  if (state.updateResources === true && isEnabled(gates, 'InPlaceWorkloadVerticalScaling')) {
    if (!resized(pod, state).every((one) => areResourcesCurrent(pod, one))) return false;
  }
  return Object.entries(state.lastContainerStatuses ?? {}).every(([name, { imageID = '' }]) => {
    const container = containers.find((one) => one.name === name);
    const status = statusOf(pod, name);
    if (status === undefined) return false;
    if (imageID !== (status.imageID ?? '')) return true;
    // The same image under another name, or the former one again before the kubelet acted.
    if (container !== undefined && isSameImage(container.image ?? '', status.image ?? '')) return true;
    return container !== undefined && report !== undefined && isPlainCurrent(pod, container, report);
  });
}

// Those of the batches so far; states of older releases do not tell.
function resized({ spec }: Pod, { containerBatchesRecord = [] }: UpdateState): readonly PodContainer[] {
  const names = new Set(containerBatchesRecord.flatMap(({ containers }) => containers ?? []));
  return names.size === 0 ? spec.containers : spec.containers.filter(({ name }) => names.has(name));
}

function areResourcesCurrent(pod: Pod, { name, resources }: PodContainer): boolean {
  const actual = statusOf(pod, name)?.resources;
  return (
    actual !== undefined &&
    haveSameAmounts(actual.limits, resources?.limits) &&
    haveSameAmounts(actual.requests, resources?.requests)
  );
}
