// What a budget protects from, and what an update counts as (podunavailablebudget.md 1.6 and 5.4).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { main, mainStatus, Protection, protecting, type RunningParts, running } from '../../support/protection.ts';

const byDefault = await Protection.start();
const scaling = await Protection.start({ InPlacePodVerticalScaling: true });
const TIME = '2026-07-02T08:00:00Z';

describe('without a unit left, what is denied with', () => {
  const cpu = (v: string): RunningParts => ({ containers: [main({ resources: { requests: { cpu: v } } })] });
  type Op = 'DELETE' | 'UPDATE' | 'EVICT' | 'RESIZE';
  const send = (c: Protection, op: Op) => {
    const p = running(cpu('1'));
    if (op === 'DELETE') return c.delete(p);
    if (op === 'EVICT') return c.evict(p);
    if (op === 'RESIZE') return c.update(p, running(cpu('2')));
    return c.update(p, running({ ...cpu('1'), spec: { activeDeadlineSeconds: 9 } }));
  };
  const rows: [string, Protection, JsonObject, Record<string, string>, Op[]][] = [
    ['off default', byDefault, {}, {}, ['DELETE', 'UPDATE', 'EVICT', 'RESIZE']],
    ['off empty list', byDefault, { protectOperations: [] }, {}, ['DELETE', 'UPDATE', 'EVICT', 'RESIZE']],
    ['off EVICT', byDefault, { protectOperations: ['EVICT'] }, {}, ['EVICT']],
    ['off RESIZE DELETE', byDefault, { protectOperations: ['RESIZE', 'DELETE'] }, {}, ['DELETE', 'RESIZE']],
    ['off UPDATE', byDefault, { protectOperations: ['UPDATE'] }, {}, ['UPDATE', 'RESIZE']],
    ['on default', scaling, {}, {}, ['DELETE', 'UPDATE', 'EVICT']],
    ['on EVICT UPDATE', scaling, { protectOperations: ['EVICT', 'UPDATE'] }, {}, ['UPDATE', 'EVICT']],
    ['on RESIZE', scaling, { protectOperations: ['RESIZE'] }, {}, ['RESIZE']],
    [
      'on all',
      scaling,
      { protectOperations: ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'] },
      {},
      ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'],
    ],
    [
      'spec beats annotation',
      byDefault,
      { protectOperations: ['EVICT'] },
      { 'kruise.io/pub-protect-operations': 'DELETE' },
      ['EVICT'],
    ],
    [
      'annotation UPDATE implies RESIZE',
      byDefault,
      {},
      { 'kruise.io/pub-protect-operations': 'UPDATE' },
      ['UPDATE', 'RESIZE'],
    ],
    ['annotation RESIZE on', scaling, {}, { 'kruise.io/pub-protect-operations': 'RESIZE,EVICT' }, ['EVICT', 'RESIZE']],
    [
      'annotation empty',
      byDefault,
      {},
      { 'kruise.io/pub-protect-operations': '' },
      ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'],
    ],
    ['annotation lower', byDefault, {}, { 'kruise.io/pub-protect-operations': 'delete,evict' }, []],
    ['annotation space leading', byDefault, {}, { 'kruise.io/pub-protect-operations': ' DELETE,EVICT' }, ['EVICT']],
    ['annotation blank', byDefault, {}, { 'kruise.io/pub-protect-operations': ' ' }, []],
    [
      'spec null',
      byDefault,
      { protectOperations: null },
      { 'kruise.io/pub-protect-operations': 'EVICT,,DELETE' },
      ['DELETE', 'EVICT'],
    ],
  ];
  test.each(rows)('%s', (_what, c, spec, annotations, ops) => {
    const denied = (['DELETE', 'UPDATE', 'EVICT', 'RESIZE'] as Op[]).filter((op) => {
      c.hold(protecting({ spec, annotations, status: { unavailableAllowed: 0 } }), running(cpu('1')));
      return !send(c, op).allowed;
    });
    expect(denied).toEqual(ops);
  });
});

describe('an update is charged by what it changes:', () => {
  const res = (requests: JsonObject | null, limits: JsonObject | null = null, more: JsonObject = {}) =>
    main({ resources: { ...(requests && { requests }), ...(limits && { limits }) }, ...more });
  type Row = [string, RunningParts, RunningParts, 'free' | 'unavailablePods' | 'disruptedPods'];
  const listing = { protectOperations: ['RESIZE', 'UPDATE'] };
  test.each<Row>([
    [
      'memory down',
      { containers: [res({ memory: '2Gi' })] },
      { containers: [res({ memory: '1Gi' })] },
      'disruptedPods',
    ],
    [
      'memory removed, cpu stays',
      { containers: [res({ memory: '2Gi', cpu: '1' })] },
      { containers: [res({ cpu: '1' })] },
      'disruptedPods',
    ],
    [
      'memory policy restart, cpu changes',
      {
        containers: [
          res({ cpu: '1', memory: '1Gi' }, null, {
            resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }],
          }),
        ],
      },
      {
        containers: [
          res({ cpu: '2', memory: '1Gi' }, null, {
            resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }],
          }),
        ],
      },
      'disruptedPods',
    ],
    [
      'memory policy restart, memory changes',
      {
        containers: [
          res({ cpu: '1', memory: '1Gi' }, null, {
            resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }],
          }),
        ],
      },
      {
        containers: [
          res({ cpu: '1', memory: '2Gi' }, null, {
            resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }],
          }),
        ],
      },
      'unavailablePods',
    ],
    [
      'empty policy',
      { containers: [res({ cpu: '1' }, null, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: '' }] })] },
      { containers: [res({ cpu: '2' }, null, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: '' }] })] },
      'disruptedPods',
    ],
    [
      'NotRequired',
      {
        containers: [
          res({ cpu: '1' }, null, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
        ],
      },
      {
        containers: [
          res({ cpu: '2' }, null, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
        ],
      },
      'disruptedPods',
    ],
    [
      'policy itself changes',
      { containers: [res({ cpu: '1' })] },
      {
        containers: [
          res({ cpu: '1' }, null, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
        ],
      },
      'unavailablePods',
    ],
    [
      'claims only',
      { containers: [res({ cpu: '1' })] },
      { containers: [main({ resources: { requests: { cpu: '1' }, claims: [{ name: 'g' }] } })] },
      'disruptedPods',
    ],
    [
      'hugepages',
      { containers: [res({ cpu: '1', 'hugepages-2Mi': '2Mi' })] },
      { containers: [res({ cpu: '1', 'hugepages-2Mi': '4Mi' })] },
      'unavailablePods',
    ],
    [
      'gpu added',
      { containers: [res({ cpu: '1' })] },
      { containers: [res({ cpu: '1' }, { 'nvidia.com/gpu': '1' })] },
      'unavailablePods',
    ],
    [
      'other resource the same in other spelling, cpu changes',
      { containers: [res({ cpu: '1', 'ephemeral-storage': '1Gi' })] },
      { containers: [res({ cpu: '2', 'ephemeral-storage': '1024Mi' })] },
      'disruptedPods',
    ],
    [
      'init resources',
      { spec: { initContainers: [res({ cpu: '1' }, null, { name: 'i' })] } },
      { spec: { initContainers: [res({ cpu: '2' }, null, { name: 'i' })] } },
      'unavailablePods',
    ],
    [
      'init image',
      { spec: { initContainers: [main({ name: 'i' })] } },
      { spec: { initContainers: [main({ name: 'i', image: 'i:2' })] } },
      'unavailablePods',
    ],
    [
      'pod level resources',
      { spec: { resources: { requests: { cpu: '1' } } } },
      { spec: { resources: { requests: { cpu: '2' } } } },
      'unavailablePods',
    ],
    [
      'two containers, one resized, one new image',
      { containers: [res({ cpu: '1' }), main({ name: 'b' })] },
      { containers: [res({ cpu: '2' }), main({ name: 'b', image: 'b:2' })] },
      'unavailablePods',
    ],
    [
      'two containers, both resized',
      { containers: [res({ cpu: '1' }), res({ memory: '1Gi' }, null, { name: 'b' })] },
      { containers: [res({ cpu: '2' }), res({ memory: '2Gi' }, null, { name: 'b' })] },
      'disruptedPods',
    ],
    [
      'containers swapped',
      { containers: [res({ cpu: '1' }), main({ name: 'b' })] },
      { containers: [main({ name: 'b' }), res({ cpu: '1' })] },
      'unavailablePods',
    ],
    [
      'a container less',
      { containers: [res({ cpu: '1' }), main({ name: 'b' })] },
      { containers: [res({ cpu: '1' })] },
      'unavailablePods',
    ],
    [
      'burstable to guaranteed',
      { containers: [res({ cpu: '1', memory: '1Gi' }, { cpu: '2', memory: '1Gi' })] },
      { containers: [res({ cpu: '2', memory: '1Gi' }, { cpu: '2', memory: '1Gi' })] },
      'unavailablePods',
    ],
    [
      'guaranteed to guaranteed',
      { containers: [res({ cpu: '1', memory: '1Gi' }, { cpu: '1', memory: '1Gi' })] },
      { containers: [res({ cpu: '2', memory: '1Gi' }, { cpu: '2000m', memory: '1Gi' })] },
      'disruptedPods',
    ],
    ['besteffort to burstable', { containers: [main()] }, { containers: [res({ cpu: '1' })] }, 'unavailablePods'],
    [
      'zero cpu is besteffort',
      { containers: [res({ cpu: '0' })] },
      { containers: [res({ cpu: '1' })] },
      'unavailablePods',
    ],
    ['besteffort to zero cpu', { containers: [main()] }, { containers: [res({ cpu: '0' })] }, 'disruptedPods'],
    [
      'init makes burstable',
      { containers: [main()], spec: { initContainers: [res({ cpu: '1' }, null, { name: 'i' })] } },
      { containers: [res({ cpu: '1' })], spec: { initContainers: [res({ cpu: '1' }, null, { name: 'i' })] } },
      'disruptedPods',
    ],
    [
      'limit added',
      { containers: [res({ cpu: '1' })] },
      { containers: [res({ cpu: '1' }, { cpu: '2' })] },
      'disruptedPods',
    ],
    [
      'config source api',
      { containers: [res({ cpu: '1' })], annotations: { 'kubernetes.io/config.source': 'api' } },
      { containers: [res({ cpu: '2' })], annotations: { 'kubernetes.io/config.source': 'api' } },
      'disruptedPods',
    ],
    [
      'config source empty',
      { containers: [res({ cpu: '1' })], annotations: { 'kubernetes.io/config.source': '' } },
      { containers: [res({ cpu: '2' })], annotations: { 'kubernetes.io/config.source': '' } },
      'unavailablePods',
    ],
    [
      'config source only new',
      { containers: [res({ cpu: '1' })] },
      { containers: [res({ cpu: '2' })], annotations: { 'kubernetes.io/config.source': 'http' } },
      'unavailablePods',
    ],
    [
      'config source only old',
      { containers: [res({ cpu: '1' })], annotations: { 'kubernetes.io/config.source': 'file' } },
      { containers: [res({ cpu: '2' })] },
      'unavailablePods',
    ],
    [
      'label and cpu',
      { containers: [res({ cpu: '1' })] },
      { containers: [res({ cpu: '2' })], labels: { 'unavailable-pod.kruise.io/x': '' } },
      'unavailablePods',
    ],
    ['pod becomes terminating', {}, { metadata: { deletionTimestamp: TIME } }, 'free'],
    ['finalizers', {}, { metadata: { finalizers: ['a'] } }, 'free'],
    [
      'nested empties',
      { containers: [main({ env: [], securityContext: {}, ports: null })] },
      { containers: [main()] },
      'free',
    ],
    [
      'quantity in resources of init',
      { spec: { initContainers: [res({ cpu: '1' }, null, { name: 'i' })] } },
      { spec: { initContainers: [res({ cpu: '1000m' }, null, { name: 'i' })] } },
      'free',
    ],
    [
      'overhead spelled otherwise',
      { spec: { overhead: { memory: '1Gi' } } },
      { spec: { overhead: { memory: '1024Mi' } } },
      'free',
    ],
    [
      'sizeLimit spelled otherwise',
      { spec: { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }] } },
      { spec: { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1024Mi' } }] } },
      'free',
    ],
    ['scheduling gates removed', { spec: { schedulingGates: [{ name: 'a' }] } }, {}, 'unavailablePods'],
    ['ephemeral container', {}, { spec: { ephemeralContainers: [{ name: 'e', image: 'e' }] } }, 'unavailablePods'],
    [
      'order of tolerations',
      { spec: { tolerations: [{ key: 'a' }, { key: 'b' }] } },
      { spec: { tolerations: [{ key: 'b' }, { key: 'a' }] } },
      'unavailablePods',
    ],
  ])('%s', (_what, from, to, expected) => {
    const held = protecting({ spec: listing });
    scaling.hold(held);
    const f = (p: RunningParts): RunningParts => ({
      ...p,
      containerStatuses: [mainStatus(), mainStatus({ name: 'b' })],
    });
    const v = scaling.update(running(f(from)), running(f(to)));
    expect(v.allowed).toBe(true);
    const s = scaling.status;
    const got = s.unavailableAllowed === 1 ? 'free' : Object.keys(s).find((k) => k.endsWith('Pods'));
    expect(got).toBe(expected);
  });
});
