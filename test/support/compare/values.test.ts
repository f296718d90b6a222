// The comparer lets quantities, volatile values and placeholders differ as far as they may, and no further.
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { type CaseResult, compareCase } from '../corpus.ts';
import { NOW, places, placesOfObjects, recorded } from './trial.ts';

describe('quantities', () => {
  const container = (cpu: Json, where = 'limits'): JsonObject => ({ resources: { [where]: { cpu } } });

  test.each<[Json, Json]>([
    ['1000m', '1'],
    ['1', 1],
    ['1Gi', '1024Mi'],
    ['0.5', '500m'],
    ['1e3', '1k'],
    ['1E3', '1000'],
    ['100u', '0.1m'],
    ['.5Gi', '512Mi'],
    ['+1', '1.'],
    ['-1', '-1000m'],
    ['9223372036854775807', '9223372036854775.807k'],
  ])('%j is %j', (one, other) => {
    expect(placesOfObjects(container(one), container(other))).toEqual([]);
    expect(placesOfObjects(container(one, 'requests'), container(other, 'requests'))).toEqual([]);
  });

  test.each<[Json, Json]>([
    ['1', '1001m'],
    ['1G', '1Gi'],
    ['1', '1m'],
    ['1', '-1'],
    ['1', 'one'],
    ['1', true],
    ['9223372036854775807', '9223372036854775808'],
  ])('%j is not %j', (one, other) => {
    expect(placesOfObjects(container(one), container(other))).toEqual(['/object/resources/limits/cpu']);
  });

  test('are read in every place where they stand', () => {
    expect(
      placesOfObjects(
        { divisor: '1000m', emptyDir: { sizeLimit: '1Gi' } },
        { divisor: '1', emptyDir: { sizeLimit: '1024Mi' } },
      ),
    ).toEqual([]);
    expect(placesOfObjects({ overhead: { cpu: '1000m' } }, { overhead: { cpu: '1' } })).toEqual([]);
  });

  test('are texts elsewhere, and in expressions', () => {
    expect(placesOfObjects({ env: [{ value: '1000m' }] }, { env: [{ value: '1' }] })).toEqual(['/object/env/0/value']);
    const policy = (cpu: string): JsonObject => ({ resourcesPolicy: { resourcesExpr: { limits: { cpu } } } });
    expect(placesOfObjects(policy('1000m'), policy('1'))).toEqual(['/object/resourcesPolicy/resourcesExpr/limits/cpu']);
  });
});

describe('volatile places', () => {
  test('are free', () => {
    const volatile = ['/object/metadata/uid'];
    expect(placesOfObjects({ metadata: { uid: 'a' } }, { metadata: { uid: 'b' } }, { volatile })).toEqual([]);
    expect(placesOfObjects({ metadata: { uid: 'a' } }, { metadata: {} }, { volatile })).toEqual([]);
    expect(placesOfObjects({ metadata: {} }, { metadata: { uid: 'b' } }, { volatile })).toEqual([]);
    expect(placesOfObjects({ metadata: { uid: 'a' } }, { metadata: { uid: 'b' } })).toEqual(['/object/metadata/uid']);
    expect(placesOfObjects({ uid: 'a', x: 1 }, { uid: 'b', x: 2 }, { volatile: ['/object/uid'] })).toEqual([
      '/object/x',
    ]);
  });

  test('with a placeholder must fit it', () => {
    const volatile = ['/object/at'];
    expect(placesOfObjects({ at: '<time>' }, { at: '2026-07-02T08:00:00Z' }, { volatile })).toEqual([]);
    expect(placesOfObjects({ at: '<time>' }, { at: 'soon' }, { volatile })).toEqual(['/object/at']);
    expect(placesOfObjects({ at: '<time>' }, {}, { volatile })).toEqual(['/object/at']);
  });

  const annotation = (text: Json): JsonObject => ({ metadata: { annotations: { 'kruise.io/hash': text } } });
  const pointer = '/object/metadata/annotations/kruise.io~1hash';
  const inText = (got: Json, wanted = '{"a":{"at":"<time>","hash":"h"},"b":{"at":null}}'): string[] =>
    placesOfObjects(annotation(wanted), annotation(got), { volatile: [`${pointer}#at`] });

  test('inside a JSON text free that member only', () => {
    expect(inText('{"a":{"at":"2026-07-02T08:00:00Z","hash":"h"},"b":{"at":null}}')).toEqual([]);
  });

  test.each<[string, Json]>([
    ['another member', '{"a":{"at":"2026-07-02T08:00:00Z","hash":"i"},"b":{"at":null}}'],
    ['a time of another day', '{"a":{"at":"2026-07-03T08:00:00Z","hash":"h"},"b":{"at":null}}'],
    ['a time with a fraction', '{"a":{"at":"2026-07-02T08:00:00.250Z","hash":"h"},"b":{"at":null}}'],
    ['a text that is no time', '{"a":{"at":"now","hash":"h"},"b":{"at":null}}'],
    ['a time for null', '{"a":{"at":"2026-07-02T08:00:00Z","hash":"h"},"b":{"at":"2026-07-02T08:00:00Z"}}'],
    ['null for a time', '{"a":{"at":null,"hash":"h"},"b":{"at":null}}'],
    ['members in another order', '{"a":{"hash":"h","at":"2026-07-02T08:00:00Z"},"b":{"at":null}}'],
    ['blanks', '{"a": {"at":"2026-07-02T08:00:00Z","hash":"h"},"b":{"at":null}}'],
    ['a missing entry', '{"a":{"at":"2026-07-02T08:00:00Z","hash":"h"}}'],
    ['an entry too many', '{"a":{"at":"2026-07-02T08:00:00Z","hash":"h"},"b":{"at":null},"c":{"at":null}}'],
    ['no text', 1],
    ['null', null],
  ])('are not free to be %s', (_what, got) => {
    expect(inText(got)).toEqual([pointer]);
  });

  test('inside a JSON text free a value without placeholder', () => {
    expect(inText('{"at":"b","x":1}', '{"at":"a","x":1}')).toEqual([]);
    expect(inText('{"at":"b","x":2}', '{"at":"a","x":1}')).toEqual([pointer]);
  });

  test('do not free a text of that name in a value', () => {
    expect(inText('{"x":"\\"at\\":\\"b\\""}', '{"x":"\\"at\\":\\"a\\""}')).toEqual([pointer]);
  });
});

describe('placeholders', () => {
  const uuid = 'd0d723fd-bae6-4356-aaa8-3b9e09b9d3c9';

  test('stand inside texts', () => {
    expect(placesOfObjects({ n: 'web-<rand5>-barrier' }, { n: 'web-bcdf2-barrier' })).toEqual([]);
    expect(placesOfObjects({ n: 'web-<rand5>' }, { n: 'web-bcdf' })).toEqual(['/object/n']);
    expect(placesOfObjects({ n: 'web-<rand5>' }, { n: 'web-aaaaa' })).toEqual(['/object/n']);
    expect(placesOfObjects({ n: 'web.<rand5>' }, { n: 'web-bcdf2' })).toEqual(['/object/n']);
    expect(placesOfObjects({ n: '<uuid>' }, { n: uuid })).toEqual([]);
    expect(placesOfObjects({ n: '<uuid>' }, { n: 'web-0' })).toEqual(['/object/n']);
    expect(placesOfObjects({ n: '<uuid>' }, { n: 7 })).toEqual(['/object/n']);
  });

  test('stay the same all through a case', () => {
    const other = 'a0d723fd-bae6-4356-aaa8-3b9e09b9d3c9';
    expect(placesOfObjects({ a: '<uuid>', b: '<uuid>' }, { a: uuid, b: uuid })).toEqual([]);
    expect(placesOfObjects({ a: '<uuid>', b: '<uuid>' }, { a: uuid, b: other })).toEqual(['/object/b']);
    const question = recorded({
      allowed: true,
      object: { id: '<uuid>' },
      status: { s: { pods: { '<uuid>': '<time>' } } },
    });
    const statuses = (id: string): JsonObject => ({ s: { pods: { [id]: '2026-07-02T08:00:00Z' } } });
    expect(places(question, { allowed: true, object: { id: uuid }, statuses: statuses(uuid) })).toEqual([]);
    expect(places(question, { allowed: true, object: { id: uuid }, statuses: statuses(other) })).toEqual([
      '/status/s/pods/<uuid>',
      `/status/s/pods/${other}`,
    ]);
  });

  test('of time accept the whole window of the decision', () => {
    const at = (time: string, window: CaseResult['window']) =>
      compareCase(recorded({ allowed: true, object: { at: '<time>' } }), {
        allowed: true,
        object: { at: time },
        window,
      }).differences.length;
    const window = { fromMs: NOW, toMs: NOW + 2000 };
    expect(at('2026-07-02T08:00:00Z', window)).toBe(0);
    expect(at('2026-07-02T08:00:02Z', window)).toBe(0);
    expect(at('2026-07-02T08:00:03Z', window)).toBe(1);
    expect(at('2026-07-02T07:59:59Z', window)).toBe(1);
  });
});
