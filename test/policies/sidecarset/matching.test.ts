// Which SidecarSets act on a pod, whatever came and went before: the module's index is held to plain rules.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { namespace } from '../../support/builders/cluster.ts';
import { pod } from '../../support/builders/pod.ts';
import { sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { Injection } from '../../support/injection.ts';
import * as see from '../../support/see.ts';

type Labels = Record<string, string>;
type Expression = { key: string; operator: string; values?: string[] };
type Selector = { matchLabels?: Labels; matchExpressions?: Expression[] };
type Set = { selector: Selector; namespaceSelector?: Selector; paused: boolean; canaryOf?: string };

const NAME_LABEL = 'kubernetes.io/metadata.name';
const KEYS = ['app', 'env', 'tier', NAME_LABEL];
const VALUES = ['web', 'db', '', 'shop', 'bank'];
const SETS = ['s1', 's2', 's3', 's4'];
const NAMESPACES = ['shop', 'bank'];

const labels: fc.Arbitrary<Labels> = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), {
  maxKeys: 3,
});
const expression: fc.Arbitrary<Expression> = fc.oneof(
  fc.record({
    key: fc.constantFrom(...KEYS),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.uniqueArray(fc.constantFrom(...VALUES), { maxLength: 3 }),
  }),
  fc.record({ key: fc.constantFrom(...KEYS), operator: fc.constantFrom('Exists', 'DoesNotExist', 'Like') }),
);
const selector: fc.Arbitrary<Selector> = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) },
  { requiredKeys: [] },
);
const set: fc.Arbitrary<Set> = fc.record(
  {
    selector,
    namespaceSelector: selector,
    paused: fc.constantFrom(false, false, false, true),
    canaryOf: fc.constantFrom(...SETS),
  },
  { requiredKeys: ['selector', 'paused'] },
);

type Step =
  | { do: 'apply'; name: string; set: Set }
  | { do: 'remove'; name: string }
  | { do: 'label'; name: string; labels: Labels }
  | { do: 'forget'; name: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('apply' as const), name: fc.constantFrom(...SETS), set }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom(...SETS) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('label' as const), name: fc.constantFrom(...NAMESPACES), labels }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), name: fc.constantFrom(...NAMESPACES) }) },
);

function isWellFormed({ matchExpressions = [] }: Selector): boolean {
  return matchExpressions.every(({ operator, values }) => {
    if (operator === 'In' || operator === 'NotIn') return values !== undefined && values.length > 0;
    return operator === 'Exists' || operator === 'DoesNotExist';
  });
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, found: Labels): boolean {
  const has = (key: string) => Object.hasOwn(found, key);
  return (
    Object.entries(matchLabels).every(([key, value]) => has(key) && found[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return has(key);
      if (operator === 'DoesNotExist') return !has(key);
      const isIn = has(key) && values.includes(found[key] ?? '');
      return operator === 'In' ? isIn : !isIn;
    })
  );
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: Selector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

function keysOf({ matchLabels = {}, matchExpressions = [] }: Selector): string[] {
  return [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
}

/** The names of the sets that act on a pod of that namespace, sorted. */
function acting(
  sets: ReadonlyMap<string, Set>,
  namespaces: ReadonlyMap<string, Labels>,
  of: { namespace: string; labels: Labels },
): string[] {
  const matching = [...sets].filter(([, one]) => {
    if (one.paused || isEmpty(one.selector) || !isWellFormed(one.selector) || !selects(one.selector, of.labels))
      return false;
    if (one.namespaceSelector === undefined) return true;
    // Of a namespace that nobody has told of only the name is known: files need not hold namespaces.
    const found = namespaces.get(of.namespace);
    if (found === undefined && !keysOf(one.namespaceSelector).every((key) => key === NAME_LABEL)) return false;
    return (
      isWellFormed(one.namespaceSelector) && selects(one.namespaceSelector, found ?? { [NAME_LABEL]: of.namespace })
    );
  });
  const replaced = new globalThis.Set(matching.map(([, one]) => one.canaryOf));
  return matching
    .map(([name]) => name)
    .filter((name) => !replaced.has(name))
    .toSorted();
}

function stored(name: string, { selector: pods, namespaceSelector, paused, canaryOf }: Set): JsonObject {
  return sidecarSet(name, {
    containers: [sidecar(`c-${name}`)],
    selector: pods as JsonObject,
    ...(canaryOf === undefined
      ? {}
      : { annotations: { 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': canaryOf } }),
    spec: {
      ...(namespaceSelector === undefined ? {} : { namespaceSelector: namespaceSelector as JsonObject }),
      injectionStrategy: { paused },
    },
  });
}

test('exactly the sets whose selectors match act on a pod, after any history of objects', async () => {
  const injection = await Injection.start();
  fc.assert(
    fc.property(
      fc.array(fc.record({ step, asked: fc.record({ namespace: fc.constantFrom(...NAMESPACES), labels }) }), {
        maxLength: 25,
      }),
      (history) => {
        injection.hold();
        const [sets, namespaces] = [new Map<string, Set>(), new Map<string, Labels>()];
        for (const { step: one, asked } of history) {
          if (one.do === 'apply') {
            sets.set(one.name, one.set);
            injection.apply(stored(one.name, one.set));
          } else if (one.do === 'remove') {
            sets.delete(one.name);
            injection.remove({ apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet', name: one.name });
          } else if (one.do === 'label') {
            const all = { 'kubernetes.io/metadata.name': one.name, ...one.labels };
            namespaces.set(one.name, all);
            injection.apply(namespace(one.name, one.labels));
          } else {
            namespaces.delete(one.name);
            injection.remove({ apiVersion: 'v1', kind: 'Namespace', name: one.name });
          }
          const created = injection.create(pod(asked));
          const names = see
            .containers(created)
            .filter((name) => name !== 'app')
            .map((name) => String(name).slice(2));
          expect(names.toSorted()).toEqual(acting(sets, namespaces, asked));
        }
      },
    ),
    { numRuns: 300 },
  );
});
