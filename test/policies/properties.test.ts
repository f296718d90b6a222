// What holds for all steps of the pod mutator together, tried on generated pods, sidecars and policy objects.
import fc from 'fast-check';
import { applyPatch, type Operation } from 'rfc6902';
import { describe, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { applyPatch as applyOurs } from '../../api/core/patch.ts';
import { env } from '../support/builders/pod.ts';
import {
  budget,
  controllerReference,
  podState,
  probe,
  probeMarker,
  targeting,
  workloadOf,
} from '../support/builders/policies.ts';
import { RECORDED_GATES } from '../support/gates.ts';
import { Injection, NOW } from '../support/injection.ts';
import { agreeing, pods, sidecarSets } from '../support/pods.ts';
import * as see from '../support/see.ts';

const RUNS = { numRuns: 150 };
const KEYS = ['zone', 'rack', 'kubernetes.io/hostname'];
const BARRIER = 'KRUISE_CONTAINER_BARRIER';

const owner = fc.constantFrom<JsonObject[]>(
  [],
  [controllerReference('StatefulSet', 'db')],
  [controllerReference('CloneSet', 'web')],
  [controllerReference('ReplicaSet', 'web-1', 'apps/v1')],
);

const livenessProbe = fc.constantFrom<JsonObject | undefined>(
  undefined,
  { exec: { command: ['<&>'] }, periodSeconds: 3 },
  { httpGet: { port: 'web', path: '/é' }, unknownNumber: 1 },
);

const priority = fc.constantFrom(undefined, '0', '5', '-3', '+7');

const affinity = fc.constantFrom<JsonObject | undefined>(
  undefined,
  { podAffinity: { x: 1 } },
  {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 10, preference: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] } },
      ],
    },
  },
);

/** Pods that ask for something of every policy. */
const asking = fc
  .record({
    pod: pods(),
    ownerReferences: owner,
    isOrdered: fc.boolean(),
    isLive: fc.boolean(),
    isNamed: fc.boolean(),
    list: fc.constantFrom(undefined, 'b,a', 'a', 'gone'),
    containers: fc.array(fc.record({ priority, livenessProbe }), { minLength: 3, maxLength: 3 }),
    affinity,
    nodeSelector: fc.constantFrom<JsonObject | undefined>(undefined, { zone: 'b', disk: 'é' }),
  })
  .map(({ pod, containers, ...parts }) => {
    const { metadata, spec } = pod as { metadata: JsonObject; spec: JsonObject };
    const annotations = {
      ...(isObject(metadata.annotations) ? metadata.annotations : {}),
      ...(parts.isOrdered ? { 'apps.kruise.io/container-launch-priority': 'Ordered' } : {}),
      ...(parts.isLive ? { 'apps.kruise.io/using-enhanced-liveness': 'true' } : {}),
      ...(parts.list === undefined ? {} : { 'kruise.io/podprobemarker-list': parts.list }),
    };
    const named = parts.isNamed ? { name: 'db-0' } : { generateName: 'db-' };
    const { name: _name, ...rest } = metadata;
    return {
      ...pod,
      metadata: { ...rest, ...named, annotations, ownerReferences: parts.ownerReferences },
      spec: {
        ...spec,
        ...filled({ affinity: parts.affinity, nodeSelector: parts.nodeSelector }),
        containers: items(spec.containers).map((one, i) => {
          const { priority: wanted, livenessProbe: live } = containers[i] ?? {};
          const own = wanted === undefined ? [] : env({ KRUISE_CONTAINER_PRIORITY: wanted });
          const variables = [...items(one.env), ...own];
          return { ...one, ...(variables.length > 0 ? { env: variables } : {}), ...filled({ livenessProbe: live }) };
        }),
      },
    };
  });

const selector = fc.constantFrom<JsonObject>({ matchLabels: { app: 'web' } }, { matchLabels: { app: 'db' } }, {});

const budgets = fc.constantFrom(
  budget('b1'),
  budget('b2', targeting('CloneSet')),
  budget('b0', targeting('Deployment', 'web', 'apps/v1')),
  budget('b3', { selector: { matchLabels: { app: 'db' } } }),
);

const states = fc
  .record({
    name: fc.constantFrom('s1', 's2'),
    required: fc.option(fc.subarray(KEYS), { nil: undefined }),
    preferred: fc.option(fc.array(fc.tuple(fc.constantFrom(10, 100, 0), fc.subarray(KEYS)), { maxLength: 3 }), {
      nil: undefined,
    }),
  })
  .map(({ name, required, preferred }) =>
    podState(name, {
      ...(required === undefined ? {} : { required }),
      ...(preferred === undefined ? {} : { preferred }),
      states: { 'db-0': { zone: 'a', 'kubernetes.io/hostname': 'n1' } },
    }),
  );

const markers = fc
  .record({
    name: fc.constantFrom('a', 'b'),
    selector,
    containers: fc.array(fc.constantFrom('app', 'web', 'job', 'no'), { minLength: 1, maxLength: 3 }),
    condition: fc.constantFrom('game.io/same', 'game.io/x', 'game.io/y'),
  })
  .map(({ name, selector: selected, containers, condition }) =>
    probeMarker(
      name,
      containers.map((containerName, i) =>
        probe(`p${i}`, { containerName, podConditionType: i === 0 ? 'game.io/same' : `${condition}${i}` }),
      ),
      selected,
    ),
  );

const WORKLOADS = [
  workloadOf('StatefulSet', 'db'),
  workloadOf('CloneSet', 'web'),
  workloadOf('Deployment', 'web', 'apps/v1'),
  workloadOf('ReplicaSet', 'web-1', 'apps/v1', controllerReference('Deployment', 'web', 'apps/v1')),
];

/** One of each kind and name at most, as in a cluster. */
const policies = fc
  .array(fc.oneof(budgets, states, markers), { maxLength: 6 })
  .map((objects) => [...new Map(objects.map((one) => [`${one.kind}/${nameOf(one)}`, one])).values()]);

describe('all steps together', async () => {
  const injection = await Injection.start(RECORDED_GATES);

  test('change nothing when they come a second time', () => {
    fc.assert(
      fc.property(asking, policies, sidecarSets, fc.boolean(), (pod, objects, sets, hasSidecars) => {
        const once = injection.hold(...WORKLOADS, ...objects, ...(hasSidecars ? sets : [])).create(pod);
        expect(injection.create(once, {}, NOW + 3_600_000)).toEqual(once);
      }),
      RUNS,
    );
  });

  test('send no patch the second time where sets do not overwrite what others wrote', () => {
    fc.assert(
      fc.property(asking, policies, sidecarSets, fc.boolean(), (pod, objects, sets, hasSidecars) => {
        const agreed = hasSidecars ? agreeing(sets) : [];
        const once = injection.hold(...WORKLOADS, ...objects, ...agreed).create(pod);
        expect(injection.review(once, {}, NOW + 3_600_000).operations).toEqual([]);
      }),
      RUNS,
    );
  });

  test('keep every byte of what they are not about', () => {
    fc.assert(
      fc.property(asking, policies, (pod, objects) => {
        const { operations } = injection.hold(...WORKLOADS, ...objects).review(pod);
        const before = raw(JSON.stringify(pod)) as JsonObject;
        const after = raw(JSON.stringify(pod)) as JsonObject;
        applyPatch(after, rawOperations(operations));
        expect(foreign(after, before)).toEqual(foreign(before, before));
      }),
      RUNS,
    );
  });

  test('do not depend on the order in which objects arrive', () => {
    fc.assert(
      fc.property(asking, policies, sidecarSets, (pod, objects, sets) => {
        const all = [...WORKLOADS, ...objects, ...sets];
        const created = injection.hold(...all).create(pod);
        expect(injection.hold(...all.toReversed()).create(pod)).toEqual(created);
      }),
      RUNS,
    );
  });

  test('answer with a patch that every implementation applies alike', () => {
    fc.assert(
      fc.property(asking, policies, sidecarSets, (pod, objects, sets) => {
        const { object, operations } = injection.hold(...WORKLOADS, ...objects, ...sets).review(pod);
        expect(applyOurs(pod, operations as unknown as Parameters<typeof applyOurs>[1])).toEqual(object);
      }),
      RUNS,
    );
  });

  test('are explained without failing, one line for each policy object of the namespace', () => {
    fc.assert(
      fc.property(asking, policies, sidecarSets, (pod, objects, sets) => {
        injection.hold(...WORKLOADS, ...objects, ...sets);
        const { object } = injection.review(pod);
        const lines = injection.explain(pod);
        const about = lines.filter(({ kind }) => !['ContainerLaunchPriority', 'EnhancedLivenessProbe'].includes(kind));
        const explained = about.map(({ kind, name }) => `${kind}/${name}`).sort();
        expect(explained).toEqual([...objects, ...sets].map((one) => `${one.kind}/${nameOf(one)}`).sort());
        const related = see.annotation('pub.kruise.io/related-pub')(object ?? {});
        const said = lines.filter(({ kind, matched }) => kind === 'PodUnavailableBudget' && matched);
        expect(said.map(({ name }) => name)).toEqual(related === undefined ? [] : [related]);
      }),
      RUNS,
    );
  });
});

/** The pod without all that the steps may change; where they add to a list of the pod, its own part must be first. */
function foreign(pod: JsonObject, original: JsonObject): Json {
  const { metadata, spec, ...others } = pod as { metadata: JsonObject; spec: JsonObject };
  const { annotations, name: _name, ...restOfMetadata } = metadata;
  const { containers, nodeSelector, affinity, readinessGates: _gates, ...restOfSpec } = spec;
  const notes = Object.entries(isObject(annotations) ? annotations : {}).filter(([key]) => !key.includes('kruise.io/'));
  const labels = Object.entries(isObject(nodeSelector) ? nodeSelector : {}).filter(([key]) => !KEYS.includes(key));
  const own = preferredOf((original.spec as JsonObject).affinity).length;
  const { nodeAffinity: _node, ...restOfAffinity } = isObject(affinity) ? affinity : {};
  return {
    others,
    restOfMetadata,
    restOfSpec,
    notes: Object.fromEntries(notes),
    labels: Object.fromEntries(labels),
    restOfAffinity,
    preferred: preferredOf(affinity).slice(0, own),
    containers: items(containers).map(({ env: variables, livenessProbe: _probe, ...container }) => ({
      ...container,
      env: items(variables).filter((one) => one.name !== JSON.stringify(BARRIER)),
    })),
  };
}

function preferredOf(affinity: Json | undefined): JsonObject[] {
  const node = isObject(affinity) ? affinity.nodeAffinity : undefined;
  return isObject(node) ? items(node.preferredDuringSchedulingIgnoredDuringExecution) : [];
}

/** A value with every scalar replaced by its text, so that equal means equal to the byte. */
function raw(text: string): Json {
  type Reviver = (key: string, value: Json, context: { source?: string }) => Json;
  const parse = JSON.parse as (text: string, reviver: Reviver) => Json;
  return parse(text, (_key, value, context) => context.source ?? value);
}

function rawOperations(operations: readonly Operation[]): Operation[] {
  return operations.map((operation) =>
    'value' in operation ? { ...operation, value: raw(JSON.stringify(operation.value)) } : operation,
  );
}

function filled(members: Record<string, JsonObject | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function nameOf(object: JsonObject): string {
  return String((object.metadata as JsonObject).name);
}

function items(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
