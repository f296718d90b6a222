// How many pods subsets may be given: numbers, percentages, two styles (uniteddeployment 3.2, acceptance 6 and 7).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FieldError, formatFieldError } from '../../../../api/core/field-error.ts';
import { Field } from '../../../../api/core/validation/field.ts';
import { validateSubsetAmounts } from '../../../../api/kinds/uniteddeployment/subset-amounts.ts';

type Amount = number | string;
type Subset = { replicas?: Amount; minReplicas?: Amount; maxReplicas?: Amount };

function errorsOf(total: number | undefined, ...subsets: Subset[]): string[] {
  const errors: FieldError[] = [];
  const named = subsets.map((subset, index) => ({ name: `s${index}`, ...subset }));
  validateSubsetAmounts(Field.root({ subsets: named }, errors, 'spec.topology'), total);
  return errors.map(formatFieldError);
}

const all = 'spec.topology.subsets: Invalid value';
const first = 'spec.topology.subsets[0]';

describe('admitted are', () => {
  test.each<[string, number | undefined, Subset[]]>([
    ['subsets that say nothing', 10, [{}, {}]],
    ['no subsets', 10, []],
    ['no subsets of an unknown whole', undefined, []],
    ['replicas that leave some over', 10, [{ replicas: 4 }, { replicas: 5 }, {}]],
    ['replicas that are all', 10, [{ replicas: '71%' }, { replicas: '29%' }]],
    ['replicas of an unknown whole', undefined, [{ replicas: 4 }, { replicas: 0 }]],
    ['limits', 10, [{ minReplicas: 1, maxReplicas: '50%' }, { minReplicas: 0 }]],
    ['lower limits above the whole', 10, [{ minReplicas: 30, maxReplicas: 40 }, { minReplicas: 50 }]],
    ['halves that are rounded up', 5, [{ replicas: '50%' }, { replicas: 2 }]],
  ])('%s', (_what, total, subsets) => {
    expect(errorsOf(total, ...subsets)).toEqual([]);
  });
});

describe('refused are', () => {
  test.each<[string, number | undefined, Subset[], string[]]>([
    [
      'more than the whole',
      10,
      [{ replicas: 6 }, { replicas: 5 }, {}],
      [`${all}: 11: sum of indicated subset replicas 11 should not be greater than UnitedDeployment replicas 10`],
    ],
    [
      'less than the whole, all given',
      10,
      [{ replicas: 4 }, { replicas: 5 }],
      [
        `${all}: 9: if replicas of all subsets are provided, the sum of indicated subset replicas 9 should equal UnitedDeployment replicas 10`,
      ],
    ],
    [
      'percentages that round to more',
      10,
      [{ replicas: '25%' }, { replicas: '75%' }],
      [
        `${all}: 11: sum of indicated subset replicas 11 should not be greater than UnitedDeployment replicas 10`,
        `${all}: 11: if replicas of all subsets are provided, the sum of indicated subset replicas 11 should equal UnitedDeployment replicas 10`,
      ],
    ],
    [
      'some replicas of an unknown whole',
      undefined,
      [{ replicas: 3 }, {}],
      [`${all}: 3: if UnitedDeployment replicas is not provided, replicas of all subsets should be provided`],
    ],
    [
      'percentages of an unknown whole',
      undefined,
      [{ replicas: '50%' }, { replicas: 1 }],
      [
        `${first}.replicas: Invalid value: "50%": subsetReplicas (50%) should not be string when unitedDeployment replicas is empty`,
      ],
    ],
    [
      'a whole of -1, which is an unknown one',
      -1,
      [{ replicas: '50%' }],
      [
        `${first}.replicas: Invalid value: "50%": subsetReplicas (50%) should not be string when unitedDeployment replicas is empty`,
      ],
    ],
    [
      'a whole below that',
      -5,
      [{}],
      [`${all}: 0: sum of indicated subset replicas 0 should not be greater than UnitedDeployment replicas -5`],
    ],
    [
      'a number below 0',
      10,
      [{ replicas: -2 }, {}],
      [`${first}.replicas: Invalid value: -2: subset replicas (-2) should not be less than 0`],
    ],
    [
      'a number as text',
      10,
      [{ minReplicas: '5' }, {}],
      [
        `${first}.minReplicas: Invalid value: "5": subset replicas (5) only support integer value or percentage value with a suffix '%'`,
      ],
    ],
    [
      'a percentage that is none',
      10,
      [{ maxReplicas: 'bad%' }, {}],
      [`${first}.maxReplicas: Invalid value: "bad%": subset replicas (bad%) should be correct percentage integer`],
    ],
    [
      'a percentage above 100',
      10,
      [{ replicas: '101%' }, {}],
      [`${first}.replicas: Invalid value: "101%": subset replicas (101%) should be in range [0, 100]`],
    ],
    [
      'a percentage below 0',
      10,
      [{ replicas: '-1%' }, {}],
      [`${first}.replicas: Invalid value: "-1%": subset replicas (-1%) should be in range [0, 100]`],
    ],
    [
      'a lower limit above the upper',
      10,
      [{ minReplicas: 3, maxReplicas: 2 }, {}],
      [`${first}.minReplicas: Invalid value: 3: subset[0].minReplicas must be less than or equal to maxReplicas`],
    ],
    [
      'a lower limit above an upper that counts as 0',
      10,
      [{ minReplicas: 1, maxReplicas: 'x' }, {}],
      [
        `${first}.maxReplicas: Invalid value: "x": subset replicas (x) only support integer value or percentage value with a suffix '%'`,
        `${first}.minReplicas: Invalid value: 1: subset[0].minReplicas must be less than or equal to maxReplicas`,
      ],
    ],
    [
      'limits of all',
      10,
      [{ maxReplicas: 6 }, { maxReplicas: 6 }],
      [`${all}: 2: at least one subset.maxReplicas must be empty`],
    ],
  ])('%s', (_what, total, subsets, errors) => {
    expect(errorsOf(total, ...subsets)).toEqual(errors);
  });

  test('replicas and limits side by side, and nothing more is looked at', () => {
    const [error, ...more] = errorsOf(10, { replicas: 20 }, { maxReplicas: 3 });
    expect(error).toMatch(/mutually exclusive in a UnitedDeployment$/);
    expect(more).toEqual([]);
  });

  test('limits of an unknown whole', () => {
    expect(errorsOf(undefined, { minReplicas: 1 }, {})).toHaveLength(1);
  });
});

test('replicas that share the whole are admitted, and no others', () => {
  const replicas = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(replicas, fc.nat({ max: 100 }), fc.boolean(), (numbers, total, leavesOne) => {
      const subsets: Subset[] = numbers.map((number) => ({ replicas: number }));
      const sum = numbers.reduce((a, b) => a + b, 0);
      const isRight = leavesOne ? sum <= total : sum === total;
      expect(errorsOf(total, ...subsets, ...(leavesOne ? [{}] : [])).length === 0).toBe(isRight);
    }),
  );
});
