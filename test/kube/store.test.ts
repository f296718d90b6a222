// The objects of a mirror against a plain map: whatever happens to them, every way to read them tells the same.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KubeObject, keyOf } from '../../kube/objects.ts';
import { remembering } from '../../kube/reader.ts';
import { Store } from '../../kube/store.ts';

type Step =
  | { readonly do: 'put' | 'remove'; readonly object: KubeObject }
  | { readonly do: 'replace'; readonly objects: readonly KubeObject[] };

const nodesOf = ({ spec }: KubeObject) => (spec as { nodes: readonly string[] }).nodes;

const object = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    namespace: fc.constantFrom('x', 'y'),
    uid: fc.constantFrom('1', '2'),
    version: fc.integer({ min: 1, max: 4 }),
    nodes: fc.array(fc.constantFrom('n', 'm', 'x'), { maxLength: 3 }),
    text: fc.string({ unit: 'grapheme' }),
  })
  .map(
    ({ name, namespace, uid, version, nodes, text }): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      // As in a cluster: what has the same uid and version is the same.
      metadata: {
        name,
        namespace,
        uid,
        resourceVersion: `${version}${nodes.join('')}${Buffer.from(text).toString('hex')}`,
      },
      spec: { nodes, text },
    }),
  );

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: object.map((one): Step => ({ do: 'put', object: one })) },
    { weight: 2, arbitrary: object.map((one): Step => ({ do: 'remove', object: one })) },
    {
      weight: 1,
      arbitrary: fc
        .uniqueArray(object, { selector: ({ metadata }) => keyOf(metadata) })
        .map((objects): Step => ({ do: 'replace', objects })),
    },
  ),
  { maxLength: 40 },
);

describe('a store', () => {
  it('tells the same as a plain map, by name, by namespace and by index, after any steps', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const store = new Store({ node: nodesOf }, (one) => one);
        const plain = new Map<string, KubeObject>();
        /** What changes say, put together. */
        const told = new Map<string, KubeObject>();
        for (const step of all) {
          const before = new Map(plain);
          const changes = apply(store, plain, step);
          for (const change of changes) {
            const old = change.old;
            if (old !== undefined && step.do !== 'remove') expect(old).toEqual(told.get(keyOf(old.metadata)));
            if (old !== undefined && change.new === undefined) told.delete(keyOf(old.metadata));
            if (change.new !== undefined) told.set(keyOf(change.new.metadata), change.new);
          }
          expect(told).toEqual(plain);
          // What was there before is still readable from the change.
          for (const { old } of changes) if (old !== undefined) expect(before.has(keyOf(old.metadata))).toBe(true);
          expectSame(store, plain);
        }
      }),
    );
  });

  it('gives objects that are alike back as they were', () => {
    const store = new Store({}, (one) => one);
    const text = 'a setting that every pod has, of some length; '.repeat(100);
    for (let i = 0; i < 100; i++) {
      store.put({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `p${i}`, uid: `${i}`, resourceVersion: '1' },
        text,
      });
    }
    expect(store.size).toBe(100);
    expect(store.get({ name: 'p42' })).toMatchObject({ text });
  });

  it('tells versions of objects apart, so that what was found out about one is found once, and readable to the end', () => {
    const store = new Store({ node: nodesOf }, (one) => one);
    const made = (name: string, resourceVersion: string) =>
      store.put({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, uid: name, resourceVersion },
        spec: { nodes: ['n'] },
      });
    const asked: string[] = [];
    const nameOf = remembering(({ metadata: { name, resourceVersion } }) => {
      asked.push(`${name}${resourceVersion}`);
      return name;
    });
    for (const name of ['a', 'b']) made(name, '1');
    const before = store.stored('node', 'n');
    for (let i = 0; i < 3; i++) expect(store.stored('node', 'n').map(nameOf)).toEqual(['a', 'b']);
    made('a', '2');
    expect(store.stored('node', 'n').map(nameOf).sort()).toEqual(['a', 'b']);
    expect(asked).toEqual(['a1', 'b1', 'a2']);
    store.drop({ name: 'a' });
    expect(before.map((stored) => stored.read().metadata.resourceVersion)).toEqual(['1', '1']);
  });

  it('does not know indexes that nobody asked for', () => {
    expect(() => new Store({}, (one) => one).indexed('node', 'n')).toThrow('no index is called node');
  });
});

function apply(store: Store, plain: Map<string, KubeObject>, step: Step) {
  if (step.do === 'replace') {
    plain.clear();
    for (const one of step.objects) plain.set(keyOf(one.metadata), one);
    const replacement = store.replace();
    replacement.add(step.objects.slice(0, 2));
    replacement.add(step.objects.slice(2));
    return replacement.finish();
  }
  const key = keyOf(step.object.metadata);
  if (step.do === 'put') {
    plain.set(key, step.object);
    return store.put(step.object);
  }
  if (plain.get(key)?.metadata.uid === step.object.metadata.uid) plain.delete(key);
  return store.remove(step.object);
}

function expectSame(store: Store, plain: ReadonlyMap<string, KubeObject>): void {
  const sorted = (objects: Iterable<KubeObject>) =>
    [...objects].sort((a, b) => (keyOf(a.metadata) < keyOf(b.metadata) ? -1 : 1));
  const all = [...plain.values()];
  expect(store.size).toBe(plain.size);
  expect(sorted(store.list(undefined))).toEqual(sorted(all));
  for (const one of all) expect(store.get(one.metadata)).toEqual(one);
  for (const key of ['x', 'y']) {
    expect(sorted(store.list(key))).toEqual(sorted(all.filter(({ metadata }) => metadata.namespace === key)));
  }
  for (const key of ['n', 'm', 'x']) {
    const found = all.filter((one) => nodesOf(one).includes(key));
    expect(sorted(store.indexed('node', key))).toEqual(sorted(found));
    expect(sorted(store.stored('node', key).map((stored) => stored.read()))).toEqual(sorted(found));
    expect(store.count('node', key)).toBe(found.length);
  }
}
