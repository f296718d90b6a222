// The index of SidecarSets leaves out only sets that are in no conflict, and all but a few where there are thousands.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FieldError, formatFieldError } from '../../../../api/core/field-error.ts';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { Field } from '../../../../api/core/validation/field.ts';
import { validateConflicts } from '../../../../api/kinds/sidecarset/conflicts.ts';
import { Rivals } from '../../../../api/kinds/sidecarset/rivals.ts';
import type { SidecarSet } from '../../../../api/kinds/sidecarset/schema.ts';

function setOf(name: string, spec: { [member: string]: Json }, annotations: JsonObject = {}): SidecarSet {
  return { metadata: { name, annotations }, spec } as unknown as SidecarSet;
}

/** What is reported of a set beside these. */
function conflicts(set: SidecarSet, others: readonly SidecarSet[]): string[] {
  const errors: FieldError[] = [];
  validateConflicts(Field.root(set, errors), others);
  return errors.map(formatFieldError);
}

/** The sets as they are listed, and the index of them. */
class Listed {
  readonly sets = new Map<string, SidecarSet>();
  readonly rivals = new Rivals();

  put(set: SidecarSet): void {
    const name = set.metadata?.name ?? '';
    this.rivals.put(set, this.sets.get(name));
    this.sets.set(name, set);
  }

  delete(name: string): void {
    const set = this.sets.get(name);
    if (set !== undefined) this.rivals.delete(set);
    this.sets.delete(name);
  }

  get all(): SidecarSet[] {
    return [...this.sets.values()];
  }

  of(set: SidecarSet): SidecarSet[] {
    return this.rivals.of(set).flatMap((name) => this.sets.get(name) ?? []);
  }
}

const key = fc.constantFrom('a', 'b', 'a pod b');
const value = fc.constantFrom('a', 'b', 'c');
const requirement = fc.record({
  key,
  operator: fc.constantFrom('In', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Odd'),
  values: fc.oneof(fc.array(value, { maxLength: 3 }), fc.constant([...Array(20).keys()].map((i) => `v${i}`))),
});
const selector = fc.record(
  {
    matchLabels: fc.dictionary(key, value, { maxKeys: 2 }),
    matchExpressions: fc.array(requirement, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const container = fc.record({ name: fc.constantFrom('x', 'y') });
const spec = fc.record(
  {
    selector,
    namespaceSelector: selector,
    initContainers: fc.array(container, { maxLength: 2 }),
    containers: fc.array(container, { maxLength: 2 }),
    volumes: fc.array(
      fc.record({ name: fc.constantFrom('v', 'w'), emptyDir: fc.record({ medium: fc.constantFrom('', 'Memory') }) }),
      { maxLength: 3 },
    ),
    patchPodMetadata: fc.array(
      fc.record(
        {
          annotations: fc.dictionary(fc.constantFrom('k', 'l', '__proto__'), value, { maxKeys: 2 }),
          patchPolicy: fc.constantFrom('Overwrite', 'MergePatchJson', 'Retain', ''),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);
const name = fc.integer({ min: 0, max: 30 }).map((i) => `set-${i}`);
const annotations = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: name.map((base) => ({
      'apps.kruise.io/sidecarset-canary': 'true',
      'apps.kruise.io/sidecarset-base': base,
    })),
  },
);
const set = fc
  .tuple(name, spec, annotations)
  .map(([name, spec, annotations]) => setOf(name, spec as JsonObject, annotations));
const change = fc.oneof({ weight: 4, arbitrary: set }, { weight: 1, arbitrary: name });

describe('the index of SidecarSets', () => {
  test('finds just the conflicts that a comparison with all finds, whatever was replaced or deleted before', () => {
    let found = 0;
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 40, maxLength: 60 }),
        fc.array(set, { minLength: 1, maxLength: 10 }),
        (changes, asked) => {
          const listed = new Listed();
          for (const one of changes) {
            if (typeof one === 'string') listed.delete(one);
            else listed.put(one);
          }
          for (const one of [...asked, ...listed.all]) {
            const expected = conflicts(one, listed.all);
            found += expected.length;
            expect(conflicts(one, listed.of(one))).toEqual(expected);
          }
        },
      ),
    );
    expect(found).toBeGreaterThan(0);
  });

  test('names the sets in the order in which they came; one that is replaced keeps its place', () => {
    const listed = new Listed();
    const agent = (name: string, image: string) => setOf(name, { containers: [{ name: 'agent', image }] });
    for (const name of ['c', 'a', 'b']) listed.put(agent(name, '1'));
    listed.put(agent('c', '2'));
    expect(listed.rivals.of(agent('new', '1'))).toEqual(['c', 'a', 'b']);
    listed.delete('c');
    listed.put(agent('c', '1'));
    expect(listed.rivals.of(agent('new', '1'))).toEqual(['a', 'b', 'c']);
  });

  test('is empty once all sets are deleted', () => {
    fc.assert(
      fc.property(fc.array(set, { maxLength: 40 }), set, (sets, one) => {
        const listed = new Listed();
        for (const each of sets) listed.put(each);
        for (const each of listed.all) listed.delete(each.metadata?.name ?? '');
        expect(listed.rivals.of(one)).toEqual([]);
      }),
    );
  });

  const agent = [{ name: 'agent', image: 'a:1' }];
  const tmp = [{ name: 'tmp', emptyDir: {} }];
  const labels = (matchLabels: JsonObject) => ({ selector: { matchLabels } });
  test.each<[string, (i: number) => { [member: string]: Json }]>([
    ['the same sidecar for other labels', (i) => ({ ...labels({ app: `a-${i}` }), containers: agent, volumes: tmp })],
    [
      'other sidecars for the same labels',
      (i) => ({ ...labels({ app: 'a' }), containers: [{ name: `c-${i}` }], volumes: tmp }),
    ],
    [
      'the same sidecar for other namespaces',
      (i) => ({ ...labels({ app: 'a' }), namespaceSelector: { matchLabels: { team: `t-${i}` } }, containers: agent }),
    ],
    [
      'the same sidecar for one of two labels beside others that all have',
      (i) => ({ ...labels({ tier: 'front', [i % 2 ? 'app' : 'name']: `a-${i}`, part: `p-${i}` }), containers: agent }),
    ],
    [
      'the same sidecar for other lists of labels',
      (i) => ({
        selector: { matchExpressions: [{ key: 'app', operator: 'In', values: [`a-${i}`, `b-${i}`] }] },
        containers: agent,
      }),
    ],
    [
      'the same annotation for the same labels, merged',
      (i) => ({
        ...labels({ app: 'a' }),
        containers: [{ name: `c-${i}` }],
        patchPodMetadata: [{ annotations: { k: '{}' }, patchPolicy: 'MergePatchJson' }],
      }),
    ],
  ])('leaves all but a few of a thousand sets out: %s', (_what, specOf) => {
    const listed = new Listed();
    for (let i = 0; i < 1000; i++) {
      const one = setOf(`set-${i}`, specOf(i));
      expect(listed.rivals.of(one).length).toBeLessThanOrEqual(8);
      listed.put(one);
    }
  });
});
