// Why each policy acts or does not act on a pod: the machine words, one row a word, and the order of the steps.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { container, env, pod } from '../support/builders/pod.ts';
import {
  budget,
  configuration,
  controllerReference,
  ownedBy,
  podState,
  probe,
  probeMarker,
  targeting,
  workloadOf,
} from '../support/builders/policies.ts';
import { sidecar, sidecarSet } from '../support/builders/sidecarset.ts';
import { RECORDED_GATES } from '../support/gates.ts';
import { Injection } from '../support/injection.ts';

const ORDERED = { 'apps.kruise.io/container-launch-priority': 'Ordered' };
const LIVE = { 'apps.kruise.io/using-enhanced-liveness': 'true' };
const TWO = [container('a'), container('b')];
const RECORD = { 'db-0': { zone: 'a' } };
const OF_DB = { name: 'db-0', ...ownedBy('StatefulSet', 'db') };

function prior(priority: string): JsonObject[] {
  return [container('a'), container('b', { env: env({ KRUISE_CONTAINER_PRIORITY: priority }) })];
}

type Row = [
  reason: string,
  matched: boolean,
  objects: JsonObject[],
  parts: Parameters<typeof pod>[0],
  request?: JsonObject,
];

describe.each<[string, Row[]]>([
  [
    'ContainerLaunchPriority',
    [
      ['OrderedByPlace', true, [], { annotations: ORDERED, containers: TWO }],
      ['OrderedByPriority', true, [], { containers: prior('1') }],
      ['OneContainer', false, [], { annotations: ORDERED }],
      ['PrioritiesEqual', false, [], { containers: prior('0') }],
      ['PriorityInvalid', false, [], { containers: prior('x') }],
      ['NotAPodCreation', false, [], { annotations: ORDERED, containers: TWO }, { operation: 'UPDATE' }],
    ],
  ],
  [
    'PodUnavailableBudget',
    [
      ['Related', true, [budget('p')], {}],
      ['Related', true, [budget('p', targeting('CloneSet')), workloadOf('CloneSet', 'web')], ownedBy('CloneSet')],
      ['SelectorMismatch', false, [budget('p', { selector: { matchLabels: { app: 'api' } } })], {}],
      ['SelectorInvalid', false, [budget('p', { selector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } })], {}],
      ['NoSelector', false, [budget('p', { selector: {} })], {}],
      [
        'TargetMismatch',
        false,
        [budget('p', targeting('CloneSet')), workloadOf('CloneSet', 'api')],
        ownedBy('CloneSet', 'api'),
      ],
      ['TargetMismatch', false, [budget('p', targeting('CloneSet'))], ownedBy('CloneSet')],
      ['NotAPodCreation', false, [budget('p')], {}, { operation: 'UPDATE' }],
    ],
  ],
  [
    'PersistentPodState',
    [
      ['Injected', true, [podState('p', { required: ['zone'], states: RECORD })], OF_DB],
      ['TargetMismatch', false, [podState('p', { required: ['zone'], states: RECORD })], {}],
      ['NoRecord', false, [podState('p', { required: ['zone'] })], OF_DB],
      ['NothingRecorded', false, [podState('p', { required: ['rack'], states: RECORD })], OF_DB],
      [
        'BeingDeleted',
        false,
        [
          podState('p', {
            required: ['zone'],
            states: RECORD,
            metadata: { deletionTimestamp: '2026-07-01T08:00:00Z' },
          }),
        ],
        OF_DB,
      ],
      [
        'NoPodName',
        false,
        [podState('p', { required: ['zone'], states: RECORD })],
        { ...ownedBy('StatefulSet', 'db'), name: '' },
      ],
      [
        'KindNotListed',
        false,
        [
          podState('p', {
            required: ['zone'],
            target: { apiVersion: 'game.io/v1', kind: 'Room', name: 'db' },
            states: RECORD,
          }),
        ],
        { name: 'db-0', ...ownedBy('Room', 'db', 'game.io/v1') },
      ],
      [
        'NotAPodCreation',
        false,
        [podState('p', { required: ['zone'], states: RECORD })],
        OF_DB,
        { operation: 'UPDATE' },
      ],
    ],
  ],
  [
    'EnhancedLivenessProbe',
    [
      [
        'ProbesTakenOver',
        true,
        [],
        { annotations: LIVE, ...ownedBy('CloneSet'), containers: [container('a', { livenessProbe: {} })] },
      ],
      ['NoLivenessProbe', false, [], { annotations: LIVE, ...ownedBy('CloneSet') }],
      ['OwnerOfOtherGroup', false, [], { annotations: LIVE, ...ownedBy('Job', 'j', 'batch/v1') }],
      ['NotAskedFor', false, [], { annotations: { 'apps.kruise.io/using-enhanced-liveness': 'yes' } }],
      ['NotAPodCreation', false, [], { annotations: LIVE }, { operation: 'UPDATE' }],
    ],
  ],
  [
    'PodProbeMarker',
    [
      ['HandedOver', true, [probeMarker('p', [probe('a')])], {}],
      ['NoProbe', false, [probeMarker('p', [probe('a', { containerName: 'no' })])], {}],
      ['SelectorMismatch', false, [probeMarker('p', [probe('a')], { matchLabels: { app: 'api' } })], {}],
      [
        'SelectorInvalid',
        false,
        [probeMarker('p', [probe('a')], { matchExpressions: [{ key: 'a', operator: 'Is' }] })],
        {},
      ],
      ['NoSelector', false, [probeMarker('p', [probe('a')], {})], {}],
      [
        'NotListed',
        false,
        [probeMarker('p', [probe('a')])],
        { annotations: { 'kruise.io/podprobemarker-list': 'other' } },
      ],
      ['NotAPodCreation', false, [probeMarker('p', [probe('a')])], {}, { operation: 'UPDATE' }],
    ],
  ],
])('%s says', async (kind, rows) => {
  const injection = await Injection.start(RECORDED_GATES);

  test.each(rows)('%s (%s)', (reason, matched, objects, parts, request = {}) => {
    const lines = injection.hold(...objects).explain(pod(parts), request);
    expect(lines).toEqual([
      { kind, namespace: 'shop', name: expect.any(String), matched, reason, message: expect.any(String) },
    ]);
  });
});

describe('of several that match, the first by name acts', async () => {
  const injection = await Injection.start(RECORDED_GATES);

  test.each([
    ['PodUnavailableBudget', [budget('b'), budget('a')], {}],
    [
      'PersistentPodState',
      [podState('b', { required: ['zone'], states: RECORD }), podState('a', { required: ['zone'], states: RECORD })],
      OF_DB,
    ],
  ])('%s', (_kind, objects, parts) => {
    const lines = injection.hold(...objects).explain(pod(parts));
    expect(lines.map(({ name, reason }) => [name, reason])).toEqual([
      ['a', expect.stringMatching(/^(Related|Injected)$/)],
      ['b', 'NotFirst'],
    ]);
    expect(lines[1]?.message).toMatch(/ a$/);
  });
});

test('gates that are off are told', async () => {
  const off = { PodUnavailableBudgetDeleteGate: false };
  const injection = (await Injection.start(off)).hold(budget('p'), probeMarker('m', [probe('a')]));
  const lines = injection.explain(pod({ annotations: LIVE }));
  expect(lines.map(({ kind, reason }) => `${kind} ${reason}`)).toEqual([
    'PodUnavailableBudget GateOff',
    'EnhancedLivenessProbe GateOff',
    'PodProbeMarker GateOff',
  ]);
});

test('a list of kinds that is no JSON lists none', async () => {
  const room = { apiVersion: 'game.io/v1', kind: 'Room', name: 'db' };
  const state = podState('p', { required: ['zone'], target: room, states: RECORD });
  const list = configuration({ PPS_Watch_Custom_Workload_WhiteList: '{' });
  const injection = (await Injection.start()).hold(state, list);
  const [line] = injection.explain(pod({ name: 'db-0', ...ownedBy('Room', 'db', 'game.io/v1') }));
  expect(line?.reason).toBe('KindNotListed');
});

describe('steps are explained', async () => {
  const injection = await Injection.start(RECORDED_GATES);

  test('in their order, each about the pod as it is by then', () => {
    const set = sidecarSet('mesh', {
      containers: [sidecar('proxy', { env: env({ KRUISE_CONTAINER_PRIORITY: '9' }) })],
    });
    const lines = injection.hold(budget('p'), set).explain(pod());
    expect(lines.map(({ kind, reason }) => `${kind} ${reason}`)).toEqual([
      'SidecarSet Injected',
      'ContainerLaunchPriority OrderedByPriority',
      'PodUnavailableBudget Related',
    ]);
  });

  test('up to the one that refuses the pod', () => {
    const lines = injection.hold(budget('p')).explain(pod({ containers: prior('x') }));
    expect(lines.map(({ kind }) => kind)).toEqual(['ContainerLaunchPriority']);
  });

  test('only in the namespace of the pod', () => {
    const elsewhere = { ...budget('p'), metadata: { name: 'p', namespace: 'other' } };
    expect(injection.hold(elsewhere).explain(pod())).toEqual([]);
  });

  test('with what the host knows about workloads above the pod', () => {
    const objects = [
      budget('p', targeting('UnitedDeployment', 'web')),
      workloadOf('Deployment', 'web-a', 'apps/v1', controllerReference('UnitedDeployment', 'web')),
      workloadOf('ReplicaSet', 'web-1', 'apps/v1', controllerReference('Deployment', 'web-a', 'apps/v1')),
    ];
    const [line] = injection.hold(...objects).explain(pod(ownedBy('ReplicaSet', 'web-1', 'apps/v1')));
    expect(line?.reason).toBe('Related');
  });
});
