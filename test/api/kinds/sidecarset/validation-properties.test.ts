// Whatever passes decoding and defaulting can be validated, and the verdict hangs on nothing but its rules.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type FieldError, formatFieldError } from '../../../../api/core/field-error.ts';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { sidecarSet } from '../../../../api/kinds/sidecarset/kind.ts';
import { SidecarSet } from '../../../../api/kinds/sidecarset/schema.ts';
import { Policies } from '../../../../evaluator/policies.ts';
import { arbitraryOf } from '../../core/validation/arbitrary.ts';
import { cluster } from './cluster.ts';

let policies: Policies;
beforeAll(async () => {
  policies = await Policies.load();
});

const head = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet' };
const written: fc.Arbitrary<JsonObject> = arbitraryOf(SidecarSet)
  .map((value) => ({ ...(value as { [member: string]: Json }), ...head }))
  .filter((value) => sidecarSet.decode(value, 'v1beta1').errors.length === 0);
const stored = written.map((value) => sidecarSet.applyDefaults(value, 'v1beta1', { gates: new Map() }));

function validate(set: JsonObject, others: JsonObject[] = [], old?: JsonObject): FieldError[] {
  return sidecarSet.validate(set, old, cluster(others, policies));
}

describe('any SidecarSet', () => {
  test('is validated, defaulted or not', () => {
    fc.assert(
      fc.property(written, (set) => {
        const decoded = sidecarSet.decode(set, 'v1beta1').object;
        for (const error of validate(decoded)) expect(formatFieldError(error)).toMatch(/^[a-zA-Z[\]\d.<>]+/);
      }),
      { numRuns: 150 },
    );
  });
  test('is validated beside others, and as an update', () => {
    fc.assert(
      fc.property(stored, stored, (set, other) => {
        expect(validate(set, [other], other).map(formatFieldError)).toEqual(
          validate(set, [other], other).map(formatFieldError),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('conflicts', () => {
  const names = ['a', 'b'];
  const small = fc
    .record({
      app: fc.constantFrom('web', 'db'),
      container: fc.constantFrom(...names),
      init: fc.constantFrom(...names),
      medium: fc.constantFrom('', 'Memory'),
    })
    .map(
      ({ app, container, init, medium }): Record<string, Json> => ({
        selector: { matchLabels: { app } },
        containers: [{ name: `c-${container}`, image: 'x:1' }],
        initContainers: [{ name: `i-${init}`, image: 'x:1' }],
        volumes: [{ name: 'v', emptyDir: { medium } }],
      }),
    );
  const make = (name: string, spec: Record<string, Json>) =>
    sidecarSet.applyDefaults({ ...head, metadata: { name }, spec }, 'v1beta1', { gates: new Map() });
  test('are none for a set and its stored self', () => {
    fc.assert(
      fc.property(small, (spec) => {
        const set = make('a', spec);
        expect(validate(set, [set], set)).toEqual([]);
      }),
    );
  });
  test('are mutual', () => {
    fc.assert(
      fc.property(small, small, (one, two) => {
        const [a, b] = [make('a', one), make('b', two)];
        expect(validate(a, [b]).length).toBe(validate(b, [a]).length);
      }),
    );
  });
  test('are there if, and only if, both may be in one pod and have something of the same name', () => {
    fc.assert(
      fc.property(small, small, (one, two) => {
        const same = (member: string) => JSON.stringify(one[member]) === JSON.stringify(two[member]);
        const meet = same('selector') && (same('containers') || same('initContainers') || !same('volumes'));
        expect(validate(make('a', one), [make('b', two)]).length > 0).toBe(meet);
      }),
    );
  });
});
