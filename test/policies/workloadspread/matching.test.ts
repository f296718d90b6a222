// Which spread a new pod belongs to (workloadspread.md 3.2 to 3.4).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { configuration, controllerReference, workloadOf } from '../../support/builders/policies.ts';
import {
  APPS,
  deployment,
  KRUISE,
  OF_DEPLOYMENT,
  podOf,
  podOfDeployment,
  replicaSet,
  Spreading,
  spread,
  TIME,
} from '../../support/spreading.ts';

const cluster = await Spreading.start();

describe('the spread of a pod:', () => {
  test.each<[string, [string, string, string], [string, string, string], JsonObject[], boolean]>([
    ['Job', ['Job', 'web', 'batch/v1'], ['Job', 'web', 'batch/v1'], [], true],
    ['Job v1beta1', ['Job', 'web', 'batch/v1beta1'], ['Job', 'web', 'batch/v1'], [], true],
    ['StatefulSet native', ['StatefulSet', 'web', APPS], ['StatefulSet', 'web', APPS], [], true],
    [
      'StatefulSet other group',
      ['StatefulSet', 'web', KRUISE],
      ['StatefulSet', 'web', APPS],
      [workloadOf('StatefulSet', 'web', APPS)],
      false,
    ],
    ['ReplicaSet directly', ['ReplicaSet', 'web-h', APPS], ['ReplicaSet', 'web-h', APPS], [], true],
    [
      'ReplicaSet of a Deployment, target the ReplicaSet',
      ['ReplicaSet', 'web-h', APPS],
      ['ReplicaSet', 'web-h', APPS],
      [replicaSet('h')],
      true,
    ],
    ['Deployment owning pods itself', ['Deployment', 'web', APPS], ['Deployment', 'web', APPS], [], true],
    ['kruise DaemonSet', ['DaemonSet', 'web', KRUISE], ['DaemonSet', 'web', KRUISE], [], false],
    ['CloneSet of no group', ['CloneSet', 'web', KRUISE], ['CloneSet', 'web', 'v1'], [], false],
    ['other name', ['CloneSet', 'web', KRUISE], ['CloneSet', 'web2', KRUISE], [workloadOf('CloneSet', 'web2')], false],
    [
      'name in other case',
      ['CloneSet', 'Web', KRUISE],
      ['CloneSet', 'web', KRUISE],
      [workloadOf('CloneSet', 'web')],
      false,
    ],
    [
      'kind in other case',
      ['cloneset', 'web', KRUISE],
      ['CloneSet', 'web', KRUISE],
      [workloadOf('CloneSet', 'web')],
      false,
    ],
    ['odd owner apiVersion', ['CloneSet', 'web', KRUISE], ['CloneSet', 'web', 'a/b/c'], [], false],
    [
      'odd target apiVersion',
      ['CloneSet', 'web', 'a/b/c'],
      ['CloneSet', 'web', KRUISE],
      [workloadOf('CloneSet', 'web')],
      false,
    ],
  ])('%s', (_what, target, owner, objects, expected) => {
    cluster.hold(spread([['a']], { target }), ...objects);
    expect(cluster.place(podOf('p-1', { owner }))?.subset).toBe(expected ? 'a' : undefined);
  });
  test('owner that cannot be found, target another CloneSet', () => {
    cluster.hold(spread([['a']], { target: ['CloneSet', 'other'] }));
    expect(cluster.create(podOf('p-1'))).toMatchObject({ allowed: false, code: 500 });
  });
  test('the same with a spread being deleted only', () => {
    cluster.hold(spread([['a']], { target: ['CloneSet', 'other'], metadata: { deletionTimestamp: TIME } }));
    expect(cluster.create(podOf('p-1')).allowed).toBe(true);
  });
  test('the same with a spread without target', () => {
    const s = spread([['a']]);
    cluster.hold({ ...s, spec: { subsets: [{ name: 'a' }] } });
    expect(cluster.create(podOf('p-1')).allowed).toBe(true);
  });
  test('uids are not compared', () => {
    cluster.hold(spread([['a']], OF_DEPLOYMENT), deployment(), {
      ...replicaSet('h'),
      metadata: { ...(replicaSet('h').metadata as JsonObject), uid: 'zz' },
    });
    expect(cluster.place(podOfDeployment('h'))?.subset).toBe('a');
  });
  test('controller false on the way', () => {
    cluster.hold(
      spread([['a']], OF_DEPLOYMENT),
      deployment(),
      replicaSet('h', { ...controllerReference('Deployment', 'web', APPS), controller: false }),
    );
    expect(cluster.place(podOfDeployment('h'))).toBeUndefined();
  });
  test('Deployment missing but ReplicaSet leads to it', () => {
    cluster.hold(spread([['a']], OF_DEPLOYMENT), replicaSet('h'));
    expect(cluster.place(podOfDeployment('h'))?.subset).toBe('a');
  });
  test('Deployment missing, other Deployment wanted', () => {
    cluster.hold(spread([['a']], { target: ['Deployment', 'other', APPS] }), replicaSet('h'));
    expect(cluster.create(podOfDeployment('h'))).toMatchObject({
      allowed: false,
      code: 500,
      message: 'Deployment.apps "web" not found',
    });
  });
  test('Deployment found, not the one', () => {
    cluster.hold(spread([['a']], { target: ['Deployment', 'other', APPS] }), replicaSet('h'), deployment());
    expect(cluster.place(podOfDeployment('h'))).toBeUndefined();
  });
  test('ReplicaSet of a Rollout not listed', () => {
    cluster.hold(
      spread([['a']], OF_DEPLOYMENT),
      replicaSet('h', controllerReference('Rollout', 'web', 'argoproj.io/v1alpha1')),
    );
    expect(cluster.place(podOfDeployment('h'))).toBeUndefined();
  });
  const list = (w: unknown) => configuration({ WorkloadSpread_Watch_Custom_Workload_WhiteList: JSON.stringify(w) });
  const rollout: [string, string, string] = ['Rollout', 'web', 'argoproj.io/v1alpha1'];
  test('Rollout listed, by ReplicaSet', () => {
    cluster.hold(
      spread([['a', '50%'], ['b']], { target: rollout }),
      replicaSet('h', controllerReference('Rollout', 'web', 'argoproj.io/v1alpha1')),
      { ...workloadOf('Rollout', 'web', 'argoproj.io/v1alpha1'), spec: { replicas: 5, n: { r: 3 } } },
      list({ workloads: [{ Group: 'argoproj.io', Version: 'v1', Kind: 'Rollout', replicasPath: 'spec.n.r' }] }),
    );
    expect(cluster.place(podOfDeployment('h'))?.subset).toBe('a');
    expect(cluster.missing('h')).toEqual([1, -1]);
  });
  test('replicasPath wrong → 0', () => {
    cluster.hold(
      spread([['a', '50%'], ['b']], { target: rollout }),
      { ...workloadOf('Rollout', 'web', 'argoproj.io/v1alpha1'), spec: { replicas: 5 } },
      list({ WORKLOADS: [{ GROUP: 'argoproj.io', KIND: 'Rollout', REPLICASPATH: 'spec.n.r' }] }),
    );
    expect(cluster.place(podOf('p', { owner: rollout }))).toEqual({ name: 'spread', subset: 'b' });
    expect(cluster.status()).toBeUndefined();
  });
  test('subresource kinds as owners', () => {
    const game: [string, string, string] = ['GameServerSet', 'web-1', 'game.io/v1'];
    cluster.hold(
      spread([['a', 2], ['b']], { target: ['Game', 'web', 'game.io/v1'] }),
      workloadOf('GameServerSet', 'web-1', 'game.io/v1', controllerReference('Game', 'web', 'game.io/v1')),
      list({
        workloads: [
          {
            Group: 'game.io',
            Kind: 'Game',
            subResources: [{ Group: 'game.io', Version: 'v1', Kind: 'GameServerSet' }],
          },
        ],
      }),
    );
    expect(cluster.place(podOf('p', { owner: game }))?.subset).toBe('a');
  });
  test('bad list JSON does not stop built-ins', () => {
    cluster.hold(spread([['a']]), configuration({ WorkloadSpread_Watch_Custom_Workload_WhiteList: '{' }));
    expect(cluster.place(podOf('p'))?.subset).toBe('a');
  });
  test.each<[string, JsonObject | null, JsonObject, boolean]>([
    ['match', { matchLabels: { role: 'w' } }, { role: 'w' }, true],
    ['no match', { matchLabels: { role: 'w' } }, { role: 'x' }, false],
    ['expr NotIn absent', { matchExpressions: [{ key: 'role', operator: 'NotIn', values: ['x'] }] }, {}, true],
    ['expr Exists', { matchExpressions: [{ key: 'role', operator: 'Exists' }] }, {}, false],
    ['invalid: spread ignored', { matchExpressions: [{ key: 'role', operator: 'Near' }] }, { role: 'w' }, false],
    ['null', null, {}, true],
    ['empty', {}, {}, true],
  ])('filter %s', (_what, selector, labels, expected) => {
    cluster.hold(spread([['a']], { filter: { selector } }));
    expect(cluster.place(podOf('p', { labels: labels as Record<string, string> }))?.subset).toBe(
      expected ? 'a' : undefined,
    );
  });
  test('filtered by the first, taken by the second spread', () => {
    cluster.hold(
      spread([['a']], { name: 'x1', filter: { selector: { matchLabels: { q: 'z' } } } }),
      spread([['b']], { name: 'x2' }),
    );
    expect(cluster.place(podOf('p'))).toEqual({ name: 'x2', subset: 'b' });
  });
  test.each<[string, JsonObject]>([
    ['succeeded', { status: { phase: 'Succeeded' } }],
    [
      'terminating',
      { metadata: { deletionTimestamp: TIME, ownerReferences: [controllerReference('CloneSet', 'web')] } },
    ],
    [
      'no controller',
      { metadata: { ownerReferences: [{ ...controllerReference('CloneSet', 'web'), controller: false }] } },
    ],
    ['owner refs null', { metadata: { ownerReferences: null } }],
  ])('skip: %s', (_what, parts) => {
    cluster.hold(spread([['a', 3]]));
    expect(cluster.place(podOf('p', parts))).toBeUndefined();
  });
  test.each<[string, JsonObject, boolean]>([
    ['dryRun All among others', { options: { dryRun: ['Some', 'All'] } }, false],
    ['dryRun empty', { options: { dryRun: [] } }, true],
    ['dryRun null', { options: { dryRun: null } }, true],
    ['request.dryRun', { dryRun: true }, false],
    ['options empty object', { options: {} }, true],
    ['subresource', { subResource: 'status' }, false],
    ['operation UPDATE', { operation: 'UPDATE', oldObject: podOf('p') }, false],
    ['other resource', { resource: { group: '', version: 'v1', resource: 'podtemplates' } }, false],
  ])('request: %s', (_what, parts, expected) => {
    cluster.hold(spread([['a', 3]]));
    expect(cluster.place(podOf('p'), parts)?.subset).toBe(expected ? 'a' : undefined);
    expect(cluster.status() !== undefined).toBe(expected);
  });
  test.each([
    ['options a list', []],
    ['options a text', 'x'],
    ['dryRun a text', { dryRun: 'All' }],
    ['dryRun numbers', { dryRun: [1] }],
  ])('request refused: %s', (_what, options) => {
    cluster.hold(spread([['a', 3]]));
    expect(cluster.create(podOf('p'), { options: options as JsonObject })).toMatchObject({ allowed: false, code: 500 });
  });
});
