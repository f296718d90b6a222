// The order in which a decision is made, and what counts of a request (podunavailablebudget.md 5.3, 5.5 and 5.6).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { controllerReference, workloadOf } from '../../support/builders/policies.ts';
import { holdPolicies, referenceTo } from '../../support/policy-module.ts';
import { bodyOf, Protection, protecting, type RunningParts, requestAbout, running } from '../../support/protection.ts';

const byDefault = await Protection.start();
const withoutSpreads = await Protection.start({ WorkloadSpread: false });
const TIME = '2026-07-02T08:00:00Z';

describe('what is asked first decides:', () => {
  const bad = { ignoredPodSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } };
  const notReady = { status: { conditions: [] } };
  test.each<[string, { spec?: JsonObject; status?: JsonObject; pod?: RunningParts }, number | 'free' | 'charged']>([
    ['bad selector, not ready', { spec: bad, pod: notReady }, 'free'],
    ['bad selector, opted out', { spec: bad, pod: { annotations: { 'pub.kruise.io/no-protect': 'true' } } }, 'free'],
    ['bad selector, desired 0', { spec: bad, status: { desiredAvailable: 0 } }, 400],
    ['bad selector, not protected', { spec: { ...bad, protectOperations: ['EVICT'] } }, 400],
    ['bad selector, recorded', { spec: bad, status: { disruptedPods: { 'web-0': TIME } } }, 400],
    ['desired 0, plenty', { status: { desiredAvailable: 0, unavailableAllowed: 5 } }, 'free'],
    ['recorded, plenty', { status: { disruptedPods: { 'web-0': TIME }, unavailableAllowed: 5 } }, 'free'],
    [
      'recorded long ago',
      { status: { disruptedPods: { 'web-0': '2020-01-01T00:00:00Z' }, unavailableAllowed: 0 } },
      'free',
    ],
    [
      'recorded as unavailable, deleted',
      { status: { unavailablePods: { 'web-0': TIME }, unavailableAllowed: 0 } },
      'free',
    ],
    ['not protected, plenty', { spec: { protectOperations: ['EVICT'] } }, 'free'],
    ['negative', { status: { unavailableAllowed: -3 } }, 403],
    ['allowed absent', { status: { unavailableAllowed: null } }, 403],
    ['maps null', { status: { disruptedPods: null, unavailablePods: null } }, 'charged'],
    [
      'ignored by NotIn of an absent key',
      { spec: { ignoredPodSelector: { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['x'] }] } } },
      'free',
    ],
    [
      'ignored by DoesNotExist',
      { spec: { ignoredPodSelector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] } } },
      'free',
    ],
    [
      'not ignored: one of two fails',
      {
        spec: {
          ignoredPodSelector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
        },
      },
      'charged',
    ],
    ['ignored: null', { spec: { ignoredPodSelector: null } }, 'charged'],
    ['ignored: empty lists', { spec: { ignoredPodSelector: { matchLabels: {}, matchExpressions: [] } } }, 'charged'],
  ])('%s', (_what, { spec = {}, status = {}, pod = {} }, expected) => {
    const held = protecting({ spec, status });
    byDefault.hold(held);
    const v = byDefault.delete(running(pod));
    if (typeof expected === 'number') return expect(v.code).toBe(expected);
    expect(v.allowed).toBe(true);
    const had = (held.status as JsonObject).unavailableAllowed;
    expect(byDefault.status.unavailableAllowed === had ? 'free' : 'charged').toBe(expected);
    return undefined;
  });
  const many = (n: number, from = 0) =>
    Object.fromEntries(Array.from({ length: n }, (_x, i) => [`o-${from + i}`, TIME]));
  test.each<[string, JsonObject, RegExp | 'free' | 'charged']>([
    ['2001 and nothing left', { unavailableAllowed: 0, disruptedPods: many(2001) }, /allowed is negative/],
    ['2001 unavailable', { unavailableAllowed: 9, unavailablePods: many(2001) }, /too big/],
    ['1000+1001', { unavailableAllowed: 9, unavailablePods: many(1000), disruptedPods: many(1001) }, /too big/],
    [
      'the same pods in both: 1001+1000',
      { unavailableAllowed: 9, unavailablePods: many(1001), disruptedPods: many(1000) },
      /too big/,
    ],
    ['2000 disrupted', { unavailableAllowed: 9, disruptedPods: many(2000) }, 'charged'],
    ['2001 but desired 0', { desiredAvailable: 0, unavailableAllowed: 9, disruptedPods: many(2001) }, 'free'],
    ['3000 and recorded', { unavailableAllowed: 0, disruptedPods: { ...many(3000), 'web-0': TIME } }, 'free'],
  ])('maps: %s', (_what, status, expected) => {
    const held = protecting({ status });
    byDefault.hold(held);
    for (const dry of [{ dryRun: true }, {}]) {
      const v = byDefault.delete(running(), dry);
      if (expected instanceof RegExp)
        expect(v).toMatchObject({ code: 403, reason: 'Forbidden', message: expect.stringMatching(expected) });
      else expect(v.allowed).toBe(true);
    }
    if (expected === 'charged') {
      expect(byDefault.status.unavailableAllowed).toBe(8);
      expect(Object.keys(byDefault.status.disruptedPods as JsonObject)).toHaveLength(2001);
      expect((byDefault.status.disruptedPods as JsonObject)['web-0']).toBe(TIME);
    }
  });
});

describe('a request', () => {
  test('current annotation wins', () => {
    byDefault.hold(protecting({ status: { unavailableAllowed: 0 } }), {
      ...protecting(),
      metadata: { name: 'other', namespace: 'shop', uid: 'o', resourceVersion: '3' },
    });
    expect(
      byDefault.delete(
        running({ annotations: { 'pub.kruise.io/related-pub': 'other', 'kruise.io/related-pub': 'web-pub' } }),
      ).allowed,
    ).toBe(true);
    expect(
      byDefault.delete(
        running({ annotations: { 'pub.kruise.io/related-pub': 'web-pub', 'kruise.io/related-pub': 'other' } }),
      ).code,
    ).toBe(403);
    expect(
      byDefault.delete(
        running({ annotations: { 'pub.kruise.io/related-pub': '', 'kruise.io/related-pub': 'web-pub' } }),
      ).code,
    ).toBe(403);
  });
  test('PUB of another namespace of that name', () => {
    byDefault.hold({
      ...protecting({ status: { unavailableAllowed: 0 } }),
      metadata: { name: 'web-pub', namespace: 'x', uid: 'o' },
    });
    expect(byDefault.delete(running()).allowed).toBe(true);
  });
  test('options absent: delete', () => {
    byDefault.hold(protecting());
    withoutSpreads.hold(protecting());
    expect(withoutSpreads.delete(running(), { options: null })).toMatchObject({ allowed: true });
    expect(withoutSpreads.status.unavailableAllowed).toBe(0);
  });
  test('dry run in another word is one too (non-empty)', () => {
    withoutSpreads.hold(protecting());
    expect(withoutSpreads.delete(running(), { options: { dryRun: ['Some'] } }).allowed).toBe(true);
    expect(withoutSpreads.status.unavailableAllowed).toBe(1);
  });
  test('evict: pod in request namespace, name from request', () => {
    byDefault.hold(protecting(), running());
    expect(byDefault.evict(running(), { metadata: { name: 'nope', namespace: 'nope' } }).allowed).toBe(true);
    expect(byDefault.status).toMatchObject({ unavailableAllowed: 0, disruptedPods: { 'web-0': TIME } });
  });
  test('evict v1beta1', () => {
    byDefault.hold(protecting(), running());
    expect(byDefault.evict(running(), { apiVersion: 'policy/v1beta1' }).allowed).toBe(true);
    expect(byDefault.status.unavailableAllowed).toBe(0);
  });
  test('a time with a fraction is written whole', async () => {
    const policies = await holdPolicies({});
    policies.hold([protecting()]);
    policies.review(
      '/validate-pod',
      bodyOf(requestAbout(running(), { operation: 'DELETE', object: null, oldObject: running() })),
      Date.parse('2026-02-28T23:59:59.999Z'),
    );
    expect(policies.object(referenceTo(protecting()))?.status).toMatchObject({
      disruptedPods: { 'web-0': '2026-02-28T23:59:59Z' },
    });
  });
  test('odd pod names', () => {
    byDefault.hold(protecting());
    const p = running({ metadata: { name: 'a.b~1/"x', annotations: { 'kruise.io/related-pub': 'web-pub' } } });
    expect(byDefault.delete(p).allowed).toBe(true);
    expect(byDefault.status.disruptedPods).toEqual({ 'a.b~1/"x': TIME });
  });
});

describe('with a number of pods that is wanted for ever and no unit left:', () => {
  const owner = controllerReference('ReplicaSet', 'web-1', 'apps/v1');
  const p = (more: JsonObject = {}) =>
    running({
      metadata: { annotations: { 'pub.kruise.io/related-pub': 'web-pub' }, ownerReferences: [{ ...owner, ...more }] },
    });
  const fixed = (spec: JsonObject = { minAvailable: 7, maxUnavailable: null }) =>
    protecting({ spec, status: { unavailableAllowed: 0 } });
  const set = (metadata: JsonObject = {}) => {
    const w = workloadOf('ReplicaSet', 'web-1', 'apps/v1');
    return { ...w, metadata: { ...(w.metadata as JsonObject), ...metadata } };
  };
  test.each<[string, JsonObject[], JsonObject, boolean]>([
    ['workload there', [fixed(), set()], p(), false],
    ['workload gone', [fixed()], p(), true],
    ['workload terminating', [fixed(), set({ deletionTimestamp: TIME })], p(), true],
    ['another of that name', [fixed(), set({ uid: 'zz' })], p(), true],
    ['bare pod', [fixed()], running(), false],
    ['percent', [fixed({ minAvailable: '70%', maxUnavailable: null })], p(), false],
    ['maxUnavailable', [fixed({ maxUnavailable: 3 })], p(), false],
    ['both, maxUnavailable wins', [fixed({ maxUnavailable: 3, minAvailable: 7 })], p(), false],
  ])('%s', (_what, objects, pod2, expected) => {
    byDefault.hold(...objects);
    expect(byDefault.delete(pod2).allowed).toBe(expected);
    byDefault.hold(...objects, pod2);
    expect(byDefault.evict(pod2).allowed).toBe(expected);
    expect(
      byDefault.update(pod2, { ...pod2, spec: { ...(pod2.spec as JsonObject), activeDeadlineSeconds: 4 } }).allowed,
    ).toBe(false);
  });
});
