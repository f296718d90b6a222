// Probes of PodProbeMarkers written on new pods, for nodes without a daemon (podprobemarker.md 6.1, 10).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { container, pod } from '../../support/builders/pod.ts';
import { probe, probeMarker } from '../../support/builders/policies.ts';
import { sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { Injection } from '../../support/injection.ts';
import * as see from '../../support/see.ts';

const PROBES = 'kruise.io/podprobe';
const LIST = 'kruise.io/podprobemarker-list';

/** `container/probe` of each probe on the pod, and the list of markers. */
function handedOver(created: JsonObject): [string[] | undefined, unknown] {
  const text = see.annotation(PROBES)(created);
  const list = see.annotation(LIST)(created);
  if (text === undefined) return [undefined, list];
  const probes = JSON.parse(String(text)) as { containerName: string; name: string }[];
  return [probes.map(({ containerName, name }) => `${containerName}/${name}`), list];
}

describe('a new pod', async () => {
  const injection = await Injection.start({ EnablePodProbeMarkerOnServerless: true });

  test('carries its probes, without what is done about their results', () => {
    const idle = probe('idle', {
      probe: { periodSeconds: 5, exec: { command: ['sh', '-c', '/h.sh <&>'] }, timeoutSeconds: 0 },
    });
    const created = injection.hold(probeMarker('m', [idle])).create(pod());
    expect(see.annotations(created)).toMatchObject({
      [PROBES]:
        '[{"name":"idle","containerName":"app","probe":{"exec":{"command":["sh","-c","/h.sh \\u003c\\u0026\\u003e"]},"periodSeconds":5},"podConditionType":"game.io/idle"}]',
      [LIST]: 'm',
    });
  });

  test.each<[string, JsonObject[], Parameters<typeof pod>[0], [string[] | undefined, unknown]]>([
    [
      'of several markers, by name',
      [probeMarker('n', [probe('b')]), probeMarker('m', [probe('a')])],
      {},
      [['app/a', 'app/b'], 'm,n'],
    ],
    [
      'of a marker that selects others',
      [probeMarker('m', [probe('a')], { matchLabels: { app: 'api' } })],
      {},
      [undefined, undefined],
    ],
    ['of a marker that selects everything', [probeMarker('m', [probe('a')], {})], {}, [undefined, undefined]],
    [
      'of a marker whose selector is wrong',
      [probeMarker('m', [probe('a')], { matchExpressions: [{ key: 'a', operator: 'Is' }] })],
      {},
      [undefined, undefined],
    ],
    [
      'of another namespace',
      [{ ...probeMarker('m', [probe('a')]), metadata: { name: 'm', namespace: 'other' } }],
      {},
      [undefined, undefined],
    ],
    [
      'without a condition',
      [probeMarker('m', [probe('a', { podConditionType: '' }), probe('b')])],
      {},
      [['app/b'], 'm'],
    ],
    [
      'of a container that it has not',
      [probeMarker('m', [probe('a', { containerName: 'no' })])],
      {},
      [undefined, undefined],
    ],
    [
      'with a condition that is taken',
      [probeMarker('m', [probe('a')]), probeMarker('n', [probe('b', { podConditionType: 'game.io/a' }), probe('c')])],
      {},
      [['app/a', 'app/c'], 'm,n'],
    ],
    [
      'of a marker that has nothing to add',
      [probeMarker('m', [probe('a')]), probeMarker('n', [probe('b', { podConditionType: 'game.io/a' })])],
      {},
      [['app/a'], 'm'],
    ],
    [
      'of the same container and name',
      [probeMarker('m', [probe('a')]), probeMarker('n', [probe('a', { podConditionType: 'game.io/b' })])],
      {},
      [['app/a'], 'm'],
    ],
    [
      'of the same name in two containers',
      [probeMarker('m', [probe('a'), probe('a', { containerName: 'two', podConditionType: 'game.io/b' })])],
      { containers: [container('app'), container('two')] },
      [['app/a', 'two/a'], 'm'],
    ],
    [
      'of init containers that go on running, not of others',
      [probeMarker('m', [probe('a', { containerName: 'stays' }), probe('b', { containerName: 'ends' })])],
      { initContainers: [container('stays', { restartPolicy: 'Always' }), container('ends')] },
      [['stays/a'], 'm'],
    ],
    [
      'of the markers that it names, in its order',
      [
        probeMarker('a', [probe('x')], { matchLabels: { app: 'api' } }),
        probeMarker('b', [probe('y')]),
        probeMarker('c', [probe('z')]),
      ],
      { annotations: { [LIST]: 'b,gone,,a' } },
      [['app/y', 'app/x'], 'a,b'],
    ],
    [
      'of a marker that it names twice',
      [probeMarker('a', [probe('x')])],
      { annotations: { [LIST]: 'a,a' } },
      [['app/x'], 'a'],
    ],
    [
      'of markers that are gone',
      [probeMarker('a', [probe('x')])],
      { annotations: { [LIST]: 'gone' } },
      [undefined, 'gone'],
    ],
  ])('carries probes %s', (_what, markers, parts, expected) => {
    expect(handedOver(injection.hold(...markers).create(pod(parts)))).toEqual(expected);
  });

  test('carries those of its sidecars', () => {
    const set = sidecarSet('logs', { containers: [sidecar('log')] });
    const marker = probeMarker('m', [probe('a', { containerName: 'log' })]);
    expect(handedOver(injection.hold(set, marker).create(pod()))).toEqual([['log/a'], 'm']);
  });

  test('keeps in a second pass what the first one chose, though its list was sorted', () => {
    const clash = { podConditionType: 'game.io/same' };
    const markers = [probeMarker('a', [probe('x', clash), probe('y')]), probeMarker('b', [probe('z', clash)])];
    const once = injection.hold(...markers).create(pod({ annotations: { [LIST]: 'b,a' } }));
    expect(handedOver(once)).toEqual([['app/z', 'app/y'], 'a,b']);
    expect(injection.create(once)).toEqual(once);
  });

  test('gets in a second pass the probes of a container that came meanwhile', () => {
    const marker = probeMarker('m', [probe('late', { containerName: 'late' }), probe('a')]);
    const once = injection.hold(marker).create(pod());
    const { spec } = once as { spec: { containers: JsonObject[] } };
    const more = { ...once, spec: { ...spec, containers: [...spec.containers, container('late')] } };
    expect(handedOver(injection.create(more))).toEqual([['app/a', 'late/late'], 'm']);
  });

  test('loses probes that its markers have no more', () => {
    const stale = '[{"name":"old","containerName":"app","probe":{},"podConditionType":"game.io/old"}]';
    const created = injection.hold(probeMarker('m', [probe('a')])).create(pod({ annotations: { [PROBES]: stale } }));
    expect(handedOver(created)).toEqual([['app/a'], 'm']);
  });

  test.each([
    ['an update', { operation: 'UPDATE' }],
    ['a sub-resource', { subResource: 'status' }],
  ])('carries nothing in %s', (_what, parts) => {
    const before = pod();
    expect(injection.hold(probeMarker('m', [probe('a')])).create(before, parts)).toEqual(before);
  });
});

test('without its gate nothing is handed over', async () => {
  const before = pod();
  expect((await Injection.start()).hold(probeMarker('m', [probe('a')])).create(before)).toEqual(before);
});
