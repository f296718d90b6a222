// Strategic merge patches of pods in the policy module: the same as in api/core.
import fc from 'fast-check';
import { applyPatch, type Operation } from 'rfc6902';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { PodTemplateSpec } from '../../../api/core/pod.ts';
import { strategicMerge } from '../../../api/core/strategic-merge.ts';
import { JsonModule } from '../../support/module.ts';
import { MERGES, REFUSED, REFUSED_ORIGINAL, withoutNulls } from '../../support/strategic-merges.ts';

const module = new JsonModule();

/** What the operations make of the original. */
function applied(original: Json, operations: Json[]): Json {
  const document = { original: structuredClone(original) };
  const errors = applyPatch(document, operations as unknown as Operation[]);
  expect(errors.filter((error) => error !== null)).toEqual([]);
  return document.original;
}

test.each(MERGES)('$rule', ({ original, patch, merged }) => {
  const result = module.merge(original, patch);
  expect(withoutNulls(result.merged)).toEqual(merged);
  expect(applied(original, result.operations)).toEqual(result.merged);
});

test.each(REFUSED)('%j cannot be applied', (patch, fault) => {
  expect(() => module.merge(REFUSED_ORIGINAL, patch)).toThrow(fault);
});

test('a patch of what is there already has no operations', () => {
  const original = {
    spec: { containers: [{ name: 'a', env: [{ name: 'E', value: '1' }] }], nodeSelector: { a: 'b' } },
  };
  expect(module.merge(original, original).operations).toEqual([]);
});

test('long maps and lists are merged in few steps', () => {
  const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`l${i}`, 'x']));
  const env = Array.from({ length: 20_000 }, (_, i) => ({ name: `E${i}` }));
  const pod = { metadata: { labels }, spec: { containers: [{ name: 'a', env }] } };
  const others = Object.fromEntries(Object.keys(labels).map((name) => [name, 'y']));
  module.merge(pod, { metadata: { labels: others }, spec: pod.spec });
  expect(module.steps).toBeLessThan(20_000_000);
  const gone = env.map((one) => ({ ...one, $patch: 'delete' }));
  module.merge(pod, { spec: { containers: [{ name: 'a', env: gone }] } });
  expect(module.steps).toBeLessThan(20_000_000);
});

describe('any patch', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const directive = fc.constantFrom({}, {}, {}, {}, { $patch: 'delete' }, { $patch: 'replace' });
  const items = (key: string, more: fc.Arbitrary<JsonObject>, directives = fc.constant<JsonObject>({})) =>
    fc.array(
      fc.tuple(name, more, directives).map(([value, members, extra]) => ({ [key]: value, ...members, ...extra })),
      { maxLength: 4 },
    );
  const pod = (isPatch: boolean): fc.Arbitrary<JsonObject> => {
    const extra: fc.Arbitrary<JsonObject> = isPatch ? directive : fc.constant({});
    const texts = fc.dictionary(name, isPatch ? fc.option(name) : name);
    const values = items('name', fc.record({ value: name }, { requiredKeys: [] }), extra);
    const container = fc.record(
      { image: name, args: fc.array(name), env: values, ports: items('containerPort', fc.constant({}), extra) },
      { requiredKeys: [] },
    ) as fc.Arbitrary<JsonObject>;
    const spec = fc.record(
      {
        containers: items('name', container, extra),
        volumes: items('name', fc.record({ emptyDir: fc.constant({}) }), extra),
        tolerations: items('key', fc.constant({})),
        nodeSelector: fc.tuple(texts, extra).map(([map, more]) => ({ ...map, ...more })),
        ...(isPatch ? { '$setElementOrder/volumes': items('name', fc.constant({})) } : {}),
      },
      { requiredKeys: [] },
    );
    const metadata = fc.record(
      {
        labels: texts,
        finalizers: fc.array(name, { maxLength: 3 }),
        ...(isPatch ? { '$deleteFromPrimitiveList/finalizers': fc.array(name, { maxLength: 2 }) } : {}),
      },
      { requiredKeys: [] },
    );
    return fc.record({ metadata, spec }) as fc.Arbitrary<JsonObject>;
  };

  function outcome(merge: () => Json): Json {
    try {
      return withoutNulls(merge());
    } catch (error) {
      return { fault: (error as Error).message };
    }
  }

  test('is applied, or refused, as in api/core', () => {
    fc.assert(
      fc.property(pod(false), pod(true), (original, patch) => {
        const theirs = outcome(() => strategicMerge(PodTemplateSpec, original, patch));
        const ours = outcome(() => {
          const { merged, operations } = module.merge(original, patch);
          expect(applied(original, operations)).toEqual(merged);
          return merged;
        });
        expect(ours).toEqual(theirs);
      }),
      { numRuns: 3000 },
    );
  });
});
