// Which pods get the condition KruisePodReady (podreadiness.md 2 and 7).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { podReadiness } from '../../../reconcilers/podreadiness/controller.ts';
import { asStored, lookUpIn, snapshot } from '../../support/snapshot.ts';

const NOW = Date.parse('2026-07-02T08:00:00Z');
const GATE = { spec: { containers: [], readinessGates: [{ conditionType: 'KruisePodReady' }] } };

function pod(parts: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-0', ...metadata },
    spec: { containers: [] },
    ...parts,
  };
}

function having(condition: JsonObject): JsonObject {
  return { ...GATE, status: { conditions: [{ type: 'KruisePodReady', ...condition }] } };
}

function planFor(object: JsonObject) {
  const state = podReadiness.fetch(
    snapshot(podReadiness, [object]),
    { namespace: 'shop', name: 'web-0' },
    lookUpIn([]),
  );
  return state === undefined ? { groups: [] } : podReadiness.plan(state, NOW);
}

describe('a pod', () => {
  test.each<[string, JsonObject, boolean]>([
    ['that waits for the condition', pod(GATE), true],
    ['that waits for another one', pod({ spec: { containers: [], readinessGates: [{ conditionType: 'x' }] } }), false],
    ['that waits for nothing', pod({}), false],
    ['that is being deleted', pod(GATE, { deletionTimestamp: '2026-07-02T07:59:00Z' }), false],
    ['that has the condition', pod(having({ status: 'True' })), false],
    ['that somebody objects to', pod(having({ status: 'False', message: '[{"userAgent":"a","key":"b"}]' })), false],
    ['with a condition that says nothing', pod(having({ status: '', message: '[]' })), true],
    ['with objections and no status', pod(having({ status: '', message: '[{"userAgent":"a","key":"b"}]' })), false],
  ])('%s', (_what, object, isWaiting) => {
    const [watch] = podReadiness.watches;
    const reader = snapshot(podReadiness, [object]);
    expect(watch?.keys({ new: asStored(object) }, reader)).toHaveLength(Number(isWaiting));
    expect(watch?.keys({ old: asStored(object) }, reader)).toEqual([]);
    expect(planFor(object).groups.flat()).toHaveLength(Number(isWaiting));
  });

  test('gets the condition True, unless it was written meanwhile', () => {
    expect(planFor(pod(GATE)).groups).toEqual([
      [
        {
          type: 'patch',
          resource: expect.objectContaining({ plural: 'pods' }),
          reference: expect.objectContaining({ namespace: 'shop', name: 'web-0' }),
          subresource: 'status',
          patchType: 'strategic',
          patch: {
            metadata: { uid: 'uid-Pod-web-0', resourceVersion: '7' },
            status: {
              conditions: [{ type: 'KruisePodReady', status: 'True', lastTransitionTime: '2026-07-02T08:00:00Z' }],
            },
          },
        },
      ],
    ]);
  });
});
