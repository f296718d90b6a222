// The comparer of recorded answers must notice every kind of wrong answer: a check that cannot fail is a defect.
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { readSentences } from './better.ts';
import { formatDifferences } from './compare/difference.ts';
import { areas, type Case, type CaseResult, compareCase, type Expectation, loadArea } from './corpus.ts';

const NOW = Date.parse('2026-07-02T08:00:00.250Z');
const WINDOW = { fromMs: NOW, toMs: NOW };

function recorded(expected: Expectation, more: Partial<Case> = {}): Case {
  return {
    name: 'case',
    area: 'area',
    what: '',
    spec: '',
    objects: [],
    path: '/mutate-pod',
    request: {},
    expect: expected,
    volatile: [],
    ...more,
  };
}

/** Where the answer differs, in the order of finding. */
function places(question: Case, answer: Partial<CaseResult>): string[] {
  return compareCase(question, { window: WINDOW, ...answer }).differences.map((difference) => difference.pointer);
}

function placesOfObjects(wanted: JsonObject, got: JsonObject | undefined, more: Partial<Case> = {}): string[] {
  const question = recorded({ allowed: true, object: wanted }, more);
  return places(question, { allowed: true, ...(got === undefined ? {} : { object: got }) });
}

function placesOfRefusals(wanted: Expectation, got: Partial<CaseResult>, more: Partial<Case> = {}): string[] {
  return places(recorded({ allowed: false, ...wanted }, more), { allowed: false, ...got });
}

describe('the verdict', () => {
  test('must be the recorded one', () => {
    expect(places(recorded({ allowed: true, object: {} }), { allowed: false, message: 'no' })).toEqual([
      '/allowed',
      '/message',
    ]);
    expect(places(recorded({ allowed: false, message: 'no' }), { allowed: true })).toEqual(['/allowed']);
    expect(places(recorded({ allowed: true }), {})).toEqual(['/allowed']);
  });

  test('is missing if the exchange failed', () => {
    expect(places(recorded({ allowed: true }), { http: 404, body: 'not found' })).toEqual(['/http']);
    expect(places(recorded({ allowed: true }), { http: 200, allowed: true })).toEqual([]);
  });

  test('of a validation that allows comes without a patch', () => {
    expect(places(recorded({ allowed: true }), { allowed: true, operations: 0 })).toEqual([]);
    expect(places(recorded({ allowed: true }), { allowed: true, operations: 1 })).toEqual(['/patch']);
  });
});

describe('objects', () => {
  test('are equal in any order of members', () => {
    expect(placesOfObjects({ a: 1, b: { c: [1, 2], d: 'x' } }, { b: { d: 'x', c: [1, 2] }, a: 1 })).toEqual([]);
  });

  test.each<[string, JsonObject, JsonObject | undefined, string[]]>([
    ['another value', { spec: { a: 'x' } }, { spec: { a: 'y' } }, ['/object/spec/a']],
    ['another type of value', { spec: { a: 1 } }, { spec: { a: '1' } }, ['/object/spec/a']],
    ['false where nothing stands', { spec: { a: false } }, { spec: {} }, ['/object/spec/a']],
    ['zero where nothing stands', { spec: {} }, { spec: { a: 0 } }, ['/object/spec/a']],
    ['an empty text where nothing stands', { spec: {} }, { spec: { a: '' } }, ['/object/spec/a']],
    ['an empty list where nothing stands', { spec: {} }, { spec: { a: [] } }, ['/object/spec/a']],
    ['a missing member', { spec: { a: 1 } }, { spec: {} }, ['/object/spec/a']],
    ['a member too many', { spec: {} }, { spec: { a: 1 } }, ['/object/spec/a']],
    ['a list for an object', { spec: {} }, { spec: [] }, ['/object/spec']],
    ['items in another order', { l: ['a', 'b'] }, { l: ['b', 'a'] }, ['/object/l/0', '/object/l/1']],
    ['an item too many', { l: ['a'] }, { l: ['a', 'a'] }, ['/object/l']],
    ['an item missing', { l: [{ name: 'a' }, { name: 'b' }] }, { l: [{ name: 'a' }] }, ['/object/l']],
    ['null in a list', { l: [null] }, { l: [] }, ['/object/l']],
    ['a change deep inside', { l: [{ m: [{ n: 1 }] }] }, { l: [{ m: [{ n: 2 }] }] }, ['/object/l/0/m/0/n']],
    ['no object at all', { spec: {} }, undefined, ['/object']],
    ['a name with a slash', { 'a/b~c': 1 }, { 'a/b~c': 2 }, ['/object/a~1b~0c']],
  ])('differ by %s', (_what, wanted, got, expected) => {
    expect(placesOfObjects(wanted, got)).toEqual(expected);
  });

  test('may have null members on either side', () => {
    expect(placesOfObjects({ a: null, m: { creationTimestamp: null } }, { m: {} })).toEqual([]);
    expect(placesOfObjects({ m: {} }, { b: null, m: { creationTimestamp: null } })).toEqual([]);
    expect(placesOfObjects({ a: null }, { a: 1 })).toEqual(['/object/a']);
  });

  test.each([
    'resources',
    'strategy',
    'scaleStrategy',
    'updateStrategy',
    'upgradeStrategy',
    'shareVolumePolicy',
    'injectionStrategy',
    'scheduleStrategy',
    'nodeSelectorTerm',
  ])('may have an empty %s on either side', (name) => {
    expect(placesOfObjects({ spec: { [name]: {} } }, { spec: {} })).toEqual([]);
    expect(placesOfObjects({ spec: {} }, { spec: { [name]: {} } })).toEqual([]);
    expect(placesOfObjects({ spec: {} }, { spec: { [name]: { a: 1 } } })).toEqual([`/object/spec/${name}`]);
    expect(placesOfObjects({ spec: { [name]: { a: 1 } } }, { spec: { [name]: {} } })).toEqual([`/object/spec/${name}`]);
  });

  test('may not have other empty objects', () => {
    expect(placesOfObjects({ spec: { emptyDir: {} } }, { spec: {} })).toEqual(['/object/spec/emptyDir']);
    expect(placesOfObjects({ spec: {} }, { spec: { securityContext: {} } })).toEqual(['/object/spec/securityContext']);
  });

  test('may have a status of zeros on either side, but no other status', () => {
    const zeros = { matchedPods: 0, phase: '', conditions: [], more: {} };
    expect(placesOfObjects({ status: zeros }, {})).toEqual([]);
    expect(placesOfObjects({}, { status: zeros })).toEqual([]);
    expect(placesOfObjects({ status: { matchedPods: 1 } }, {})).toEqual(['/object/status']);
    expect(placesOfObjects({ status: { matchedPods: 1 } }, { status: { matchedPods: 2 } })).toEqual([
      '/object/status/matchedPods',
    ]);
    expect(placesOfObjects({ status: {} }, { status: { phase: 'Running' } })).toEqual(['/object/status']);
  });

  test('have zeros and empty texts that count everywhere but in the status', () => {
    expect(placesOfObjects({ spec: { status: { a: 0 } } }, { spec: {} })).toEqual(['/object/spec/status']);
  });
});

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

describe('unordered additions', () => {
  const names = (...list: string[]): Json[] => list.map((name) => ({ name }));
  const pod = (containers: Json[], volumes: Json[] = []): JsonObject => ({ spec: { containers, volumes } });
  const asked = { request: { object: pod(names('app', 'web'), names('data')) }, unordered: true };
  const wanted = pod(names('a', 'b', 'app', 'web', 'c', 'd'), names('data', 'v', 'w'));

  test('may stand in any order among themselves', () => {
    const got = pod(names('b', 'a', 'app', 'web', 'd', 'c'), names('data', 'w', 'v'));
    expect(placesOfObjects(wanted, got, asked)).toEqual([]);
    expect(placesOfObjects(wanted, got, { ...asked, unordered: false })).not.toEqual([]);
  });

  test('may not pass an item that the pod had', () => {
    expect(
      placesOfObjects(wanted, pod(names('a', 'app', 'b', 'web', 'c', 'd'), names('data', 'v', 'w')), asked),
    ).not.toEqual([]);
    expect(
      placesOfObjects(wanted, pod(names('a', 'b', 'app', 'web', 'c', 'd'), names('v', 'data', 'w')), asked),
    ).not.toEqual([]);
    expect(
      placesOfObjects(wanted, pod(names('a', 'b', 'web', 'app', 'c', 'd'), names('data', 'v', 'w')), asked),
    ).not.toEqual([]);
  });

  test('may not be missing, doubled or different', () => {
    expect(
      placesOfObjects(wanted, pod(names('a', 'app', 'web', 'c', 'd'), names('data', 'v', 'w')), asked),
    ).not.toEqual([]);
    expect(
      placesOfObjects(wanted, pod(names('a', 'a', 'app', 'web', 'c', 'd'), names('data', 'v', 'w')), asked),
    ).not.toEqual([]);
    const changed = pod([{ name: 'b', image: 'x' }, ...names('a', 'app', 'web', 'c', 'd')], names('data', 'v', 'w'));
    expect(placesOfObjects(wanted, changed, asked)).toEqual(['/object/spec/containers/1/image']);
  });
});

describe('refusals', () => {
  test.each([
    [500, 500, []],
    [500, 422, []],
    [500, 400, []],
    [500, 501, ['/code']],
    [500, 200, ['/code']],
    [422, 422, []],
    [422, 400, ['/code']],
    [403, 500, ['/code']],
    [400, undefined, ['/code']],
  ])('recorded with code %s may have code %s: %j', (wanted, got, expected) => {
    expect(
      placesOfRefusals({ code: wanted, message: 'm' }, { message: 'm', ...(got === undefined ? {} : { code: got }) }),
    ).toEqual(expected);
  });

  test('have the recorded text', () => {
    expect(placesOfRefusals({ message: 'no such thing' }, { message: 'no such thing' })).toEqual([]);
    expect(placesOfRefusals({ message: 'no such thing' }, { message: 'No such thing' })).toEqual(['/message']);
    expect(placesOfRefusals({ message: 'no such thing' }, {})).toContain('/message');
  });

  test('have any text where Go values or volatile parts are in it, but some text', () => {
    expect(placesOfRefusals({ message: 'a' }, { message: 'b' }, { goText: true })).toEqual([]);
    expect(placesOfRefusals({ message: 'a' }, { message: 'b' }, { volatile: ['/message'] })).toEqual([]);
    expect(placesOfRefusals({ message: 'a' }, { message: '' }, { goText: true })).toEqual(['/message']);
    expect(placesOfRefusals({ message: 'a' }, {}, { volatile: ['/message'] })).toEqual(['/message']);
  });

  const errors = ['spec.a: Invalid value', 'spec.a: Invalid value', 'spec.b: Required value'];
  test.each([
    ['[spec.b: Required value, spec.a: Invalid value: 1: x, spec.a: Invalid value: 2: y]', []],
    ['[spec.b: Required value, spec.a: Invalid value: 1: x]', ['/errors']],
    ['[spec.b: Forbidden, spec.a: Invalid value: 1: x, spec.a: Invalid value: 2: y]', ['/errors']],
    ['[spec.c: Required value, spec.a: Invalid value: 1: x, spec.a: Invalid value: 2: y]', ['/errors']],
    ['[spec.a: Invalid value, spec.b: Required value, spec.a: Invalid value, spec.d: Not found: "x"]', ['/errors']],
  ])('have the recorded field errors in any order: %s', (message, expected) => {
    expect(placesOfRefusals({ message: 'go', errors }, { message }, { goText: true })).toEqual(expected);
  });

  test('have the recorded reason and causes', () => {
    const causes = [{ reason: 'FieldValueInvalid', field: 'spec.a', message: 'm' }];
    expect(placesOfRefusals({ reason: 'Invalid', causes }, { message: 'm', reason: 'Invalid', causes })).toEqual([]);
    expect(placesOfRefusals({ reason: 'Invalid', causes }, { message: 'm', reason: 'Forbidden', causes: [] })).toEqual([
      '/reason',
      '/causes',
    ]);
  });
});

describe('statuses of budgets and spreads', () => {
  const question = recorded({ allowed: true, status: { 'PodUnavailableBudget/a/b': { unavailableAllowed: 0 } } });

  test('must be the recorded ones', () => {
    expect(
      places(question, { allowed: true, statuses: { 'PodUnavailableBudget/a/b': { unavailableAllowed: 0 } } }),
    ).toEqual([]);
    expect(
      places(question, { allowed: true, statuses: { 'PodUnavailableBudget/a/b': { unavailableAllowed: 1 } } }),
    ).toEqual(['/status/PodUnavailableBudget~1a~1b/unavailableAllowed']);
    expect(places(question, { allowed: true, statuses: {} })).toEqual(['/status/PodUnavailableBudget~1a~1b']);
    expect(places(question, { allowed: true })).toEqual(['/status']);
  });

  test('bind for refusals too', () => {
    const refused = recorded({ allowed: false, message: 'm', status: { x: { a: 1 } } });
    expect(places(refused, { allowed: false, message: 'm', statuses: { x: { a: 2 } } })).toEqual(['/status/x/a']);
  });
});

describe('a better answer', () => {
  const question = recorded(
    { allowed: true, object: { a: 1 } },
    { fault: 'f', better: { allowed: true, object: { a: 2 } } },
  );
  const answer = (object: JsonObject): CaseResult => ({ allowed: true, object, window: WINDOW });

  test('is as good as the recorded one', () => {
    expect(compareCase(question, answer({ a: 1 }))).toEqual({ differences: [], answered: 'recorded' });
    expect(compareCase(question, answer({ a: 2 }))).toEqual({ differences: [], answered: 'better' });
    expect(compareCase(question, answer({ a: 3 })).differences).toHaveLength(1);
    expect(places(question, { allowed: false, message: 'm' })).not.toEqual([]);
  });

  test('told in a sentence that nobody has read does not free the case', () => {
    expect(places({ ...question, better: 'refuse it' }, { allowed: true, object: { a: 3 } })).toEqual(['/object/a']);
  });

  test('told in a sentence is checked like any other', () => {
    const policies = loadArea('sidecarsets').find((one) => one.name === 'sidecarset-policies-c') as Case;
    const refused = (message: string, code = 422): Partial<CaseResult> => ({ allowed: false, code, message });
    expect(places(policies, { allowed: true })).toEqual([]);
    expect(
      places(policies, refused('spec.container.shareVolumeDevicePolicy: Invalid value: "sometimes": unknown')),
    ).toEqual([]);
    expect(places(policies, refused('spec.selector: Invalid value: "x": y'))).not.toEqual([]);
    expect(places(policies, refused('spec.container.shareVolumeDevicePolicy: Invalid value: "x"', 200))).not.toEqual(
      [],
    );
  });

  test('told in a sentence belongs to a case that exists', () => {
    const sentences = areas().flatMap((area) =>
      loadArea(area)
        .filter((one) => typeof one.better === 'string')
        .map((one) => `${area}/${one.name}`),
    );
    expect(sentences).toEqual(expect.arrayContaining(readSentences()));
  });
});

describe('conversions', () => {
  const wanted: Expectation = {
    allowed: true,
    reviewVersion: 'apiextensions.k8s.io/v1',
    uid: 'u',
    status: 'Success',
    objects: [{ kind: 'A', status: { replicas: 0, observed: 3 } }],
  };
  const review = (change: JsonObject = {}): Partial<CaseResult> => ({
    http: 200,
    conversion: {
      apiVersion: 'apiextensions.k8s.io/v1',
      uid: 'u',
      result: { status: 'Success' },
      convertedObjects: [{ kind: 'A', status: { observed: 3 } }],
      ...change,
    },
  });
  const converted = (change?: JsonObject, expected = wanted): string[] =>
    places(recorded(expected, { path: '/convert' }), review(change));

  test('give the recorded objects, with or without zero counters', () => {
    expect(converted()).toEqual([]);
    expect(converted({ convertedObjects: [{ kind: 'A', status: { replicas: 0, observed: 3 } }] })).toEqual([]);
  });

  test.each<[string, JsonObject, string[]]>([
    ['object', { convertedObjects: [{ kind: 'B', status: { observed: 3 } }] }, ['/objects/0/kind']],
    ['counter', { convertedObjects: [{ kind: 'A', status: { observed: 4 } }] }, ['/objects/0/status/observed']],
    ['number of objects', { convertedObjects: [] }, ['/objects']],
    ['uid', { uid: 'v' }, ['/uid']],
    ['version', { apiVersion: 'apiextensions.k8s.io/v1beta1' }, ['/reviewVersion']],
    ['result', { result: { status: 'Failure', message: 'm' } }, ['/status', '/message']],
  ])('fail on another %s', (_what, change, expected) => {
    expect(converted(change)).toEqual(expected);
  });

  test('that fail have the recorded text', () => {
    const failure: Expectation = {
      allowed: false,
      reviewVersion: 'apiextensions.k8s.io/v1',
      uid: 'u',
      status: 'Failure',
      message: 'm',
    };
    expect(converted({ result: { status: 'Failure', message: 'm' } }, failure)).toEqual([]);
    expect(converted({ result: { status: 'Failure', message: 'n' } }, failure)).toEqual(['/message']);
    expect(converted({}, failure)).toEqual(['/status']);
  });

  test('may be bad requests', () => {
    const question = recorded({ http: 400, body: '' }, { path: '/convert' });
    expect(places(question, { http: 400 })).toEqual([]);
    expect(places(question, { http: 200 })).toEqual(['/http']);
    expect(places(recorded(wanted, { path: '/convert' }), { http: 500, body: 'x' })).toEqual(['/http']);
  });
});

describe('the corpus itself', () => {
  test('is complete: every recorded answer satisfies its own case', () => {
    const wrong = areas().flatMap((area) =>
      loadArea(area).filter((one) => compareCase(one, ownAnswer(one)).differences.length > 0),
    );
    expect(wrong.map((one) => `${one.area}/${one.name}`)).toEqual([]);
  });

  test('notices every single change of a recorded object', () => {
    const unnoticed: string[] = [];
    for (const one of areas().flatMap(loadArea)) {
      const answer = ownAnswer(one);
      if (answer.object === undefined || one.better !== undefined) continue;
      for (const pointer of leaves(answer.object, '/object')) {
        if (one.volatile.includes(pointer)) continue;
        const changed = { ...answer, object: changedAt(answer.object, pointer.slice('/object'.length)) };
        if (compareCase(one, changed).differences.length === 0) unnoticed.push(`${one.area}/${one.name}${pointer}`);
      }
    }
    expect(unnoticed).toEqual([]);
  });

  test('has field errors that its messages contain', () => {
    const withErrors = areas().flatMap((area) => loadArea(area).filter((one) => one.expect.errors !== undefined));
    expect(withErrors.length).toBeGreaterThan(400);
  });
});

/** The answer that a case records, as if a product had given it just now. */
function ownAnswer(one: Case): CaseResult {
  const { allowed, code, reason, message, causes, object, status, objects, uid, reviewVersion, http } = one.expect;
  const text = JSON.stringify({ object, status: typeof status === 'object' ? status : undefined });
  const filled = JSON.parse(
    text
      .replaceAll('<time>', '2026-07-02T08:00:00Z')
      .replaceAll('<uuid>', 'd0d723fd-bae6-4356-aaa8-3b9e09b9d3c9')
      .replaceAll('<rand5>', 'bcdf2'),
  ) as { object?: JsonObject; status?: JsonObject };
  const conversion = { apiVersion: reviewVersion, uid, result: { status, message }, convertedObjects: objects };
  return JSON.parse(
    JSON.stringify({
      allowed,
      code,
      reason,
      message,
      causes,
      object: filled.object,
      statuses: filled.status,
      http: http ?? 200,
      ...(one.path === '/convert' && http === undefined ? { conversion } : {}),
      window: WINDOW,
    }),
  ) as CaseResult;
}

/** Pointers of all texts, numbers and booleans. */
function leaves(value: Json, pointer: string): string[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [pointer];
  return Object.entries(value).flatMap(([name, member]) =>
    leaves(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

/** A copy with another value at the pointer. */
function changedAt(object: JsonObject, pointer: string): JsonObject {
  const copy = structuredClone(object);
  const tokens = pointer.slice(1).split('/');
  let parent = copy as Record<string, Json>;
  for (const token of tokens.slice(0, -1)) parent = parent[memberName(token)] as JsonObject;
  const name = memberName(tokens.at(-1) ?? '');
  const value = parent[name];
  parent[name] = typeof value === 'boolean' ? !value : typeof value === 'number' ? value + 1 : `${value}~`;
  return copy;
}

function memberName(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

test('a mismatch reads as place, expected and got, cut around the first difference', () => {
  const long = 'x'.repeat(500);
  const text = formatDifferences('sidecarset/hot-pair', [
    { pointer: '/object/spec/a', expected: '1', got: 'nothing' },
    { pointer: '/object/spec/b', expected: `${long}one`, got: `${long}two` },
  ]);
  expect(text.split('\n').slice(0, 4)).toEqual([
    'sidecarset/hot-pair',
    '  at /object/spec/a',
    '    expected 1',
    '    got      nothing',
  ]);
  expect(text).toContain('xone');
  expect(text).toContain('xtwo');
  expect(text.length).toBeLessThan(800);
});
