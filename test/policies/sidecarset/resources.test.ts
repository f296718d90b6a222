// Resources that a sidecar derives from the containers beside it (sidecarset.md 6, cases E1 to E10).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { container, pod } from '../../support/builders/pod.ts';
import { initSidecar, sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { fieldErrorsOf } from '../../support/compare/field-errors.ts';
import { isSameQuantity } from '../../support/compare/quantity.ts';
import { Injection } from '../../support/injection.ts';
import { validateSidecarSet } from '../../support/kinds.ts';
import * as see from '../../support/see.ts';

type Amounts = { cpu?: string; memory?: string };
type Expressions = { limits?: Amounts; requests?: Amounts };
type Row = {
  rule: string;
  mode?: 'sum' | 'max';
  regex?: string;
  expressions: Expressions;
  /** Resources of the pod's own containers, by name. */
  apps: Record<string, Expressions>;
  expected?: Expressions;
  refused?: RegExp;
};

function policySet({
  mode = 'sum',
  regex = '^app',
  expressions,
}: Pick<Row, 'mode' | 'regex' | 'expressions'>): JsonObject {
  const resourcesPolicy = { targetContainersMode: mode, targetContainersNameRegex: regex, resourcesExpr: expressions };
  return sidecarSet('side', { containers: [sidecar('side', { resourcesPolicy: resourcesPolicy as JsonObject })] });
}

const usual: Expressions = {
  limits: { cpu: 'max(cpu*20%, 100m)', memory: 'memory*25%' },
  requests: { cpu: 'cpu*10%', memory: 'max(memory*10%, 64Mi)' },
};
const requests = { cpu: '250m', memory: '256Mi' };
const two: Record<string, Expressions> = {
  app1: { limits: { cpu: '1', memory: '1Gi' }, requests },
  app2: { limits: { cpu: '500m', memory: '512Mi' }, requests },
};
const oneUnlimited = { ...two, app2: { limits: { memory: '512Mi' }, requests } };
const plain = (cpu: string, memory = '1Gi'): Record<string, Expressions> => ({
  app: { limits: { cpu, memory }, requests: { cpu, memory } },
});

const rows: Row[] = [
  {
    rule: 'E1: sums of limits and requests',
    expressions: usual,
    apps: two,
    expected: { limits: { cpu: '300m', memory: '384Mi' }, requests: { cpu: '50m', memory: '64Mi' } },
  },
  {
    rule: 'E2: a target without limit leaves that limit out',
    expressions: usual,
    apps: oneUnlimited,
    expected: { limits: { memory: '384Mi' }, requests: { cpu: '50m', memory: '64Mi' } },
  },
  {
    rule: 'E2: the largest of each',
    mode: 'max',
    expressions: usual,
    apps: two,
    expected: { limits: { cpu: '200m', memory: '256Mi' }, requests: { cpu: '25m', memory: '64Mi' } },
  },
  {
    rule: 'E3: a fraction of a byte is written in milli',
    expressions: { limits: { memory: 'memory*30%' } },
    apps: plain('1', '201Mi'),
    expected: { limits: { memory: '63229132800m' } },
  },
  {
    rule: 'E4: no target',
    regex: '^nothing$',
    expressions: usual,
    apps: two,
    refused: /^no containers match the regex pattern "\^nothing\$"$/,
  },
  {
    rule: 'E6: a negative result',
    expressions: { requests: { cpu: 'cpu-100m' } },
    apps: plain('50m'),
    refused: /calculation result is negative: -50m/,
  },
  {
    rule: 'E7: numbers and quantities compare',
    expressions: { limits: { cpu: 'max(0.3, cpu)' } },
    apps: plain('100m'),
    expected: { limits: { cpu: '300m' } },
  },
  {
    rule: 'E8: a whole number of cpus',
    expressions: { requests: { cpu: '2' } },
    apps: plain('100m'),
    expected: { requests: { cpu: '2' } },
  },
  {
    rule: 'E8: a fraction of a cpu',
    expressions: { requests: { cpu: '1.5' } },
    apps: plain('100m'),
    expected: { requests: { cpu: '1500m' } },
  },
  {
    rule: 'zero is written',
    expressions: { requests: { cpu: 'cpu*0' } },
    apps: plain('100m'),
    expected: { requests: { cpu: '0' } },
  },
  {
    rule: 'requests that are missing count as zero',
    expressions: { requests: { cpu: 'cpu+1m' } },
    apps: { app: {}, app2: { requests: { cpu: '5m' } } },
    expected: { requests: { cpu: '6m' } },
  },
  {
    rule: 'a constant limit falls with an unlimited target',
    expressions: { limits: { cpu: '1', memory: '1Gi' } },
    apps: oneUnlimited,
    expected: { limits: { memory: '1Gi' } },
  },
  {
    rule: 'blanks and nesting',
    expressions: { limits: { cpu: ' min( max(cpu , 2) , ( 1 + 2 ) * 1 ) ' } },
    apps: plain('5'),
    expected: { limits: { cpu: '3' } },
  },
];

describe('resources from expressions', () => {
  test.each(rows)('$rule', async (row) => {
    const apps = Object.entries(row.apps).map(([name, resources]) =>
      container(name, { resources: resources as JsonObject }),
    );
    const verdict = (await Injection.start()).hold(policySet(row)).review(pod({ containers: apps }));
    if (row.refused !== undefined)
      expect(verdict).toMatchObject({ allowed: false, message: expect.stringMatching(row.refused) });
    else expect(see.containerOf('side')(verdict.object ?? {})?.resources).toEqual(row.expected);
  });

  test('E10: sidecars of matching sets are never a target', async () => {
    const other = sidecarSet('other', { containers: [sidecar('app-log', { resources: { limits: { cpu: '5' } } })] });
    const injection = (await Injection.start()).hold(other, policySet({ expressions: { limits: { cpu: 'cpu' } } }));
    const app = container('app', { resources: { limits: { cpu: '1' } } });
    const there = container('app-log', { resources: { limits: { cpu: '7' } } });
    for (const containers of [[app], [app, there]]) {
      expect(see.containerOf('side')(injection.create(pod({ containers })))?.resources).toEqual({
        limits: { cpu: '1' },
      });
    }
  });

  test('pairs that an earlier pass brought are never a target', async () => {
    const hot = { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'example.com/empty:1' } };
    const resourcesPolicy = {
      targetContainersMode: 'sum',
      targetContainersNameRegex: '.*',
      resourcesExpr: { limits: { cpu: 'cpu' } },
    };
    const own = { limits: { cpu: '5' } };
    const set = sidecarSet('side', {
      initContainers: [initSidecar('native', { ...hot, restartPolicy: 'Always', resources: own })],
      containers: [sidecar('side', { ...hot, resourcesPolicy }), sidecar('beside', { resourcesPolicy })],
    });
    const injection = (await Injection.start()).hold(set);
    const once = injection.create(pod({ containers: [container('app', { resources: { limits: { cpu: '1' } } })] }));
    expect(injection.review(once).operations).toEqual([]);
    for (const name of ['side-1', 'side-2', 'beside']) {
      expect(see.containerOf(name)(once)?.resources).toEqual({ limits: { cpu: '1' } });
    }
  });

  test('native sidecars of the pod are targets, plain init containers are not', async () => {
    const injection = (await Injection.start()).hold(policySet({ expressions: { limits: { cpu: 'cpu' } } }));
    const created = injection.create(
      pod({
        initContainers: [
          container('app-setup', { resources: { limits: { cpu: '100' } } }),
          container('app-native', { restartPolicy: 'Always', resources: { limits: { cpu: '2' } } }),
        ],
        containers: [container('app', { resources: { limits: { cpu: '1' } } })],
      }),
    );
    expect(see.containerOf('side')(created)?.resources).toEqual({ limits: { cpu: '3' } });
  });

  test('a native sidecar of the set may have a policy', async () => {
    const resourcesPolicy = {
      targetContainersMode: 'sum',
      targetContainersNameRegex: '.*',
      resourcesExpr: { limits: { cpu: 'cpu*50%' } },
    };
    const set = sidecarSet('side', {
      initContainers: [initSidecar('side', { restartPolicy: 'Always', resourcesPolicy })],
      updateStrategy: { type: 'NotUpdate' },
    });
    const created = (await Injection.start())
      .hold(set)
      .create(pod({ containers: [container('app', { resources: { limits: { cpu: '1' } } })] }));
    expect(see.containerOf('side')(created)).toMatchObject({
      restartPolicy: 'Always',
      resources: { limits: { cpu: '500m' } },
    });
  });
});

describe('aggregates over the targets', async () => {
  const injection = await Injection.start();
  const cpu = fc.constantFrom('100m', '1', '1500m', '0', '2k', '0.25');
  const memory = fc.constantFrom('1Gi', '128Mi', '1G', '1000', '1.5Ki', '0', '3e6');
  const amounts = fc.record({ cpu, memory }, { requiredKeys: [] });
  const resources = fc.record({ limits: amounts, requests: amounts }, { requiredKeys: [] });
  const expressions = { limits: { cpu: 'cpu', memory: 'memory' }, requests: { cpu: 'cpu', memory: 'memory' } };

  test.each(['sum', 'max'] as const)(
    'are the %s of what the targets have, with no limit where one has none',
    (mode) => {
      fc.assert(
        fc.property(fc.array(resources, { minLength: 1, maxLength: 4 }), (all) => {
          const containers = all.map((one, index) => container(`app${index}`, { resources: one as JsonObject }));
          const created = injection.hold(policySet({ mode, expressions })).create(pod({ containers }));
          const got = see.containerOf('side')(created)?.resources as Expressions;
          for (const name of ['cpu', 'memory'] as const) {
            const limits = all.map((one) => one.limits?.[name]);
            const known = limits.filter((one) => one !== undefined);
            if (known.length < all.length) expect(got.limits?.[name]).toBeUndefined();
            else expectAggregate(mode, known, got.limits?.[name]);
            const asked = all.flatMap((one) => one.requests?.[name] ?? []);
            expectAggregate(mode, asked, got.requests?.[name]);
          }
        }),
        { numRuns: 200 },
      );
    },
  );
});

/** `amount` is the sum or the largest of the amounts, 0 if there are none. */
function expectAggregate(mode: 'sum' | 'max', amounts: readonly string[], amount: unknown): void {
  const values = amounts.map((one) => Number(thousandths.get(one)));
  const expected = mode === 'sum' ? values.reduce((sum, one) => sum + one, 0) : Math.max(0, ...values);
  expect({ mode, amounts, amount, isRight: isSameQuantity(`${expected}m`, amount) }).toMatchObject({ isRight: true });
}

// The amounts of the generator, in thousandths.
const thousandths = new Map<string, number>([
  ...([
    ['100m', 100],
    ['1', 1000],
    ['1500m', 1500],
    ['0', 0],
    ['2k', 2_000_000],
    ['0.25', 250],
  ] as const),
  ...([
    ['1Gi', 1000 * 2 ** 30],
    ['128Mi', 1000 * 2 ** 27],
    ['1G', 1e12],
    ['1000', 1e6],
    ['1.5Ki', 1_536_000],
    ['3e6', 3e9],
  ] as const),
]);

describe('a resources policy', () => {
  const errorsOf = async (set: JsonObject): Promise<string[]> => {
    const verdict = await validateSidecarSet(set);
    return verdict.allowed ? [] : fieldErrorsOf(verdict.message ?? '');
  };
  const policy = {
    targetContainersMode: 'sum',
    targetContainersNameRegex: '.*',
    resourcesExpr: { requests: { cpu: 'cpu' } },
  };

  test('E5: that is negative for sure refuses the SidecarSet', async () => {
    expect(await errorsOf(policySet({ expressions: { requests: { cpu: '50m - 100m' } } }))).toEqual([
      'spec[0].resourcesPolicy.resourcesExpr.requests.cpu: Invalid value',
    ]);
  });

  test('E6: that may become negative does not', async () => {
    expect(await errorsOf(policySet({ expressions: { requests: { cpu: 'cpu-100m' } } }))).toEqual([]);
  });

  test('E9: stands alone, without own requests or limits', async () => {
    const both = (resources: JsonObject): JsonObject =>
      sidecarSet('side', { containers: [sidecar('side', { resources, resourcesPolicy: policy })] });
    expect(await errorsOf(both({ requests: { cpu: '1' } }))).toEqual(['spec[0].resourcesPolicy: Invalid value']);
    expect(await errorsOf(both({ limits: { cpu: '1' } }))).toEqual(['spec[0].resourcesPolicy: Invalid value']);
    expect(await errorsOf(both({}))).toEqual([]);
  });

  test.each([
    ['(', ['spec[0].resourcesPolicy.targetContainersNameRegex: Invalid value']],
    ['a(?=b)', ['spec[0].resourcesPolicy.targetContainersNameRegex: Invalid value']],
    ['', ['spec[0].resourcesPolicy.targetContainersNameRegex: Required value']],
    ['^(app|job)-[a-z]{1,3}$', []],
  ])('has a pattern that can be matched: %j', async (regex, expected) => {
    expect(await errorsOf(policySet({ regex, expressions: { limits: { cpu: 'cpu' } } }))).toEqual(expected);
  });
});
