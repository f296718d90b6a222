// Which budget a new pod counts for (podunavailablebudget.md 3.2; F16: workloads further up).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { pod } from '../../support/builders/pod.ts';
import { budget, controllerReference, ownedBy, targeting, workloadOf } from '../../support/builders/policies.ts';
import { sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { Injection } from '../../support/injection.ts';
import * as see from '../../support/see.ts';

const APPS = 'apps/v1';
const ROLLOUTS = 'argoproj.io/v1alpha1';

/** The budget that the two annotations name; undefined if there are none. */
function related(created: JsonObject): unknown {
  const { 'pub.kruise.io/related-pub': now, 'kruise.io/related-pub': legacy } = see.annotations(created);
  expect(legacy).toBe(now);
  return now;
}

/** ReplicaSet `web-1` of Deployment `web`, and pods of it. */
const DEPLOYED = [
  workloadOf('Deployment', 'web', APPS),
  workloadOf('ReplicaSet', 'web-1', APPS, controllerReference('Deployment', 'web', APPS)),
];
const OF_REPLICASET = ownedBy('ReplicaSet', 'web-1', APPS);

describe('a pod counts for', async () => {
  const injection = await Injection.start();

  test.each<[string, JsonObject[], { metadata?: JsonObject }, string | undefined]>([
    ['the budget that selects it', [budget('p')], {}, 'p'],
    ['the first by name of several', [budget('q'), budget('p'), budget('r')], {}, 'p'],
    ['none that selects others', [budget('p', { selector: { matchLabels: { app: 'api' } } })], {}, undefined],
    ['none with an empty selector', [budget('p', { selector: {} })], {}, undefined],
    ['none without a selector', [budget('p', {})], {}, undefined],
    [
      'none whose selector is wrong',
      [budget('p', { selector: { matchExpressions: [{ key: 'app', operator: 'Is' }] } })],
      {},
      undefined,
    ],
    ['none of another namespace', [{ ...budget('p'), metadata: { name: 'p', namespace: 'other' } }], {}, undefined],
    [
      'that of its CloneSet',
      [budget('p', targeting('CloneSet')), workloadOf('CloneSet', 'web')],
      ownedBy('CloneSet'),
      'p',
    ],
    [
      'that of its CloneSet in any version',
      [budget('p', targeting('CloneSet', 'web', 'apps.kruise.io/v1alpha1')), workloadOf('CloneSet', 'web')],
      ownedBy('CloneSet', 'web', 'apps.kruise.io/v9'),
      'p',
    ],
    [
      'none of a workload of another name',
      [budget('p', targeting('CloneSet', 'api')), workloadOf('CloneSet', 'web')],
      ownedBy('CloneSet'),
      undefined,
    ],
    [
      'none of a workload of another group',
      [budget('p', targeting('StatefulSet')), workloadOf('StatefulSet', 'web', APPS)],
      ownedBy('StatefulSet', 'web', APPS),
      undefined,
    ],
    ['that of its Deployment', [budget('p', targeting('Deployment', 'web', APPS)), ...DEPLOYED], OF_REPLICASET, 'p'],
    [
      'none of its ReplicaSet, if that is of a Deployment',
      [budget('p', targeting('ReplicaSet', 'web-1', APPS)), ...DEPLOYED],
      OF_REPLICASET,
      undefined,
    ],
    [
      'that of its ReplicaSet, if the Deployment is gone',
      [budget('p', targeting('ReplicaSet', 'web-1', APPS)), ...DEPLOYED.slice(1)],
      OF_REPLICASET,
      'p',
    ],
    [
      'none of a Deployment that is gone',
      [budget('p', targeting('Deployment', 'web', APPS)), ...DEPLOYED.slice(1)],
      OF_REPLICASET,
      undefined,
    ],
    [
      'none of a Deployment that took the name of the old one',
      [
        budget('p', targeting('Deployment', 'web', APPS)),
        { ...workloadOf('Deployment', 'web', APPS), metadata: { name: 'web', namespace: 'shop', uid: 'other' } },
        ...DEPLOYED.slice(1),
      ],
      OF_REPLICASET,
      undefined,
    ],
    [
      'that of a ReplicaSet alone',
      [budget('p', targeting('ReplicaSet', 'web-1', APPS)), workloadOf('ReplicaSet', 'web-1', APPS)],
      OF_REPLICASET,
      'p',
    ],
    [
      'that of any kind of controller',
      [budget('p', targeting('DaemonSet', 'agent', APPS)), workloadOf('DaemonSet', 'agent', APPS)],
      ownedBy('DaemonSet', 'agent', APPS),
      'p',
    ],
    [
      'that of a Rollout above its ReplicaSet',
      [
        budget('p', targeting('Rollout', 'web', ROLLOUTS)),
        workloadOf('ReplicaSet', 'web-1', APPS, controllerReference('Rollout', 'web', ROLLOUTS)),
      ],
      OF_REPLICASET,
      'p',
    ],
    [
      'that of a UnitedDeployment above its Deployment',
      [
        budget('p', targeting('UnitedDeployment', 'web')),
        workloadOf('Deployment', 'web-a', APPS, controllerReference('UnitedDeployment', 'web')),
        workloadOf('ReplicaSet', 'web-1', APPS, controllerReference('Deployment', 'web-a', APPS)),
      ],
      OF_REPLICASET,
      'p',
    ],
    [
      'none of a kind that nothing above it has',
      [budget('p', targeting('Rollout', 'web', ROLLOUTS)), ...DEPLOYED],
      OF_REPLICASET,
      undefined,
    ],
    [
      'that of its workload before one that selects it',
      [budget('p'), budget('q', targeting('CloneSet')), workloadOf('CloneSet', 'web')],
      ownedBy('CloneSet'),
      'q',
    ],
    ['none of a workload that is gone', [budget('p', targeting('CloneSet'))], ownedBy('CloneSet'), undefined],
    [
      'one by its selector, if the workload is gone',
      [budget('p', { ...targeting('CloneSet', 'api'), selector: { matchLabels: { app: 'web' } } })],
      ownedBy('CloneSet'),
      'p',
    ],
    [
      'none by its selector, if the workload is another one',
      [
        budget('p', { ...targeting('CloneSet', 'api'), selector: { matchLabels: { app: 'web' } } }),
        workloadOf('CloneSet', 'web'),
      ],
      ownedBy('CloneSet'),
      undefined,
    ],
    [
      'none of a workload that does not control it',
      [budget('p', targeting('CloneSet')), workloadOf('CloneSet', 'web')],
      { metadata: { ownerReferences: [{ ...controllerReference('CloneSet', 'web'), controller: false }] } },
      undefined,
    ],
  ])('%s', (_what, objects, owner, name) => {
    expect(related(injection.hold(...objects).create(pod(owner)))).toBe(name);
  });

  test('one whose name stands on it already in place of another', () => {
    const annotations = { 'pub.kruise.io/related-pub': 'old', 'kruise.io/related-pub': 'older' };
    expect(related(injection.hold(budget('p')).create(pod({ annotations })))).toBe('p');
  });

  test('none, and keeps what stands on it', () => {
    const before = pod({ annotations: { 'pub.kruise.io/related-pub': 'old' } });
    expect(injection.hold().create(before)).toEqual(before);
  });

  test('one of the namespace of the request, if it names none', () => {
    const before = pod();
    delete (before.metadata as JsonObject).namespace;
    expect(related(injection.hold(budget('p')).create(before, { namespace: 'shop' }))).toBe('p');
  });

  test('a budget as well when it gets sidecars', () => {
    const created = injection.hold(budget('p'), sidecarSet('logs', { containers: [sidecar('log')] })).create(pod());
    expect([related(created), see.containers(created)]).toEqual(['p', ['log', 'app']]);
  });

  test.each([
    ['an update', { operation: 'UPDATE' }],
    ['a sub-resource', { subResource: 'status' }],
  ])('none in %s', (_what, parts) => {
    const before = pod();
    expect(injection.hold(budget('p')).create(before, parts)).toEqual(before);
  });
});

test.each([
  ['both gates', { PodUnavailableBudgetDeleteGate: false, PodUnavailableBudgetUpdateGate: false }, undefined],
  ['one gate', { PodUnavailableBudgetDeleteGate: false, PodUnavailableBudgetUpdateGate: true }, 'p'],
])('without %s', async (_what, gates, name) => {
  const injection = (await Injection.start(gates)).hold(budget('p'));
  expect(related(injection.create(pod()))).toBe(name);
});

describe('whatever budgets there are', async () => {
  const injection = await Injection.start();
  const KINDS: [string, string][] = [
    ['CloneSet', 'apps.kruise.io/v1beta1'],
    ['StatefulSet', 'apps/v1'],
    ['Deployment', APPS],
    ['ReplicaSet', APPS],
    ['Rollout', ROLLOUTS],
  ];
  const NAMES = ['web', 'api', 'web-1'];
  const reference = fc
    .record({ kind: fc.constantFrom(...KINDS), name: fc.constantFrom(...NAMES) })
    .map(({ kind: [kind, apiVersion], name }) => ({ apiVersion, kind, name }));
  const labels = fc.dictionary(fc.constantFrom('app', 'tier', 'x'), fc.constantFrom('a', 'b', ''), { maxKeys: 3 });
  const requirement = fc.record({
    key: fc.constantFrom('app', 'tier', 'x'),
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.uniqueArray(fc.constantFrom('a', 'b', ''), { minLength: 1, maxLength: 2 }),
  });
  const selector = fc.record({
    matchLabels: fc.oneof(fc.constant({}), labels),
    matchExpressions: fc.array(requirement, { maxLength: 2 }),
  });
  const spec = fc.record({ selector, targetRef: reference }, { requiredKeys: [] });
  const owners = fc.option(reference, { nil: undefined });
  // Only a ReplicaSet is of a Deployment; anything may be of a Rollout.
  const owned = fc
    .tuple(reference, owners)
    .map(([one, over]): [Reference, Reference | undefined] => [one, over && mayControl(over, one) ? over : undefined]);

  test('it is the first that the plain rule finds: those for workloads first, then by name', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('p', 'q', 'r', 's', 't'), spec),
        labels,
        owners,
        fc.array(owned, { maxLength: 3 }),
        (specs, podLabels, owner, workloads) => {
          const budgets = Object.entries(specs).map(([name, one]) => budget(name, written(one)));
          const objects = workloads.map(([one, above]) =>
            workloadOf(one.kind, one.name, one.apiVersion, above && referenceTo(above)),
          );
          const metadata = owner === undefined ? {} : { ownerReferences: [referenceTo(owner)] };
          const created = injection.hold(...budgets, ...objects).create(pod({ labels: podLabels, metadata }));
          expect(related(created)).toBe(plainly(specs, podLabels, above(owner, workloads)));
        },
      ),
      { numRuns: 500 },
    );
  });
});

type Reference = { apiVersion: string; kind: string; name: string };
type Requirement = { key: string; operator: string; values: string[] };
type Selector = { matchLabels: Record<string, string>; matchExpressions: Requirement[] };
type Spec = { selector?: Selector; targetRef?: Reference };

function referenceTo({ apiVersion, kind, name }: Reference): JsonObject {
  return controllerReference(kind, name, apiVersion);
}

/** As an API server stores it: no values where none may stand. */
function written({ selector, ...rest }: Spec): JsonObject {
  if (selector === undefined) return rest as JsonObject;
  const matchExpressions = selector.matchExpressions.map(({ key, operator, values }) =>
    operator.endsWith('In') ? { key, operator, values } : { key, operator },
  );
  return { ...rest, selector: { ...selector, matchExpressions } } as JsonObject;
}

/** The workload of a pod and the controllers above it; none if its controller is not there. */
function above(owner: Reference | undefined, workloads: [Reference, Reference | undefined][]): Reference[] {
  const find = (one: Reference | undefined) => workloads.findLast(([held]) => one !== undefined && isSame(held, one));
  const [, over] = find(owner) ?? [];
  if (owner === undefined || find(owner) === undefined) return [];
  if (owner.kind !== 'ReplicaSet' || over?.kind !== 'Deployment') return chain(owner, over, find);
  const [, overThat] = find(over) ?? [];
  return find(over) === undefined ? [owner] : chain(over, overThat, find);
}

/** Three at most. */
function chain(
  first: Reference,
  second: Reference | undefined,
  find: (one: Reference | undefined) => [Reference, Reference | undefined] | undefined,
): Reference[] {
  if (second === undefined) return [first];
  const third = find(second)?.[1];
  return third === undefined ? [first, second] : [first, second, third];
}

function mayControl(over: Reference, one: Reference): boolean {
  return over.kind === 'Rollout' || (over.kind === 'Deployment' && one.kind === 'ReplicaSet');
}

function plainly(
  specs: Record<string, Spec>,
  labels: Record<string, string>,
  workloads: Reference[],
): string | undefined {
  const names = Object.keys(specs).sort();
  const isTargeted = (name: string) => specs[name]?.targetRef !== undefined;
  return [...names.filter(isTargeted), ...names.filter((name) => !isTargeted(name))].find((name) => {
    const { targetRef, selector } = specs[name] as Spec;
    if (targetRef !== undefined && workloads.length > 0) return workloads.some((one) => isSame(one, targetRef));
    return selector !== undefined && isMet(selector, labels);
  });
}

function isSame(a: Reference, b: Reference): boolean {
  return a.kind === b.kind && a.name === b.name && a.apiVersion.split('/')[0] === b.apiVersion.split('/')[0];
}

function isMet({ matchLabels, matchExpressions }: Selector, labels: Record<string, string>): boolean {
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return false;
  const holds = ({ key, operator, values }: Requirement): boolean => {
    const value = labels[key];
    if (operator === 'Exists') return value !== undefined;
    if (operator === 'DoesNotExist') return value === undefined;
    const isAmong = value !== undefined && values.includes(value);
    return operator === 'In' ? isAmong : !isAmong;
  };
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value) && matchExpressions.every(holds);
}
