// Strategic merge patches of pods and what comes out (workloadspread 3.7): run against api/core and against the policy
// module. The recorded merges are answers of Kubernetes' own library (apimachinery 0.32).
import { readFileSync } from 'node:fs';
import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';

export type MergeCase = { rule: string; original: JsonObject; patch: JsonObject; merged: JsonObject };

const recorded = JSON.parse(
  readFileSync(new URL('../api/core/recorded/strategic-merges.json', import.meta.url), 'utf8'),
) as Omit<MergeCase, 'rule'>[];

const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name }));

const ofSpec = (rule: string, original: JsonObject, patch: JsonObject, merged: JsonObject): MergeCase => ({
  rule,
  original: { spec: original },
  patch: { spec: patch },
  merged: { spec: merged },
});

const ordered = (rule: string, original: string[], patch: string[], merged: string[]): MergeCase =>
  ofSpec(rule, { containers: named(...original) }, { containers: named(...patch) }, { containers: named(...merged) });

const ORDER: MergeCase[] = [
  ordered('new items stand before those that only the original has', ['a', 'b'], ['n'], ['n', 'a', 'b']),
  ordered('a known item stays behind those that stood before it', ['a', 'b'], ['b'], ['a', 'b']),
  ordered('items of the patch keep its order', ['a', 'b', 'c'], ['c', 'a'], ['b', 'c', 'a']),
  ordered('a new item between known ones stays there', ['a', 'b'], ['a', 'n', 'b'], ['a', 'n', 'b']),
  ordered('a list that was empty is taken as it is', [], ['b', 'a'], ['b', 'a']),
  ofSpec(
    'the order may be given without items',
    { containers: named('a', 'b') },
    { '$setElementOrder/containers': named('b', 'a') },
    { containers: named('b', 'a') },
  ),
  ofSpec(
    'the order may be given with items',
    { containers: named('a', 'b') },
    { '$setElementOrder/containers': named('b', 'a'), containers: [{ name: 'a', image: 'i' }] },
    { containers: [{ name: 'b' }, { name: 'a', image: 'i' }] },
  ),
];

const LISTS: MergeCase[] = [
  ofSpec(
    'lists of environment variables are merged by name',
    { containers: [{ name: 'm', env: [{ name: 'A', value: '1' }] }] },
    { containers: [{ name: 'm', env: [{ name: 'B', value: '2' }] }] },
    {
      containers: [
        {
          name: 'm',
          env: [
            { name: 'B', value: '2' },
            { name: 'A', value: '1' },
          ],
        },
      ],
    },
  ),
  ofSpec(
    'lists of ports are merged by number',
    { containers: [{ name: 'm', ports: [{ containerPort: 80 }, { containerPort: 81 }] }] },
    { containers: [{ name: 'm', ports: [{ containerPort: 81, name: 'x' }] }] },
    { containers: [{ name: 'm', ports: [{ containerPort: 80 }, { containerPort: 81, name: 'x' }] }] },
  ),
  ofSpec(
    'lists of tolerations are replaced',
    { tolerations: [{ key: 'a' }, { key: 'b' }] },
    { tolerations: [{ key: 'c' }] },
    { tolerations: [{ key: 'c' }] },
  ),
  ofSpec(
    'lists of arguments are replaced',
    { containers: [{ name: 'm', args: ['a'] }] },
    { containers: [{ name: 'm', args: ['b', 'c'] }] },
    { containers: [{ name: 'm', args: ['b', 'c'] }] },
  ),
  ofSpec(
    'lists lose items that the patch deletes',
    { volumes: [{ name: 'a', emptyDir: {} }, { name: 'b' }] },
    { volumes: [{ name: 'a', $patch: 'delete' }] },
    { volumes: [{ name: 'b' }] },
  ),
  ofSpec(
    'lists lose all others where the patch replaces',
    { imagePullSecrets: named('a', 'b') },
    { imagePullSecrets: [{ $patch: 'replace' }, { name: 'c' }] },
    { imagePullSecrets: named('c') },
  ),
  ofSpec(
    'lists of constraints are merged by topology key',
    { topologySpreadConstraints: [{ topologyKey: 'zone', maxSkew: 1 }] },
    { topologySpreadConstraints: [{ topologyKey: 'zone', maxSkew: 2 }] },
    { topologySpreadConstraints: [{ topologyKey: 'zone', maxSkew: 2 }] },
  ),
  {
    rule: 'lists of finalizers are sets',
    original: { metadata: { finalizers: ['a', 'b'] } },
    patch: { metadata: { finalizers: ['c', 'b'] } },
    merged: { metadata: { finalizers: ['c', 'a', 'b'] } },
  },
  {
    rule: 'lists of finalizers lose what the patch takes out',
    original: { metadata: { finalizers: ['a', 'b'] } },
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
    merged: { metadata: { finalizers: ['b'] } },
  },
  {
    rule: 'lists of owners are merged by uid',
    original: { metadata: { ownerReferences: [{ uid: '1', name: 'a' }] } },
    patch: { metadata: { ownerReferences: [{ uid: '1', name: 'b' }, { uid: '2' }] } },
    merged: { metadata: { ownerReferences: [{ uid: '1', name: 'b' }, { uid: '2' }] } },
  },
];

const MAPS: MergeCase[] = [
  ofSpec(
    'maps are merged, and lose what is null',
    { nodeSelector: { a: '1', b: '2' } },
    { nodeSelector: { a: null, b: '3', c: null } },
    { nodeSelector: { b: '3' } },
  ),
  ofSpec(
    'maps may be replaced',
    { nodeSelector: { a: '1' } },
    { nodeSelector: { $patch: 'replace', b: '2' } },
    { nodeSelector: { b: '2' } },
  ),
  ofSpec(
    'maps may be emptied',
    { nodeSelector: { a: '1' } },
    { nodeSelector: { $patch: 'delete' } },
    { nodeSelector: {} },
  ),
  ofSpec(
    'maps keep only what $retainKeys lists',
    { volumes: [{ name: 'v', emptyDir: {} }] },
    { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/' } }] },
    { volumes: [{ name: 'v', hostPath: { path: '/' } }] },
  ),
  ofSpec('a text replaces a list', { containers: named('a') }, { containers: 'none' }, { containers: 'none' }),
  ofSpec('an object replaces a text', { hostname: 'a' }, { hostname: { x: 1 } }, { hostname: { x: 1 } }),
];

/** What can be applied. Compare without nulls. */
export const MERGES: readonly MergeCase[] = [
  ...recorded.map((one, index) => ({ rule: `recorded merge ${index} comes out the same`, ...one })),
  ...ORDER,
  ...LISTS,
  ...MAPS,
];

/** What cannot be applied to the original, and why. */
export const REFUSED_ORIGINAL: JsonObject = { spec: { containers: named('a') } };
export const REFUSED: readonly [patch: Json, fault: string][] = [
  ['text', 'invalid JSON document'],
  [[1], 'invalid JSON document'],
  [{ spec: { containers: [{ image: 'i' }] } }, 'map: map[image:i] does not contain declared merge key: name'],
  [{ spec: { containers: ['x'] } }, 'list element types are not identical: [[map[name:a]] [x]]'],
  [{ spec: { containers: [{ name: 'a', $patch: 'merge' }] } }, 'merging lists cannot yet be specified in the patch'],
  [{ spec: { containers: [{ name: 'a', $patch: 'x' }] } }, 'unknown patch type: x in map: map[$patch:x name:a]'],
  [{ spec: { $patch: 'x', hostname: 'h' } }, 'unknown patch type: x in map: map[$patch:x hostname:h]'],
  [{ spec: { $retainKeys: ['containers'], hostname: 'h' } }, 'invalid patch format of retainKeys'],
  [
    { spec: { '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'a' }] } },
    "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
  ],
];

/** Null members say the same as absent ones. */
export function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}
