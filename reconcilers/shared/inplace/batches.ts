// Which containers of a pod are changed together: those of the highest launch priority first, and with them all that read the
// same labels or annotations (inplace-update 3.2).

import { BARRIER_KEY_PREFIX, CONTAINER_BARRIER_ENV } from '../../../api/names.ts';
import type { Pod, PodContainer } from '../pod.ts';
import type { UpdateSpec } from './state.ts';

/** What is left to be changed, by container. */
export type Remaining = Pick<UpdateSpec, 'containerImages' | 'containerRefMetadata' | 'containerResources'>;

/** Names of the containers of the next batch, sorted; empty if nothing of the pod is concerned. */
export function nextBatch(pod: Pod, remaining: Remaining): readonly string[] {
  const concerned = pod.spec.containers.filter(({ name }) => concerns(remaining, name));
  const priorities = new Map(concerned.map((container) => [container.name, priorityOf(container)]));
  const highest = Math.max(...[...priorities.values()].filter((priority) => priority !== undefined));
  const batch = new Set<string>();
  for (const [name, priority] of priorities) if (priority === undefined || priority === highest) batch.add(name);
  addReaders(batch, [...priorities.keys()], remaining);
  return [...batch].sort();
}

function concerns({ containerImages, containerRefMetadata, containerResources }: Remaining, name: string): boolean {
  return [containerImages, containerRefMetadata, containerResources].some((map) => Object.hasOwn(map ?? {}, name));
}

/** Undefined for a container that no other waits for; 0 for a priority that is no number. */
function priorityOf({ env = [] }: PodContainer): number | undefined {
  const key = env.find(({ name }) => name === CONTAINER_BARRIER_ENV)?.valueFrom?.configMapKeyRef?.key ?? '';
  if (key.length < BARRIER_KEY_PREFIX.length) return undefined;
  const digits = key.slice(BARRIER_KEY_PREFIX.length);
  return /^[+-]?\d+$/.test(digits) ? Number(digits) : 0;
}

// A value is written once, so all containers that read it must be restarted with it.
function addReaders(batch: Set<string>, concerned: readonly string[], remaining: Remaining): void {
  const keysOf = (name: string): string[] => {
    const { labels = {}, annotations = {} } = remaining.containerRefMetadata?.[name] ?? {};
    return [...Object.keys(labels).map((key) => `l ${key}`), ...Object.keys(annotations).map((key) => `a ${key}`)];
  };
  for (let size = -1; size !== batch.size; ) {
    size = batch.size;
    const written = new Set([...batch].flatMap(keysOf));
    for (const name of concerned) if (keysOf(name).some((key) => written.has(key))) batch.add(name);
  }
}
