// What the patch of a subset does to the containers of a pod, with all its directives (workloadspread.md 3.7).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { container } from '../../support/builders/pod.ts';
import { Spreading } from '../../support/spreading.ts';

const cluster = await Spreading.start();
const app = (s: JsonObject) => (s.containers as JsonObject[])[0] as JsonObject;
const v = (n: string, more: JsonObject = {}) => ({ name: n, ...more });

describe('the patch of a subset, in containers:', () => {
  const c = (patch: JsonObject, own: JsonObject) =>
    app(
      cluster.patchedSpec({ containers: [{ name: 'app', ...patch }] }, {}, [container('app', own), container('two')]),
    );
  test.each<[string, JsonObject, JsonObject, string, unknown]>([
    [
      'env replaced and added',
      { env: [v('N', { value: '1' }), v('B', { value: '2' })] },
      { env: [v('A', { value: 'a' }), v('B', { value: 'b' }), v('C', { value: 'c' })] },
      'env',
      [v('N', { value: '1' }), v('A', { value: 'a' }), v('B', { value: '2' }), v('C', { value: 'c' })],
    ],
    [
      'env value to valueFrom leaves value',
      { env: [v('B', { valueFrom: { fieldRef: { fieldPath: 'x' } } })] },
      { env: [v('B', { value: 'b' })] },
      'env',
      [v('B', { value: 'b', valueFrom: { fieldRef: { fieldPath: 'x' } } })],
    ],
    [
      'env value removed',
      { env: [v('B', { value: null, valueFrom: { fieldRef: { fieldPath: 'x' } } })] },
      { env: [v('B', { value: 'b' })] },
      'env',
      [v('B', { valueFrom: { fieldRef: { fieldPath: 'x' } } })],
    ],
    [
      'env deleted',
      { env: [v('B', { $patch: 'delete' })] },
      { env: [v('A'), v('B'), v('C')] },
      'env',
      [v('A'), v('C')],
    ],
    [
      'env order swapped by patch order',
      { env: [v('C', { value: '3' }), v('A', { value: '1' })] },
      { env: [v('A'), v('B'), v('C')] },
      'env',
      [v('B'), v('C', { value: '3' }), v('A', { value: '1' })],
    ],
    [
      'env $setElementOrder',
      { '$setElementOrder/env': [v('C'), v('A')], env: [v('C', { value: '3' })] },
      { env: [v('A'), v('C')] },
      'env',
      [v('C', { value: '3' }), v('A')],
    ],
    ['args replaced', { args: ['n'] }, { args: ['a', 'b'] }, 'args', ['n']],
    ['command removed', { command: null }, { command: ['a'] }, 'command', undefined],
    [
      'ports by containerPort',
      { ports: [{ containerPort: 80, name: 'n' }] },
      { ports: [{ containerPort: 80, name: 'o', protocol: 'TCP' }, { containerPort: 81 }] },
      'ports',
      [{ containerPort: 80, name: 'n', protocol: 'TCP' }, { containerPort: 81 }],
    ],
    [
      'mounts by mountPath',
      { volumeMounts: [{ mountPath: '/a', name: 'n' }] },
      {
        volumeMounts: [
          { mountPath: '/a', name: 'o', readOnly: true },
          { mountPath: '/b', name: 'b' },
        ],
      },
      'volumeMounts',
      [
        { mountPath: '/a', name: 'n', readOnly: true },
        { mountPath: '/b', name: 'b' },
      ],
    ],
    [
      'devices by path',
      { volumeDevices: [{ devicePath: '/n', name: 'n' }] },
      { volumeDevices: [{ devicePath: '/o', name: 'o' }] },
      'volumeDevices',
      [
        { devicePath: '/n', name: 'n' },
        { devicePath: '/o', name: 'o' },
      ],
    ],
    [
      'envFrom replaced',
      { envFrom: [{ configMapRef: { name: 'n' } }] },
      { envFrom: [{ configMapRef: { name: 'o' } }] },
      'envFrom',
      [{ configMapRef: { name: 'n' } }],
    ],
    [
      'probe merged',
      { livenessProbe: { periodSeconds: 3 } },
      { livenessProbe: { periodSeconds: 1, httpGet: { path: '/' } } },
      'livenessProbe',
      { periodSeconds: 3, httpGet: { path: '/' } },
    ],
    [
      'probe exec command replaced',
      { livenessProbe: { exec: { command: ['n'] } } },
      { livenessProbe: { exec: { command: ['a', 'b'] } } },
      'livenessProbe',
      { exec: { command: ['n'] } },
    ],
    [
      'capabilities: lists replaced',
      { securityContext: { capabilities: { add: ['N'] } } },
      { securityContext: { capabilities: { add: ['O'], drop: ['ALL'] } } },
      'securityContext',
      { capabilities: { add: ['N'], drop: ['ALL'] } },
    ],
    [
      'resizePolicy replaced',
      { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
      { resizePolicy: [{ resourceName: 'memory', restartPolicy: 'NotRequired' }] },
      'resizePolicy',
      [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
    ],
    [
      'resources: limits null',
      { resources: { limits: null } },
      { resources: { limits: { cpu: '1' }, requests: { cpu: '1' } } },
      'resources',
      { requests: { cpu: '1' } },
    ],
  ])('container: %s', (_what, patch, own, member, expected) => expect(c(patch, own)[member]).toEqual(expected));
  test.each(['merge', 'upsert'])('$patch %s is no directive for a map', (directive) => {
    const limits = { $patch: directive, memory: '1' };
    const containers = [container('app', { resources: { limits: { cpu: '1' } } })];
    expect(() => cluster.patchedSpec({ containers: [{ name: 'app', resources: { limits } }] }, {}, containers)).toThrow(
      `500 unknown patch type: ${directive} in map`,
    );
  });
  test('containers keep their order, new first', () => {
    const names = (s: JsonObject) => (s.containers as JsonObject[]).map((x) => x.name);
    expect(
      names(
        cluster.patchedSpec({ containers: [v('two', { image: 'i' })] }, {}, [
          container('app'),
          container('two'),
          container('z'),
        ]),
      ),
    ).toEqual(['app', 'two', 'z']);
    expect(
      names(
        cluster.patchedSpec({ containers: [v('n', { image: 'i' }), v('two', { image: 'i' })] }, {}, [
          container('app'),
          container('two'),
          container('z'),
        ]),
      ),
    ).toEqual(['n', 'app', 'two', 'z']);
    expect(
      names(
        cluster.patchedSpec({ containers: [v('two', { image: 'i' }), v('n', { image: 'i' })] }, {}, [
          container('app'),
          container('two'),
          container('z'),
        ]),
      ),
    ).toEqual(['app', 'two', 'n', 'z']);
    expect(
      names(
        cluster.patchedSpec({ containers: [v('z', { image: 'i' }), v('app', { image: 'i' })] }, {}, [
          container('app'),
          container('two'),
          container('z'),
        ]),
      ),
    ).toEqual(['two', 'z', 'app']);
    expect(
      names(
        cluster.patchedSpec({ containers: [v('two', { $patch: 'delete' })] }, {}, [
          container('app'),
          container('two'),
          container('z'),
        ]),
      ),
    ).toEqual(['app', 'z']);
  });
});
