// What is recorded of the pods of a workload, how long, and which objects workloads ask for (persistentpodstate.md 3, 7).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { ObjectReference } from '../../../kube/objects.ts';
import { persistentPodState } from '../../../reconcilers/persistentpodstate/controller.ts';
import { SYSTEM_NAMESPACE } from '../../support/builders/cluster.ts';
import { asStored, lookUpIn, snapshot } from '../../support/snapshot.ts';

const controller = persistentPodState(SYSTEM_NAMESPACE);

const KRUISE = 'apps.kruise.io/v1beta1';
const KEY = { namespace: 'shop', name: 'db' };
const GONE = { deletionTimestamp: '2026-07-02T08:00:00Z' };
type Owner = { apiVersion: string; kind: string };
const DB: Owner = { apiVersion: KRUISE, kind: 'StatefulSet' };

function pps(spec: JsonObject = {}, podStates?: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: KRUISE,
    kind: 'PersistentPodState',
    metadata: { name: 'db', generation: 2, ...metadata },
    spec: {
      targetRef: { ...DB, name: 'db' },
      requiredPersistentTopology: { keys: ['zone'] },
      preferredPersistentTopology: [{ weight: 100, preference: { keys: ['kubernetes.io/hostname'] } }],
      ...spec,
    },
    ...(podStates === undefined ? {} : { status: { observedGeneration: 2, podStates } }),
  };
}

function statefulSet(spec: JsonObject, metadata: JsonObject = {}, { apiVersion, kind } = DB): JsonObject {
  return { apiVersion, kind, metadata: { name: 'db', ...metadata }, spec };
}

function pod(
  name: string,
  node: string,
  { ready = true, metadata = {}, owner = DB }: { ready?: boolean; metadata?: JsonObject; owner?: Owner } = {},
): JsonObject {
  const ownerReferences = [{ ...owner, name: 'db', uid: `uid-${owner.kind}-db`, controller: true }];
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ownerReferences, ...metadata },
    spec: { containers: [], nodeName: node },
    status,
  };
}

function node(name: string, labels: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } } };
}

const NODES = [node('n1', { zone: 'a' }), node('n2', { zone: 'b', rack: 'r' })];
const N1 = { nodeName: 'n1', nodeTopologyLabels: { 'kubernetes.io/hostname': 'n1', zone: 'a' } };
const N2 = { nodeName: 'n2', nodeTopologyLabels: { 'kubernetes.io/hostname': 'n2', zone: 'b' } };

function planFor(objects: readonly JsonObject[], key: ObjectReference = KEY) {
  const state = controller.fetch(snapshot(controller, objects), key, lookUpIn(objects));
  return state === undefined ? { groups: [] } : controller.plan(state, 0);
}

/** The records that are written; undefined when nothing is. */
function recordsIn(objects: readonly JsonObject[]): JsonObject | undefined {
  const { status } = planFor(objects);
  if (status?.type !== 'update') return undefined;
  const { podStates = {}, observedGeneration } = status.object.status as {
    podStates?: JsonObject;
    observedGeneration: number;
  };
  expect(observedGeneration).toBe(2);
  return podStates;
}

describe('the record of a pod', () => {
  test('is made once it is ready', () => {
    const objects = [
      pps(),
      statefulSet({ replicas: 2 }),
      ...NODES,
      pod('db-0', 'n1'),
      pod('db-1', 'n2', { ready: false }),
    ];
    expect(recordsIn(objects)).toEqual({ 'db-0': N1 });
  });

  test('is not written again while nothing changes, whatever labels the node has by now', () => {
    const objects = (...nodes: JsonObject[]) => [
      pps({}, { 'db-0': N1 }),
      statefulSet({ replicas: 2 }),
      ...nodes,
      pod('db-0', 'n1'),
    ];
    expect(planFor(objects(...NODES))).toEqual({ groups: [] });
    expect(planFor(objects(node('n1', { zone: 'moved' })))).toEqual({ groups: [] });
  });

  test('follows the pod to another node', () => {
    expect(recordsIn([pps({}, { 'db-0': N1 }), statefulSet({ replicas: 1 }), ...NODES, pod('db-0', 'n2')])).toEqual({
      'db-0': N2,
    });
  });

  test('is made anew for other keys', () => {
    const spec = { requiredPersistentTopology: { keys: ['zone', 'rack'] } };
    const objects = [pps(spec, { 'db-0': N2 }), statefulSet({ replicas: 1 }), ...NODES, pod('db-0', 'n2')];
    expect(recordsIn(objects)).toEqual({
      'db-0': { ...N2, nodeTopologyLabels: { ...N2.nodeTopologyLabels, rack: 'r' } },
    });
  });

  test('has only the labels that the node has, and is settled with them', () => {
    const spec = { requiredPersistentTopology: { keys: ['zone', 'rack'] } };
    expect(recordsIn([pps(spec), statefulSet({ replicas: 1 }), ...NODES, pod('db-0', 'n1')])).toEqual({ 'db-0': N1 });
    expect(planFor([pps(spec, { 'db-0': N1 }), statefulSet({ replicas: 1 }), ...NODES, pod('db-0', 'n1')])).toEqual({
      groups: [],
    });
  });

  test('has the annotations that are asked for', () => {
    const spec = { persistentPodAnnotations: [{ key: 'ip' }, { key: 'none' }] };
    const own = pod('db-0', 'n1', { metadata: { annotations: { ip: '10.0.0.1', other: 'x' } } });
    const record = { ...N1, annotations: { ip: '10.0.0.1' } };
    expect(recordsIn([pps(spec), statefulSet({ replicas: 1 }), ...NODES, own])).toEqual({ 'db-0': record });
    expect(planFor([pps(spec, { 'db-0': record }), statefulSet({ replicas: 1 }), ...NODES, own])).toEqual({
      groups: [],
    });
  });

  test('stays as it was while its node is not known, and others are made', () => {
    const objects = [
      pps({}, { 'db-0': N1 }),
      statefulSet({ replicas: 2 }),
      ...NODES,
      pod('db-0', 'n9'),
      pod('db-1', 'n2'),
    ];
    expect(recordsIn(objects)).toEqual({ 'db-0': N1, 'db-1': N2 });
  });
});

describe('a record is kept', () => {
  const all = (...numbers: number[]) => Object.fromEntries(numbers.map((number) => [`db-${number}`, N1]));
  const kept = (
    spec: JsonObject,
    records: JsonObject,
    pods: JsonObject[] = [],
    policy: JsonObject = {},
    owner = DB,
  ) => {
    const about = pps({ targetRef: { ...owner, name: 'db' }, ...policy }, records);
    const objects = [about, statefulSet(spec, {}, owner), ...NODES, ...pods];
    return Object.keys(recordsIn(objects) ?? records);
  };

  test('as long as the pod may come back', () => {
    expect(kept({ replicas: 2 }, all(0, 1, 2))).toEqual(['db-0', 'db-1']);
    expect(kept({}, all(0, 1))).toEqual(['db-0']);
    expect(kept({ replicas: 0 }, all(0, 1))).toEqual([]);
  });

  test('while its pod runs, and no longer than it goes', () => {
    expect(kept({ replicas: 2 }, all(0, 1, 2), [pod('db-2', 'n1')])).toEqual(['db-0', 'db-1', 'db-2']);
    expect(kept({ replicas: 2 }, all(0, 1, 2), [pod('db-2', 'n1', { metadata: GONE })])).toEqual(['db-0', 'db-1']);
  });

  test('for ever by WhenDeleted', () => {
    const policy = { persistentPodStateRetentionPolicy: 'WhenDeleted' };
    expect(kept({ replicas: 0 }, all(0, 7), [], policy)).toEqual(['db-0', 'db-7']);
  });

  test.each<[string, JsonObject, number[]]>([
    ['reserved numbers', { replicas: 3, reserveOrdinals: [1] }, [0, 2, 3]],
    ['reserved ranges', { replicas: 2, reserveOrdinals: ['1-2', 0] }, [3, 4]],
    ['a list that is wrong', { replicas: 2, reserveOrdinals: [0, 'x'] }, [0, 1]],
    ['another start', { replicas: 2, ordinals: { start: 3 } }, [3, 4]],
    ['a start and reserved numbers', { replicas: 2, ordinals: { start: 2 }, reserveOrdinals: [0, 3] }, [2, 4]],
    ['a range without end', { replicas: 2, reserveOrdinals: ['1-999999999999'] }, [0]],
    ['ranges that overlap', { replicas: 2, reserveOrdinals: ['1-3', '2-4', 3, 0] }, [5]],
    ['a list that is none', { replicas: 1, reserveOrdinals: 'x', ordinals: { start: 'y' } }, [0]],
    ['more replicas than there can be', { replicas: 2 ** 31, ordinals: { start: 3 } }, [3, 4, 5]],
  ])('in the range of the workload: %s', (_what, spec, expected) => {
    expect(kept(spec, all(0, 1, 2, 3, 4, 5))).toEqual(expected.map((number) => `db-${number}`));
  });

  test('when its name has no number', () => {
    expect(kept({ replicas: 1 }, { 'db-x': N1 })).toEqual(['db-x']);
  });

  test('for the built-in StatefulSet and other kinds too', () => {
    expect(kept({ replicas: 1 }, all(0, 1), [], {}, { apiVersion: 'apps/v1', kind: 'StatefulSet' })).toEqual(['db-0']);
    expect(kept({ replicas: 1 }, all(0, 1), [], {}, { apiVersion: 'game.io/v1', kind: 'GameServerSet' })).toEqual([
      'db-0',
    ]);
    expect(kept({}, all(0, 1), [], {}, { apiVersion: 'game.io/v1', kind: 'GameServerSet' })).toEqual([]);
  });
});

test('without workload nothing is recorded', () => {
  expect(recordsIn([pps({}, { 'db-0': N1 }), ...NODES])).toEqual({});
  expect(recordsIn([pps({}, { 'db-0': N1 }), statefulSet({ replicas: 3 }, GONE), ...NODES, pod('db-0', 'n1')])).toEqual(
    {},
  );
  expect(planFor([...NODES])).toEqual({ groups: [] });
});

describe('a workload that asks by annotations', () => {
  const AUTO = 'kruise.io/auto-generate-persistent-pod-state';
  const asking = (annotations: Record<string, string>, owner = DB) =>
    statefulSet({ replicas: 1 }, { annotations }, owner);
  const wish = { [AUTO]: 'true', 'kruise.io/preferred-persistent-topology': 'kubernetes.io/hostname' };
  const effectsFor = (objects: readonly JsonObject[], apiVersion = KRUISE) =>
    planFor(objects, { namespace: 'shop', name: `generate#${apiVersion}#StatefulSet#db` }).groups.flat();
  const owned = { ownerReferences: [{ ...DB, name: 'db', uid: 'uid-StatefulSet-db', controller: true }] };
  const [made] = effectsFor([asking(wish)]);
  const spec = made?.type === 'create' ? (made.object.spec as JsonObject) : {};

  test('gets an object that belongs to it', () => {
    expect(made).toMatchObject({
      type: 'create',
      object: {
        metadata: { namespace: 'shop', name: 'db', ...owned },
        spec: {
          targetRef: { ...DB, name: 'db' },
          preferredPersistentTopology: [{ weight: 100, preference: { keys: ['kubernetes.io/hostname'] } }],
        },
      },
    });
    expect(effectsFor([asking(wish, { apiVersion: 'apps/v1', kind: 'StatefulSet' })], 'apps/v1')).toMatchObject([
      { object: { spec: { targetRef: { apiVersion: 'apps/v1' } } } },
    ]);
  });

  test('may name several keys and annotations, with blanks', () => {
    const more = {
      'kruise.io/required-persistent-topology': 'zone, rack,',
      'kruise.io/persistent-pod-annotations': 'ip',
    };
    expect(effectsFor([asking({ ...wish, ...more })])).toMatchObject([
      {
        object: {
          spec: { requiredPersistentTopology: { keys: ['zone', 'rack'] }, persistentPodAnnotations: [{ key: 'ip' }] },
        },
      },
    ]);
  });

  const own = { ...pps({}, {}, owned), spec };
  test.each<[string, JsonObject[], (string | undefined)[]]>([
    ['that has what it asks for', [asking(wish), own], []],
    [
      'that asks for something else',
      [asking({ ...wish, 'kruise.io/required-persistent-topology': 'zone' }), own],
      ['update'],
    ],
    ['that asks no more', [asking({ ...wish, [AUTO]: 'false' }), own], ['delete']],
    ['that asks for no keys', [asking({ [AUTO]: 'true' }), own], []],
    ['that never asked', [asking({})], []],
    ['beside an object made by hand', [asking({ ...wish, [AUTO]: 'false' }), pps()], []],
    ['beside another object made by hand', [asking(wish), pps()], []],
    ['that is going', [statefulSet({}, { ...GONE, annotations: wish }), own], []],
    ['that is gone', [own], []],
  ])('%s', (_what, objects, expected) => {
    expect(effectsFor(objects).map(({ type }) => type)).toEqual(expected);
  });

  const GAMES = { apiVersion: 'game.io/v1', kind: 'GameServerSet' };
  const listing = (...workloads: JsonObject[]): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: SYSTEM_NAMESPACE, name: 'kruise-configuration' },
    data: { PPS_Watch_Custom_Workload_WhiteList: JSON.stringify({ workloads }) },
  });
  const games = { Group: 'game.io', Version: 'v1', Kind: 'GameServerSet' };
  const key = { namespace: 'shop', name: 'generate#game.io/v1#GameServerSet#db' };
  const typesFor = (objects: readonly JsonObject[]) =>
    planFor(objects, key)
      .groups.flat()
      .map(({ type }) => type);

  test('may be of a kind that the operator lists', () => {
    const [created] = planFor([asking(wish, GAMES), listing(games)], key).groups.flat();
    expect(created).toMatchObject({
      type: 'create',
      object: {
        metadata: {
          namespace: 'shop',
          name: 'db',
          ownerReferences: [{ ...GAMES, name: 'db', uid: 'uid-GameServerSet-db', controller: true }],
        },
        spec: { targetRef: { ...GAMES, name: 'db' } },
      },
    });
    const ofGames = { ownerReferences: [{ ...GAMES, name: 'db', uid: 'uid-GameServerSet-db', controller: true }] };
    expect(typesFor([asking({}, GAMES), listing(games), pps({}, {}, ofGames)])).toEqual(['delete']);
  });

  test.each<[string, JsonObject[]]>([
    ['that nobody lists', []],
    ['while others are listed', [listing({ ...games, Group: 'other.io' })]],
    ['while the list cannot be read', [{ ...listing(), data: { PPS_Watch_Custom_Workload_WhiteList: '{' } }]],
  ])('of a kind %s is left alone, and what it has too', (_what, lists) => {
    expect(typesFor([asking(wish, GAMES), ...lists])).toEqual([]);
    const ofGames = { ownerReferences: [{ ...GAMES, name: 'db', uid: 'uid-GameServerSet-db', controller: true }] };
    expect(typesFor([asking({}, GAMES), pps({}, {}, ofGames), ...lists])).toEqual([]);
  });

  test('is known by its key alone', () => {
    for (const name of ['generate#x', 'generate#apps/v1#Deployment#db', `generate#${KRUISE}#StatefulSet#db#x`]) {
      expect(planFor([asking(wish)], { namespace: 'shop', name })).toEqual({ groups: [] });
    }
  });
});

describe('a workload of a kind that the operator lists', () => {
  const GAMES = { apiVersion: 'game.io/v1', kind: 'GameServerSet' };
  const about = (podStates?: JsonObject) => pps({ targetRef: { ...GAMES, name: 'db' } }, podStates);
  const set = (spec: JsonObject, metadata: JsonObject = {}) => statefulSet(spec, metadata, GAMES);
  const scale = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'db', uid: 'uid-GameServerSet-db' },
    spec: { replicas: 3, of: 'GameServerSet' },
  };
  const own = pod('db-0', 'n1', { owner: GAMES });

  test.each<[string, JsonObject[], JsonObject]>([
    ['that tells its replicas', [set({ replicas: 3 })], { 'db-0': N1 }],
    ['that has a scale', [set({}), scale], { 'db-0': N1 }],
    ['that tells no replicas', [set({ size: 3 })], {}],
    ['that wants none', [set({ replicas: 0 })], {}],
    ['that is being deleted', [set({ replicas: 3 }, GONE), scale], {}],
    ['that is gone', [], {}],
  ])('%s', (_what, objects, records) => {
    expect(recordsIn([about({ 'db-9': N2 }), ...objects, ...NODES, own])).toEqual(records);
  });
});

describe('what makes the controller look', () => {
  const objects = [pps(), pps({}, undefined, { name: 'other' })];
  const keysOf = (old: JsonObject | undefined, current: JsonObject | undefined): string[] => {
    const changed = current ?? old;
    const watch = controller.watches.find(
      ({ resource: { kind, group } }) =>
        kind === changed?.kind && (kind === 'Pod' || String(changed?.apiVersion).startsWith(`${group}/`)),
    );
    const change = { ...(old && { old: asStored(old) }), ...(current && { new: asStored(current) }) };
    return (watch?.keys(change, snapshot(controller, objects)) ?? []).map(({ name }) => name);
  };
  const asks = { annotations: { 'kruise.io/auto-generate-persistent-pod-state': 'true' } };
  const wanted = `generate#${KRUISE}#StatefulSet#db`;

  test('are pods that become ready or go', () => {
    expect(keysOf(pod('db-0', 'n1', { ready: false }), pod('db-0', 'n1'))).toEqual(['db', 'other']);
    expect(keysOf(pod('db-0', 'n1'), pod('db-0', 'n1', { ready: false }))).toEqual([]);
    expect(keysOf(pod('db-0', 'n1'), pod('db-0', 'n1', { metadata: GONE }))).toEqual(['db', 'other']);
    expect(keysOf(pod('db-0', 'n1'), undefined)).toEqual(['db', 'other']);
    expect(keysOf(undefined, pod('db-0', 'n1'))).toEqual([]);
  });

  test('is the object that a pod was injected by', () => {
    const injected = (name: string) =>
      pod('db-0', 'n1', { metadata: { annotations: { 'kruise.io/injected-persistent-pod-state': name } } });
    expect(keysOf(injected('other'), undefined)).toEqual(['other']);
    expect(keysOf(injected('gone'), undefined)).toEqual([]);
  });

  test('are workloads that ask, change in size, or go', () => {
    const plain = statefulSet({ replicas: 1 });
    expect(keysOf(undefined, statefulSet({ replicas: 1 }, asks))).toEqual([wanted, 'db', 'other']);
    expect(keysOf(plain, statefulSet({ replicas: 1 }, asks))).toEqual([wanted]);
    expect(keysOf(statefulSet({ replicas: 1 }, asks), plain)).toEqual([wanted]);
    expect(keysOf(plain, statefulSet({ replicas: 2 }))).toEqual(['db', 'other']);
    expect(keysOf(plain, plain)).toEqual([]);
    expect(keysOf(plain, undefined)).toEqual(['db', 'other']);
  });

  test('are workloads of listed kinds, as those are', () => {
    const games = { apiVersion: 'game.io/v1', kind: 'GameServerSet' };
    const resource = { group: 'game.io', version: 'v1', plural: 'gameserversets', kind: games.kind, namespaced: true };
    const watch = controller.listed?.watch(resource, {});
    const around = snapshot(controller, [pps({ targetRef: { ...games, name: 'db' } })]);
    const keys = (old: JsonObject | undefined, current: JsonObject | undefined) =>
      watch?.keys({ ...(old && { old: asStored(old) }), ...(current && { new: asStored(current) }) }, around);
    const names = (...change: Parameters<typeof keys>) => keys(...change)?.map(({ name }) => name);
    expect(names(undefined, statefulSet({ replicas: 1 }, asks, games))).toEqual([
      'generate#game.io/v1#GameServerSet#db',
      'db',
    ]);
    expect(names(statefulSet({}, {}, games), statefulSet({}, GONE, games))).toEqual(['db']);
    expect(names(statefulSet({}, {}, games), statefulSet({}, {}, games))).toEqual([]);
  });

  test('is an object itself, and the workload that it was made for', () => {
    const ownerReferences = [{ ...DB, name: 'db', uid: 'u', controller: true }];
    expect(keysOf(pps(), undefined)).toEqual(['db']);
    expect(keysOf(pps({}, undefined, { ownerReferences }), undefined)).toEqual(['db', wanted]);
  });
});
