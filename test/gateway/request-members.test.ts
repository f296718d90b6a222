// Members of a request are found among all else that may stand in a review.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RequestMembers } from '../../gateway/denials/request-members.ts';

function membersOf(review: unknown, space?: number): RequestMembers {
  return RequestMembers.of(Buffer.from(JSON.stringify(review, undefined, space)));
}

const NAMES = ['uid', 'name', 'userInfo', 'object', 'oldObject', 'dryRun', 'options'];
const request = fc.record(Object.fromEntries(NAMES.map((name) => [name, fc.jsonValue()])), { requiredKeys: [] });

test('members are what a JSON parser finds, whatever else there is and however it is laid out', () => {
  const property = fc.property(
    request,
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.constantFrom(undefined, 1, 4),
    (members, before, more, space) => {
      const { request: _, ...others } = before;
      const asked = {
        ...Object.fromEntries(Object.entries(more).map(([name, value]) => [`${name}?`, value])),
        ...members,
      };
      const found = membersOf({ ...others, request: asked, tail: [1] }, space);
      const expected = JSON.parse(JSON.stringify(asked)) as Record<string, unknown>;
      for (const name of NAMES) expect(found.get(name)).toEqual(expected[name]);
    },
  );
  fc.assert(property);
});

test('texts with quotes, brackets and backslashes are passed over', () => {
  const oldObject = { note: '"}]{\\', 'a\\"b': ['\\\\', '}'] };
  const found = membersOf({ kind: '\\', request: { oldObject, name: 'web-0 "\u00e9' } });
  expect([found.get('name'), found.get('oldObject'), found.get('absent')]).toEqual([
    'web-0 "\u00e9',
    oldObject,
    undefined,
  ]);
});

test.each(['', '[]', '{"request":null}', '{"request":[1]}', '{"other":1}', '{'])('there is nothing in %s', (text) => {
  expect(RequestMembers.of(Buffer.from(text)).get('name')).toBeUndefined();
});
