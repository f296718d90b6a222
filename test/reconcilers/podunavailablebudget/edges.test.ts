// When records end, to the millisecond, and what every form of amount comes to (podunavailablebudget.md 7.3 and 7.5).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { ago, budget, countersIn, deployment, effectsIn, NOW, planFor } from './support.ts';

describe('a budget of ten pods', () => {
  const spec = { selector: { matchLabels: { app: 'web' } }, maxUnavailable: '30%' };
  const run = (status: JsonObject, at = NOW, n = 10) => {
    const plan = planFor([budget(spec, status), ...deployment(10, n)], at);
    return [countersIn(plan), plan.requeueAfterMs, effectsIn(plan, 'event').map((expected) => expected.reason)];
  };
  test('edges', () => {
    expect(run({ disruptedPods: { 'web-0': ago(20) } })).toEqual([[10, 7, 9, 2], 1, []]);
    expect(run({ disruptedPods: { 'web-0': ago(20) } }, NOW + 1)).toEqual([[10, 7, 10, 3], undefined, ['NotDeleted']]);
    expect(run({ unavailablePods: { 'web-0': ago(10) } })).toEqual([[10, 7, 9, 2], 1, []]);
    expect(run({ unavailablePods: { 'web-0': ago(10) } }, NOW + 1)).toEqual([[10, 7, 10, 3], undefined, []]);
    expect(run({ disruptedPods: { 'web-0': ago(5) }, unavailablePods: { 'web-0': ago(9), 'web-1': ago(2) } })).toEqual([
      [10, 7, 8, 1],
      1001,
      [],
    ]);
    expect(run({ disruptedPods: { zzz: ago(5) } })).toEqual([[10, 7, 10, 3], undefined, []]);
  });
  test.each<[JsonObject, number, unknown]>([
    [{ maxUnavailable: '10%' }, 15, [15, 13, 10, 0]],
    [{ maxUnavailable: '30%' }, 1, [1, 0, 10, 10]],
    [{ maxUnavailable: 100 }, 10, [10, 0, 10, 10]],
    [{ maxUnavailable: '0%' }, 10, [10, 10, 10, 0]],
    [{ maxUnavailable: 0 }, 10, [10, 10, 10, 0]],
    [{ minAvailable: '50%' }, 5, [5, 3, 10, 7]],
    [{ minAvailable: '80%' }, 10, [10, 8, 10, 2]],
    [{ minAvailable: 100 }, 10, [10, 100, 10, 0]],
    [{ minAvailable: '1%' }, 10, [10, 1, 10, 9]],
    [{ minAvailable: '100%' }, 7, [7, 7, 10, 3]],
    [{ minAvailable: 0 }, 7, [7, 0, 10, 10]],
    [{ maxUnavailable: 1, minAvailable: 9 }, 4, [4, 3, 10, 7]],
  ])('%j of %i', (b, n, expected) => {
    expect(
      countersIn(planFor([budget({ selector: { matchLabels: { app: 'web' } }, ...b }), ...deployment(n, 10)])),
    ).toEqual(expected);
  });
});
