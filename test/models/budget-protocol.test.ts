// Units of a budget in every order in which things can happen, and what each rule of the protocol is there for: without it there
// is a run that ends badly. SLUICE_MODEL=large looks at larger settings too (docs/decisions/0010).
import { describe, expect, test } from 'vitest';
import { processInput } from '../../component/flags.ts';
import { ALL_RULES, budgetProtocol, type Rules, type Setting } from './budget-protocol.ts';
import { type Explored, explore } from './explore.ts';

type Case = Pick<Setting, 'pods' | 'units' | 'requests' | 'kills' | 'losses'>;

const { SLUICE_MODEL: wanted = 'small' } = processInput().environment;
const MOST_STATES = 8_000_000;
const LIMIT_MS = 900_000;

/** Two requests for one unit. */
const TWO: Case = { pods: 2, units: 1, requests: [0, 1], kills: 1, losses: 1 };
const SMALL: readonly Case[] = [
  TWO,
  { pods: 2, units: 1, requests: [0, 1, 0], kills: 1, losses: 0 },
  { pods: 2, units: 1, requests: [0, 1, 0], kills: 0, losses: 1 },
  { pods: 3, units: 1, requests: [0, 1, 2], kills: 1, losses: 1 },
  { pods: 3, units: 2, requests: [0, 1, 2], kills: 1, losses: 0 },
];
const LARGE: readonly Case[] = [
  { pods: 2, units: 1, requests: [0, 1, 0], kills: 1, losses: 1 },
  { pods: 3, units: 2, requests: [0, 1, 2], kills: 1, losses: 1 },
  { pods: 3, units: 1, requests: [0, 1, 2, 0], kills: 1, losses: 0 },
  { pods: 3, units: 2, requests: [0, 1, 2, 0], kills: 0, losses: 0 },
  { pods: 2, units: 1, requests: [0, 1, 0, 1], kills: 1, losses: 0 },
];

function look(one: Case, without: Partial<Rules> = {}): Explored {
  return explore(budgetProtocol({ ...one, gateways: 2, rules: { ...ALL_RULES, ...without } }), MOST_STATES);
}

function nameOf({ pods, units, requests, kills, losses }: Case): string {
  return `${pods} pods, ${units} units, requests for ${requests}, ${kills} kills, ${losses} losses`;
}

describe('two gateways and a controller', () => {
  const cases = wanted === 'large' ? [...SMALL, ...LARGE] : SMALL;
  test.each(cases.map((one) => [nameOf(one), one] as const))(
    'give no unit twice, answer everybody, and get all units back: %s',
    { timeout: LIMIT_MS },
    (name, one) => {
      const started = performance.now();
      const { counterExample, ...figures } = look(one);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${name}: ${JSON.stringify(figures)}, ${seconds} s`);
      expect(counterExample).toBeUndefined();
    },
  );
});

describe('a run ends badly when', () => {
  const SCARCE = '2 pods are away or may go, and 1 may be';
  const rules: [string, Partial<Rules>, Case, string][] = [
    ['it is answered before it is written', { writesFirst: false }, TWO, SCARCE],
    ['a write holds for any version', { comparesVersions: false }, TWO, SCARCE],
    ['what met a conflict is written once more', { decidesAgain: false }, TWO, SCARCE],
    ['a record that is known is trusted', { looksUpRecords: false }, TWO, SCARCE],
    ['a write that is not answered is taken for done', { readsWhatIsUnclear: false }, TWO, SCARCE],
    ['a gateway answers before it has the budgets', { loadsFirst: false }, TWO, SCARCE],
    [
      'the controller writes over any version',
      { controllerComparesVersions: false },
      { pods: 3, units: 2, requests: [0, 1, 2], kills: 0, losses: 0 },
      '3 pods are away or may go, and 2 may be',
    ],
    ['the controller counts pods that are on record', { controllerKeepsRecords: false }, TWO, SCARCE],
    ['records are never given up', { controllerGivesUp: false }, TWO, 'a record stays for ever'],
    ['a record is given up before it is used', { recordsOutlastRequests: false }, TWO, SCARCE],
    ['the controller has not heard of what was carried out', { controllerHearsInTime: false }, TWO, SCARCE],
  ];

  test('any rule is taken away: all are named here', () => {
    expect(rules.flatMap(([, without]) => Object.keys(without))).toEqual(Object.keys(ALL_RULES));
  });

  test.each(rules)('%s', (_, without, one, fault) => {
    const { counterExample } = look(one, without);
    expect(counterExample?.fault).toBe(fault);
    expect(counterExample?.trace.length).toBeLessThan(20);
  });
});

test('the way to a fault is told step by step', () => {
  expect(look(TWO, { writesFirst: false }).counterExample?.trace).toEqual([
    'request 0 comes to gateway 0',
    'request 1 comes to gateway 1',
    'gateway 0 decides 0 by version 0',
    'gateway 1 decides 1 by version 0',
  ]);
});
