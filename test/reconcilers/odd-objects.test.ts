// Objects with anything in them, as they may be stored where a CRD, a webhook or an admission rule was not there in time:
// no controller fails over one, none lets others suffer from it, and none writes what an API server would not take.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { effectiveGates } from '../../api/gates.ts';
import { findKind } from '../../api/kinds/index.ts';
import { RetryError, StatusError, TerminalError } from '../../component/errors.ts';
import { Policies } from '../../evaluator/policies.ts';
import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import type { PlannedEffect } from '../../kube/plan.ts';
import { controllers } from '../../reconcilers/index.ts';
import type { Controller } from '../../reconcilers/loop/controller.ts';
import { readable } from '../../reconcilers/readable.ts';
import { revision } from '../support/builders/cluster.ts';
import { injectedPod, storedSet } from '../support/builders/injected-pod.ts';
import { protecting, running } from '../support/protection.ts';
import { asStored, lookUpIn, snapshot } from '../support/snapshot.ts';
import { KRUISE, podOf, spread } from '../support/spreading.ts';

const NOW = Date.parse('2026-07-02T08:00:00Z');
const policies = await Policies.load();
policies.configure({ gates: effectiveGates(new Map()), systemNamespace: 'kruise-system' });
const gates = effectiveGates(new Map([['ResourceDistributionGate', true]]));
const made = controllers.flatMap(
  (make) => make({ gates, systemNamespace: 'kruise-system', policies, serverVersion: 'v1.36.0' }) ?? [],
);

const workload = (apiVersion: string, kind: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'web', ...metadata },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } } },
    ...spec,
  },
});
const node = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, namespace: '', labels: { zone: 'a', 'kubernetes.io/hostname': name } },
  spec: { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
});
const set = storedSet(
  'logs',
  {
    containers: [
      { name: 'log', image: 'l:2' },
      { name: 'mesh', image: 'm:1', upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'e:1' } },
    ],
    namespaceSelector: { matchLabels: { team: 'x' } },
    updateStrategy: {
      maxUnavailable: '50%',
      partition: 1,
      selector: { matchLabels: { app: 'web' } },
      scatterStrategy: [{ key: 'app', value: '*' }],
      priorityStrategy: { orderPriority: [{ orderedKey: 'app' }] },
    },
    patchPodMetadata: [{ annotations: { a: '{"b":1}' }, patchPolicy: 'MergePatchJson' }],
    injectionStrategy: { revision: { customVersion: 'v1', policy: 'Always' } },
  },
  {},
  { matchedPods: 1, collisionCount: 1, latestRevision: 'logs-1' },
);

/** All kinds that a controller reads, each of them good. */
const objects: readonly JsonObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: { team: 'x' } } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', labels: { team: 'x' } } },
  node('n1'),
  set as unknown as JsonObject,
  revision({ name: 'logs-1', of: set as unknown as JsonObject, customVersion: 'v1' }),
  injectedPod('logged', storedSet('logs', { containers: [{ name: 'log', image: 'l:1' }] })) as unknown as JsonObject,
  injectedPod('meshed', set, { running: { log: 'l:1' } }) as unknown as JsonObject,
  {
    ...protecting({
      spec: { targetRef: { apiVersion: KRUISE, kind: 'CloneSet', name: 'web' }, maxUnavailable: '30%' },
    }),
    status: {
      disruptedPods: { 'web-0': '2026-07-02T07:59:50Z' },
      unavailablePods: { 'web-1': '2026-07-02T07:59:55Z' },
    },
  },
  {
    ...protecting({ spec: { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 } }),
    metadata: { name: 'by-label', namespace: 'shop' },
  },
  running({
    name: 'web-0',
    metadata: {
      ownerReferences: [
        { apiVersion: KRUISE, kind: 'CloneSet', name: 'web', uid: 'uid-CloneSet-web', controller: true },
      ],
    },
  }),
  workload(KRUISE, 'CloneSet'),
  workload('apps/v1', 'Deployment'),
  workload('apps/v1', 'ReplicaSet'),
  workload(
    KRUISE,
    'StatefulSet',
    { reserveOrdinals: [1, '2-3'] },
    {
      name: 'db',
      annotations: {
        'kruise.io/auto-generate-persistent-pod-state': 'true',
        'kruise.io/required-persistent-topology': 'zone',
      },
    },
  ),
  {
    apiVersion: 'example.com/v1',
    kind: 'Game',
    metadata: { name: 'game' },
    spec: { replicas: 2, groups: [{ size: 3 }] },
  },
  {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'scaled' },
    spec: { replicas: 2, of: 'Scaled' },
    status: { selector: 'app=web' },
  },
  spread(
    [
      [
        'one',
        2,
        {
          requiredNodeSelector: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
          tolerations: [{ key: 'a', operator: 'Exists' }],
        },
      ],
      [
        'two',
        '50%',
        {
          tolerations: [{ operator: 'Exists' }],
          preferredNodeSelector: [
            { weight: 3, preference: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } },
          ],
          patch: { metadata: { labels: { a: 'b' } } },
        },
      ],
      ['three'],
    ],
    {
      filter: { selector: { matchLabels: { app: 'web' } } },
      status: {
        subsetStatuses: [
          {
            name: 'one',
            replicas: 1,
            missingReplicas: 1,
            conditions: [{ type: 'Schedulable', status: 'False', lastTransitionTime: '2026-07-02T07:59:00Z' }],
          },
        ],
        versionedSubsetStatuses: {
          versionIgnored: [
            { name: 'one', replicas: 1, missingReplicas: 1, creatingPods: { 'web-9': '2026-07-02T07:59:59Z' } },
          ],
        },
      },
    },
  ),
  {
    ...spread([['one', 2]], {
      name: 'games',
      target: ['Game', 'game', 'example.com/v1'],
      filter: { replicasPathList: ['spec.groups.0.size'] },
    }),
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kruise-configuration', namespace: 'kruise-system' },
    data: {
      WorkloadSpread_Watch_Custom_Workload_WhiteList:
        '{"workloads":[{"Group":"example.com","Kind":"Game","replicasPath":"spec.replicas"}]}',
    },
  },
  podOf('spread-0', {
    subset: 'one',
    metadata: { uid: 'uid-spread-0', creationTimestamp: '2026-07-02T07:00:00Z' },
    spec: { nodeName: 'n1' },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }),
  podOf('spread-1', {
    metadata: { uid: 'uid-spread-1', creationTimestamp: '2026-07-02T07:00:00Z' },
    spec: { nodeName: 'n1' },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }),
  {
    apiVersion: KRUISE,
    kind: 'PersistentPodState',
    metadata: { name: 'db', generation: 2 },
    spec: {
      targetRef: { apiVersion: KRUISE, kind: 'StatefulSet', name: 'db' },
      requiredPersistentTopology: { keys: ['zone'] },
      preferredPersistentTopology: [{ weight: 100, preference: { keys: ['kubernetes.io/hostname'] } }],
      persistentPodAnnotations: [{ key: 'a' }],
    },
    status: { podStates: { 'db-0': { nodeName: 'n1', nodeTopologyLabels: { zone: 'a' } } } },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'db-0',
      ownerReferences: [
        { apiVersion: KRUISE, kind: 'StatefulSet', name: 'db', uid: 'uid-StatefulSet-db', controller: true },
      ],
    },
    spec: { containers: [], nodeName: 'n1', readinessGates: [{ conditionType: 'KruisePodReady' }] },
    status: {
      phase: 'Running',
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'KruisePodReady', status: '', message: '' },
      ],
    },
  },
  {
    apiVersion: KRUISE,
    kind: 'ResourceDistribution',
    metadata: { name: 'rd', namespace: '', generation: 4 },
    spec: {
      resource: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'cm', labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['x/y'] },
        data: { k: 'v' },
      },
      targets: {
        namespaceSelector: { matchLabels: { team: 'x' } },
        includedNamespaces: { list: [{ name: 'a' }, { name: 'gone' }] },
        excludedNamespaces: { list: [{ name: 'b' }] },
      },
    },
    status: {
      desired: 1,
      conditions: [
        {
          type: 'ConflictOccurred',
          status: 'True',
          lastTransitionTime: '2026-07-02T07:59:00Z',
          failedNamespaces: ['a'],
        },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'cm',
      namespace: 'a',
      ownerReferences: [
        {
          apiVersion: KRUISE,
          kind: 'ResourceDistribution',
          name: 'rd',
          uid: 'uid-ResourceDistribution-rd',
          controller: true,
        },
      ],
    },
    data: { k: 'old' },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'ordered' },
    spec: {
      containers: [
        {
          name: 'c',
          env: [
            {
              name: 'KRUISE_CONTAINER_BARRIER',
              valueFrom: { configMapKeyRef: { name: 'ordered-barrier', key: 'p_3' } },
            },
          ],
        },
      ],
    },
    status: { containerStatuses: [{ name: 'c', ready: false }] },
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ordered-barrier' }, data: { p_5: 'true' } },
];

/** What others' types and admission do not vouch for, by kind: paths below these are anybody's. */
const OPEN: Readonly<Record<string, readonly string[][]>> = {
  Pod: [
    ['metadata', 'annotations'],
    ['metadata', 'labels'],
  ],
  ControllerRevision: [['data'], ['metadata', 'annotations'], ['metadata', 'labels']],
  ConfigMap: [['data']],
  Game: [['spec'], ['status']],
};
/** Where values are texts for sure. */
const TEXTS = new Set(['annotations', 'labels', 'data']);

const odd = fc.oneof(
  fc.constantFrom<Json>(
    null,
    '',
    'x',
    '5',
    '-1%',
    '200%',
    'abc%',
    '2026-07-02T08:00:00Z',
    'null',
    '[]',
    '{}',
    '{"a":null}',
    '[null]',
    '"x"',
    '__proto__',
    ',,',
    '{"logs":null}',
    '{"logs":{"hash":5}}',
    0,
    -1,
    1.5,
    2147483648,
    9007199254740991,
    true,
    false,
    [],
    {},
    [null],
    [[]],
    [{}],
    { a: null },
    { a: {} },
    ['', 'x'],
  ),
  fc.jsonValue().map((value) => value as Json),
);
const gone = Symbol('gone');

type Place = { object: number; path: readonly (string | number)[] };

/** Everything that may be anything. */
const places: readonly Place[] = objects.flatMap((object, index) => {
  const kind = String(object.kind);
  const isOwn = findKind(String(object.apiVersion).split('/')[0] ?? '', kind) !== undefined;
  const roots = isOwn ? [['spec'], ['status']] : (OPEN[kind] ?? []);
  return roots.flatMap((root) => pathsBelow(object, root).map((path) => ({ object: index, path })));
});

function pathsBelow(object: JsonObject, root: readonly (string | number)[]): (string | number)[][] {
  const value = root.reduce<Json | undefined>((at, step) => (at as JsonObject | undefined)?.[step as string], object);
  if (value === undefined) return [];
  const steps = Array.isArray(value) ? [...value.keys()] : isObject(value) ? Object.keys(value) : [];
  const text = root.some((step) => TEXTS.has(String(step)));
  const self = text && isObject(value) ? [] : [[...root]];
  return [...self, ...steps.flatMap((step) => pathsBelow(object, [...root, step]))];
}

function changed(value: Json | undefined, path: readonly (string | number)[], odd: Json | typeof gone): Json {
  const [step, ...rest] = path;
  if (step === undefined) return odd as Json;
  if (Array.isArray(value)) {
    const copy = [...value];
    if (rest.length === 0 && odd === gone) copy.splice(Number(step), 1);
    else copy[Number(step)] = changed(copy[Number(step)], rest, odd);
    return copy;
  }
  const copy = { ...(value as JsonObject) };
  if (rest.length === 0 && odd === gone) delete copy[String(step)];
  else copy[String(step)] = changed(copy[String(step)], rest, odd);
  return copy;
}

const mutation = fc
  .tuple(fc.constantFrom(...places), fc.oneof(odd, fc.constant(gone)))
  .map(([{ object, path }, value]) => {
    const { kind } = objects[object] as JsonObject;
    const isText =
      (['Pod', 'ConfigMap', 'ControllerRevision'].includes(String(kind)) &&
        path.some((step) => TEXTS.has(String(step))) &&
        path[0] !== 'data') ||
      kind === 'ConfigMap';
    const fitting = isText && typeof value !== 'symbol' && typeof value !== 'string' ? JSON.stringify(value) : value;
    return objects.map((one, index) => (index === object ? (changed(one, path, fitting) as JsonObject) : one));
  });

/** The world as controllers read it. */
function read(world: readonly JsonObject[]): JsonObject[] {
  return world.flatMap((object) => {
    const one = readable(asStored(object));
    return typeof one === 'string' ? [] : [one as unknown as JsonObject];
  });
}

function planned(
  controller: Controller<unknown>,
  world: readonly JsonObject[],
  key: ObjectReference,
): readonly PlannedEffect[] {
  try {
    const state = controller.fetch(snapshot(controller, world), key, lookUpIn(world));
    if (state === undefined) return [];
    const plan = controller.plan(state, NOW);
    if (plan.requeueAfterMs !== undefined) expect(plan.requeueAfterMs).toBeGreaterThanOrEqual(0);
    const status = plan.report === undefined ? plan.status : plan.report([]);
    return [...plan.groups.flat(), ...(status === undefined ? [] : [status])];
  } catch (error) {
    // A refusal in words is an answer too.
    if (error instanceof StatusError || error instanceof RetryError || error instanceof TerminalError) return [];
    throw error;
  }
}

function keysOf(controller: Controller<unknown>, world: readonly JsonObject[]): ObjectReference[] {
  const reader = snapshot(controller, world);
  return controller.watches.flatMap((watch) =>
    reader
      .list(watch.resource)
      .flatMap((object) => [
        ...watch.keys({ new: object }, reader),
        ...watch.keys({ old: object }, reader),
        ...watch.keys({ old: asStored({ ...(object as unknown as JsonObject) }), new: object }, reader),
        ...watch.keys({ old: before(object), new: object }, reader),
        ...watch.keys({ old: object, new: before(object) }, reader),
      ]),
  );
}

/** The same object before it was spoilt. */
function before(object: KubeObject): KubeObject {
  const found = objects
    .map(asStored)
    .find(
      (one) =>
        one.kind === object.kind && one.apiVersion === object.apiVersion && one.metadata.name === object.metadata.name,
    );
  const good = readable(found ?? object);
  if (typeof good === 'string') throw new Error(`${object.kind}: ${good}`);
  return { ...good, metadata: { ...good.metadata, generation: 99 } };
}

/** Would an API server take it? As far as texts, numbers and the types of our own kinds go. */
function requireValid(effect: PlannedEffect): void {
  if (effect.type === 'event' || effect.type === 'evict' || effect.type === 'delete') return;
  const { resource } = effect;
  const content = effect.type === 'patch' ? effect.patch : effect.object;
  expect(Number.isFinite(leastFinite(content)), JSON.stringify(content)).toBe(true);
  if (effect.type === 'patch') {
    // A null takes a member away.
    const { labels, annotations } = (content.metadata ?? {}) as { labels?: JsonObject; annotations?: JsonObject };
    const values = [labels, annotations].flatMap((map) => Object.values(map ?? {}));
    expect(values.filter((value) => typeof value !== 'string' && value !== null)).toEqual([]);
  }
  const kind = findKind(resource.group, resource.kind);
  if (effect.type === 'patch' || kind === undefined) return;
  expect(kind.decode(effect.object, resource.version).errors).toEqual([]);
}

/** 0, or a number in the value that JSON cannot have. */
function leastFinite(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : value;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((found, one) => (Number.isFinite(found) ? leastFinite(one) : found), 0);
}

describe.each(made.map((controller) => [controller.name, controller] as const))('%s', (_name, controller) => {
  test('reads every good object, and does something', () => {
    expect(read(objects)).toHaveLength(objects.length);
    const world = read(objects);
    const all = keysOf(controller, world).flatMap((key) => planned(controller, world, key));
    expect(all.length).toBeGreaterThan(0);
    for (const effect of all) requireValid(effect);
  });

  test('neither fails over an odd object nor writes what is none', () => {
    fc.assert(
      fc.property(mutation, (given) => {
        const world = read(given);
        const keys = new Map(keysOf(controller, world).map((key) => [`${key.namespace}/${key.name}`, key]));
        for (const key of keys.values()) for (const effect of planned(controller, world, key)) requireValid(effect);
      }),
      { numRuns: 300 },
    );
  });
});
