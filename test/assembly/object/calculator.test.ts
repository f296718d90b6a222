// Resource expressions: every rule of sidecarset 6.3, and the expressions of its acceptance cases E1 to E10.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Direct } from '../../support/direct.ts';

const direct = new Direct();

/** The quantity, or the error behind `!`. */
function evaluate(expression: string, aggregate = '1'): string {
  const { text, isError } = direct.answer('calculate', expression, aggregate);
  return isError ? `!${text}` : text;
}

/** The error, or nothing. */
function check(expression: string, variable: 'cpu' | 'memory'): string {
  return direct.answer('expressionCheck', expression, variable).text;
}

type Row = readonly [expression: string, aggregate: string, result: string];

describe('an expression for a pod', () => {
  it.each<Row>([
    ['max(cpu*20%, 100m)', '1500m', '300m'],
    ['memory*25%', '1536Mi', '384Mi'],
    ['cpu*10%', '500m', '50m'],
    ['max(memory*10%, 64Mi)', '512Mi', '64Mi'],
    ['max(cpu*20%, 100m)', '1', '200m'],
    ['memory*25%', '1Gi', '256Mi'],
    ['cpu*10%', '250m', '25m'],
    ['memory*30%', '201Mi', '63229132800m'],
    ['cpu-100m', '50m', '!calculation result is negative: -50m'],
    ['max(0.3, cpu)', '100m', '300m'],
    ['2', '0', '2'],
    ['1.5', '0', '1500m'],
  ])('of the acceptance cases: %s of %s is %s', (expression, aggregate, result) => {
    expect(evaluate(expression, aggregate)).toBe(result);
  });

  it.each<Row>([
    ['cpu+100m', '1', '1100m'],
    ['cpu+0.25', '100m', '350m'],
    ['0.25+cpu', '100m', '350m'],
    ['cpu+0.0019', '1', '1001m'],
    ['cpu-0.0019', '1', '999m'],
    ['1+2', '0', '3'],
    ['1k+1Ki', '0', '2024'],
    ['1Mi+1k', '0', '1049576'],
    ['0m+1Ki', '0', '1Ki'],
    ['memory+1Mi', '1Mi', '2Mi'],
    ['memory+1024', '1Mi', '1025Ki'],
    ['1024+memory', '1Mi', '1049600'],
    ['memory-512Ki', '1Mi', '512Ki'],
  ])('adds numbers, or quantities in the format of the left one: %s of %s is %s', (expression, aggregate, result) => {
    expect(evaluate(expression, aggregate)).toBe(result);
  });

  it.each<Row>([
    ['2*3', '0', '6'],
    ['cpu*2', '250m', '500m'],
    ['2*cpu', '250m', '500m'],
    ['cpu*0.3333', '1', '333m'],
    ['memory*50%', '1Gi', '512Mi'],
    ['memory*0.5', '1Ki', '512'],
    ['cpu*cpu', '1', '!multiplication of two quantities'],
    ['100m*1Gi', '1', '!multiplication of two quantities'],
    ['cpu*0', '1', '0'],
    ['cpu*1', '500n', '1m'],
  ])(
    'multiplies by a number in thousandths, without their fraction: %s of %s is %s',
    (expression, aggregate, result) => {
      expect(evaluate(expression, aggregate)).toBe(result);
    },
  );

  it.each<Row>([
    ['cpu/3', '1', '333m'],
    ['memory/3', '1Gi', '357913941333m'],
    ['cpu/7*7', '1', '994m'],
    ['7/2', '0', '3500m'],
    ['1/cpu', '1', '!division by a quantity'],
    ['cpu/cpu', '1', '!division by a quantity'],
    ['1/0', '0', '!division by zero'],
    ['cpu/0', '0', '!division by zero'],
    ['cpu/(1-1)', '0', '!division by zero'],
  ])('divides by a number only: %s of %s is %s', (expression, aggregate, result) => {
    expect(evaluate(expression, aggregate)).toBe(result);
  });

  it.each<Row>([
    ['max(1, 2)', '0', '2'],
    ['min(1, 2)', '0', '1'],
    ['MAX(memory/4 - 10Mi, Min(1Gi, memory))', '1000Mi', '1000Mi'],
    ['min(max(cpu*(1-50%), 200m), 1)', '4', '1'],
    ['min(memory, 1Gi)', '2Gi', '1Gi'],
    ['max(memory, 1048576)', '1Mi', '1Mi'],
    ['max(1048576, memory)', '1Mi', '1048576'],
    ['min(1Ki, 1024)', '0', '1Ki'],
    ['max(cpu, 0)', '0', '0'],
    ['max(1)', '0', '!max takes two arguments'],
    ['min(1, 2, 3)', '0', '!min takes two arguments'],
    ['avg(1, 2)', '0', '!undefined function: avg'],
    ['cpu(1)', '0', '!undefined function: cpu'],
  ])('takes the greater or the lesser of two, the left of equals: %s of %s is %s', (expression, aggregate, result) => {
    expect(evaluate(expression, aggregate)).toBe(result);
  });

  it.each<Row>([
    ['1+2*3', '0', '7'],
    ['(1+2)*3', '0', '9'],
    ['10-4-3', '0', '3'],
    ['16/4/2', '0', '2'],
    ['8/2*4', '0', '16'],
    ['-2+5', '0', '3'],
    ['3*-2+10', '0', '4'],
    ['5--2', '0', '7'],
    ['--5', '0', '5'],
    ['-(1-3)', '0', '2'],
    ['-2*-3', '0', '6'],
    ['-max(1,2)+5', '0', '3'],
    [' 1 +\t2 ', '0', '3'],
    ['((cpu))', '1', '1'],
  ])('binds as arithmetic does: %s of %s is %s', (expression, aggregate, result) => {
    expect(evaluate(expression, aggregate)).toBe(result);
  });

  it.each<Row>([
    ['50%', '0', '500m'],
    ['1e2', '0', '100'],
    ['1E-2', '0', '10m'],
    ['1e+2', '0', '100'],
    ['.5', '0', '500m'],
    ['1.', '0', '1'],
    ['1k', '0', '1k'],
    ['1Pi', '0', '1Pi'],
    ['1.5Gi', '0', '1536Mi'],
    ['100K', '0', '0'],
    ['5u', '0', '0'],
    ['5n', '0', '0'],
    ['100MB', '0', '0'],
    ['1E', '0', '0'],
    ['1e', '0', '0'],
    ['.', '0', '0'],
    ['50%cpu', '1', '0'],
    ['50%5', '0', '0'],
    ['0x10', '0', '!syntax error: unexpected 10'],
    ['1Ei', '0', '!syntax error: unexpected i'],
    ['1.2.3', '0', '!syntax error: unexpected .3'],
    ['1e5e3', '0', '!syntax error: unexpected 3'],
    ['50%%', '0', '!syntax error: unexpected %'],
    ['1m%', '0', '!syntax error: unexpected %'],
    ['1_000', '0', '!syntax error: unexpected _'],
    ['1e3m', '0', '!invalid quantity: 1e3m'],
    ['1e400', '0', '!number out of range: 1e400'],
  ])('reads the literal of %s (aggregate %s) as %s', (expression, aggregate, result) => {
    expect(evaluate(expression, aggregate)).toBe(result);
  });

  it.each<Row>([
    ['', '0', '!syntax error: unexpected end of expression'],
    ['1+', '0', '!syntax error: unexpected end of expression'],
    ['(1', '0', '!syntax error: unexpected end of expression'],
    ['max(1,2', '0', '!syntax error: unexpected end of expression'],
    ['1)', '0', '!syntax error: unexpected )'],
    ['max()', '0', '!syntax error: unexpected )'],
    ['()', '0', '!syntax error: unexpected )'],
    ['1,2', '0', '!syntax error: unexpected ,'],
    ['max((1,2))', '0', '!syntax error: unexpected ,'],
    ['cpu cpu', '1', '!syntax error: unexpected cpu'],
    ['cpu 2', '1', '!syntax error: unexpected 2'],
    ['+1', '1', '!syntax error: unexpected +'],
    ['cpu&2', '1', '!syntax error: unexpected &'],
    ['cpu+é', '1', '!syntax error: unexpected é'],
  ])(
    'that is none is refused with the place of the fault: %s (aggregate %s) gives %s',
    (expression, aggregate, result) => {
      expect(evaluate(expression, aggregate)).toBe(result);
    },
  );

  it('binds memory if that word stands in it in lower case, else cpu', () => {
    expect(evaluate('CPU*2', '250m')).toBe('500m');
    expect(evaluate('memory+Memory', '1Gi')).toBe('2Gi');
    expect(evaluate('MEMORY*50%', '1Gi')).toBe('!undefined variable: memory');
    expect(evaluate('memory+cpu', '1Gi')).toBe('!undefined variable: cpu');
    expect(evaluate('memory_1', '1Gi')).toBe('!undefined variable: memory_1');
    expect(evaluate('max', '1Gi')).toBe('!undefined variable: max');
  });

  it('that comes to a plain number counts bytes beside the word memory, else thousandths', () => {
    expect(evaluate('1.5')).toBe('1500m');
    expect(evaluate('1.0019')).toBe('1001m');
    expect(evaluate('1024.9+0*50%memory')).toBe('1024');
    expect(evaluate('2*1000')).toBe('2k');
  });

  it('with a negative result is refused, however small', () => {
    expect(evaluate('-1')).toBe('!calculation result is negative: -1');
    expect(evaluate('1Gi-2Gi')).toBe('!calculation result is negative: -1Gi');
    expect(evaluate('-0.0001')).toBe('!calculation result is negative: -1m');
    expect(evaluate('0*-1')).toBe('0');
  });

  it('never lets what is no finite number through', () => {
    expect(evaluate('1e300*1e300')).toBe('!calculation result is out of range');
    expect(evaluate('cpu*1e300')).toBe('!number out of range');
    expect(evaluate('1e300+cpu')).toBe('!number out of range');
    expect(evaluate('1e300*1e300-1e300*1e300')).toBe('!calculation result is out of range');
    expect(evaluate('max(1e300, cpu)')).toBe('!number out of range');
  });

  it('computes exactly where thousandths do not fit 64 bits', () => {
    expect(evaluate('memory*50%', '8000Pi')).toBe('4000Pi');
  });

  it('may nest as deeply as its length allows', () => {
    expect(evaluate(`${'('.repeat(8000)}7${')'.repeat(8000)}`)).toBe('7');
    expect(evaluate(`${'-'.repeat(16000)}7`)).toBe('7');
    expect(evaluate(`${'max(1,'.repeat(2000)}7${')'.repeat(2000)}`)).toBe('7');
    expect(evaluate('1+'.repeat(8191))).toBe('!syntax error: unexpected end of expression');
    expect(direct.steps).toBeLessThan(500_000);
    expect(evaluate('1+'.repeat(8193))).toBe('!expression is longer than 16384 bytes');
  });

  it('of plain numbers comes to what the platform computes', () => {
    const { sum } = fc.letrec<{ sum: Computed; product: Computed; operand: Computed }>((tie) => ({
      operand: fc.oneof(
        { depthSize: 'small' },
        fc.integer({ min: 0, max: 999 }).map((value) => ({ text: String(value), value })),
        fc
          .double({ min: 0.001, max: 1000, noNaN: true })
          .map((value) => ({ text: value.toFixed(3), value: +value.toFixed(3) })),
        tie('sum').map(({ text, value }) => ({ text: `(${text})`, value })),
        tie('operand').map(({ text, value }) => ({ text: `-${text}`, value: -value })),
      ),
      product: joined(tie('operand'), ['*', '/']),
      sum: joined(tie('product'), ['+', '-']),
    }));
    fc.assert(
      fc.property(sum, ({ text, value }) => {
        // Not for a division by zero, nor where a result is negative or has more digits than a float.
        fc.pre(value >= 0 && value < 1e12);
        expect(thousandths(evaluate(text))).toBe(String(Math.trunc(value * 1000)));
      }),
      { numRuns: 2000 },
    );
  });
});

type Computed = { text: string; value: number };
type Sign = '+' | '-' | '*' | '/';

/** Operands with operators of one rank between them, from left to right. */
function joined(operand: fc.Arbitrary<Computed>, signs: readonly Sign[]): fc.Arbitrary<Computed> {
  const rest = fc.array(fc.tuple(fc.constantFrom(...signs), operand), { maxLength: 2 });
  return fc.tuple(operand, rest).map(([first, others]) =>
    others.reduce(
      (left, [sign, right]) => ({
        text: left.text + sign + right.text,
        value: applied(left.value, sign, right.value),
      }),
      first,
    ),
  );
}

function applied(left: number, sign: Sign, right: number): number {
  if (sign === '+') return left + right;
  if (sign === '-') return left - right;
  if (sign === '*') return left * right;
  return right === 0 ? Number.NaN : left / right;
}

function thousandths(quantity: string): string | undefined {
  return direct.answer('quantityRead', quantity).text.split(' ')[3];
}

describe('an expression of a SidecarSet', () => {
  it('knows only the variable of its own field, which counts as 1', () => {
    expect(check('cpu*2', 'cpu')).toBe('');
    expect(check('memory*2', 'cpu')).toBe('undefined variable: memory');
    expect(check('cpu*2', 'memory')).toBe('undefined variable: cpu');
    expect(check('max(memory*10%, 64Mi)', 'memory')).toBe('');
    expect(check('(cpu + 0.1)/2', 'cpu')).toBe('');
  });

  it('passes or fails by that 1, even where a pod would decide otherwise', () => {
    expect(check('cpu*cpu', 'cpu')).toBe('');
    expect(check('1/cpu', 'cpu')).toBe('');
    expect(check('MEMORY*50%', 'memory')).toBe('');
    expect(check('cpu-100m', 'cpu')).toBe('');
    expect(check('cpu-2', 'cpu')).toBe('calculation result is negative: -1');
    expect(check('memory-100Mi', 'memory')).toBe('calculation result is negative: -104857599');
    expect(check('50m - 100m', 'memory')).toBe('calculation result is negative: -50m');
  });

  it('with a literal that is neither number nor quantity counts it as 0', () => {
    expect(check('100MB', 'memory')).toBe('');
    expect(check('cpu+50%cpu', 'cpu')).toBe('');
  });
});
