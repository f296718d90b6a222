// Quantities of the module against arithmetic with big integers (sidecarset 6.3; the platform's documentation of Quantity).

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Direct } from '../../support/direct.ts';

const direct = new Direct();
const formats = ['None', 'DecimalSI', 'BinarySI', 'DecimalExponent'] as const;
type Format = (typeof formats)[number];
type Read = { text: string; format: Format; value: bigint; milliValue: bigint };

function described(answer: { text: string; isError: boolean }): Read | undefined {
  if (answer.isError) return undefined;
  const [text = '', format = '', value = '', milliValue = ''] = answer.text.split(' ');
  return {
    text,
    format: formats[Number(format)] ?? 'None',
    value: BigInt(value),
    milliValue: BigInt(milliValue),
  };
}

const read = (text: string) => described(direct.answer('quantityRead', text));
const add = (a: string, b: string) => described(direct.answer('quantityAdd', a, b));
const subtract = (a: string, b: string) => described(direct.answer('quantitySubtract', a, b));
const compare = (a: string, b: string) => Math.sign(direct.call('quantityCompare', a, b));
const milliFloat = (text: string) => direct.call('quantityMilliFloat', text);

const decimalPowers = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 } as const;
const binaryPowers = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 } as const;
const greatest = (2n ** 63n - 1n) * 10n ** 9n;

type Written = { negative: boolean; whole: string; fraction: string; suffix: string };

const digits = (maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { maxLength }).map((list) => list.join(''));
const suffix = fc.oneof(
  fc.constantFrom(...Object.keys(decimalPowers), ...Object.keys(binaryPowers)),
  fc.tuple(fc.constantFrom('e', 'E'), fc.integer({ min: -12, max: 18 })).map(([letter, power]) => `${letter}${power}`),
);
const written: fc.Arbitrary<Written> = fc
  .record({ negative: fc.boolean(), whole: digits(20), fraction: digits(14), suffix })
  .filter(({ whole, fraction }) => whole + fraction !== '');

const textOf = ({ negative, whole, fraction, suffix }: Written) =>
  `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}${suffix}`;

/** Nano units, rounded away from zero, and bounded for binary suffixes. */
function nanos({ negative, whole, fraction, suffix }: Written): bigint {
  const digits = BigInt(`0${whole}${fraction}`);
  let magnitude: bigint;
  if (Object.hasOwn(binaryPowers, suffix)) {
    const shifted = digits << BigInt(binaryPowers[suffix as keyof typeof binaryPowers]);
    magnitude = scaled(shifted, 9 - fraction.length);
    if (magnitude > greatest) magnitude = greatest;
  } else {
    const power = Object.hasOwn(decimalPowers, suffix)
      ? decimalPowers[suffix as keyof typeof decimalPowers]
      : Number(suffix.slice(1));
    magnitude = scaled(digits, power + 9 - fraction.length);
  }
  return negative ? -magnitude : magnitude;
}

/** Times a power of ten, rounded up. */
function scaled(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (value + divisor - 1n) / divisor;
}

function awayFromZero(value: bigint, divisor: bigint): bigint {
  const magnitude = value < 0n ? -value : value;
  const rounded = (magnitude + divisor - 1n) / divisor;
  return value < 0n ? -rounded : rounded;
}

describe('a quantity', () => {
  it.each([
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1024Mi', '1Gi'],
    ['1024Ki', '1Mi'],
    ['1500m', '1500m'],
    ['100', '100'],
    ['1000', '1k'],
    ['12E', '12E'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['1E', '1E'],
    ['10e2', '1e3'],
    ['1e-3', '1e-3'],
    ['1e19', '10e18'],
    ['+1', '1'],
    ['-1', '-1'],
    ['-1500u', '-1500u'],
    ['00012', '12'],
    ['1.', '1'],
    ['.5', '500m'],
    ['0', '0'],
    ['-0', '0'],
    ['0Ki', '0'],
    ['0e3', '0'],
  ])('%s reads as %s', (text, canonical) => {
    expect(read(text)?.text).toBe(canonical);
  });

  it('prints a binary value below 1024 or with a fraction in decimal', () => {
    expect(read('0.5Ki')?.text).toBe('512');
    expect(read('1023')?.text).toBe('1023');
    expect(read('1.5Ki')?.text).toBe('1536');
    expect(read('0.1Mi')?.text).toBe('104857600m');
    expect(subtract('1Ki', '1')?.text).toBe('1023');
    expect(add('1Ki', '1')?.text).toBe('1025');
    expect(add('-1Ki', '0')?.text).toBe('-1Ki');
  });

  it('rounds what is finer than nano away from zero', () => {
    expect(read('0.1n')?.text).toBe('1n');
    expect(read('-0.1n')?.text).toBe('-1n');
    expect(read('1.0000000000000000000000000000000001')?.text).toBe('1000000001n');
    expect(read(`0.${'0'.repeat(5000)}1`)?.text).toBe('1n');
  });

  it('of a binary suffix is at most 2^63-1, and of a fraction below 1 decimal', () => {
    expect(read('9Ei')?.text).toBe('9223372036854775807');
    expect(read('-100Ei')?.text).toBe('-9223372036854775807');
    expect(read('0.0001Ki')).toMatchObject({ text: '102400u', format: 'DecimalSI' });
  });

  it('above what suffixes reach takes an exponent, where Kubernetes drops the suffix', () => {
    expect(read('1000E')?.text).toBe('1e21');
  });

  it.each(['', ' ', '1Q', '1ki', '1K', '1e', '1e3m', '1..2', '1.2.3', '--1', 'x', '1 2', '0x1', '1e+', '1Kii', 'NaN'])(
    'is not made of %j',
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );

  it('takes a suffix or a point alone for 0, as Kubernetes does', () => {
    for (const text of ['.', '+', '-', 'm', 'Ki', 'e3', '.m']) expect(read(text)?.text).toBe('0');
    for (const text of ['Pi', 'Ei', 'e-12']) expect(read(text)).toBeUndefined();
  });

  it('ignores blanks around it, as Kubernetes does in JSON', () => {
    expect(read(' 1Gi\n')?.text).toBe('1Gi');
  });

  it('of more than 60 whole digits is refused, whatever its length', () => {
    expect(read(`1${'0'.repeat(59)}`)?.text).toBe('100e57');
    expect(read(`1${'0'.repeat(60)}`)).toBeUndefined();
    expect(read('1e1000000')).toBeUndefined();
    expect(read('0e1000000')?.text).toBe('0');
    expect(read('1'.repeat(100_000))).toBeUndefined();
    expect(direct.steps).toBeLessThan(1_000_000);
  });

  it('has the value that its digits and suffix say', () => {
    fc.assert(
      fc.property(written, (quantity) => {
        const exact = nanos(quantity);
        const result = read(textOf(quantity));
        expect(result?.value).toBe(capped(awayFromZero(exact, 10n ** 9n)));
        expect(result?.milliValue).toBe(capped(awayFromZero(exact, 10n ** 6n)));
      }),
      { numRuns: 3000 },
    );
  });

  it('means the same in canonical form, which stays as it is', () => {
    fc.assert(
      fc.property(written, (quantity) => {
        const text = textOf(quantity);
        const canonical = read(text)?.text ?? '';
        expect(compare(text, canonical)).toBe(0);
        expect(read(canonical)?.text).toBe(canonical);
      }),
      { numRuns: 2000 },
    );
  });

  it('compares by value', () => {
    fc.assert(
      fc.property(written, written, (a, b) => {
        const difference = nanos(a) - nanos(b);
        expect(compare(textOf(a), textOf(b))).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('counts thousandths as the nearest float', () => {
    fc.assert(
      fc.property(written, (quantity) => {
        expect(milliFloat(textOf(quantity)) + 0).toBe(Number(awayFromZero(nanos(quantity), 10n ** 6n)));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('adding quantities', () => {
  it('is exact', () => {
    fc.assert(
      fc.property(written, written, (a, b) => {
        const sum = nanos(a) + nanos(b);
        const difference = nanos(a) - nanos(b);
        expect(add(textOf(a), textOf(b))?.milliValue).toBe(capped(awayFromZero(sum, 10n ** 6n)));
        expect(subtract(textOf(a), textOf(b))?.milliValue).toBe(capped(awayFromZero(difference, 10n ** 6n)));
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps the format of the first, or takes that of the second if the first is zero', () => {
    expect(add('1Ki', '1k')).toMatchObject({ format: 'BinarySI', text: '2024' });
    expect(add('1k', '1Ki')).toMatchObject({ format: 'DecimalSI', text: '2024' });
    expect(add('0', '1Ki')).toMatchObject({ format: 'BinarySI', text: '1Ki' });
    expect(add('1e3', '1Ki')).toMatchObject({ format: 'DecimalExponent', text: '2024' });
    expect(subtract('0', '1Ki')).toMatchObject({ format: 'BinarySI', text: '-1Ki' });
  });
});

describe('thousandths from a float', () => {
  const ofMilli = (value: number, format: Format) =>
    described(direct.answerToNumbers('quantityOfMilli', value, formats.indexOf(format)));

  it('lose their fraction and keep the format', () => {
    expect(ofMilli(333.9, 'DecimalSI')?.text).toBe('333m');
    expect(ofMilli(-0.5, 'DecimalSI')?.text).toBe('0');
    expect(ofMilli(63229132800, 'BinarySI')?.text).toBe('63229132800m');
    expect(ofMilli(402653184000, 'BinarySI')?.text).toBe('384Mi');
  });

  it('have a bound', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1e60])
      expect(ofMilli(value, 'DecimalSI')).toBeUndefined();
  });

  it('are exact', () => {
    fc.assert(
      fc.property(fc.double({ min: -9e15, max: 9e15, noNaN: true }), (value) => {
        expect(ofMilli(value, 'DecimalSI')?.milliValue).toBe(BigInt(Math.trunc(value)));
      }),
    );
  });
});

function capped(value: bigint): bigint {
  const most = 2n ** 63n - 1n;
  return value > most ? most : value < -most ? -most : value;
}
