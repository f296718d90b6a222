// Where a ResourceDistribution puts its resource, what it does to copies that are not as they should be, and what it tells
// (resourcedistribution.md 3 and 7).
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { StatusError } from '../../../component/errors.ts';
import type { Plan } from '../../../kube/plan.ts';
import { resourceDistribution as controller } from '../../../reconcilers/resourcedistribution/controller.ts';
import { asStored, lookUpIn, snapshot } from '../../support/snapshot.ts';

const NOW = Date.parse('2026-07-02T08:00:00Z');
const HASH = 'kruise.io/resourcedistribution.resource.hashcode';
const FROM = 'kruise.io/resourcedistribution.resource.from';
const CM: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { k: 'v' } };

function namespace(name: string, labels: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels, ...more } };
}

const X = { team: 'x' };
const NAMESPACES = [
  ...['default', 'kube-system', 'kube-public', 'kube-node-lease', 'kruise-system'].map((name) => namespace(name)),
  namespace('a', X),
  namespace('b', X),
  namespace('c', { team: 'y' }),
];

function rd(targets: JsonObject, resource: Json = CM, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name: 'rd', uid: 'uid-rd', generation: 4 },
    spec: { resource, targets },
    ...more,
  };
}

function names(...list: string[]): JsonObject {
  return { list: list.map((name) => ({ name })) };
}

const IN_A = { includedNamespaces: names('a') };

function planFor(objects: readonly JsonObject[]): Plan {
  const state = controller.fetch(snapshot(controller, objects), { name: 'rd' }, lookUpIn([]));
  return state === undefined ? { groups: [] } : controller.plan(state, NOW);
}

/** What is done, by namespace: `create a/cm`. */
function stepsIn({ groups }: Plan): string[] {
  return groups.flat().map((effect) => {
    if (!('resource' in effect)) return effect.type;
    const { namespace: place, name } = 'object' in effect ? (effect.object.metadata as JsonObject) : effect.reference;
    return `${effect.type} ${String(place)}/${String(name)}`;
  });
}

/** The status after effects on these namespaces have failed. */
function statusAfter(plan: Plan, failing: string[] = []): JsonObject | undefined {
  const effects = plan.groups.flat();
  const failures = effects
    .filter(
      (effect) => 'object' in effect && failing.includes(String((effect.object.metadata as JsonObject).namespace)),
    )
    .map((effect) => ({ effect, error: new StatusError(403, 'Forbidden', 'exceeded quota') }));
  const status = plan.report?.(failures);
  return status?.type === 'update' ? (status.object.status as JsonObject) : undefined;
}

function numbersIn(plan: Plan): unknown[] {
  const status = statusAfter(plan) ?? {};
  return [status.desired ?? 0, status.succeeded ?? 0, status.failed ?? 0];
}

/** The conditions that are True, with their namespaces. */
function wrongIn(plan: Plan, failing: string[] = []): Record<string, unknown> {
  const conditions = (statusAfter(plan, failing)?.conditions ?? []) as JsonObject[];
  const wrong = conditions.filter(({ status }) => status === 'True');
  return Object.fromEntries(wrong.map(({ type, failedNamespaces }) => [String(type), failedNamespaces]));
}

/** The copy that a plan makes in namespace `a`, as it is stored. */
function copyIn(plan: Plan, more: JsonObject = {}): JsonObject {
  const made = plan.groups.flat().find((effect) => effect.type === 'create' || effect.type === 'update');
  if (made === undefined || !('object' in made)) throw new Error('no copy is made');
  const stored = asStored(made.object) as unknown as JsonObject;
  return { ...stored, ...more };
}

function withMetadata(object: JsonObject, more: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), ...more } };
}

describe('the targets', () => {
  test.each<[string, JsonObject, string[]]>([
    ['by name', IN_A, ['a']],
    [
      'all, but for the system’s',
      { allNamespaces: true },
      ['a', 'b', 'c', 'default', 'kruise-system', 'kube-node-lease'],
    ],
    [
      'all but some',
      { allNamespaces: true, excludedNamespaces: names('c', 'default', 'kruise-system') },
      ['a', 'b', 'kube-node-lease'],
    ],
    ['by label', { namespaceSelector: { matchLabels: X } }, ['a', 'b']],
    ['none', {}, []],
    ['none, by an empty selector', { namespaceSelector: {} }, []],
    ['the system’s, which are never any', { includedNamespaces: names('kube-system') }, []],
  ])('%s', (_what, targets, expected) => {
    const plan = planFor([rd(targets), ...NAMESPACES]);
    expect(stepsIn(plan)).toEqual(expected.map((name) => `create ${name}/cm`));
    expect(numbersIn(plan)).toEqual([expected.length, expected.length, 0]);
  });

  test('that do not exist wait for their namespace', () => {
    const targets = {
      namespaceSelector: { matchLabels: X },
      includedNamespaces: names('c', 'zz'),
      excludedNamespaces: names('b'),
    };
    const plan = planFor([rd(targets), ...NAMESPACES]);
    expect(stepsIn(plan)).toEqual(['create a/cm', 'create c/cm']);
    expect(numbersIn(plan)).toEqual([3, 2, 1]);
    expect(wrongIn(plan)).toEqual({ NamespaceNotExists: ['zz'] });
  });

  test('that are being deleted get nothing', () => {
    const going = namespace('a', X, { deletionTimestamp: '2026-07-02T07:59:00Z' });
    const plan = planFor([rd(IN_A), going]);
    expect(stepsIn(plan)).toEqual([]);
    expect(wrongIn(plan)).toEqual({ NamespaceNotExists: ['a'] });
  });

  test('cannot be found by a selector that is none', () => {
    const namespaceSelector = { matchExpressions: [{ key: 'a', operator: 'Foo' }] };
    expect(() => planFor([rd({ namespaceSelector }), ...NAMESPACES])).toThrow('spec.targets.namespaceSelector');
  });
});

describe('a copy', () => {
  const made = copyIn(planFor([rd(IN_A), ...NAMESPACES]));

  test('is the resource, controlled by the distribution, with two annotations', () => {
    expect(made).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { k: 'v' },
      metadata: {
        namespace: 'a',
        annotations: { [FROM]: 'rd' },
        ownerReferences: [
          {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'ResourceDistribution',
            name: 'rd',
            uid: 'uid-rd',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
    });
    const { annotations } = made.metadata as { annotations: Record<string, string> };
    // sha256 of {"apiVersion":"v1","data":{"k":"v"},"kind":"ConfigMap","metadata":{"name":"cm"}}
    expect(annotations[HASH]).toBe('f0350d1f6fb24ab7d080f132c8857ce625265103f0466ea3eabd1d9f5b5de5d9');
  });

  test('does not go where the resource itself says', () => {
    const elsewhere = { ...CM, metadata: { name: 'cm', namespace: 'other', resourceVersion: '1', uid: 'x' } };
    const { metadata } = copyIn(planFor([rd(IN_A, elsewhere), ...NAMESPACES]));
    expect(metadata).toMatchObject({ namespace: 'a', uid: 'uid-ConfigMap-cm' });
  });

  test('that is right is left alone', () => {
    const status = statusAfter(planFor([rd(IN_A), ...NAMESPACES])) as JsonObject;
    const plan = planFor([rd(IN_A, CM, { status }), ...NAMESPACES, made]);
    expect(plan.groups).toEqual([]);
    expect(plan.report?.([])).toBeUndefined();
  });

  test.each<[string, JsonObject]>([
    ['data', { ...made, data: { k: 'w' } }],
    ['more data', { ...made, data: { k: 'v', l: 'w' } }],
    ['other annotations', withMetadata(made, { annotations: { [FROM]: 'rd' } })],
  ])('with other %s is made right', (_what, changed) => {
    const plan = planFor([rd(IN_A), ...NAMESPACES, changed]);
    expect(stepsIn(plan)).toEqual(['update a/cm']);
    expect(copyIn(plan)).toMatchObject({ data: { k: 'v' } });
  });

  test('keeps what others have put into its metadata', () => {
    const other = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'uid-p' };
    const owners = (made.metadata as { ownerReferences: JsonObject[] }).ownerReferences;
    const marked = withMetadata(made, {
      labels: { foo: 'bar' },
      finalizers: ['z/z', 'a/a'],
      ownerReferences: [other, ...owners],
    });
    const changed = { ...CM, metadata: { name: 'cm', labels: { own: '1' }, finalizers: ['m/m'] }, data: { k: 'w' } };
    const copy = copyIn(planFor([rd(IN_A, changed), ...NAMESPACES, marked]));
    expect(copy).toMatchObject({
      data: { k: 'w' },
      metadata: {
        labels: { foo: 'bar', own: '1' },
        finalizers: ['a/a', 'm/m', 'z/z'],
        ownerReferences: [other, ...owners],
        resourceVersion: '7',
      },
    });
    const hashOf = (object: JsonObject) =>
      (object.metadata as { annotations: Record<string, string> }).annotations[HASH];
    expect(hashOf(copy)).not.toBe(hashOf(made));
  });

  test('gets labels that are added to the resource', () => {
    const labelled = { ...CM, metadata: { name: 'cm', labels: { new: '1' } } };
    expect(stepsIn(planFor([rd(IN_A, labelled), ...NAMESPACES, made]))).toEqual(['update a/cm']);
  });

  test('from the time of v1alpha1 is known by its uid', () => {
    const owner = {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'ResourceDistribution',
      name: 'rd',
      uid: 'uid-rd',
      controller: true,
    };
    const old = withMetadata(made, { ownerReferences: [owner] });
    expect(stepsIn(planFor([rd(IN_A), ...NAMESPACES, old]))).toEqual([]);
    expect(stepsIn(planFor([rd(IN_A), ...NAMESPACES, { ...old, data: {} }]))).toEqual(['update a/cm']);
  });

  test('that cannot be changed is deleted, to be created again', () => {
    expect(stepsIn(planFor([rd(IN_A), ...NAMESPACES, { ...made, immutable: true, data: { k: 'w' } }]))).toEqual([
      'delete a/cm',
    ]);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, type: 'a/b' };
    const typed = copyIn(planFor([rd(IN_A, secret), ...NAMESPACES]));
    expect(stepsIn(planFor([rd(IN_A, { ...secret, type: 'c/d' }), ...NAMESPACES, typed]))).toEqual(['delete a/s']);
  });

  test('of somebody else is never touched', () => {
    const foreign = { ...CM, metadata: { name: 'cm', namespace: 'a' }, data: {} };
    const plan = planFor([rd(IN_A), ...NAMESPACES, foreign]);
    expect(stepsIn(plan)).toEqual([]);
    expect(numbersIn(plan)).toEqual([1, 0, 1]);
    expect(wrongIn(plan)).toEqual({ ConflictOccurred: ['a'] });
    expect(stepsIn(planFor([rd({}), ...NAMESPACES, foreign]))).toEqual([]);
  });

  test('in a namespace that is no target any more is deleted', () => {
    const plan = planFor([rd({ includedNamespaces: names('b') }), ...NAMESPACES, made]);
    expect(stepsIn(plan).sort()).toEqual(['create b/cm', 'delete a/cm']);
  });

  test('of a Secret is compared as the API server stores it', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      stringData: { p: 'q' },
      data: { a: 'Yg==' },
    };
    const { stringData: _gone, ...stored } = copyIn(planFor([rd(IN_A, secret), ...NAMESPACES]));
    const kept = { ...stored, type: 'Opaque', data: { a: 'Yg==', p: 'cQ==' } };
    expect(stepsIn(planFor([rd(IN_A, secret), ...NAMESPACES, kept]))).toEqual([]);
    expect(stepsIn(planFor([rd(IN_A, secret), ...NAMESPACES, { ...kept, data: { p: 'cg==' } }]))).toEqual([
      'update a/s',
    ]);
  });
});

describe('the status', () => {
  const TWO = { includedNamespaces: names('a', 'b') };

  test('has six conditions, whatever happens', () => {
    expect(statusAfter(planFor([rd(IN_A), ...NAMESPACES]))).toEqual({
      desired: 1,
      succeeded: 1,
      observedGeneration: 4,
      conditions: ['Get', 'Create', 'Update', 'Delete']
        .map((what) => `${what}ResourceFailed`)
        .concat('ConflictOccurred', 'NamespaceNotExists')
        .map((type) => ({
          type,
          status: 'False',
          lastTransitionTime: '2026-07-02T08:00:00Z',
          reason: 'Succeeded',
        })),
    });
  });

  test('tells what the API server refused', () => {
    const plan = planFor([rd(TWO), ...NAMESPACES]);
    expect(wrongIn(plan, ['b'])).toEqual({ CreateResourceFailed: ['b'] });
    expect(statusAfter(plan, ['b'])).toMatchObject({ desired: 2, succeeded: 1, failed: 1 });
    const conditions = statusAfter(plan, ['b'])?.conditions as JsonObject[];
    expect(conditions.find(({ type }) => type === 'CreateResourceFailed')?.reason).toBe('exceeded quota');
  });

  test('keeps the times of conditions that stay, also of a list that is too short', () => {
    const before = {
      type: 'CreateResourceFailed',
      status: 'True',
      lastTransitionTime: '2026-07-01T00:00:00Z',
      reason: 'x',
    };
    const status = { conditions: [before] };
    const conditions = (failing: string[]) =>
      statusAfter(planFor([rd(TWO, CM, { status }), ...NAMESPACES]), failing)?.conditions as JsonObject[];
    expect(conditions(['b'])[1]).toMatchObject({ status: 'True', lastTransitionTime: '2026-07-01T00:00:00Z' });
    expect(conditions([])[1]).toMatchObject({ status: 'False', lastTransitionTime: '2026-07-02T08:00:00Z' });
  });
});

test.each<[string, Json]>([
  ['another kind', { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } }],
  ['no name', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'x-' } }],
  ['nothing', null],
])('a resource that is %s is left alone', (_what, resource) => {
  expect(planFor([rd(IN_A, resource), ...NAMESPACES])).toEqual({ groups: [] });
});

test('a distribution that is being deleted does not bring its copies back', () => {
  const going = rd(IN_A);
  const object = withMetadata(going, { deletionTimestamp: '2026-07-02T07:59:00Z' });
  expect(planFor([object, ...NAMESPACES])).toEqual({ groups: [] });
});

describe('what makes the controller look', () => {
  const objects = [rd({ namespaceSelector: { matchLabels: X }, includedNamespaces: names('zz') }), ...NAMESPACES];
  const keysOf = (old: JsonObject | undefined, current: JsonObject | undefined): string[] => {
    const watch = controller.watches.find(({ resource }) => resource.kind === (current ?? old)?.kind);
    const change = { ...(old && { old: asStored(old) }), ...(current && { new: asStored(current) }) };
    return (watch?.keys(change, snapshot(controller, objects)) ?? []).map(({ name }) => name);
  };
  const made = copyIn(planFor([rd(IN_A), ...NAMESPACES]));

  test('is another spec, not another status', () => {
    expect(keysOf(rd(IN_A), rd({}))).toEqual(['rd']);
    expect(keysOf(rd(IN_A), rd(IN_A, CM, { status: { desired: 1 } }))).toEqual([]);
  });

  test('are namespaces that become targets or are none any more', () => {
    expect(keysOf(undefined, namespace('zz'))).toEqual(['rd']);
    expect(keysOf(namespace('d'), namespace('d', X))).toEqual(['rd']);
    expect(keysOf(namespace('a', X), namespace('a'))).toEqual(['rd']);
    expect(keysOf(namespace('a', X), namespace('a', X))).toEqual([]);
    expect(keysOf(namespace('d'), namespace('d', { a: 'b' }))).toEqual([]);
    expect(keysOf(namespace('zz'), undefined)).toEqual(['rd']);
  });

  test('are copies that somebody changes or deletes, and what was in their way', () => {
    expect(keysOf(undefined, made)).toEqual([]);
    expect(keysOf(made, { ...made, data: {} })).toEqual(['rd', 'rd']);
    expect(keysOf(made, undefined)).toEqual(['rd']);
    const foreign = { ...CM, metadata: { name: 'cm', namespace: 'a' } };
    expect(keysOf(foreign, undefined)).toEqual(['rd']);
    expect(keysOf(foreign, { ...foreign, data: {} })).toEqual([]);
    expect(keysOf({ ...CM, metadata: { name: 'other' } }, undefined)).toEqual([]);
  });
});
