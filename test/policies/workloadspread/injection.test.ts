// What a subset puts on a pod: affinity, tolerations and the patch with all its directives (workloadspread.md 3.6 and 3.7).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { container } from '../../support/builders/pod.ts';
import { controllerReference } from '../../support/builders/policies.ts';
import { MATCHED, podOf, Spreading, spread } from '../../support/spreading.ts';

const cluster = await Spreading.start();
const spec = (o: JsonObject, parts: JsonObject = {}) => {
  const v = cluster.create(o, parts);
  if (!v.allowed) throw new Error(`${v.code} ${v.message}`);
  return v.object?.spec as JsonObject;
};

describe('what a subset puts on a pod:', () => {
  const PREF = 'preferredDuringSchedulingIgnoredDuringExecution';
  const REQ = 'requiredDuringSchedulingIgnoredDuringExecution';
  const zone = (...v: string[]) => ({ matchExpressions: [{ key: 'zone', operator: 'In', values: v }] });
  const put = (more: JsonObject, podSpec: JsonObject = {}) => {
    cluster.hold(spread([['a', 9, more], ['b']]));
    return spec(podOf('p', { spec: podSpec }));
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
  const patched = (patch: JsonObject, podSpec: JsonObject = {}, containers: JsonObject[] = [container('app')]) => {
    cluster.hold(spread([['a', 9, { patch: { spec: patch } }], ['b']]));
    return spec(podOf('p', { spec: podSpec, containers }));
  };
  const app = (s: JsonObject) => (s.containers as JsonObject[])[0] as JsonObject;
  const v = (n: string, more: JsonObject = {}) => ({ name: n, ...more });
  test.each<[string, JsonObject, JsonObject, string, unknown]>([
    [
      'nodeSelector merged',
      { nodeSelector: { a: '1' } },
      { nodeSelector: { b: '2', a: '0' } },
      'nodeSelector',
      { b: '2', a: '1' },
    ],
    [
      'nodeSelector key deleted',
      { nodeSelector: { a: null } },
      { nodeSelector: { b: '2', a: '0' } },
      'nodeSelector',
      { b: '2' },
    ],
    [
      'nodeSelector replaced',
      { nodeSelector: { $patch: 'replace', a: '1' } },
      { nodeSelector: { b: '2' } },
      'nodeSelector',
      { a: '1' },
    ],
    [
      'nodeSelector $patch delete',
      { nodeSelector: { $patch: 'delete' } },
      { nodeSelector: { b: '2' } },
      'nodeSelector',
      {},
    ],
    [
      'tolerations replaced',
      { tolerations: [{ key: 'n' }] },
      { tolerations: [{ key: 'o' }, { key: 'q' }] },
      'tolerations',
      [{ key: 'n' }],
    ],
    ['tolerations emptied', { tolerations: [] }, { tolerations: [{ key: 'o' }] }, 'tolerations', []],
    [
      'hostAliases by ip',
      { hostAliases: [{ ip: '1', hostnames: ['n'] }] },
      {
        hostAliases: [
          { ip: '0', hostnames: ['z'] },
          { ip: '1', hostnames: ['o', 'p'] },
        ],
      },
      'hostAliases',
      [
        { ip: '0', hostnames: ['z'] },
        { ip: '1', hostnames: ['n'] },
      ],
    ],
    [
      'pull secrets',
      { imagePullSecrets: [v('n'), v('b')] },
      { imagePullSecrets: [v('a'), v('b'), v('c')] },
      'imagePullSecrets',
      [v('n'), v('a'), v('b'), v('c')],
    ],
    [
      'volumes retain keys',
      { volumes: [{ name: 'd', hostPath: { path: '/x' }, $retainKeys: ['name', 'hostPath'] }] },
      { volumes: [{ name: 'd', emptyDir: {} }] },
      'volumes',
      [{ name: 'd', hostPath: { path: '/x' } }],
    ],
    [
      'volumes without retain keys merge sources',
      { volumes: [{ name: 'd', hostPath: { path: '/x' } }] },
      { volumes: [{ name: 'd', emptyDir: {} }] },
      'volumes',
      [{ name: 'd', emptyDir: {}, hostPath: { path: '/x' } }],
    ],
    [
      'volumes source to null',
      { volumes: [{ name: 'd', hostPath: { path: '/x' }, emptyDir: null }] },
      { volumes: [{ name: 'd', emptyDir: {} }] },
      'volumes',
      [{ name: 'd', hostPath: { path: '/x' } }],
    ],
    [
      'volume deleted',
      { volumes: [{ name: 'd', $patch: 'delete' }] },
      {
        volumes: [
          { name: 'c', emptyDir: {} },
          { name: 'd', emptyDir: {} },
        ],
      },
      'volumes',
      [{ name: 'c', emptyDir: {} }],
    ],
    [
      'volumes replaced',
      { volumes: [{ $patch: 'replace' }, { name: 'z', emptyDir: {} }] },
      { volumes: [{ name: 'd', emptyDir: {} }] },
      'volumes',
      [{ name: 'z', emptyDir: {} }],
    ],
    [
      'volume not there deleted',
      { volumes: [{ name: 'q', $patch: 'delete' }] },
      { volumes: [{ name: 'd', emptyDir: {} }] },
      'volumes',
      [{ name: 'd', emptyDir: {} }],
    ],
    ['list into none', { volumes: [{ name: 'q', emptyDir: {} }] }, {}, 'volumes', [{ name: 'q', emptyDir: {} }]],
    [
      'order given',
      { '$setElementOrder/volumes': [v('b'), v('n'), v('a')], volumes: [{ name: 'n', emptyDir: {} }] },
      {
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', emptyDir: {} },
        ],
      },
      'volumes',
      [
        { name: 'b', emptyDir: {} },
        { name: 'n', emptyDir: {} },
        { name: 'a', emptyDir: {} },
      ],
    ],
    [
      'order only',
      { '$setElementOrder/volumes': [v('b'), v('a')] },
      {
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', emptyDir: {} },
        ],
      },
      'volumes',
      [
        { name: 'b', emptyDir: {} },
        { name: 'a', emptyDir: {} },
      ],
    ],
    [
      'spread constraints by key',
      { topologySpreadConstraints: [{ topologyKey: 'zone', maxSkew: 3 }] },
      {
        topologySpreadConstraints: [
          { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
          { topologyKey: 'host', maxSkew: 1 },
        ],
      },
      'topologySpreadConstraints',
      [
        { topologyKey: 'zone', maxSkew: 3, whenUnsatisfiable: 'DoNotSchedule' },
        { topologyKey: 'host', maxSkew: 1 },
      ],
    ],
    [
      'security context merged',
      { securityContext: { runAsUser: 5 } },
      { securityContext: { fsGroup: 3, runAsUser: 4 } },
      'securityContext',
      { fsGroup: 3, runAsUser: 5 },
    ],
    ['primitive replaced', { terminationGracePeriodSeconds: 5 }, {}, 'terminationGracePeriodSeconds', 5],
    [
      'scheduling gates',
      { schedulingGates: [v('g2')] },
      { schedulingGates: [v('g1')] },
      'schedulingGates',
      [v('g2'), v('g1')],
    ],
    [
      'dnsConfig: lists replaced',
      { dnsConfig: { searches: ['b'] } },
      { dnsConfig: { searches: ['a'], nameservers: ['1.1.1.1'] } },
      'dnsConfig',
      { searches: ['b'], nameservers: ['1.1.1.1'] },
    ],
    [
      'readinessGates replaced',
      { readinessGates: [{ conditionType: 'n' }] },
      { readinessGates: [{ conditionType: 'o' }] },
      'readinessGates',
      [{ conditionType: 'n' }],
    ],
    [
      'resourceClaims by name',
      { resourceClaims: [{ name: 'c', resourceClaimName: 'n' }] },
      {
        resourceClaims: [
          { name: 'c', resourceClaimName: 'o' },
          { name: 'd', resourceClaimName: 'd' },
        ],
      },
      'resourceClaims',
      [
        { name: 'c', resourceClaimName: 'n' },
        { name: 'd', resourceClaimName: 'd' },
      ],
    ],
  ])('spec: %s', (_what, patch, podSpec, member, expected) =>
    expect(patched(patch, podSpec)[member]).toEqual(expected),
  );
  const c = (patch: JsonObject, own: JsonObject) =>
    app(patched({ containers: [{ name: 'app', ...patch }] }, {}, [container('app', own), container('two')]));
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
    ['$patch merge on a map is an unknown directive', {}, {}, 'name', 'app'],
  ])('container: %s', (_what, patch, own, member, expected) => expect(c(patch, own)[member]).toEqual(expected));
  test('containers keep their order, new first', () => {
    const names = (s: JsonObject) => (s.containers as JsonObject[]).map((x) => x.name);
    expect(
      names(
        patched({ containers: [v('two', { image: 'i' })] }, {}, [container('app'), container('two'), container('z')]),
      ),
    ).toEqual(['app', 'two', 'z']);
    expect(
      names(
        patched({ containers: [v('n', { image: 'i' }), v('two', { image: 'i' })] }, {}, [
          container('app'),
          container('two'),
          container('z'),
        ]),
      ),
    ).toEqual(['n', 'app', 'two', 'z']);
    expect(
      names(
        patched({ containers: [v('two', { image: 'i' }), v('n', { image: 'i' })] }, {}, [
          container('app'),
          container('two'),
          container('z'),
        ]),
      ),
    ).toEqual(['app', 'two', 'n', 'z']);
    expect(
      names(
        patched({ containers: [v('z', { image: 'i' }), v('app', { image: 'i' })] }, {}, [
          container('app'),
          container('two'),
          container('z'),
        ]),
      ),
    ).toEqual(['two', 'z', 'app']);
    expect(
      names(
        patched({ containers: [v('two', { $patch: 'delete' })] }, {}, [
          container('app'),
          container('two'),
          container('z'),
        ]),
      ),
    ).toEqual(['app', 'z']);
  });
  const meta = (patch: JsonObject, metadata: JsonObject) => {
    cluster.hold(spread([['a', 9, { patch: { metadata: patch } }], ['b']]));
    return cluster.create(
      podOf('p', { metadata: { ownerReferences: [controllerReference('CloneSet', 'web')], ...metadata } }),
    ).object?.metadata as JsonObject;
  };
  test('finalizers are a set', () => {
    expect(meta({ finalizers: ['n', 'b'] }, { finalizers: ['a', 'b'] }).finalizers).toEqual(['n', 'a', 'b']);
    expect(meta({ '$deleteFromPrimitiveList/finalizers': ['a'] }, { finalizers: ['a', 'b'] }).finalizers).toEqual([
      'b',
    ]);
  });
  test('owner references by uid', () => {
    expect(
      (
        meta({ ownerReferences: [{ uid: 'uid-CloneSet-web', blockOwnerDeletion: false }] }, {})
          .ownerReferences as JsonObject[]
      )[0],
    ).toMatchObject({ kind: 'CloneSet', blockOwnerDeletion: false });
  });
  test.each<[string, unknown]>([
    ['a list item without key', { spec: { containers: [{ image: 'x' }] } }],

    ['a text for a list', { spec: { containers: 'x' } }],
    ['a list for a map', { spec: [] }],
    ['a text as a whole', 'nope'],
    ['a list as a whole', []],
    ['labels with a number', { metadata: { labels: { a: 1 } } }],
    ['annotations with a bool', { metadata: { annotations: { a: true } } }],
    ['env a text', { spec: { containers: [{ name: 'app', env: 'x' }] } }],
    ['env value a number', { spec: { containers: [{ name: 'app', env: [{ name: 'A', value: 1 }] }] } }],
    ['image a number', { spec: { containers: [{ name: 'app', image: 1 }] } }],
    ['hostNetwork a text', { spec: { hostNetwork: 'yes' } }],
    ['priority a text', { spec: { priority: 'high' } }],
    ['grace a text', { spec: { terminationGracePeriodSeconds: '30' } }],
    ['tolerations a map', { spec: { tolerations: {} } }],
    ['toleration seconds a text', { spec: { tolerations: [{ key: 'a', tolerationSeconds: '5' }] } }],
    ['nodeSelector with a number', { spec: { nodeSelector: { a: 1 } } }],
    ['affinity a list', { spec: { affinity: [] } }],
    ['port a text', { spec: { containers: [{ name: 'app', ports: [{ containerPort: '80' }] }] } }],
    ['a bad quantity', { spec: { containers: [{ name: 'app', resources: { limits: { cpu: 'lots' } } }] } }],
    ['args a text', { spec: { containers: [{ name: 'app', args: 'x' }] } }],
    ['args with a number', { spec: { containers: [{ name: 'app', args: [1] }] } }],
    ['finalizers a text', { metadata: { finalizers: 'x' } }],
    ['hostAliases with a text', { spec: { hostAliases: ['x'] } }],
  ])('bad patch: %s', (_what, patch) => {
    cluster.hold(spread([['a', 9, { patch: patch as JsonObject }], ['b']]));
    expect(cluster.create(podOf('p'))).toMatchObject({ allowed: false, code: 500 });
  });
  test.each([
    ['1K', "unable to parse quantity's suffix"],
    ['5+3', "unable to parse quantity's suffix"],
    ['1GB', 'quantities must match the regular expression'],
    ['1.2.3', 'quantities must match the regular expression'],
  ])('bad quantity: %s', (cpu, fault) => {
    const patch = { spec: { containers: [{ name: 'app', resources: { limits: { cpu } } }] } };
    cluster.hold(spread([['a', 9, { patch }], ['b']]));
    expect(cluster.create(podOf('p')).message).toContain(fault);
  });
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['class removed', { priorityClassName: null }, { priorityClassName: 'x', priority: 3 }, {}],
    [
      'class and number',
      { priorityClassName: 'y', priority: 7 },
      { priorityClassName: 'x', priority: 3 },
      { priorityClassName: 'y' },
    ],
    ['number alone', { priority: 7 }, { priorityClassName: 'x', priority: 3 }, { priorityClassName: 'x', priority: 7 }],
  ])('priority: %s', (_what, patch, own, expected) => {
    const s = patched(patch, own);
    expect(JSON.parse(JSON.stringify({ priorityClassName: s.priorityClassName, priority: s.priority }))).toEqual(
      expected,
    );
  });
  test('a class that never preempts', () => {
    const s = patched(
      { priorityClassName: 'y' },
      { priorityClassName: 'x', priority: 3, preemptionPolicy: 'PreemptLowerPriority' },
    );
    expect(s.preemptionPolicy === undefined || s.preemptionPolicy === 'PreemptLowerPriority').toBe(true);
  });
});
