// Liveness probes that the platform runs are kept in an annotation (enhancedlivenessprobe.md 1, 6).
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { container, pod } from '../../support/builders/pod.ts';
import { ownedBy } from '../../support/builders/policies.ts';
import { sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { Injection } from '../../support/injection.ts';
import * as see from '../../support/see.ts';

const CONTEXT = 'apps.kruise.io/container-probe-context';
const ASKED = { 'apps.kruise.io/using-enhanced-liveness': 'true' };
const NUMBERS = { timeoutSeconds: 5, periodSeconds: 100, successThreshold: 1, failureThreshold: 3 };
const HTTP = { httpGet: { path: '/health', port: 7001, scheme: 'HTTP' }, initialDelaySeconds: 3000, ...NUMBERS };
const EXEC = { exec: { command: ['/home/admin/liveness.sh'] }, ...NUMBERS };

function probed(name: string, livenessProbe: JsonObject): JsonObject {
  return container(name, { livenessProbe });
}

function asking(parts: Parameters<typeof pod>[0] = {}): JsonObject {
  return pod({ annotations: ASKED, ...ownedBy('CloneSet'), ...parts });
}

const context = see.annotation(CONTEXT);
const probes = (created: JsonObject): (Json | undefined)[] =>
  see.containers(created).map((name) => see.containerOf(String(name))(created)?.livenessProbe);

describe('a pod of a workload of ours that asks for it', async () => {
  const injection = (await Injection.start({ EnhancedLivenessProbe: true })).hold();

  test('hands over its probes, in the order of its containers', () => {
    const created = injection.create(asking({ containers: [probed('c1', HTTP), probed('c2', EXEC), container('c3')] }));
    expect(probes(created)).toEqual([undefined, undefined, undefined]);
    expect(context(created)).toBe(
      '[{"name":"c1","livenessProbe":{"httpGet":{"path":"/health","port":7001,"scheme":"HTTP"},"initialDelaySeconds":3000,"timeoutSeconds":5,"periodSeconds":100,"successThreshold":1,"failureThreshold":3}},{"name":"c2","livenessProbe":{"exec":{"command":["/home/admin/liveness.sh"]},"timeoutSeconds":5,"periodSeconds":100,"successThreshold":1,"failureThreshold":3}}]',
    );
  });

  test.each<[string, JsonObject, string]>([
    [
      'members in the order of the type',
      { terminationGracePeriodSeconds: 10, failureThreshold: 3, periodSeconds: 2, exec: { command: ['a', 'b'] } },
      '{"exec":{"command":["a","b"]},"periodSeconds":2,"failureThreshold":3,"terminationGracePeriodSeconds":10}',
    ],
    [
      'no zeros, and no empty texts or lists',
      { httpGet: { host: '', path: '', port: 80, scheme: '', httpHeaders: [] }, periodSeconds: 0, timeoutSeconds: 1 },
      '{"httpGet":{"port":80},"timeoutSeconds":1}',
    ],
    [
      'a grace period of zero, which is a choice',
      { exec: {}, terminationGracePeriodSeconds: 0 },
      '{"exec":{},"terminationGracePeriodSeconds":0}',
    ],
    [
      'ports by name, as they are',
      { tcpSocket: { host: 'h', port: 'web' } },
      '{"tcpSocket":{"port":"web","host":"h"}}',
    ],
    [
      'headers, even empty ones',
      {
        httpGet: {
          port: 1,
          httpHeaders: [
            { value: 'v', name: 'n' },
            { name: 'm', value: '' },
          ],
        },
      },
      '{"httpGet":{"port":1,"httpHeaders":[{"name":"n","value":"v"},{"name":"m","value":""}]}}',
    ],
    ['the service of gRPC', { grpc: { service: '', port: 9 } }, '{"grpc":{"port":9,"service":""}}'],
    ['no service of gRPC', { grpc: { port: 9 } }, '{"grpc":{"port":9,"service":null}}'],
    [
      'characters of HTML as escapes',
      { exec: { command: ['<&>', 'a"b\\c\n', 'é\u2028'] } },
      '{"exec":{"command":["\\u003c\\u0026\\u003e","a\\"b\\\\c\\n","é\\u2028"]}}',
    ],
    [
      'behind the others what Kubernetes does not know yet',
      { futureProbe: { x: [1, 'a'] }, periodSeconds: 2 },
      '{"periodSeconds":2,"futureProbe":{"x":[1,"a"]}}',
    ],
  ])('writes %s', (_what, livenessProbe, text) => {
    const created = injection.create(asking({ containers: [probed('c', livenessProbe)] }));
    expect(context(created)).toBe(`[{"name":"c","livenessProbe":${text}}]`);
  });

  test('keeps its other probes', () => {
    const readinessProbe = { exec: { command: ['/ready'] } };
    const own = container('c', { livenessProbe: EXEC, readinessProbe, startupProbe: readinessProbe });
    expect(see.containerOf('c')(injection.create(asking({ containers: [own] })))).toEqual(
      container('c', { readinessProbe, startupProbe: readinessProbe }),
    );
  });

  test('keeps those of init containers', () => {
    const initContainers = [container('init', { restartPolicy: 'Always', livenessProbe: EXEC })];
    const created = injection.create(asking({ initContainers, containers: [probed('c', EXEC)] }));
    expect(see.containerOf('init')(created)?.livenessProbe).toEqual(EXEC);
    expect(context(created)).toContain('"c"');
    expect(context(created)).not.toContain('init');
  });

  test.each([
    ['without a liveness probe', {}],
    ['with a null probe', { containers: [container('c', { livenessProbe: null })] }],
    [
      'that says "True"',
      { annotations: { 'apps.kruise.io/using-enhanced-liveness': 'True' }, containers: [probed('c', EXEC)] },
    ],
    [
      'that says "false"',
      { annotations: { 'apps.kruise.io/using-enhanced-liveness': 'false' }, containers: [probed('c', EXEC)] },
    ],
    ['that says nothing', { annotations: {}, containers: [probed('c', EXEC)] }],
    ['of a ReplicaSet', { ...ownedBy('ReplicaSet', 'web', 'apps/v1'), containers: [probed('c', EXEC)] }],
    ['of no controller', { metadata: {}, containers: [probed('c', EXEC)] }],
    [
      'that a CloneSet owns, but does not control',
      {
        metadata: {
          ownerReferences: [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'w', uid: 'u' }],
        },
        containers: [probed('c', EXEC)],
      },
    ],
  ])('stays as it is %s', (_what, parts) => {
    const before = asking(parts);
    expect(context(injection.create(before))).toBeUndefined();
    expect(probes(injection.create(before))).toEqual(probes(before));
  });

  test.each(['StatefulSet', 'BroadcastJob', 'DaemonSet'])('may be of a %s', (kind) => {
    expect(context(injection.create(asking({ ...ownedBy(kind), containers: [probed('c', EXEC)] })))).toBeDefined();
  });

  test('writes over what stood in the annotation, unless it has nothing to say', () => {
    const annotations = { ...ASKED, [CONTEXT]: 'old' };
    expect(context(injection.create(asking({ annotations, containers: [probed('c', EXEC)] })))).toMatch(
      /^\[\{"name":"c"/,
    );
    expect(context(injection.create(asking({ annotations })))).toBe('old');
  });

  test('keeps in a second pass what the first one took, and adds what came meanwhile', () => {
    const once = injection.create(asking({ containers: [probed('c1', EXEC), probed('c2', HTTP)] }));
    expect(injection.create(once)).toEqual(once);
    const { spec } = once as { spec: { containers: JsonObject[] } };
    const late = injection.create({
      ...once,
      spec: { ...spec, containers: [probed('late', EXEC), ...spec.containers] },
    });
    expect(JSON.parse(String(context(late))).map(({ name }: { name: string }) => name)).toEqual(['late', 'c1', 'c2']);
    expect(probes(late)).toEqual([undefined, undefined, undefined]);
  });

  test('hands over the probes of its sidecars', () => {
    const set = sidecarSet('logs', { containers: [sidecar('log', { livenessProbe: EXEC })] });
    const created = injection.hold(set).create(asking({ containers: [probed('c', HTTP)] }));
    expect(JSON.parse(String(context(created))).map(({ name }: { name: string }) => name)).toEqual(['log', 'c']);
    expect(injection.create(created)).toEqual(created);
    injection.hold();
  });

  test('stays as it is in an update', () => {
    const before = asking({ containers: [probed('c', EXEC)] });
    expect(injection.create(before, { operation: 'UPDATE' })).toEqual(before);
  });
});

test.each([
  {},
  { EnhancedLivenessProbe: true, PodWebhook: false },
  { EnhancedLivenessProbe: true, KruiseDaemon: false },
])('nothing is taken over with gates %o', async (gates) => {
  const created = (await Injection.start(gates)).hold().create(asking({ containers: [probed('c', EXEC)] }));
  expect([context(created), probes(created)]).toEqual([undefined, [EXEC]]);
});
