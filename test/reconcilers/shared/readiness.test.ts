// Objections to a pod being ready, and how they are recorded (podreadiness.md 3 and 7).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { PlannedEffect } from '../../../kube/plan.ts';
import type { Pod } from '../../../reconcilers/shared/pod.ts';
import { claimNotReady, claimsOf, type NotReadyClaim, releaseNotReady } from '../../../reconcilers/shared/readiness.ts';
import { asStored } from '../../support/snapshot.ts';

const NOW = Date.parse('2026-07-02T08:00:00Z');
const LATER = NOW + 60_000;
const foo = { userAgent: 'ua1', key: 'foo' };
const bar = { userAgent: 'ua1', key: 'bar' };

function pod(conditions: JsonObject[] = [], gates: string[] = ['KruisePodReady']): Pod {
  const readinessGates = gates.map((conditionType) => ({ conditionType }));
  const spec = { containers: [], readinessGates };
  return asStored({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-0' },
    spec,
    status: { phase: 'Running', conditions },
  }) as Pod;
}

/** The pod as it is after the effect: conditions are merged by type, members that are null go. */
function written(of: Pod, effect: PlannedEffect | undefined): Pod {
  if (effect?.type !== 'patch') throw new Error('nothing was to be written');
  const { conditions: changed } = effect.patch.status as unknown as { conditions: JsonObject[] };
  const merged = new Map((of.status?.conditions ?? []).map((one): [string, JsonObject] => [one.type, { ...one }]));
  for (const one of changed) {
    const members = Object.entries({ ...merged.get(String(one.type)), ...one }).filter(([, value]) => value !== null);
    merged.set(String(one.type), Object.fromEntries(members));
  }
  return { ...of, status: { ...of.status, conditions: [...merged.values()] } } as unknown as Pod;
}

const claimed = (of: Pod, claim: NotReadyClaim, now: number) => written(of, claimNotReady(of, claim, now));
const released = (of: Pod, claim: NotReadyClaim, now: number) => written(of, releaseNotReady(of, claim, now));

function conditions(of: Pod, type = 'KruisePodReady'): unknown[] {
  return (of.status?.conditions ?? []).filter((condition) => condition.type === type);
}

describe('claims', () => {
  test('are listed by agent and key, in the words that others compare', () => {
    const both = claimed(claimed(pod(), foo, NOW), bar, LATER);
    expect(conditions(both)).toEqual([
      {
        type: 'KruisePodReady',
        status: 'False',
        message: '[{"userAgent":"ua1","key":"bar"},{"userAgent":"ua1","key":"foo"}]',
        lastTransitionTime: '2026-07-02T08:01:00Z',
      },
    ]);
  });

  test('are made once', () => {
    expect(claimNotReady(claimed(pod(), foo, NOW), foo, LATER)).toBeUndefined();
  });

  test('go one by one, and with the last the pod is free', () => {
    const both = claimed(claimed(pod(), foo, NOW), bar, NOW);
    const one = released(both, foo, LATER);
    expect(conditions(one)).toMatchObject([{ status: 'False', message: '[{"userAgent":"ua1","key":"bar"}]' }]);
    expect(conditions(released(one, bar, LATER))).toMatchObject([{ status: 'True', message: '[]' }]);
    expect(releaseNotReady(one, foo, LATER)).toBeUndefined();
    expect(releaseNotReady(pod(), foo, LATER)).toBeUndefined();
  });

  test('do not matter to a pod that does not wait for the condition', () => {
    expect(claimNotReady(pod([], ['other']), foo, NOW)).toBeUndefined();
  });

  test('that cannot be read are none', () => {
    for (const message of ['', 'x', '{}', '[1, null, {"key":"a"}]']) {
      expect(claimsOf(pod([{ type: 'KruisePodReady', status: 'False', message }]))).toEqual([]);
    }
  });

  test('have their letters written as Go writes them', () => {
    const made = claimed(pod(), { userAgent: 'a<b>&c', key: 'k' }, NOW);
    expect(made.status?.conditions?.[0]?.message).toBe('[{"userAgent":"a\\u003cb\\u003e\\u0026c","key":"k"}]');
    expect(claimsOf(made)).toEqual([{ userAgent: 'a<b>&c', key: 'k' }]);
  });

  test('are written only over the pod as it was read', () => {
    expect(claimNotReady(pod(), foo, NOW)).toMatchObject({
      subresource: 'status',
      patch: { metadata: { resourceVersion: '7' } },
    });
  });
});

describe('a pod that is ready', () => {
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2026-07-02T07:00:00Z' };
  const up = (status: string) => ({ type: 'ContainersReady', status });

  test('is not ready any more with the first claim, in the same update', () => {
    const made = claimed(pod([ready, up('True')], ['x', 'KruisePodReady']), foo, NOW);
    expect(conditions(made, 'Ready')).toEqual([
      {
        type: 'Ready',
        status: 'False',
        reason: 'ReadinessGatesNotReady',
        message: expect.stringMatching(/"x" does not exist.*"KruisePodReady" is not "True"/),
        lastTransitionTime: '2026-07-02T08:00:00Z',
      },
    ]);
  });

  test('is left to the kubelet while its containers are not up', () => {
    expect(conditions(claimed(pod([ready, up('False')]), foo, NOW), 'Ready')).toEqual([ready]);
  });
});
