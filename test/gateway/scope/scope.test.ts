// Which requests the API server sends with `--scope demand`: never fewer than the policies need.

import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { LabelSelector } from '../../../api/core/meta.ts';
import { matchesSelector } from '../../../api/core/selector.ts';
import { configurationName } from '../../../gateway/configurations/configurations.ts';
import { SCOPE_CONDITION } from '../../../gateway/configurations/plan.ts';
import { HOLD_MS, hasSurplus, planExpression } from '../../../gateway/scope/expression.ts';
import { Scope, type ScopeOptions } from '../../../gateway/scope/scope.ts';
import { type ScopedEntry, type Terms, termsOf } from '../../../gateway/scope/terms.ts';
import { Widening } from '../../../gateway/scope/widen.ts';
import { MUTATING_WEBHOOK_CONFIGURATIONS } from '../../../kube/resource.ts';
import { installedStore, replica } from '../configurations/settings.ts';

const DEFAULTS = new Map([
  ['WorkloadSpread', true],
  ['PodUnavailableBudgetDeleteGate', true],
]);
const NAME_LABEL = 'kubernetes.io/metadata.name';
const POD = { metadata: {}, spec: { containers: [{ name: 'main' }] } };

/** Would the API server send this request? The conditions are few enough to be read as JavaScript. */
function sends(terms: Terms, request: { namespace: string; operation?: string }, object: JsonObject = POD): boolean {
  if (terms === 'all') return true;
  const has = (value: unknown) => value !== undefined;
  return [...terms].some((term) => {
    const script = term
      .replace(/\.exists\((\w), /g, '.some(($1) => ')
      .replace(/(\S+) in (\[[^\]]*\])/g, '$2.includes($1)');
    return runInNewContext(script, { has, request, object }) === true;
  });
}

function policy(kind: string, namespace: string | undefined, spec: JsonObject = {}): JsonObject {
  return { kind, metadata: { name: 'one', ...(namespace === undefined ? {} : { namespace }) }, spec };
}

function creationTerms(...policies: JsonObject[]): Terms {
  return termsOf('mpod.kb.io', policies, DEFAULTS);
}

describe('pods that are created are sent', () => {
  test('without any policy: only those that ask for something themselves', () => {
    const sent = (change: JsonObject) => sends(creationTerms(), { namespace: 'a' }, { ...POD, ...change });
    expect(sent({})).toBe(false);
    expect(sent({ metadata: { ownerReferences: [{ apiVersion: 'apps/v1' }] } })).toBe(false);
    expect(sent({ metadata: { ownerReferences: [{ apiVersion: 'apps.kruise.io/v1beta1' }] } })).toBe(true);
    expect(sent({ metadata: { annotations: { 'apps.kruise.io/container-launch-priority': 'Ordered' } } })).toBe(true);
    const env = [{ name: 'KRUISE_CONTAINER_PRIORITY', value: '1' }];
    expect(sent({ spec: { containers: [{ name: 'a' }, { name: 'b', env }] } })).toBe(true);
    expect(sent({ spec: { containers: [{ name: 'b', env: [{ name: 'OTHER' }] }] } })).toBe(false);
  });

  test('all of them, when all get a readiness gate', () => {
    expect(termsOf('mpod.kb.io', [], new Map([['KruisePodReadinessGate', true]]))).toBe('all');
  });

  test.each(['WorkloadSpread', 'PodUnavailableBudget', 'PersistentPodState'])('of the namespace of a %s', (kind) => {
    const terms = creationTerms(policy(kind, 'shop'));
    expect([sends(terms, { namespace: 'shop' }), sends(terms, { namespace: 'other' })]).toEqual([true, false]);
  });

  test('of the namespace of a policy only while its gate is on', () => {
    const one = [
      policy('WorkloadSpread', 'shop'),
      policy('PodUnavailableBudget', 'shop'),
      policy('PodProbeMarker', 'shop'),
    ];
    expect(sends(termsOf('mpod.kb.io', one, new Map()), { namespace: 'shop' })).toBe(false);
    const gates = new Map([['EnablePodProbeMarkerOnServerless', true]]);
    expect(sends(termsOf('mpod.kb.io', one, gates), { namespace: 'shop' })).toBe(true);
  });

  test('all of them, for a set that looks at no label and no name', () => {
    expect(
      creationTerms(
        policy('SidecarSet', undefined, {
          selector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] },
        }),
      ),
    ).toBe('all');
  });

  test('all of them, when policies are too many to be worth it', () => {
    const many = Array.from({ length: 200 }, (_, index) => policy('WorkloadSpread', `n${index}`));
    expect(creationTerms(...many)).toBe('all');
  });

  const key = fc.constantFrom('app', 'tier', 'a"b\\', 'x.io/é');
  const value = fc.constantFrom('', 'a', 'b', 'q\'"');
  const labels = fc.dictionary(key, value, { maxKeys: 3 });
  const expression = fc.oneof(
    fc.record({
      key,
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.array(value, { minLength: 1, maxLength: 2 }),
    }),
    fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  );
  const selector = fc.record(
    { matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) },
    { requiredKeys: [] },
  );
  const namespace = fc.constantFrom('a', 'b');
  const pinned = fc.oneof(
    namespace.map((name) => ({ matchLabels: { [NAME_LABEL]: name } })),
    fc
      .array(namespace, { minLength: 1 })
      .map((values) => ({ matchExpressions: [{ key: NAME_LABEL, operator: 'In', values }] })),
    fc.constant({ matchLabels: { team: 'x' } }),
  );

  test('whenever a set matches them, whatever its selectors', () => {
    const set = fc.record({ selector, namespaceSelector: pinned, namespace }, { requiredKeys: ['selector'] });
    fc.assert(
      fc.property(fc.array(set, { maxLength: 3 }), labels, namespace, (sets, podLabels, podNamespace) => {
        const terms = creationTerms(...sets.map((spec) => policy('SidecarSet', undefined, spec as JsonObject)));
        const namespaceLabels = { [NAME_LABEL]: podNamespace, team: 'x' };
        const isMatched = sets.some((spec) => {
          const inNamespace =
            spec.namespace === undefined
              ? spec.namespaceSelector === undefined ||
                matchesSelector(spec.namespaceSelector as LabelSelector, namespaceLabels)
              : spec.namespace === podNamespace;
          return inNamespace && matchesSelector(spec.selector as LabelSelector, podLabels);
        });
        const pod = { ...POD, metadata: { labels: podLabels } };
        return !isMatched || sends(terms, { namespace: podNamespace }, pod);
      }),
    );
  });
});

describe('pods that are disturbed are sent', () => {
  test.each<[ScopedEntry, string, string[], string, boolean]>([
    ['vpod.kb.io', 'PodUnavailableBudget', ['PodUnavailableBudgetDeleteGate'], 'DELETE', true],
    ['vpod.kb.io', 'PodUnavailableBudget', ['PodUnavailableBudgetDeleteGate'], 'UPDATE', false],
    ['vpod.kb.io', 'PodUnavailableBudget', ['PodUnavailableBudgetUpdateGate'], 'UPDATE', true],
    ['vpod.kb.io', 'PodUnavailableBudget', [], 'DELETE', false],
    ['vpod.kb.io', 'WorkloadSpread', ['WorkloadSpread'], 'DELETE', true],
    ['vpod.kb.io', 'WorkloadSpread', ['WorkloadSpread'], 'UPDATE', false],
    ['vpod.kb.io', 'PersistentPodState', ['WorkloadSpread'], 'DELETE', false],
    ['vpodeviction.kb.io', 'PodUnavailableBudget', ['PodUnavailableBudgetDeleteGate'], 'CREATE', true],
    ['vpodeviction.kb.io', 'PodUnavailableBudget', ['PodUnavailableBudgetUpdateGate'], 'CREATE', false],
    ['vpodeviction.kb.io', 'WorkloadSpread', ['WorkloadSpread'], 'CREATE', true],
  ])('%s, for a %s with %j: %s is sent: %j', (entry, kind, gates, operation, isSent) => {
    const terms = termsOf(entry, [policy(kind, 'shop')], new Map(gates.map((gate) => [gate, true])));
    expect(sends(terms, { namespace: 'shop', operation })).toBe(isSent);
    expect(sends(terms, { namespace: 'other', operation })).toBe(false);
  });
});

describe('an expression', () => {
  const terms = (...all: string[]) => new Set(all);
  const written = (...all: string[]) =>
    planExpression({ wanted: terms(...all), live: 'false', surplusSinceMs: undefined, now: 0 });

  test('is wider at once, by what is missing, and keeps what others need', () => {
    const live = written('a', 'b');
    expect(planExpression({ wanted: terms('b', 'c'), live, surplusSinceMs: undefined, now: 0 })).toBe(
      written('a', 'b', 'c'),
    );
    expect(planExpression({ wanted: 'all', live, surplusSinceMs: undefined, now: 0 })).toBeUndefined();
  });

  test.each<[string | undefined]>([[undefined], [written('a', 'b')]])('%s is narrower only after a while', (live) => {
    const at = (surplusSinceMs: number | undefined) =>
      planExpression({ wanted: terms('a'), live, surplusSinceMs, now: HOLD_MS });
    expect([at(undefined), at(1), at(0)]).toEqual([live, live, written('a')]);
    expect(hasSurplus(terms('a'), live)).toBe(true);
    expect(hasSurplus(terms('a', 'b'), live)).toBe(live === undefined);
  });

  test('of no term sends nothing', () => {
    expect(planExpression({ wanted: terms(), live: undefined, surplusSinceMs: 0, now: HOLD_MS })).toBe('false');
  });
});

describe('replicas with a scope', () => {
  /** Two replicas over the same configurations; each sees only the policies that it was told of. */
  function start() {
    const store = installedStore();
    let now = 0;
    let stamps = 0;
    const build = () => {
      const policies: JsonObject[] = [];
      const state = { isCurrent: true };
      const scope = new Scope({
        gates: DEFAULTS,
        policies: () => policies,
        isCurrent: () => state.isCurrent,
        now: () => now,
      } satisfies ScopeOptions);
      const configurations = replica(store, { scope, now: () => now });
      const widening = new Widening({ client: store, gates: DEFAULTS, stamp: () => String(++stamps), settleMs: 0 });
      return { policies, state, widening, configurations };
    };
    const expression = (): string | undefined => {
      const name = configurationName('mutating');
      const { webhooks } = store.object<{ webhooks: JsonObject[] }>(MUTATING_WEBHOOK_CONFIGURATIONS, { name }) ?? {
        webhooks: [],
      };
      const conditions = (webhooks[0]?.matchConditions ?? []) as { name: string; expression: string }[];
      return conditions.find((condition) => condition.name === SCOPE_CONDITION)?.expression;
    };
    const pass = (ms: number) => {
      now += ms;
    };
    return { store, one: build(), other: build(), expression, pass };
  }

  const never = new AbortController().signal;

  test('are narrow after a while, and wide again before a policy is acknowledged', async () => {
    const { one, other, expression, pass } = start();
    await one.configurations.reconcile();
    await other.configurations.reconcile();
    expect(expression()).toBeUndefined();
    pass(HOLD_MS);
    await one.configurations.reconcile();
    expect(expression()).toContain('KRUISE_CONTAINER_PRIORITY');
    expect(expression()).not.toContain('shop');
    await one.widening.widen(policy('WorkloadSpread', 'shop'), undefined, never);
    expect(expression()).toContain('request.namespace == "shop"');
  });

  test('that do not know of it yet leave the new term, until it is surely not needed', async () => {
    const { one, other, expression, pass } = start();
    for (const each of [one, other]) await each.configurations.reconcile();
    pass(HOLD_MS);
    for (const each of [one, other]) await each.configurations.reconcile();
    await one.widening.widen(policy('WorkloadSpread', 'shop'), undefined, never);
    pass(HOLD_MS / 2);
    await other.configurations.reconcile();
    expect(expression()).toContain('"shop"');
    // The other one learns of it.
    other.policies.push(policy('WorkloadSpread', 'shop'));
    one.policies.push(policy('WorkloadSpread', 'shop'));
    pass(HOLD_MS);
    for (const each of [one, other]) await each.configurations.reconcile();
    expect(expression()).toContain('"shop"');
    other.policies.pop();
    one.policies.pop();
    for (let step = 0; step < 6; step++) {
      for (const each of [one, other]) await each.configurations.reconcile();
      pass(HOLD_MS / 2);
    }
    expect(expression()).not.toContain('"shop"');
  });

  test('that are about to narrow look again when a policy needs what they would take away', async () => {
    const { store, one, other, expression, pass } = start();
    for (const each of [one, other]) each.policies.push(policy('WorkloadSpread', 'shop'));
    await other.configurations.reconcile();
    pass(HOLD_MS);
    await other.configurations.reconcile();
    expect(expression()).toContain('"shop"');
    other.policies.pop();
    await other.configurations.reconcile();
    pass(HOLD_MS);
    // The term is not needed any more when somebody acknowledges a policy that needs it, just before it is taken away.
    store.before = async (verb, resource) => {
      if (verb !== 'update' || resource !== MUTATING_WEBHOOK_CONFIGURATIONS) return;
      store.before = () => undefined;
      await one.widening.widen(policy('PersistentPodState', 'shop'), undefined, never);
    };
    await other.configurations.reconcile();
    pass(HOLD_MS / 2);
    await other.configurations.reconcile();
    expect(expression()).toContain('"shop"');
  });

  test('write nothing for a policy whose pods were sent before', async () => {
    const { store, one } = start();
    await one.configurations.reconcile();
    const { writes } = store;
    const spread = policy('WorkloadSpread', 'shop');
    await one.widening.widen({ ...spread, spec: { replicas: 2 } }, spread, never);
    expect(store.writes).toBe(writes);
  });

  test('acknowledge many policies at a time', async () => {
    const { one, other, expression, pass } = start();
    await one.configurations.reconcile();
    pass(HOLD_MS);
    await one.configurations.reconcile();
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    await Promise.all(
      names.map((name, index) =>
        [one, other][index % 2]?.widening.widen(policy('WorkloadSpread', name), undefined, never),
      ),
    );
    for (const name of names) expect(expression()).toContain(`"${name}"`);
  });

  test('do not take what they narrowed for a part of a new installation', async () => {
    const { store, one, other, expression, pass } = start();
    await one.configurations.reconcile();
    pass(HOLD_MS);
    await one.configurations.reconcile();
    const name = configurationName('mutating');
    const live = store.object(MUTATING_WEBHOOK_CONFIGURATIONS, { name }) ?? {};
    const metadata = { ...(live.metadata as JsonObject), annotations: { template: '' } };
    store.put(MUTATING_WEBHOOK_CONFIGURATIONS, { ...live, metadata });
    await one.configurations.reconcile();
    expect(expression()).toContain('KRUISE_CONTAINER_PRIORITY');
    await replica(store).reconcile();
    expect(expression()).toBeUndefined();
    expect(JSON.stringify(store.object(MUTATING_WEBHOOK_CONFIGURATIONS, { name }))).not.toContain(SCOPE_CONDITION);
    await other.configurations.reconcile();
    expect(expression()).toBeUndefined();
  });

  test('that do not follow the cluster are never narrower', async () => {
    const { one, expression, pass } = start();
    one.state.isCurrent = false;
    await one.configurations.reconcile();
    pass(10 * HOLD_MS);
    await one.configurations.reconcile();
    expect(expression()).toBeUndefined();
  });

  test('do not acknowledge a policy when the configuration cannot be written', async () => {
    const { store, one, pass } = start();
    await one.configurations.reconcile();
    pass(HOLD_MS);
    await one.configurations.reconcile();
    store.before = (verb) => {
      if (verb === 'update') throw new Error('not now');
    };
    await expect(one.widening.widen(policy('WorkloadSpread', 'shop'), undefined, never)).rejects.toThrow('not now');
  });

  test('give up on an API server that drops match conditions', async () => {
    const { store, one, pass } = start();
    store.admit = (object) => {
      const { webhooks } = object as unknown as { webhooks: JsonObject[] };
      return { ...object, webhooks: webhooks.map(({ matchConditions: _, ...entry }) => entry) };
    };
    await one.configurations.reconcile();
    pass(HOLD_MS);
    await one.configurations.reconcile();
    const { writes } = store;
    pass(HOLD_MS);
    await one.configurations.reconcile();
    expect(store.writes).toBe(writes);
  });
});
