// Which pods are upgraded first, and how many (sidecarset 7.7, 7.8 and F1-F6, F13, F14).
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../reconcilers/shared/pod.ts';
import { choose, orderForUpgrade } from '../../../reconcilers/sidecarset/order.ts';
import { type InjectedParts, injectedPod, storedSet } from '../../support/builders/injected-pod.ts';

const set = storedSet('logs', { containers: [{ name: 'log', image: 'l:1' }] });

function pod(name: string, parts: InjectedParts = {}): Pod {
  return injectedPod(name, set, parts);
}

function pods(count: number, parts: InjectedParts = {}): Pod[] {
  return Array.from({ length: count }, (_, index) => pod(`p${String(index).padStart(3, '0')}`, parts));
}

const names = (found: readonly Pod[]) => found.map(({ metadata }) => metadata.name);

/** How many of the pods are chosen: `updated` of them are, `back` of these are ready; `waiting` wait and are ready. */
function count(
  strategy: Parameters<typeof choose>[1],
  found: { all: number; updated: number; back: number; waiting: number },
) {
  const all = pods(found.all);
  const waiting = all.slice(0, found.waiting);
  return choose(
    {
      total: found.all,
      all,
      waiting,
      unavailable: found.updated - found.back,
      isReady: () => true,
      wasUpgraded: () => false,
    },
    strategy,
  ).length;
}

describe('the number of pods that are upgraded at once', () => {
  it.each([
    [{ maxUnavailable: '25%' }, { all: 60, updated: 20, back: 15, waiting: 40 }, 10],
    [{ maxUnavailable: 50, partition: 85 }, { all: 500, updated: 400, back: 390, waiting: 100 }, 15],
    [{ maxUnavailable: 50, partition: '5%' }, { all: 500, updated: 400, back: 390, waiting: 100 }, 40],
    [{ maxUnavailable: 50, partition: 100 }, { all: 500, updated: 400, back: 390, waiting: 100 }, 0],
    [{ maxUnavailable: 7, partition: '95%' }, { all: 7, updated: 0, back: 0, waiting: 7 }, 1],
    [{ maxUnavailable: 7, partition: '10%' }, { all: 7, updated: 0, back: 0, waiting: 7 }, 6],
    [{ maxUnavailable: 7, partition: '100%' }, { all: 7, updated: 0, back: 0, waiting: 7 }, 0],
    [{ maxUnavailable: 7, partition: 9 }, { all: 7, updated: 0, back: 0, waiting: 7 }, 0],
    [{ maxUnavailable: '3%' }, { all: 8, updated: 0, back: 0, waiting: 8 }, 1],
    [{ maxUnavailable: '5%' }, { all: 6, updated: 0, back: 0, waiting: 6 }, 1],
    [{ maxUnavailable: '5%' }, { all: 5, updated: 1, back: 0, waiting: 4 }, 0],
    [{ maxUnavailable: 8, partition: '1%' }, { all: 8, updated: 0, back: 0, waiting: 8 }, 7],
    [{ maxUnavailable: 8, partition: '99%' }, { all: 8, updated: 0, back: 0, waiting: 8 }, 1],
    [{}, { all: 3, updated: 0, back: 0, waiting: 3 }, 1],
    [{ maxUnavailable: 0 }, { all: 3, updated: 0, back: 0, waiting: 3 }, 0],
    [{ maxUnavailable: 'many' }, { all: 3, updated: 0, back: 0, waiting: 3 }, 0],
    [{ maxUnavailable: 3, partition: 'some' }, { all: 3, updated: 0, back: 0, waiting: 3 }, 0],
  ])('with %o of %o is %i', (strategy, found, expected) => {
    expect(count(strategy, found)).toBe(expected);
  });

  it('does not count pods that are not ready', () => {
    const waiting = [
      ...pods(2),
      pod('x', { readySince: null }),
      pod('y', { readySince: null }),
      pod('z', { readySince: null }),
    ];
    const isReady = ({ metadata }: Pod) => !['x', 'y', 'z'].includes(metadata.name);
    const chosen = choose(
      { total: waiting.length, all: waiting, waiting, unavailable: 0, isReady, wasUpgraded: () => false },
      { maxUnavailable: 1 },
    );
    expect(names(chosen).sort()).toEqual(['p000', 'x', 'y', 'z']);
  });
});

describe('pods that went down by an earlier upgrade', () => {
  it('are upgraded at once, and count as down', () => {
    const waiting = [...pods(3), pod('down', { readySince: null })];
    const isReady = ({ metadata }: Pod) => metadata.name !== 'down';
    const found = { total: waiting.length, all: waiting, waiting, unavailable: 0, isReady, wasUpgraded: () => true };
    expect(names(choose(found, { maxUnavailable: 1 }))).toEqual(['down']);
    expect(names(choose(found, { maxUnavailable: 2 }))).toEqual(['down', 'p000']);
  });
});

describe('the order of waiting pods', () => {
  const ordered = (waiting: readonly Pod[], strategy: Parameters<typeof orderForUpgrade>[1] = {}) =>
    names(orderForUpgrade(waiting, strategy, waiting));

  it('is that of what is lost with them', () => {
    const found = [
      pod('p1', { readySince: '2026-03-01T10:00:00Z' }),
      pod('p2', { readySince: '2026-03-01T11:00:00Z' }),
      pod('p3', { readySince: null }),
      pod('p4', { readySince: null, phase: 'Pending', nodeName: '' }),
    ];
    expect(ordered(found)).toEqual(['p4', 'p3', 'p2', 'p1']);
  });

  it('puts many restarts and late creation first, then names', () => {
    const restarted = pod('c');
    const [status] = restarted.status?.containerStatuses ?? [];
    Object.assign(status ?? {}, { restartCount: 3 });
    const found = [pod('b'), pod('a'), pod('n', { created: '2026-03-01T05:30:00Z' }), restarted];
    expect(ordered(found)).toEqual(['c', 'n', 'a', 'b']);
  });

  it('is by the sum of weights, whatever the age', () => {
    const weight = (value: string, points: number) => ({
      weight: points,
      matchSelector: { matchLabels: { app: value } },
    });
    const found = [
      pod('none', { labels: {} }),
      pod('bar', { labels: { app: 'bar' } }),
      pod('foo', { labels: { app: 'foo' } }),
    ];
    const strategy = { priorityStrategy: { weightPriority: [weight('foo', 50), weight('bar', 30)] } };
    expect(ordered(found, strategy)).toEqual(['foo', 'bar', 'none']);
  });

  it('is by the numbers of a label, pods without it first', () => {
    const found = ['a-2', 'a-10', 'x', 'a-1'].map((order) => pod(order, { labels: { order } }));
    const strategy = { priorityStrategy: { orderPriority: [{ orderedKey: 'first' }, { orderedKey: 'order' }] } };
    const withFirst = pod('first', { labels: { first: '1' } });
    const none = pod('none', { labels: {} });
    expect(ordered([...found, withFirst, none], strategy)).toEqual(['none', 'first', 'a-10', 'a-2', 'a-1', 'x']);
  });

  it('spreads pods with a label over the others', () => {
    const found = pods(10).map((one, index) =>
      index < 3 ? ({ ...one, metadata: { ...one.metadata, labels: { foo: 'bar' } } } as Pod) : one,
    );
    const strategy = { scatterStrategy: [{ key: 'foo', value: 'bar' }] };
    const indices = ordered(found, strategy).map((name) => Number(name.slice(1)));
    expect(indices).toEqual([0, 3, 4, 5, 6, 1, 7, 8, 9, 2]);
  });

  it('takes a star for every value, the most frequent first', () => {
    const zones = ['a', 'a', 'a', 'b', 'b', 'c'];
    const found = pods(6).map((one, index) => ({
      ...one,
      metadata: { ...one.metadata, labels: { zone: zones[index] ?? '' } },
    })) as Pod[];
    const star = ordered(found, { scatterStrategy: [{ key: 'zone', value: '*' }] });
    const terms = ['a', 'b', 'c'].map((value) => ({ key: 'zone', value }));
    expect(star).toEqual(ordered(found, { scatterStrategy: terms }));
    expect(star).toEqual(ordered(found, { scatterStrategy: terms.toReversed() }));
  });
});
