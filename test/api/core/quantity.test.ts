import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { roundUpResources } from '../../../api/core/container-defaults.ts';
import {
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  isWhole,
  isZero,
  parseQuantity,
  type Quantity,
  quantityFault,
  roundUpToMilli,
  signOf,
} from '../../../api/core/quantity.ts';

function quantity(text: string): Quantity {
  const parsed = parseQuantity(text);
  if (parsed === undefined) throw new Error(`no quantity: ${text}`);
  return parsed;
}

describe('the text that a quantity has once it was read and written', () => {
  // Text, what API machinery of Kubernetes 1.32 writes, and what it writes after rounding up to milli.
  test.each([
    ['1000m', '1', '1'],
    ['0.5', '500m', '500m'],
    ['.005', '5m', '5m'],
    ['1024Mi', '1Gi', '1Gi'],
    ['1024Ki', '1Mi', '1Mi'],
    ['2047Ki', '2047Ki', '2047Ki'],
    ['1.5Ki', '1536', '1536'],
    ['0.5Ki', '512', '512'],
    ['0.5Gi', '512Mi', '512Mi'],
    ['1.5k', '1500', '1500'],
    ['1000', '1k', '1k'],
    ['1000k', '1M', '1M'],
    ['1000000m', '1k', '1k'],
    ['1500m', '1500m', '1500m'],
    ['1.2345', '1234500u', '1235m'],
    ['10.5m', '10500u', '11m'],
    ['0.1m', '100u', '1m'],
    ['1000n', '1u', '1m'],
    ['1000.5n', '1001n', '1m'],
    ['0.0000000001', '1n', '1m'],
    ['-522.6087651', '-522608765100n', '-522609m'],
    ['5e-1', '500e-3', '500e-3'],
    ['1e3', '1e3', '1e3'],
    ['12e-3', '12e-3', '12e-3'],
    ['00', '0', '0'],
    ['0Ki', '0', '0'],
    ['m', '0', '0'],
    ['+', '0', '0'],
    ['8Ei', '9223372036854775807', '9223372036854775807'],
    // Nearly canonical, and left as it is.
    ['07Mi', '07Mi', '07Mi'],
    ['+6m', '+6m', '+6m'],
    ['1.500k', '1.500k', '1.500k'],
    ['1E3', '1E3', '1E3'],
    ['1.G', '1.G', '1.G'],
    ['22.608765122', '22.608765122', '22609m'],
    ['+80Gi', '80Gi', '80Gi'],
  ])('%s is written %s, rounded %s', (text, written, rounded) => {
    expect(canonicalQuantity(text)).toBe(written);
    const resources = { cpu: written };
    roundUpResources(resources);
    expect(resources.cpu).toBe(rounded);
  });

  test('is stable', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.nat({ max: 999999 }),
        fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'Ki', 'Mi', 'Gi', 'e3', 'E-2'),
        (whole, fraction, suffix) => {
          const once = canonicalQuantity(`${whole}.${fraction}${suffix}`);
          expect(once).toBeDefined();
          expect(canonicalQuantity(once ?? '')).toBe(once);
          expect(compareQuantities(quantity(once ?? ''), quantity(`${whole}.${fraction}${suffix}`))).toBe(0);
        },
      ),
    );
  });
});

test.each([
  '',
  ' 1',
  '1 ',
  '1.1.M',
  '1+1.0M',
  '0.1mi',
  '0.1am',
  'aoeu',
  '.5i',
  '1i',
  '-3.01i',
  '-3.01e-',
  '1e',
  '1e3m',
])('%j is no quantity', (text) => {
  expect(parseQuantity(text)).toBeUndefined();
});

test('compares by value, whatever the notation', () => {
  const ordered = [
    '-1e30',
    '-1Gi',
    '-1',
    '-1m',
    '0',
    '1n',
    '0.1',
    '999m',
    '1',
    '1001m',
    '1k',
    '1Ki',
    '1M',
    '1E',
    '1e30',
  ];
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries()) {
      expect(Math.sign(compareQuantities(quantity(a), quantity(b))), `${a} and ${b}`).toBe(Math.sign(i - j));
    }
  }
  expect(compareQuantities(quantity('1024Mi'), quantity('1Gi'))).toBe(0);
  expect(compareQuantities(quantity('0.5'), quantity('500m'))).toBe(0);
});

test('exponents as long as the input do not make it slow', () => {
  const started = performance.now();
  const huge = quantity('1e2147483647');
  expect(compareQuantities(huge, quantity('1e2147483646'))).toBeGreaterThan(0);
  expect(formatQuantity(huge)).toBe('10e2147483646');
  expect(parseQuantity('1e99999999999')).toBeUndefined();
  expect(parseQuantity(`${'1'.repeat(100_000)}x`)).toBeUndefined();
  expect(formatQuantity(quantity(`1${'0'.repeat(100_000)}`))).toBe('10e99999');
  expect(isZero(roundUpToMilli(quantity('1e-2147483647')))).toBe(false);
  expect(performance.now() - started).toBeLessThan(2000);
});

test('tells whole numbers and signs', () => {
  expect(isWhole(quantity('1000m'))).toBe(true);
  expect(isWhole(quantity('1500m'))).toBe(false);
  expect(['-1m', '0', '1Ki'].map((text) => signOf(quantity(text)))).toEqual([-1, 0, 1]);
});

describe('a text that is no quantity is told', () => {
  const format = expect.stringMatching(/^quantities must match the regular expression/);
  test.each<[string, unknown]>([
    ['', format],
    ['x', format],
    ['1GB', format],
    ['1.2.3', format],
    ['1 Gi', format],
    ['1K', "unable to parse quantity's suffix"],
    ['1MM', "unable to parse quantity's suffix"],
    ['2mi', "unable to parse quantity's suffix"],
    ['5e', "unable to parse quantity's suffix"],
    ['5+3', "unable to parse quantity's suffix"],
    ['Pi', 'unable to parse numeric part of quantity'],
  ])('%j as such', (text, fault) => {
    expect(parseQuantity(text)).toBeUndefined();
    expect(quantityFault(text)).toEqual(fault);
  });
});
