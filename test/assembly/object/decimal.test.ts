// Decimal literals of the module against the platform's own reading of numbers.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Direct } from '../../support/direct.ts';

const direct = new Direct();
const parse = (text: string) => direct.call('decimal', text);
const view = new DataView(new ArrayBuffer(8));

/** Any positive float, all exponents alike. */
const float = fc.bigInt({ min: 0n, max: 0x7fefffffffffffffn }).map((bits) => {
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
});
const digits = (minLength: number, maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength, maxLength }).map((list) => list.join(''));

/** Exactly between a float and the next one. */
function middleAbove(value: number): { digits: bigint; exponent: number } {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const mantissa = (bits & 0xfffffffffffffn) | (biased === 0 ? 0n : 0x10000000000000n);
  const odd = mantissa * 2n + 1n;
  const exponent = Math.max(biased, 1) - 1076;
  return exponent >= 0
    ? { digits: odd << BigInt(exponent), exponent: 0 }
    : { digits: odd * 5n ** BigInt(-exponent), exponent };
}

describe('a decimal literal', () => {
  it('gives back every float from its text', () => {
    fc.assert(
      fc.property(float, fc.integer({ min: 0, max: 20 }), (value, places) => {
        expect(parse(String(value))).toBe(value);
        expect(parse(value.toExponential(places))).toBe(Number(value.toExponential(places)));
      }),
      { numRuns: 5000 },
    );
  });

  it('is rounded to the nearest float, whatever its length', () => {
    const literal = fc
      .tuple(digits(1, 40), digits(0, 40), fc.integer({ min: -360, max: 330 }))
      .map(([whole, fraction, exponent]) => `${whole}.${fraction}e${exponent}`);
    fc.assert(
      fc.property(literal, (text) => {
        expect(parse(text)).toBe(Number(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('in the middle between two floats goes to the even one, and to the nearer one a little off it', () => {
    fc.assert(
      fc.property(float, (value) => {
        const { digits, exponent } = middleAbove(value);
        for (const text of [
          `${digits}e${exponent}`,
          `${digits}${'0'.repeat(100)}1e${exponent - 101}`,
          `${digits - 1n}e${exponent}`,
        ]) {
          expect(parse(text)).toBe(Number(text));
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    '5e-324',
    '2.4703282292062327208e-324',
    '1.7976931348623158e308',
    '1.7976931348623159e308',
    '1e400',
    '1e-400',
  ])('at the end of the range is read as everywhere: %s', (text) => {
    expect(parse(text)).toBe(Number(text));
  });

  it('may be long', () => {
    for (const text of [`0.${'0'.repeat(5000)}1e5001`, `${'1'.repeat(5000)}e-4990`, `${'0'.repeat(5000)}1`]) {
      expect(parse(text)).toBe(Number(text));
    }
    expect(parse(`0e${'9'.repeat(5000)}`)).toBe(0);
  });

  it.each(['', '.', '1e', '1e+', '1..2', '1.2.3', 'e5', '1x', '-1', '0x10', '1_0', 'Infinity', '1 '])(
    'is not made of %j',
    (text) => {
      expect(parse(text)).toBeNaN();
    },
  );
});
