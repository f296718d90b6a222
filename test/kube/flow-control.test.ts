import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RetryBudget, TokenBucket } from '../../kube/flow-control.ts';

describe('limits of requests', () => {
  const asked = fc.array(fc.record({ afterMs: fc.nat(2000), limitMs: fc.nat(5000) }), { maxLength: 200 });

  test('in no span of time more are sent than the burst and what the rate gives', () => {
    fc.assert(
      fc.property(asked, fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 20 }), (asks, qps, burst) => {
        let now = 0;
        const bucket = new TokenBucket({ qps, burst, monotonic: () => now });
        const sent: number[] = [];
        for (const { afterMs, limitMs } of asks) {
          now += afterMs;
          const waitMs = bucket.take(limitMs);
          if (waitMs === undefined) continue;
          expect(waitMs).toBeLessThanOrEqual(limitMs);
          sent.push(now + waitMs);
        }
        expect(sent).toEqual([...sent].sort((a, b) => a - b));
        for (const [first, from] of sent.entries()) {
          for (const [last, to] of sent.entries()) {
            if (last < first) continue;
            expect(last - first + 1).toBeLessThanOrEqual(burst + ((to - from) / 1000) * qps + 1e-6);
          }
        }
      }),
    );
  });

  test('a clock that steps back gives nothing away', () => {
    let now = 10_000;
    const bucket = new TokenBucket({ qps: 1, burst: 1, monotonic: () => now });
    expect(bucket.take(0)).toBe(0);
    now = 0;
    expect(bucket.take(0)).toBeUndefined();
  });

  test('a rate of zero is no limit', () => {
    const bucket = new TokenBucket({ qps: 0, burst: 1, monotonic: () => 0 });
    expect(Array.from({ length: 1000 }, () => bucket.take(0)).every((waitMs) => waitMs === 0)).toBe(true);
  });

  test('what is sent again is a fifth of what was answered, ten at most after a quiet time', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 500 }), (answers) => {
        const budget = new RetryBudget();
        let earned = 0;
        let spent = 0;
        for (const isAnswer of answers) {
          if (isAnswer) {
            budget.earn();
            earned++;
          } else if (budget.spend()) spent++;
          expect(spent).toBeLessThanOrEqual(10 + earned / 5 + 1e-6);
        }
      }),
    );
  });
});
