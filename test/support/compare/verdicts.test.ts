// The comparer must notice every kind of wrong verdict, refusal, status and conversion.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { readSentences } from '../better.ts';
import { areas, type Case, type CaseResult, compareCase, type Expectation, loadArea } from '../corpus.ts';
import { places, placesOfRefusals, recorded, WINDOW } from './trial.ts';

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
