// A spread of very many pods: what one of them changes costs the reading of that one. Pods that no subset has are read again
// when their node or the spread has changed.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { Plan } from '../../../kube/plan.ts';
import { workloadSpread } from '../../../reconcilers/workloadspread/controller.ts';
import { SYSTEM_NAMESPACE } from '../../support/builders/cluster.ts';
import { asStored } from '../../support/snapshot.ts';
import type { Subset } from '../../support/spreading.ts';
import { countingReads, storesOf } from '../../support/stores.ts';
import { adoptedIn, cloneSet, costsIn, countsIn, effectsIn, NOW, node, podIn, podsIn, spreadOf } from './support.ts';

const COUNT = 50;
const KEY = { namespace: 'shop', name: 'spread' };
const zone = (value: string) => ({
  requiredNodeSelector: { matchExpressions: [{ key: 'zone', operator: 'In', values: [value] }] },
});
const job: JsonObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'web' },
  spec: { parallelism: COUNT, selector: { matchLabels: { app: 'web' } } },
};

function cluster(...objects: JsonObject[]) {
  const controller = workloadSpread(SYSTEM_NAMESPACE);
  const stores = storesOf(controller);
  const { reader, reads } = countingReads(stores.reader);
  const put = (object: JsonObject, resourceVersion = '7') => {
    const { metadata, ...rest } = asStored(object);
    stores.put({ ...rest, metadata: { ...metadata, resourceVersion } } as Parameters<typeof stores.put>[0]);
  };
  for (const object of objects) put(object);
  const look = (): Plan => {
    const state = controller.fetch(reader, KEY, () => undefined);
    return state === undefined ? { groups: [] } : controller.plan(state, NOW);
  };
  const prepared = () => [...(controller.prepare?.(reader, KEY) ?? [])].length;
  return { put, look, reads, prepared };
}

test.each<[string, JsonObject, [string, string, string]]>([
  ['a workload', cloneSet(COUNT), ['CloneSet', 'web', 'apps.kruise.io/v1beta1']],
  ['a Job', job, ['Job', 'web', 'batch/v1']],
])('of the pods of %s only those are read again that have changed', (_what, workload, target) => {
  const pods = podsIn('a', COUNT, { owner: target });
  const { put, look, reads, prepared } = cluster(spreadOf([['a'], ['b']], { target }), workload, ...pods);
  // At first they are found one in each step, so that nobody has to wait for all of them.
  expect([prepared(), reads()]).toEqual([COUNT, COUNT]);
  expect(countsIn(look())).toEqual([
    ['a', COUNT, -1],
    ['b', 0, -1],
  ]);
  expect(reads()).toBe(0);
  put(podIn('b', 'a-7', { owner: target }), '8');
  expect(countsIn(look())).toEqual([
    ['a', COUNT - 1, -1],
    ['b', 1, -1],
  ]);
  expect(reads()).toBe(1);
});

test('pods that no subset suits are looked at again when their node or the spread has changed', () => {
  const subsets: Subset[] = [
    ['a', undefined, zone('z1')],
    ['b', undefined, zone('z2')],
  ];
  const pods = Array.from({ length: COUNT }, (_, i) => podIn(undefined, `p${i}`));
  const { put, look, reads } = cluster(spreadOf(subsets), cloneSet(COUNT), node('n1', { zone: 'z3' }), ...pods);
  const adopted = () => new Set(Object.values(adoptedIn(look())).map(({ subset }) => subset));
  expect([adopted(), reads()]).toEqual([new Set(), 2 * COUNT]);
  expect([adopted(), reads()]).toEqual([new Set(), 0]);
  put(node('n1', { zone: 'z2' }), '8');
  expect([adopted(), reads()]).toEqual([new Set(['b']), COUNT]);
  put(spreadOf([['c'], ...subsets], { metadata: { generation: 4 } }), '8');
  expect([adopted(), reads()]).toEqual([new Set(['c']), COUNT]);
});

test('in whatever order pods have come, the same is done', () => {
  const stuck = {
    node: '',
    phase: 'Pending',
    createdAgo: 60,
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
  };
  const objects = [
    spreadOf([['a', 3], ['b', 2], ['c']], {
      strategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 20 } },
    }),
    cloneSet(20),
    node('n1'),
    ...podsIn('a', 5),
    ...podsIn('b', 3, stuck),
    ...Array.from({ length: 6 }, (_, i) => podIn(undefined, `p${i}`, { createdAgo: 600 })),
  ];
  const plan = cluster(...objects).look();
  expect(Object.keys(adoptedIn(plan))).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5']);
  expect(effectsIn(plan, 'delete').map(({ reference }) => reference.name)).toEqual(['b-0', 'b-1', 'b-2']);
  // Of equals those are deleted first that come first.
  expect(costsIn(plan)).toMatchObject({ 'a-0': '-100', 'a-1': '-100', 'a-2': '300' });
  expect(cluster(...objects.toReversed()).look()).toEqual(plan);
});
