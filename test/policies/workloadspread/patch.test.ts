// What the patch of a subset does to the spec and the metadata of a pod, with all its directives (workloadspread.md 3.7).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { controllerReference } from '../../support/builders/policies.ts';
import { podOf, Spreading, spread } from '../../support/spreading.ts';

const cluster = await Spreading.start();
const v = (n: string, more: JsonObject = {}) => ({ name: n, ...more });

describe('the patch of a subset:', () => {
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
    expect(cluster.patchedSpec(patch, podSpec)[member]).toEqual(expected),
  );
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
    const s = cluster.patchedSpec(patch, own);
    expect(JSON.parse(JSON.stringify({ priorityClassName: s.priorityClassName, priority: s.priority }))).toEqual(
      expected,
    );
  });
  test('a class that never preempts', () => {
    const s = cluster.patchedSpec(
      { priorityClassName: 'y' },
      { priorityClassName: 'x', priority: 3, preemptionPolicy: 'PreemptLowerPriority' },
    );
    expect(s).toMatchObject({ priorityClassName: 'y', preemptionPolicy: 'PreemptLowerPriority' });
  });
});
