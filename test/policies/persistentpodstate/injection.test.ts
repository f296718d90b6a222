// A pod that is created again is led back to where its namesake was (persistentpodstate.md 2, 7).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { pod } from '../../support/builders/pod.ts';
import { configuration, ownedBy, podState } from '../../support/builders/policies.ts';
import { Injection } from '../../support/injection.ts';
import * as see from '../../support/see.ts';

const APPS = 'apps/v1';
const RECORD = { zone: 'a', 'kubernetes.io/hostname': 'n1' };
const ZONE = podState('s', { required: ['zone'], states: { 'db-0': RECORD } });

function db(parts: Parameters<typeof pod>[0] = {}): JsonObject {
  return pod({ name: 'db-0', labels: { app: 'db' }, ...ownedBy('StatefulSet', 'db'), ...parts });
}

/** What was injected: the annotation, node labels that are required, `weight key in value` of preferred terms. */
function injected({ spec, ...created }: JsonObject): [unknown, unknown, string[]] {
  const { nodeSelector, affinity } = spec as {
    nodeSelector?: JsonObject;
    affinity?: { nodeAffinity?: { preferredDuringSchedulingIgnoredDuringExecution?: Term[] } };
  };
  const terms = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    see.annotation('kruise.io/injected-persistent-pod-state')(created),
    nodeSelector,
    terms.map(({ weight, preference }) => {
      const keys = preference.matchExpressions ?? [];
      return `${weight} ${keys.map(({ key, operator, values }) => `${key} ${operator} ${values}`).join(', ')}`;
    }),
  ];
}
type Term = {
  weight: number;
  preference: { matchExpressions?: { key: string; operator: string; values: string[] }[] };
};

const NOTHING = [undefined, undefined, []];

describe('a pod of a StatefulSet', async () => {
  const injection = await Injection.start();

  test.each<[string, JsonObject[], JsonObject, unknown[]]>([
    ['with a required label', [ZONE], db(), ['s', { zone: 'a' }, []]],
    [
      'with required and preferred labels',
      [
        podState('s', {
          required: ['zone'],
          preferred: [[100, ['kubernetes.io/hostname']]],
          states: { 'db-0': RECORD },
        }),
      ],
      db(),
      ['s', { zone: 'a' }, ['100 kubernetes.io/hostname In n1']],
    ],
    [
      'with a preferred item of several keys, in their order',
      [podState('s', { preferred: [[7, ['zone', 'rack', 'kubernetes.io/hostname']]], states: { 'db-0': RECORD } })],
      db(),
      ['s', undefined, ['7 zone In a, kubernetes.io/hostname In n1']],
    ],
    [
      'with preferred items, in their order, but for one that nothing was recorded for',
      [
        podState('s', {
          preferred: [
            [10, ['zone']],
            [20, ['missing']],
            [5, ['kubernetes.io/hostname']],
          ],
          states: { 'db-0': RECORD },
        }),
      ],
      db(),
      ['s', undefined, ['10 zone In a', '5 kubernetes.io/hostname In n1']],
    ],
    [
      'with weights that would make the pod impossible',
      [
        podState('s', {
          preferred: [
            [0, ['zone']],
            [101, ['zone']],
            [1, ['zone']],
          ],
          states: { 'db-0': RECORD },
        }),
      ],
      db(),
      ['s', undefined, ['1 zone In a']],
    ],
    ['created for the first time', [ZONE], db({ name: 'db-3' }), NOTHING],
    ['whose record has no labels', [podState('s', { required: ['zone'], states: { 'db-0': {} } })], db(), NOTHING],
    [
      'none of whose keys was recorded',
      [podState('s', { required: ['rack'], states: { 'db-0': RECORD } })],
      db(),
      NOTHING,
    ],
    [
      'whose only preferred key was not recorded',
      [podState('s', { preferred: [[9, ['rack']]], states: { 'db-0': RECORD } })],
      db(),
      NOTHING,
    ],
    [
      'with a label that is required and recorded as empty',
      [podState('s', { required: ['zone'], states: { 'db-0': { zone: '' } } })],
      db(),
      ['s', { zone: '' }, []],
    ],
    ['of another name', [ZONE], db(ownedBy('StatefulSet', 'api')), NOTHING],
    ['of another group', [ZONE], db(ownedBy('StatefulSet', 'db', APPS)), NOTHING],
    [
      'of group apps',
      [
        podState('s', {
          required: ['zone'],
          target: { apiVersion: APPS, kind: 'StatefulSet', name: 'db' },
          states: { 'db-0': RECORD },
        }),
      ],
      db(ownedBy('StatefulSet', 'db', APPS)),
      ['s', { zone: 'a' }, []],
    ],
    [
      'of another version',
      [ZONE],
      db(ownedBy('StatefulSet', 'db', 'apps.kruise.io/v1alpha1')),
      ['s', { zone: 'a' }, []],
    ],
    [
      'whose state is being deleted',
      [
        podState('s', {
          required: ['zone'],
          states: { 'db-0': RECORD },
          metadata: { deletionTimestamp: '2026-07-01T08:00:00Z' },
        }),
      ],
      db(),
      NOTHING,
    ],
    [
      'with two states: the first by name counts',
      [podState('t', { required: ['kubernetes.io/hostname'], states: { 'db-0': RECORD } }), ZONE],
      db(),
      ['s', { zone: 'a' }, []],
    ],
    [
      'in another namespace',
      [podState('s', { required: ['zone'], states: { 'db-0': RECORD }, metadata: { namespace: 'other' } })],
      db(),
      NOTHING,
    ],
    ['that nothing controls', [ZONE], pod({ name: 'db-0' }), NOTHING],
  ])('%s', (_what, objects, before, expected) => {
    expect(injected(injection.hold(...objects).create(before))).toEqual(expected);
  });

  test('keeps its own node labels, but for the one that was recorded', () => {
    const created = injection.hold(ZONE).create(db({ spec: { nodeSelector: { zone: 'b', disk: 'ssd' } } }));
    expect(injected(created)[1]).toEqual({ zone: 'a', disk: 'ssd' });
  });

  test('keeps its own affinity: new terms come behind its preferred ones, required ones are not touched', () => {
    const own = { weight: 3, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } };
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'os', operator: 'Exists' }] }] };
    const affinity = {
      podAffinity: { x: 1 },
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: required,
        preferredDuringSchedulingIgnoredDuringExecution: [own],
      },
    };
    const state = podState('s', { preferred: [[100, ['zone']]], states: { 'db-0': RECORD } });
    const created = injection.hold(state).create(db({ spec: { affinity } }));
    expect(injected(created)[2]).toEqual(['3 disk In ssd', '100 zone In a']);
    expect((created.spec as JsonObject).affinity).toMatchObject({
      podAffinity: { x: 1 },
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required },
    });
  });

  test('with a preferred term like its own gets ours beside it, and no third in a second pass', () => {
    const term = { weight: 100, preference: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] } };
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } };
    const twice = podState('s', {
      preferred: [
        [100, ['zone']],
        [100, ['zone']],
      ],
      states: { 'db-0': RECORD },
    });
    const once = injection.hold(twice).create(db({ spec: { affinity } }));
    expect(injected(once)[2]).toEqual(['100 zone In a', '100 zone In a', '100 zone In a']);
    expect(injection.create(once)).toEqual(once);
  });

  test('gets no annotations that were recorded', () => {
    const recorded = {
      podStates: { 'db-0': { nodeName: 'n1', nodeTopologyLabels: RECORD, annotations: { ip: '10.0.0.1' } } },
    };
    expect(see.annotations(injection.hold({ ...ZONE, status: recorded }).create(db()))).not.toHaveProperty('ip');
  });

  test('is led by a state of the old version too', () => {
    const old = {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'PersistentPodState',
      metadata: { name: 's', namespace: 'shop' },
      spec: {
        targetRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'StatefulSet', name: 'db' },
        requiredPersistentTopology: { nodeTopologyKeys: ['zone'] },
        preferredPersistentTopology: [{ weight: 1, preference: { nodeTopologyKeys: ['kubernetes.io/hostname'] } }],
      },
      status: { podStates: { 'db-0': { nodeTopologyLabels: RECORD } } },
    };
    expect(injected(injection.hold(old).create(db()))).toEqual([
      's',
      { zone: 'a' },
      ['1 kubernetes.io/hostname In n1'],
    ]);
  });

  test.each([
    ['an update', { operation: 'UPDATE' }],
    ['a sub-resource', { subResource: 'status' }],
  ])('is left alone in %s', (_what, parts) => {
    expect(injected(injection.hold(ZONE).create(db(), parts))).toEqual(NOTHING);
  });
});

describe('a pod of another kind of workload', async () => {
  const injection = await Injection.start();
  const GAME = 'game.io/v1';
  const list = (value: string) => configuration({ PPS_Watch_Custom_Workload_WhiteList: value });
  const rooms = podState('s', {
    required: ['zone'],
    target: { apiVersion: GAME, kind: 'Room', name: 'db' },
    states: { 'db-0': RECORD },
  });
  const given = ['s', { zone: 'a' }, []];

  test.each<[string, JsonObject[], unknown[]]>([
    ['is led if the kind is listed', [list('{"workloads":[{"Group":"game.io","Version":"v1","Kind":"Room"}]}')], given],
    [
      'is led whatever the version in the list',
      [list('{"workloads":[{"Group":"game.io","Version":"v0","Kind":"Room"}]}')],
      given,
    ],
    [
      'is led whatever the case of names in the list',
      [list('{"WORKLOADS":[{"group":"game.io","KIND":"Room"}]}')],
      given,
    ],
    ['is not led without a list', [], NOTHING],
    ['is not led by an empty list', [list('')], NOTHING],
    ['is not led if another kind is listed', [list('{"workloads":[{"Group":"game.io","Kind":"Hall"}]}')], NOTHING],
    ['is not led if the group is another', [list('{"workloads":[{"Group":"play.io","Kind":"Room"}]}')], NOTHING],
    ['is not led, nor refused, if the list is no JSON', [list('{"workloads":')], NOTHING],
  ])('%s', (_what, objects, expected) => {
    expect(injected(injection.hold(rooms, ...objects).create(db(ownedBy('Room', 'db', GAME))))).toEqual(expected);
  });

  test('is not led if the list stands in another namespace', () => {
    const { metadata, ...rest } = list('{"workloads":[{"Group":"game.io","Kind":"Room"}]}');
    const elsewhere = { ...rest, metadata: { ...(metadata as JsonObject), namespace: 'other' } };
    expect(injected(injection.hold(rooms, elsewhere).create(db(ownedBy('Room', 'db', GAME))))).toEqual(NOTHING);
  });
});
