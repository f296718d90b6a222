// What a request takes from the pod that it is about: is it running, where, and how its containers are.
import { Container } from '../../core/containers.ts';
import { decode, formatDecodeError } from '../../core/decode.ts';
import type { JsonObject } from '../../core/json.ts';
import { ObjectMeta } from '../../core/meta.ts';
import {
  always,
  int32,
  int64,
  list,
  optional,
  pointer,
  required,
  type Static,
  struct,
  text,
} from '../../core/schema.ts';
import { SIDECAR_TERMINATED } from '../../names.ts';

const ContainerStatus = struct('v1.ContainerStatus', {
  name: required(text()),
  restartCount: required(int32()),
  containerID: optional(text()),
});
export type ContainerStatus = Static<typeof ContainerStatus>;

// Of a pod, only what is asked for.
const Pod = struct('v1.Pod', {
  metadata: always(ObjectMeta),
  spec: always(
    struct('v1.PodSpec', {
      initContainers: optional(list(Container)),
      containers: optional(list(Container)),
      terminationGracePeriodSeconds: pointer(int64()),
      nodeName: optional(text()),
    }),
  ),
  status: always(
    struct('v1.PodStatus', {
      phase: optional(text()),
      conditions: optional(list(struct('v1.PodCondition', { type: required(text()) }))),
      initContainerStatuses: optional(list(ContainerStatus)),
      containerStatuses: optional(list(ContainerStatus)),
    }),
  ),
});
export type Pod = Static<typeof Pod>;

/** The pod, or why it cannot be read. */
export function readPod(stored: JsonObject): Pod | string {
  const { value, errors } = decode(Pod, stored);
  return errors[0] === undefined ? value : formatDecodeError(errors[0]);
}

/** Neither ended nor being deleted; a pod whose sidecars were ended counts as active in any case. */
export function isRecreatable({ metadata, status }: Pod): boolean {
  if (status?.conditions?.some(({ type }) => type === SIDECAR_TERMINATED)) return true;
  const isEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return !isEnded && metadata?.deletionTimestamp === undefined;
}

/** A container that is known to a pod, and its status if it has one. */
export type KnownContainer = { container: Container; status: ContainerStatus | undefined };

/** The containers of the pod by name. */
export function containersOf({ spec, status }: Pod): ReadonlyMap<string, KnownContainer> {
  const statuses = firstByName(status?.containerStatuses);
  const initStatuses = firstByName(status?.initContainerStatuses);
  const known = new Map<string, KnownContainer>();
  for (const container of spec?.containers ?? []) {
    if (!known.has(container.name)) known.set(container.name, { container, status: statuses.get(container.name) });
  }
  for (const container of spec?.initContainers ?? []) {
    if (known.has(container.name)) continue;
    // Only init containers that keep running can be restarted.
    const isSidecar = container.restartPolicy === 'Always';
    known.set(container.name, { container, status: isSidecar ? initStatuses.get(container.name) : undefined });
  }
  return known;
}

function firstByName<T extends { name: string }>(items: readonly T[] = []): ReadonlyMap<string, T> {
  return new Map(items.toReversed().map((item) => [item.name, item]));
}
