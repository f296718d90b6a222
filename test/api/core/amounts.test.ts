// Numbers in texts, and what percentages come to.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atoi, parseInteger } from '../../../api/core/integers.ts';
import { scaledUp } from '../../../api/core/percentages.ts';

describe('an integer in a text', () => {
  test.each([
    ['12', 12],
    ['+3', 3],
    ['-0', 0],
    ['2147483647', 2147483647],
    ['-2147483648', -2147483648],
    ['2147483648', 'value out of range'],
    ['', 'invalid syntax'],
    ['1.0', 'invalid syntax'],
    [' 1', 'invalid syntax'],
    ['0x1', 'invalid syntax'],
  ])('%j is %j with 32 bits', (digits, expected) => {
    expect(parseInteger(digits, 32)).toBe(expected);
  });

  test('is read back as it was written', () => {
    fc.assert(fc.property(fc.integer(), (number) => parseInteger(String(number), 32) === number));
    fc.assert(fc.property(fc.maxSafeInteger(), (number) => atoi(String(number)) === number));
  });

  test('is missed in the words of Go', () => {
    expect(atoi('a"')).toBe('strconv.Atoi: parsing "a\\"": invalid syntax');
    expect(atoi('9'.repeat(30))).toMatch(/value out of range$/);
  });
});

describe('an amount', () => {
  test.each([
    [7, 5, 7],
    [-2, 5, -2],
    ['25%', 10, 3],
    ['1%', 10, 1],
    ['0%', 10, 0],
    ['100%', 10, 10],
    ['33.3%', 10, 4],
    ['.5%', 200, 1],
    ['-40%', 5, -2],
    ['150%', 4, 6],
    ['1e3%', 10, 100],
    ['+05%', 100, 5],
  ])('%j of %i is %i, rounded up', (value, total, expected) => {
    expect(scaledUp(value, total)).toBe(expected);
  });

  test.each([
    [undefined, 'nil value for IntOrString'],
    ['5', 'invalid type: string is not a percentage'],
    ['', 'invalid type: string is not a percentage'],
    ['%', 'invalid value "%": strconv.ParseFloat: parsing "": invalid syntax'],
    ['a%', 'invalid value "a%": strconv.ParseFloat: parsing "a": invalid syntax'],
    ['e1%', 'invalid value "e1%": strconv.ParseFloat: parsing "e1": invalid syntax'],
    ['5%%', 'invalid value "5%%": strconv.ParseFloat: parsing "5%": invalid syntax'],
    [' 5%', 'invalid value " 5%": strconv.ParseFloat: parsing " 5": invalid syntax'],
  ])('%j is none: %s', (value, fault) => {
    expect(scaledUp(value, 10)).toEqual({ fault });
  });
});
