// Any pod, budget and request: what comes of it, held against the rules written down plainly (podunavailablebudget.md 1.6
// and 5).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { Verdict } from '../../support/answer.ts';
import { main, Protection, protecting, type RunningParts, running } from '../../support/protection.ts';

const byDefault = await Protection.start();
const scaling = await Protection.start({ InPlacePodVerticalScaling: true });
const TIME = '2026-07-02T08:00:00Z';
const WORDS = ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'];

const pods = fc.record({
  phase: fc.constantFrom('Running', 'Running', 'Running', 'Pending', 'Failed'),
  ready: fc.constantFrom('True', 'True', 'True', 'False', 'Unknown', undefined),
  leaving: fc.constantFrom(false, false, false, true),
  unavailable: fc.constantFrom(false, false, false, true),
  noProtect: fc.constantFrom(undefined, undefined, 'true', 'yes', '1', 'false'),
  related: fc.constantFrom('both', 'both', 'current', 'legacy', 'none', 'another'),
  grace: fc.constantFrom(false, false, false, true),
  forced: fc.boolean(),
});
const budgets = fc.record({
  operations: fc.subarray(WORDS),
  words: fc.constantFrom('', '', 'DELETE', 'EVICT,UPDATE', ',', 'delete', ' EVICT,RESIZE'),
  ignored: fc.constantFrom<JsonObject | undefined>(
    undefined,
    undefined,
    {},
    { matchLabels: { force: 'true' } },
    { matchExpressions: [{ key: 'force', operator: 'DoesNotExist' }] },
  ),
  desired: fc.constantFrom(0, 7, 7, 7),
  allowed: fc.constantFrom(-1, 0, 1, 5),
  record: fc.constantFrom('', '', '', 'disruptedPods', 'unavailablePods'),
});
const deeds = fc.constantFrom('delete', 'evict', 'image', 'cpu', 'cpu and label', 'label', 'labels', 'dry delete');

type Pod = typeof pods extends fc.Arbitrary<infer Value> ? Value : never;
type Budget = typeof budgets extends fc.Arbitrary<infer Value> ? Value : never;

function partsOf(pod: Pod): RunningParts {
  const related: Record<string, string> = {
    'pub.kruise.io/related-pub': { both: 'web-pub', current: 'web-pub', another: 'gone' }[pod.related as 'both'] ?? '',
    'kruise.io/related-pub': { both: 'web-pub', legacy: 'web-pub', another: 'web-pub' }[pod.related as 'both'] ?? '',
  };
  return {
    labels: {
      ...(pod.forced && { force: 'true' }),
      ...(pod.unavailable && { 'unavailable-pod.kruise.io/x': '' }),
    },
    annotations: {
      ...related,
      ...(pod.noProtect !== undefined && { 'pub.kruise.io/no-protect': pod.noProtect }),
      ...(pod.grace && { 'apps.kruise.io/inplace-update-grace': '{}' }),
    },
    containers: [main({ resources: { requests: { cpu: '1' } } })],
    spec: {},
    status: {
      phase: pod.phase,
      conditions: pod.ready === undefined ? [] : [{ type: 'Ready', status: pod.ready }],
    },
  };
}

function objectOf(parts: RunningParts, isLeaving: boolean): JsonObject {
  const pod = running(parts);
  return isLeaving ? { ...pod, metadata: { ...(pod.metadata as JsonObject), deletionTimestamp: TIME } } : pod;
}

function send(cluster: Protection, deed: string, pod: Pod): Verdict {
  const parts = partsOf(pod);
  const old = objectOf(parts, pod.leaving);
  const updated = (change: RunningParts) => objectOf({ ...parts, ...change }, pod.leaving);
  const cpu = [main({ resources: { requests: { cpu: '2' } } })];
  const marked = { ...parts.labels, 'unavailable-pod.kruise.io/y': '' };
  if (deed === 'delete') return cluster.delete(old);
  if (deed === 'dry delete') return cluster.delete(old, { options: { dryRun: ['All'] } });
  if (deed === 'evict') return cluster.evict(old);
  if (deed === 'image') return cluster.update(old, updated({ containers: [main({ image: 'web:2' })] }));
  if (deed === 'cpu') return cluster.update(old, updated({ containers: cpu }));
  if (deed === 'cpu and label') return cluster.update(old, updated({ containers: cpu, labels: marked }));
  if (deed === 'label') return cluster.update(old, updated({ labels: marked }));
  return cluster.update(old, updated({ labels: { ...parts.labels, other: 'x' } }));
}

/** The operation that a deed is; undefined for one that disturbs nobody. */
function operationOf(deed: string, pod: Pod): string | undefined {
  if (deed === 'delete' || deed === 'dry delete') return 'DELETE';
  if (deed === 'evict') return 'EVICT';
  if (deed === 'image') return 'UPDATE';
  if (deed === 'cpu') return 'RESIZE';
  if (deed === 'cpu and label') return pod.unavailable ? 'RESIZE' : 'UPDATE';
  return deed === 'label' && !pod.unavailable ? 'UPDATE' : undefined;
}

function isListed(operation: string, { operations, words }: Budget, isTold: boolean): boolean {
  const listed = operations.length > 0 ? operations : words.split(',').filter((word) => word !== '');
  const effective = listed.length > 0 ? listed : ['DELETE', 'UPDATE', 'EVICT'];
  return effective.includes(operation) || (operation === 'RESIZE' && !isTold && effective.includes('UPDATE'));
}

function expected(pod: Pod, budget: Budget, deed: string, isTold: boolean): string {
  const operation = operationOf(deed, pod);
  const isIgnored =
    budget.ignored !== undefined &&
    Object.keys(budget.ignored).length > 0 &&
    ('matchLabels' in budget.ignored ? pod.forced : !pod.forced);
  const isFree =
    operation === undefined ||
    pod.related === 'none' ||
    pod.related === 'another' ||
    ['true', '1'].includes(pod.noProtect ?? '') ||
    pod.phase !== 'Running' ||
    pod.ready !== 'True' ||
    pod.leaving ||
    pod.unavailable ||
    pod.grace ||
    isIgnored ||
    budget.desired === 0 ||
    !isListed(operation, budget, isTold) ||
    budget.record !== '';
  if (isFree) return 'free';
  if (budget.allowed <= 0) return 'denied';
  if (deed === 'dry delete') return 'free';
  return operation === 'UPDATE' ? 'unavailablePods' : 'disruptedPods';
}

test.each<[string, Protection, boolean]>([
  ['resizes count as updates', byDefault, false],
  ['resizes are told apart', scaling, true],
])('every request is free, charged or denied by the plain rules: %s', (_what, cluster, isTold) => {
  fc.assert(
    fc.property(pods, budgets, deeds, (pod, budget, deed) => {
      const held = protecting({
        spec: { protectOperations: budget.operations, ignoredPodSelector: budget.ignored ?? null },
        annotations: { 'kruise.io/pub-protect-operations': budget.words },
        status: {
          desiredAvailable: budget.desired,
          unavailableAllowed: budget.allowed,
          ...(budget.record !== '' && { [budget.record]: { 'web-0': '2026-07-02T07:59:55Z' } }),
        },
      });
      cluster.hold(held, objectOf(partsOf(pod), pod.leaving));
      const { allowed, code } = send(cluster, deed, pod);
      const wanted = expected(pod, budget, deed, isTold);
      expect([allowed, code]).toEqual(wanted === 'denied' ? [false, 403] : [true, 200]);
      const isCharged = wanted.endsWith('Pods');
      expect(cluster.status).toEqual({
        ...(held.status as JsonObject),
        ...(isCharged && { unavailableAllowed: budget.allowed - 1, [wanted]: { 'web-0': TIME } }),
      });
    }),
    { numRuns: 1500 },
  );
});
