import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Int64, JsonObject } from '../../../api/core/json.ts';
import {
  cloneJson,
  equalJson,
  isNumberToken,
  isObject,
  numberText,
  numberToken,
  parseJson,
  setMember,
  toNumber,
} from '../../../api/core/json.ts';
import { anyJson } from '../../support/arbitraries.ts';

describe('reading JSON', () => {
  test.each([
    '9007199254740993',
    '-9223372036854775808',
    '1.0',
    '0.10',
    '1e3',
    '1E+3',
    '1e400',
    '-0',
    '-0.0',
    '12345678901234567890.5',
  ])('keeps the text of %s', (text) => {
    const value = parseJson(`{"a":[${text}]}`) as JsonObject;
    expect(JSON.stringify(value)).toBe(`{"a":[${text}]}`);
    expect(isNumberToken((value.a as JsonObject[])[0])).toBe(true);
  });

  test.each(['0', '-1', '1.5', '9007199254740991', '-0.25', '123456789012345'])(
    'reads %s as a plain number',
    (text) => {
      expect(parseJson(text)).toBe(Number(text));
    },
  );

  test.each(['"1.0 and 9007199254740993"', '"\\\\", "a"', '"\\"1e5"', '""'])('leaves the string %s alone', (text) => {
    expect(parseJson(`[${text}]`)).toEqual(JSON.parse(`[${text}]`));
  });

  test('agrees with the platform on any JSON, escaped or not', () => {
    fc.assert(
      fc.property(anyJson, fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(value));
      }),
    );
  });

  test.each(['', '{', '[1,]', '01', '"a', '1 2', '{"a":1e}', '-', '["\\"]'])('refuses %s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test('refuses nesting that would exhaust the stack', () => {
    expect(() => parseJson('['.repeat(100_000))).toThrow('nested deeper than 1000');
    expect(() => parseJson(`${'['.repeat(999)}"[[["${']'.repeat(999)}`)).not.toThrow();
  });
});

describe('number tokens', () => {
  test('are no objects, have a text, and the nearest double', () => {
    const token = numberToken('9223372036854775807');
    expect(isObject(token)).toBe(false);
    expect(isObject({ rawJSON: '1' })).toBe(true);
    expect(numberText(token)).toBe('9223372036854775807');
    expect(toNumber(token)).toBe(2 ** 63);
    expect(numberText(7)).toBe('7');
  });

  test('are made of numbers only', () => {
    for (const text of ['"a"', 'true', '1x', '']) expect(() => numberToken(text)).toThrow(SyntaxError);
  });

  test('survive copying and are equal by text', () => {
    const value = { a: numberToken('1.0'), b: [numberToken('9007199254740993')] };
    const copy = cloneJson(value);
    expect(JSON.stringify(copy)).toBe('{"a":1.0,"b":[9007199254740993]}');
    expect(equalJson(value, copy)).toBe(true);
    expect(equalJson(numberToken('9007199254740993'), numberToken('9007199254740992'))).toBe(false);
    expect(equalJson(numberToken('5'), 5)).toBe(true);
  });
});

test('a member called __proto__ is a member like any other', () => {
  const object: JsonObject = {};
  setMember(object, '__proto__', { polluted: true });
  expect(Object.keys(object)).toEqual(['__proto__']);
  expect(({} as { polluted?: Int64 }).polluted).toBeUndefined();
  expect(JSON.stringify(cloneJson(object))).toBe('{"__proto__":{"polluted":true}}');
  expect(equalJson(object, {})).toBe(false);
});

test('equality does not mind the order of members but that of elements', () => {
  expect(equalJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
  expect(equalJson([1, 2], [2, 1])).toBe(false);
  expect(equalJson({ a: null }, {})).toBe(false);
  fc.assert(fc.property(anyJson, (value) => equalJson(value, cloneJson(value))));
});
