// What a subset puts on a pod: affinity, tolerations, and the patch behind them (workloadspread.md 3.6).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { MATCHED, podOf, Spreading, spread } from '../../support/spreading.ts';

const cluster = await Spreading.start();

describe('what a subset puts on a pod:', () => {
  const PREF = 'preferredDuringSchedulingIgnoredDuringExecution';
  const REQ = 'requiredDuringSchedulingIgnoredDuringExecution';
  const zone = (...v: string[]) => ({ matchExpressions: [{ key: 'zone', operator: 'In', values: v }] });
  const put = (more: JsonObject, podSpec: JsonObject = {}) => {
    cluster.hold(spread([['a', 9, more], ['b']]));
    return cluster.createdSpec(podOf('p', { spec: podSpec }));
  };
  test('preferred behind, required into an empty list, other affinity stays', () => {
    const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'x' }] };
    const s = put(
      { preferredNodeSelector: [{ weight: 5, preference: zone('s') }], requiredNodeSelector: zone('r') },
      {
        affinity: {
          podAffinity,
          nodeAffinity: { [PREF]: [{ weight: 1, preference: zone('p') }], [REQ]: { nodeSelectorTerms: [] } },
        },
      },
    );
    expect(s.affinity).toEqual({
      podAffinity,
      nodeAffinity: {
        [PREF]: [
          { weight: 1, preference: zone('p') },
          { weight: 5, preference: zone('s') },
        ],
        [REQ]: { nodeSelectorTerms: [zone('r')] },
      },
    });
  });
  test('affinity null', () =>
    expect(put({ requiredNodeSelector: zone('r') }, { affinity: null }).affinity).toEqual({
      nodeAffinity: { [REQ]: { nodeSelectorTerms: [zone('r')] } },
    }));
  test('nodeAffinity null', () =>
    expect(put({}, { affinity: { nodeAffinity: null } }).affinity).toEqual({ nodeAffinity: {} }));
  test('required null in pod', () =>
    expect(put({ requiredNodeSelector: zone('r') }, { affinity: { nodeAffinity: { [REQ]: null } } }).affinity).toEqual({
      nodeAffinity: { [REQ]: { nodeSelectorTerms: [zone('r')] } },
    }));
  test('a term of the pod with fields only', () => {
    const f = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] };
    expect(
      put(
        { requiredNodeSelector: zone('r') },
        { affinity: { nodeAffinity: { [REQ]: { nodeSelectorTerms: [f, {}] } } } },
      ).affinity,
    ).toEqual({ nodeAffinity: { [REQ]: { nodeSelectorTerms: [{ ...f, ...zone('r') }, zone('r')] } } });
  });
  test('the same expression twice is not merged', () => {
    expect(
      put(
        { requiredNodeSelector: zone('r') },
        { affinity: { nodeAffinity: { [REQ]: { nodeSelectorTerms: [zone('r')] } } } },
      ).affinity,
    ).toEqual({
      nodeAffinity: {
        [REQ]: {
          nodeSelectorTerms: [{ matchExpressions: [...zone('r').matchExpressions, ...zone('r').matchExpressions] }],
        },
      },
    });
  });
  test('an empty required selector gives an empty term', () => {
    expect(put({ requiredNodeSelector: {} }).affinity).toEqual({
      nodeAffinity: { [REQ]: { nodeSelectorTerms: [{}] } },
    });
  });
  test('tolerations null in the pod', () =>
    expect(put({ tolerations: [{ key: 'k', operator: 'Exists' }] }, { tolerations: null }).tolerations).toEqual([
      { key: 'k', operator: 'Exists' },
    ]));
  test('the same toleration twice', () =>
    expect(
      put({ tolerations: [{ key: 'k', operator: 'Exists' }] }, { tolerations: [{ key: 'k', operator: 'Exists' }] })
        .tolerations,
    ).toHaveLength(2));
  test('annotation is set after the patch', () => {
    cluster.hold(spread([['a', 9, { patch: { metadata: { annotations: { [MATCHED]: 'x', b: 'c' } } } }], ['b']]));
    const m = cluster.create(podOf('p')).object?.metadata as JsonObject;
    expect(m.annotations).toEqual({ [MATCHED]: '{"name":"spread","subset":"a"}', b: 'c' });
  });
  test('names with odd letters', () => {
    cluster.hold(spread([['a<b>&"', 9], ['b']]));
    const m = cluster.create(podOf('p')).object?.metadata as JsonObject;
    expect((m.annotations as JsonObject)[MATCHED]).toBe('{"name":"spread","subset":"a\\u003cb\\u003e\\u0026\\""}');
  });
  test('patch deletes annotations', () => {
    cluster.hold(spread([['a', 9, { patch: { metadata: { annotations: null, labels: null } } }], ['b']]));
    const m = cluster.create(podOf('p', { annotations: { q: 'r' } })).object?.metadata as JsonObject;
    expect(m.annotations).toEqual({ [MATCHED]: '{"name":"spread","subset":"a"}' });
    expect(m.labels ?? {}).toEqual({});
  });
  test('patch removes what the steps before put there', () => {
    const s = put(
      {
        tolerations: [{ key: 'k' }],
        requiredNodeSelector: zone('r'),
        patch: { spec: { affinity: null, tolerations: [{ key: 'z' }] } },
      },
      { tolerations: [{ key: 'own' }] },
    );
    expect(s.affinity ?? null).toBeNull();
    expect(s.tolerations).toEqual([{ key: 'z' }]);
  });
});
