// Which subset adopts a pod that names none, node by node (workloadspread.md 5.4).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { Subset } from '../../support/spreading.ts';
import { adoptedIn, ago, cloneSet, node, planFor, podIn, type RunningParts, spreadOf } from './support.ts';

describe('a pod without subset is adopted by its node:', () => {
  const zone = (z: string) => ({
    requiredNodeSelector: { matchExpressions: [{ key: 'zone', operator: 'In', values: [z] }] },
  });
  const one = (subsets: Subset[], nodeLabels: JsonObject, nodeSpec: JsonObject = {}, pod: RunningParts = {}) =>
    adoptedIn(planFor([spreadOf(subsets), cloneSet(5), node('n1', nodeLabels, nodeSpec), podIn(undefined, 'p', pod)])).p
      ?.subset;
  const taint = (effect: string) => ({ taints: [{ key: 't', value: 'v', effect }] });
  test.each<[string, Subset[], JsonObject, JsonObject, RunningParts, string | undefined]>([
    [
      'zone',
      [
        ['a', 1, zone('z1')],
        ['b', 1, zone('z2')],
      ],
      { zone: 'z2' },
      {},
      {},
      'b',
    ],
    [
      'none',
      [
        ['a', 1, zone('z1')],
        ['b', 1, zone('z2')],
      ],
      { zone: 'z3' },
      {},
      {},
      undefined,
    ],
    [
      'no selector matches all',
      [
        ['a', 1, zone('z1')],
        ['b', 1],
      ],
      { zone: 'z3' },
      {},
      {},
      'b',
    ],
    [
      'PreferNoSchedule not tolerated',
      [
        ['a', 1],
        ['b', 1, { tolerations: [{ operator: 'Exists' }] }],
      ],
      {},
      taint('PreferNoSchedule'),
      {},
      'b',
    ],
    [
      'NoExecute tolerated by the pod',
      [
        ['a', 1],
        ['b', 1],
      ],
      {},
      taint('NoExecute'),
      { spec: { tolerations: [{ key: 't', operator: 'Exists' }] } },
      'a',
    ],
    [
      'toleration of other value',
      [
        ['a', 1, { tolerations: [{ key: 't', value: 'w' }] }],
        ['b', 1, { tolerations: [{ key: 't', value: 'v' }] }],
      ],
      {},
      taint('NoSchedule'),
      {},
      'b',
    ],
    [
      'preferred weight wins',
      [
        ['a', 1, { preferredNodeSelector: [{ weight: 1, preference: zone('z1').requiredNodeSelector }] }],
        ['b', 1, { preferredNodeSelector: [{ weight: 2, preference: zone('z1').requiredNodeSelector }] }],
      ],
      { zone: 'z1' },
      {},
      {},
      'b',
    ],
    [
      'preferred sum',
      [
        [
          'a',
          1,
          {
            preferredNodeSelector: [
              { weight: 1, preference: zone('z1').requiredNodeSelector },
              { weight: 2, preference: zone('z1').requiredNodeSelector },
            ],
          },
        ],
        ['b', 1, { preferredNodeSelector: [{ weight: 2, preference: zone('z1').requiredNodeSelector }] }],
      ],
      { zone: 'z1' },
      {},
      {},
      'a',
    ],
    [
      'patched beats room',
      [
        ['a', 1],
        ['b', 0, { patch: { metadata: { labels: { app: 'web' } } } }],
      ],
      {},
      {},
      {},
      'b',
    ],
    [
      'not patched',
      [
        ['a', 1],
        ['b', 1, { patch: { metadata: { labels: { sub: 'b' } } } }],
      ],
      {},
      {},
      {},
      'a',
    ],
    [
      'patched but for annotations',
      [
        ['a', 1],
        ['b', 1, { patch: { metadata: { annotations: { q: 'r' } } } }],
      ],
      {},
      {},
      {},
      'b',
    ],
    [
      'room beats order',
      [
        ['a', 0],
        ['b', 1],
      ],
      {},
      {},
      {},
      'b',
    ],
    [
      'none has room: the first',
      [
        ['a', 0],
        ['b', 0],
      ],
      {},
      {},
      {},
      'a',
    ],
    [
      'own required terms too',
      [['a', 1, zone('z1')]],
      { zone: 'z1', disk: 'hdd' },
      {},
      {
        spec: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }],
              },
            },
          },
        },
      },
      undefined,
    ],
    ['own empty term', [['a', 1, { requiredNodeSelector: {} }]], { zone: 'z1' }, {}, {}, undefined],
    ['terminating', [['a', 1]], {}, {}, { metadata: { deletionTimestamp: ago(1) } }, undefined],
    ['unassigned', [['a', 1]], {}, {}, { node: '' }, undefined],
    ['unknown node', [['a', 1]], {}, {}, { node: 'n9' }, undefined],
    [
      'of another spread',
      [['a', 1]],
      {},
      {},
      { annotations: { 'apps.kruise.io/matched-workloadspread': '{"name":"other","subset":"z"}' } },
      'a',
    ],
    [
      'empty subset',
      [['a', 1]],
      {},
      {},
      { annotations: { 'apps.kruise.io/matched-workloadspread': '{"name":"spread","subset":""}' } },
      'a',
    ],
    [
      'of a subset that is gone',
      [['a', 1]],
      {},
      {},
      { annotations: { 'apps.kruise.io/matched-workloadspread': '{"name":"spread","subset":"z"}' } },
      undefined,
    ],
  ])('%s', (_what, subsets, labels, spec, pod, expected) => expect(one(subsets, labels, spec, pod)).toBe(expected));
});
