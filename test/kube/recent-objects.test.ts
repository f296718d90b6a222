// Decoded objects are kept while they are read, within bounds, and not for ever.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KubeObject } from '../../kube/objects.ts';
import { RecentObjects } from '../../kube/recent-objects.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const keys = Array.from({ length: 30 }, () => ({}));
const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', uid: '', resourceVersion: '' } } as KubeObject;
const kept = (recent: RecentObjects<object>) => keys.filter((key) => recent.take(key) !== undefined).length;

function filled(characters: number): RecentObjects<object> {
  const recent = new RecentObjects<object>(100);
  for (const key of keys) recent.put(key, { object, characters });
  return recent;
}

describe('recent objects', () => {
  it('are given back until they are taken out', () => {
    const recent = filled(1);
    const [key = {}] = keys;
    expect(recent.get(key)).toBe(object);
    expect(recent.take(key)).toBe(object);
    expect(recent.get(key)).toBe(undefined);
  });

  it('are never more than fit, and the latest of them', () => {
    const recent = filled(10);
    expect(recent.get(keys.at(-1) ?? {})).toBe(object);
    expect(recent.get(keys[0] ?? {})).toBe(undefined);
    expect(kept(recent)).toBeLessThanOrEqual(10);
  });

  it('go when nobody reads them, and stay while somebody does', async () => {
    const recent = filled(1);
    const [read = {}, unread = {}] = keys;
    for (let turn = 0; turn < 6; turn++) {
      await vi.advanceTimersByTimeAsync(10_000);
      expect(recent.get(read)).toBe(object);
    }
    expect(recent.get(unread)).toBe(undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kept(recent)).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
