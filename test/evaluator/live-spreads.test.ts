// Places in the subsets of a spread are given once, though several gateways give them (workloadspread 3.8 and 11).
import { expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { effectiveGates } from '../../api/gates.ts';
import { LiveWebhooks } from '../../evaluator/live-webhooks.ts';
import { Policies } from '../../evaluator/policies.ts';
import { readVerdict } from '../support/answer.ts';
import { LiveStore } from '../support/live-store.ts';
import { bodyOf, NOW, requestAbout } from '../support/protection.ts';
import { ledger, MATCHED, podOf, type Subset, spread } from '../support/spreading.ts';

async function gateways(store: LiveStore, count: number): Promise<LiveWebhooks[]> {
  const settings = { gates: effectiveGates(), systemNamespace: 'kruise-system' };
  const observer = { unwritten: () => undefined };
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const cluster = { cluster: store, onWriteFailure: new Map(), observer };
      const one = new LiveWebhooks(await Policies.load(), settings, cluster);
      for (const object of store.objects.list('apps.kruise.io', 'WorkloadSpread', 'shop')) one.apply(object);
      return one;
    }),
  );
}

/** The subset that a new pod is put into; it has no name yet. */
async function place(one: LiveWebhooks, review: number): Promise<string | undefined> {
  const pod = podOf('');
  const request = requestAbout(pod, {
    uid: `d0a2b1c3-0000-4000-8000-${String(review).padStart(12, '0')}`,
    operation: 'CREATE',
    name: '',
    object: pod,
    oldObject: null,
  });
  const answer = one.answer('/mutate-pod', bodyOf(request), NOW, 4999.5);
  const { allowed, object } = readVerdict(
    request,
    answer instanceof Promise ? (await answer).body : answer.body.slice(),
  );
  expect(allowed).toBe(true);
  const { annotations } = (object?.metadata ?? {}) as { annotations?: Record<string, string> };
  const text = annotations?.[MATCHED];
  return text === undefined ? undefined : JSON.parse(text).subset;
}

function ledgerIn(store: LiveStore): { name: string; missingReplicas: number; creatingPods?: JsonObject }[] {
  const { status } = store.objects.find('apps.kruise.io', 'WorkloadSpread', 'shop', 'spread') as JsonObject;
  return (status as { versionedSubsetStatuses: { versionIgnored: never } }).versionedSubsetStatuses.versionIgnored;
}

test.each<[string, Subset[], Parameters<typeof ledger>[0], number, Record<string, number>]>([
  [
    'the last place of the first subset goes to one of two pods',
    [['a', 1], ['b']],
    [
      ['a', 1],
      ['b', -1],
    ],
    2,
    { a: 1, b: 1 },
  ],
  [
    'places go to as many pods as there are places',
    [
      ['a', 3],
      ['b', 2],
    ],
    [
      ['a', 3],
      ['b', 2],
    ],
    9,
    { a: 3, b: 2, none: 4 },
  ],
])('%s, whichever of two gateways is asked', async (_what, subsets, entries, pods, expected) => {
  for (let round = 0; round < 10; round++) {
    const store = new LiveStore();
    store.turns = () => 1 + (round % 3);
    store.put(spread(subsets, { status: ledger(entries) }));
    const both = await gateways(store, 2);
    const asked = Array.from({ length: pods }, (_, i) => place(both[i % 2] as LiveWebhooks, round * 100 + i));
    const counts = Map.groupBy(await Promise.all(asked), (subset) => subset ?? 'none');
    expect(Object.fromEntries([...counts].map(([subset, own]) => [subset, own.length]))).toEqual(expected);
    for (const { name, missingReplicas, creatingPods = {} } of ledgerIn(store)) {
      if (missingReplicas >= 0) expect(Object.keys(creatingPods)).toHaveLength(expected[name] ?? 0);
    }
  }
});
