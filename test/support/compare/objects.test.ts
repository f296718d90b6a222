// The comparer must notice every kind of wrong object: a check that cannot fail is a defect.
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { placesOfObjects } from './trial.ts';

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
