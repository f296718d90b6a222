// Nodes of a simulated cluster, in small steps: pods are placed and started, containers are restarted when their image
// changes, readiness follows the gates, and pods that were deleted end.

import { isObject, type Json, type JsonObject } from '../../../api/core/json.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import { PODS } from '../../../kube/resource.ts';
import { type SimulatedObjects, timestamp } from './objects.ts';

export type Kubelet = {
  /** Images that cannot be pulled. */
  readonly brokenImages: Set<string>;
  /** What could happen next on the nodes: one step for each pod that has something to do. */
  steps(): readonly (() => void)[];
};

export function simulatedKubelet(objects: SimulatedObjects, now: () => number): Kubelet {
  const brokenImages = new Set<string>();
  let started = 0;
  const time = () => timestamp(now());

  function stepOf(pod: KubeObject): (() => void) | undefined {
    const reference = pod.metadata;
    const spec = (pod.spec ?? {}) as JsonObject;
    const status = (pod.status ?? {}) as JsonObject;
    if (reference.deletionTimestamp !== undefined) {
      const kept = (reference.finalizers ?? []).length > 0;
      return kept ? undefined : () => objects.finishDeletion(PODS, reference);
    }
    if (status.phase === 'Succeeded' || status.phase === 'Failed') return undefined;
    if (spec.nodeName === undefined) return () => place(pod, spec);
    const next = statusOf(pod, spec, status);
    if (JSON.stringify(next) === JSON.stringify(status)) return undefined;
    return () => write(pod, { status: next }, 'status');
  }

  function place(pod: KubeObject, spec: JsonObject): void {
    const nodeName = `node-${++started % 3}`;
    objects.update(PODS, { ...pod, spec: { ...spec, nodeName } } as unknown as JsonObject);
  }

  function write(pod: KubeObject, changes: JsonObject, subresource: string): void {
    objects.update(PODS, { ...pod, ...changes } as unknown as JsonObject, subresource);
  }

  // One step at a time: a container that was started is ready in the next.
  function statusOf(pod: KubeObject, spec: JsonObject, status: JsonObject): JsonObject {
    const containerStatuses = itemsOf(spec.containers).map((one) => containerStatus(one, status.containerStatuses));
    const native = itemsOf(spec.initContainers).map((one) => containerStatus(one, status.initContainerStatuses));
    const before = { ...status, containerStatuses, ...(native.length === 0 ? {} : { initContainerStatuses: native }) };
    const containersReady = [...containerStatuses, ...native].every(({ ready }) => ready === true);
    const isRunning = containerStatuses.every(({ state }) => isObject(state) && state.running !== undefined);
    const gates = itemsOf(spec.readinessGates).every(({ conditionType }) =>
      itemsOf(status.conditions).some(({ type, status: value }) => type === conditionType && value === 'True'),
    );
    let conditions = itemsOf(status.conditions);
    const isSetUp = conditions.some(({ type }) => type === 'PodScheduled');
    if (!isSetUp) conditions = condition(condition(conditions, 'PodScheduled', true), 'Initialized', true);
    conditions = condition(conditions, 'ContainersReady', containersReady);
    conditions = condition(conditions, 'Ready', containersReady && gates);
    const number = Number(/(\d+)$/.exec(pod.metadata.uid)?.[1] ?? 0);
    const podIP = `10.0.${number >> 8}.${number & 255}`;
    const address = { podIP, podIPs: [{ ip: podIP }], startTime: status.startTime ?? time() };
    return { ...before, ...address, phase: isRunning ? 'Running' : (status.phase ?? 'Pending'), conditions };
  }

  function containerStatus(container: JsonObject, statuses: Json | undefined): JsonObject {
    const { name = '', image = '', resources = {} } = container;
    const old = itemsOf(statuses).find((one) => one.name === name);
    if (brokenImages.has(String(image)) && old?.image !== image) {
      if (old !== undefined && isObject(old.state) && old.state.waiting !== undefined) return old;
      const waiting = { reason: 'ImagePullBackOff', message: `Back-off pulling image ${JSON.stringify(image)}` };
      const from = old ?? { name, image, imageID: '', restartCount: 0, lastState: {} };
      return { ...from, state: { waiting }, ready: false, started: false };
    }
    if (old?.image === image && isObject(old.state) && old.state.running !== undefined) {
      return { ...old, ready: true, started: true, resources };
    }
    const restartCount = old === undefined || old.containerID === undefined ? 0 : Number(old.restartCount) + 1;
    const running = { startedAt: time() };
    return {
      name,
      image,
      imageID: imageIdOf(String(image)),
      containerID: `containerd://${String(++started).padStart(64, '0')}`,
      restartCount,
      ready: false,
      started: false,
      state: { running },
      lastState: {},
      resources,
    };
  }

  function condition(conditions: readonly JsonObject[], type: string, isTrue: boolean): JsonObject[] {
    const status = isTrue ? 'True' : 'False';
    const old = conditions.find((one) => one.type === type);
    if (old?.status === status) return [...conditions];
    const next = { type, status, lastProbeTime: null, lastTransitionTime: time() };
    return old === undefined ? [...conditions, next] : conditions.map((one) => (one === old ? next : one));
  }

  return {
    brokenImages,
    steps: () => objects.list(PODS).flatMap((pod) => stepOf(pod) ?? []),
  };
}

/** The id under which nodes report an image: the same for the same reference. */
export function imageIdOf(image: string): string {
  const repository = image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
  let hash = 0n;
  for (const character of image) hash = (hash * 131n + BigInt(character.codePointAt(0) ?? 0)) % (1n << 256n);
  const digest = /@(sha256:[0-9a-f]+)$/.exec(image)?.[1] ?? `sha256:${hash.toString(16).padStart(64, '0')}`;
  return `${repository}@${digest}`;
}

function itemsOf(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
