// The module's reader against the platform's, on texts made at random.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, JsonModule } from '../support/module.ts';
import { refusal } from '../support/strict-json.ts';
import { numbersOf, oddText } from './odd-json.ts';

const module = new JsonModule();

/** Bytes that mean something to a reader of JSON or of UTF-8. */
const TELLING = [
  ...'"\\/{}[]:,-+.eE0123456789bfnrtualsd \t\n\r\f\v\0\x1f\x7f'.split('').map((one) => one.charCodeAt(0)),
  ...[0x80, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff],
];

const PIECES = ['\\u', '\\ud83d', '\\ude00', '"a":1,', '"a":', '[[', ']]', '1e', '\ufeff', '\u{1f600}', '//', 'null'];

type Change = { kind: 'flip' | 'set' | 'delete' | 'insert' | 'double' | 'cut' | 'piece'; at: number; value: number };

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('flip', 'set', 'set', 'delete', 'insert', 'insert', 'double', 'cut', 'piece'),
  at: fc.nat(),
  value: fc.nat(),
});

function changed(bytes: Uint8Array, { kind, at, value }: Change): Uint8Array {
  const place = bytes.length === 0 ? 0 : at % bytes.length;
  const telling = TELLING[value % TELLING.length] ?? 0;
  const before = bytes.subarray(0, place);
  const behind = bytes.subarray(place);
  if (kind === 'cut') return before;
  if (kind === 'flip') return Uint8Array.of(...before, (behind[0] ?? 0) ^ (1 << (value % 8)), ...behind.subarray(1));
  if (kind === 'set') return Uint8Array.of(...before, telling, ...behind.subarray(1));
  if (kind === 'delete') return Uint8Array.of(...before, ...behind.subarray(1 + (value % 3)));
  if (kind === 'insert') return Uint8Array.of(...before, telling, ...behind);
  if (kind === 'double') return Uint8Array.of(...before, ...behind.subarray(0, 1 + (value % 20)), ...behind);
  return Uint8Array.of(...before, ...bytesOf(PIECES[value % PIECES.length] ?? ''), ...behind);
}

describe('the reader', () => {
  it('accepts every valid text, however it is written, and keeps its meaning', () => {
    fc.assert(
      fc.property(oddText, (text) => {
        expect(module.scan(text)).toEqual({ accepted: true });
        const again = module.rewrite(text);
        expect(JSON.stringify(JSON.parse(again))).toBe(JSON.stringify(JSON.parse(text)));
        expect(numbersOf(again)).toEqual(numbersOf(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('accepts what JSON.stringify writes of any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), fc.constantFrom(0, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.stringify(JSON.parse(module.rewrite(text)))).toBe(JSON.stringify(value));
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees with the platform on texts with a few bytes changed', () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(oddText, fc.array(change, { minLength: 1, maxLength: 3 }), (text, changes) => {
        const bytes = changes.reduce(changed, bytesOf(text));
        const why = refusal(bytes);
        expect(module.scan(bytes).accepted, why ?? 'valid').toBe(why === undefined);
        if (why === undefined) accepted++;
        else refused++;
      }),
      { numRuns: 15_000 },
    );
    // The property says little if one of the answers hardly occurs.
    expect(Math.min(accepted, refused)).toBeGreaterThan(1000);
  });

  it('agrees with the platform on bytes that were never a text', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.array(fc.constantFrom(...TELLING), { maxLength: 12 }).map((list) => Uint8Array.from(list)),
      fc.array(fc.constantFrom(...TELLING), { maxLength: 12 }).map((list) => Uint8Array.of(0x22, ...list, 0x22)),
    );
    fc.assert(
      fc.property(bytes, (text) => {
        expect(module.scan(text).accepted).toBe(refusal(text) === undefined);
      }),
      { numRuns: 15_000 },
    );
  });

  it('tells two values apart as the platform does, whatever their writing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }), fc.jsonValue({ maxDepth: 2 }), (a, b) => {
        expect(module.same(JSON.stringify(a), JSON.stringify(reversed(a), null, 1))).toBe(true);
        expect(module.same(JSON.stringify([a, b]), JSON.stringify([b, a]))).toBe(ordered(a) === ordered(b));
        expect(module.same(JSON.stringify(a), JSON.stringify([a]))).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads integers of 64 bits exactly, and nothing else', () => {
    const otherwise = -77n;
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), (value) => {
        const isHeld = BigInt.asIntN(64, value) === value;
        expect(module.integer(`${value}`, otherwise)).toBe(isHeld ? value : otherwise);
      }),
    );
    for (const value of [0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 10n ** 18n, 10n ** 18n - 1n]) {
      expect(module.integer(`${value}`, otherwise)).toBe(value);
    }
    expect(module.integer('-0', otherwise)).toBe(0n);
    for (const text of [`${2n ** 63n}`, `${-(2n ** 63n) - 1n}`, '1.0', '1e3', '"5"', 'null', '[]', '9'.repeat(40)]) {
      expect(module.integer(text, otherwise), text).toBe(otherwise);
    }
  });
});

/** The value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner)]),
  );
}

/** A text that is the same for equal values. */
function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${ordered((value as Record<string, unknown>)[name])}`).join()}}`;
}
