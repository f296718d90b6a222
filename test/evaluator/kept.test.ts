// Objects that are in memory once: their text can be made again, whatever stands in them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonObject, parseJson } from '../../api/core/json.ts';
import { objectOf, textOf } from '../../evaluator/kept.ts';

const read = (text: string): JsonObject => parseJson(text) as JsonObject;

describe('an object that was read from a written text', () => {
  test.each([
    ['numbers that no double holds', '{"a":9007199254740993,"b":0.10,"c":1e400,"d":-0,"e":1E2}'],
    ['members with names of JavaScript', '{"__proto__":{"a":1},"constructor":null,"2":[],"1":{}}'],
    ['escapes', '{"a":"\\u0000\\ud800\\u00e9\\"\\\\/\\/","é":"日本"}'],
  ])('gives this text again: %s', (_what, given) => {
    const written = JSON.stringify(read(given));
    expect(textOf(read(written))).toBe(written);
  });

  test('gives this text again, whatever is in it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
        const written = JSON.stringify(read(JSON.stringify(value)));
        expect(textOf(read(written))).toBe(written);
      }),
    );
  });
});

test('a text is kept as it was given', () => {
  const given = ' {"a": 1.50, "b":"\\u0061"}\n';
  expect(textOf(given)).toBe(' {"a": 1.50, "b":"\\u0061"}\n');
  expect(JSON.stringify(objectOf(given))).toBe('{"a":1.50,"b":"a"}');
});
