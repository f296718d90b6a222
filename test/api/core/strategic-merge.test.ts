// Strategic merge patches of pod templates (workloadspread 3.7). The recorded merges are answers of Kubernetes' own library
// (apimachinery 0.32).
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../../api/core/json.ts';
import { PodTemplateSpec } from '../../../api/core/pod.ts';
import { strategicMerge } from '../../../api/core/strategic-merge.ts';

type Recorded = { original: JsonObject; patch: JsonObject; merged: JsonObject };

const recorded = JSON.parse(
  readFileSync(new URL('recorded/strategic-merges.json', import.meta.url), 'utf8'),
) as Recorded[];

const merge = (original: JsonObject, patch: Json) => strategicMerge(PodTemplateSpec, original, patch);
const mergeSpec = (spec: JsonObject, patch: JsonObject) => (merge({ spec }, { spec: patch }).spec ?? {}) as JsonObject;
const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name }));

/** Null members say the same as absent ones. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

test.each(recorded.map((one, index) => [index, one] as const))(
  'recorded merge %i comes out the same',
  (_index, { original, patch, merged }) => {
    const before = structuredClone({ original, patch });
    expect(withoutNulls(merge(original, patch))).toEqual(merged);
    expect({ original, patch }).toEqual(before);
  },
);

describe('the order of a merged list', () => {
  test.each([
    ['new items stand before those that only the original has', ['a', 'b'], ['n'], ['n', 'a', 'b']],
    ['a known item stays behind those that stood before it', ['a', 'b'], ['b'], ['a', 'b']],
    ['items of the patch keep its order', ['a', 'b', 'c'], ['c', 'a'], ['b', 'c', 'a']],
    ['a new item between known ones stays there', ['a', 'b'], ['a', 'n', 'b'], ['a', 'n', 'b']],
    ['a list that was empty is taken as it is', [], ['b', 'a'], ['b', 'a']],
  ])('%s', (_rule, original, patch, merged) => {
    expect(mergeSpec({ containers: named(...original) }, { containers: named(...patch) })).toEqual({
      containers: named(...merged),
    });
  });

  test('may be given by the patch, with or without items', () => {
    const order = { '$setElementOrder/containers': named('b', 'a') };
    expect(mergeSpec({ containers: named('a', 'b') }, order)).toEqual({ containers: named('b', 'a') });
    const patch = { ...order, containers: [{ name: 'a', image: 'i' }] };
    expect(mergeSpec({ containers: named('a', 'b') }, patch)).toEqual({
      containers: [{ name: 'b' }, { name: 'a', image: 'i' }],
    });
  });
});

describe('lists', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'of environment variables are merged by name',
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
    ],
    [
      'of ports are merged by number',
      { containers: [{ name: 'm', ports: [{ containerPort: 80 }, { containerPort: 81 }] }] },
      { containers: [{ name: 'm', ports: [{ containerPort: 81, name: 'x' }] }] },
      { containers: [{ name: 'm', ports: [{ containerPort: 80 }, { containerPort: 81, name: 'x' }] }] },
    ],
    [
      'of tolerations are replaced',
      { tolerations: [{ key: 'a' }, { key: 'b' }] },
      { tolerations: [{ key: 'c' }] },
      { tolerations: [{ key: 'c' }] },
    ],
    [
      'of arguments are replaced',
      { containers: [{ name: 'm', args: ['a'] }] },
      { containers: [{ name: 'm', args: ['b', 'c'] }] },
      { containers: [{ name: 'm', args: ['b', 'c'] }] },
    ],
    [
      'lose items that the patch deletes',
      { volumes: [{ name: 'a', emptyDir: {} }, { name: 'b' }] },
      { volumes: [{ name: 'a', $patch: 'delete' }] },
      { volumes: [{ name: 'b' }] },
    ],
    [
      'lose all others where the patch replaces',
      { imagePullSecrets: named('a', 'b') },
      { imagePullSecrets: [{ $patch: 'replace' }, { name: 'c' }] },
      { imagePullSecrets: named('c') },
    ],
  ])('%s', (_rule, original, patch, merged) => {
    expect(mergeSpec(original, patch)).toEqual(merged);
  });

  test('of finalizers are sets', () => {
    expect(merge({ metadata: { finalizers: ['a', 'b'] } }, { metadata: { finalizers: ['c', 'b'] } })).toEqual({
      metadata: { finalizers: ['c', 'a', 'b'] },
    });
    const deleted = { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } };
    expect(merge({ metadata: { finalizers: ['a', 'b'] } }, deleted)).toEqual({ metadata: { finalizers: ['b'] } });
  });
});

describe('maps', () => {
  test('are merged, and lose what is null', () => {
    const patch = { nodeSelector: { a: null, b: '3', c: null } };
    expect(mergeSpec({ nodeSelector: { a: '1', b: '2' } }, patch)).toEqual({ nodeSelector: { b: '3' } });
  });

  test('may be replaced or emptied', () => {
    const original = { nodeSelector: { a: '1' } };
    expect(mergeSpec(original, { nodeSelector: { $patch: 'replace', b: '2' } })).toEqual({ nodeSelector: { b: '2' } });
    expect(mergeSpec(original, { nodeSelector: { $patch: 'delete' } })).toEqual({ nodeSelector: {} });
  });

  test('keep only what $retainKeys lists', () => {
    const volume = { name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/' } };
    expect(mergeSpec({ volumes: [{ name: 'v', emptyDir: {} }] }, { volumes: [volume] })).toEqual({
      volumes: [{ name: 'v', hostPath: { path: '/' } }],
    });
  });

  test('take members of any name for their own', () => {
    const patch = JSON.parse('{"metadata":{"labels":{"__proto__":"x","constructor":"y"}}}') as JsonObject;
    const merged = JSON.stringify(merge({ metadata: { labels: { a: 'b' } } }, patch));
    expect(merged).toBe('{"metadata":{"labels":{"a":"b","__proto__":"x","constructor":"y"}}}');
  });
});

test('a value of another type replaces', () => {
  expect(mergeSpec({ containers: named('a') }, { containers: 'none' })).toEqual({ containers: 'none' });
  expect(mergeSpec({ hostname: 'a' }, { hostname: { x: 1 } })).toEqual({ hostname: { x: 1 } });
});

test.each<[Json, string]>([
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
])('%j cannot be applied', (patch, fault) => {
  expect(() => merge({ spec: { containers: named('a') } }, patch)).toThrow(fault);
});
