// What is planned for a SidecarSet (sidecarset 7 and F7-F17; cases C003 and C012).
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../kube/objects.ts';
import type { Pod } from '../../../reconcilers/shared/pod.ts';
import { planSidecarSet } from '../../../reconcilers/sidecarset/plan.ts';
import { type InjectedParts, imageId, injectedPod, storedSet } from '../../support/builders/injected-pod.ts';
import { conditions, events, NOW, plan, podWrites, revisionOf, stateOf, statusOf, upgraded } from './state.ts';

const HASH = 'kruise.io/sidecarset-hash';
const STATE = 'kruise.io/sidecarset-inplace-update-state';
const hashOf = (set: KubeObject) => set.metadata.annotations?.[HASH] ?? '';

function logs(image: string, strategy = {}, container = {}): KubeObject {
  return storedSet('logs', {
    containers: [{ name: 'log', image, ...container }],
    updateStrategy: { maxUnavailable: 1, ...strategy },
  });
}
const OLD = logs('l:1');
const NEW = logs('l:2');
const behind = (name: string, parts: InjectedParts = {}) => injectedPod(name, OLD, parts);

describe('a cold upgrade', () => {
  it('writes image, hash and state in one go, bound to the pod that was seen', () => {
    const found = plan(NEW, [behind('a')]);
    const [write] = podWrites(found);
    expect(write?.images).toEqual({ log: 'l:2' });
    expect(JSON.parse(write?.annotations[HASH] ?? '')).toEqual({
      logs: {
        updateTimestamp: '2026-03-01T12:00:00Z',
        hash: hashOf(NEW),
        sidecarSetName: 'logs',
        sidecarList: ['log'],
        controllerRevision: revisionOf(NEW, 1).metadata.name,
      },
    });
    expect(write?.annotations[STATE]).toBe(
      `{"logs":{"revision":"${hashOf(NEW)}","updateTimestamp":"2026-03-01T12:00:00Z","lastContainerStatuses":` +
        `{"log":{"imageID":"${imageId('l:1')}"}}}}`,
    );
    expect(found.groups.flat()).toMatchObject([
      { type: 'patch', patchType: 'strategic', patch: { metadata: { uid: 'uid-shop-a', resourceVersion: '100' } } },
    ]);
  });

  it('keeps the revision and time of the first upgrade, and the ids of containers that stay', () => {
    const state = {
      logs: { revision: 'r1', updateTimestamp: '2026-01-01T00:00:00Z', lastContainerStatuses: { x: { imageID: 'i' } } },
    };
    const other = { other: { revision: 'o', updateTimestamp: null, lastContainerStatuses: {} } };
    const annotations = { [STATE]: JSON.stringify({ ...state, ...other }) };
    const [write] = podWrites(plan(NEW, [behind('a', { annotations })]));
    expect(write?.annotations[STATE]).toBe(
      '{"logs":{"revision":"r1","updateTimestamp":"2026-01-01T00:00:00Z","lastContainerStatuses":' +
        `{"log":{"imageID":"${imageId('l:1')}"},"x":{"imageID":"i"}}},` +
        '"other":{"revision":"o","updateTimestamp":null,"lastContainerStatuses":{}}}',
    );
  });

  it('leaves the entries of other SidecarSets', () => {
    const other = storedSet('other', { containers: [{ name: 'side', image: 's:1' }] });
    const [write] = podWrites(plan(NEW, [injectedPod('a', [OLD, other])]));
    expect(JSON.parse(write?.annotations[HASH] ?? '')).toMatchObject({ other: { hash: hashOf(other) } });
    expect(write?.images).toEqual({ log: 'l:2' });
  });

  it('puts annotations that only changed now on the pod', () => {
    const patched = storedSet('logs', {
      containers: [{ name: 'log', image: 'l:2' }],
      patchPodMetadata: [
        { patchPolicy: 'Retain', annotations: { kept: 'new', added: 'new' } },
        { patchPolicy: 'Overwrite', annotations: { over: 'new' } },
        { patchPolicy: 'MergePatchJson', annotations: { json: '{"b":2,"c":null}', fresh: '{"x": 1}' } },
      ],
    });
    const annotations = { kept: 'old', over: 'old', json: '{"c": 3, "a": "\\u0041<"}' };
    const [write] = podWrites(plan(patched, [behind('a', { annotations })]));
    expect(write?.annotations).toMatchObject({
      added: 'new',
      over: 'new',
      json: '{"a":"\\u0041\\u003c","b":2}',
      fresh: '{"x": 1}',
    });
    expect(write?.annotations).not.toHaveProperty('kept');
  });

  it('leaves a pod alone whose annotation cannot be merged, and says so', () => {
    const patched = storedSet('logs', {
      containers: [{ name: 'log', image: 'l:2' }],
      updateStrategy: { maxUnavailable: 2 },
      patchPodMetadata: [{ patchPolicy: 'MergePatchJson', annotations: { json: '{}' } }],
    });
    const found = plan(patched, [behind('a', { annotations: { json: 'main' } }), behind('b')]);
    expect(upgraded(found)).toEqual(['b']);
    expect(events(found)).toEqual(['PatchPodMetadataFailed']);
  });

  it('reads the hashes of old releases and writes those of today', () => {
    const legacy = (set: KubeObject, name: string) => JSON.stringify({ logs: set.metadata.annotations?.[name] ?? '' });
    const without = `${HASH}-without-image`;
    const annotations = { [HASH]: '{"logs":"oldhash"}', [without]: legacy(NEW, without) };
    const [write] = podWrites(plan(NEW, [behind('a', { annotations })]));
    expect(JSON.parse(write?.annotations[HASH] ?? '')).toMatchObject({
      logs: { hash: hashOf(NEW), sidecarList: ['log'] },
    });
    expect(JSON.parse(write?.annotations[without] ?? '')).toMatchObject({
      logs: { hash: NEW.metadata.annotations?.[without], sidecarSetName: 'logs' },
    });
  });

  it('is over when the pod runs another image id, or the wanted image in any writing', () => {
    const [write] = podWrites(plan(NEW, [behind('a')]));
    const annotations = write?.annotations ?? {};
    const started = (running: string) => injectedPod('a', NEW, { annotations, running: { log: running } });
    const readyPods = (pod: Pod) => statusOf(plan(NEW, [pod]))?.readyPods;
    expect(readyPods(started('l:1'))).toBe(0);
    expect(readyPods(started('l:2'))).toBe(1);
    // Retagged: the id is the former one, and the runtime spells the image out.
    const retagged = started('l:1');
    const statuses = (retagged.status?.containerStatuses ?? []) as { name: string; image: string }[];
    for (const status of statuses) if (status.name === 'log') status.image = 'docker.io/library/l:2';
    expect(readyPods(retagged)).toBe(1);
  });
});

describe('the status during an upgrade', () => {
  it('counts the pod as updated at once and as ready when it is back', () => {
    const [write] = podWrites(plan(NEW, [behind('a')]));
    const annotations = write?.annotations ?? {};
    const writtenOnly = injectedPod('a', NEW, { annotations, running: { log: 'l:1' } });
    expect(statusOf(plan(NEW, [writtenOnly]))).toMatchObject({ matchedPods: 1, updatedPods: 1, readyPods: 0 });
    expect(statusOf(plan(NEW, [writtenOnly]))).not.toHaveProperty('updatedReadyPods');
    const back = injectedPod('a', NEW, { annotations });
    expect(statusOf(plan(NEW, [back]))).toMatchObject({ updatedPods: 1, readyPods: 1, updatedReadyPods: 1 });
  });
});

describe('pods that differ in more than images', () => {
  const changed = logs('l:2', { maxUnavailable: 2 }, { env: [{ name: 'A', value: '1' }] });

  it('stay, and say so once', () => {
    const found = plan(changed, [behind('a'), behind('b')]);
    expect(upgraded(found)).toEqual([]);
    expect(events(found)).toEqual(['NotUpgradablePods']);
    expect(conditions(found).a).toEqual({
      type: 'SidecarSetUpgradable',
      status: 'False',
      reason: 'UpdateImmutableField',
      message: '{"logs":false}',
      lastTransitionTime: '2026-03-01T12:00:00Z',
    });
    expect(statusOf(found)).toMatchObject({ matchedPods: 2, updatedPods: 0, readyPods: 2 });
    const told = ['a', 'b'].map((name) => behind(name, { conditions: [conditions(found)[name] ?? {}] }));
    expect(plan(changed, told).groups).toEqual([]);
  });

  it('do not hold back the others', () => {
    expect(
      upgraded(plan(changed, [behind('a'), injectedPod('b', logs('l:1', {}, { env: [{ name: 'A', value: '1' }] }))])),
    ).toEqual(['b']);
  });

  it('say that they can be upgraded after the change was taken back', () => {
    const condition = { type: 'SidecarSetUpgradable', status: 'False', message: '{"gone":false,"logs":false}' };
    const found = plan(OLD, [behind('a', { conditions: [condition] })]);
    expect(conditions(found).a).toMatchObject({
      status: 'True',
      reason: 'AllSidecarsetUpgradable',
      message: '{"logs":true}',
    });
  });

  it('keep what other SidecarSets say', () => {
    const condition = { type: 'SidecarSetUpgradable', status: 'True', message: '{"other":true}' };
    const state = { ...stateOf(changed, [behind('a', { conditions: [condition] })]), knownSets: new Set(['other']) };
    expect(conditions(planSidecarSet(state, NOW)).a).toMatchObject({
      status: 'False',
      message: '{"logs":false,"other":true}',
    });
  });
});

describe('no pod is upgraded', () => {
  it.each([
    ['with type NotUpdate', { type: 'NotUpdate' }],
    ['while paused', { paused: true }],
    ['that the selector leaves out', { selector: { matchLabels: { canary: 'true' } } }],
    ['by a selector that cannot be read', { selector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } }],
  ])('%s', (_what, strategy) => {
    const set = logs('l:2', strategy);
    const found = plan(set, [behind('a')]);
    expect(found.groups).toEqual([]);
    expect(statusOf(found)).toMatchObject({ updatedPods: 0, latestRevision: revisionOf(set, 1).metadata.name });
  });

  it('that is still on its way from the upgrade before', () => {
    const [write] = podWrites(plan(NEW, [behind('a')]));
    const onItsWay = injectedPod('a', NEW, { annotations: write?.annotations ?? {}, running: { log: 'l:1' } });
    expect(plan(logs('l:3'), [onItsWay]).groups).toEqual([]);
  });
});

describe('a SidecarSet with init containers only', () => {
  it('has pods that are always up to date', () => {
    const set = storedSet('init', { initContainers: [{ name: 'i', image: 'i:2' }] });
    const former = storedSet('init', { initContainers: [{ name: 'i', image: 'i:1' }] });
    expect(statusOf(plan(set, [injectedPod('a', former)]))).toMatchObject({
      matchedPods: 1,
      updatedPods: 1,
      readyPods: 1,
    });
  });
});

describe('the case that', () => {
  const ledgers = (set: KubeObject, notReady: readonly string[] = []) =>
    [6, 7, 8, 9, 10, 11].map((hour, index) => {
      const name = `ledger-${'abcdef'[index]}`;
      const readySince = notReady.includes(name) ? null : `2026-03-01T${String(hour).padStart(2, '0')}:00:00Z`;
      return injectedPod(name, set, { readySince });
    });

  it.each([
    ['5%', 0, ['ledger-f']],
    ['100%', '50%', ['ledger-f', 'ledger-e', 'ledger-d']],
    ['5%', 6, []],
    [0, 0, []],
  ])(
    'C003 a small percentage of few pods makes progress: maxUnavailable %s, partition %s',
    (maxUnavailable, partition, names) => {
      const set = logs('l:2', { maxUnavailable, partition });
      expect(upgraded(plan(set, ledgers(OLD)))).toEqual(names);
    },
  );

  it('C003 upgrades pods that are not ready next to the one that is', () => {
    expect(upgraded(plan(logs('l:2', { maxUnavailable: '5%' }), ledgers(OLD, ['ledger-a'])))).toEqual([
      'ledger-a',
      'ledger-f',
    ]);
  });

  it('C012 only the pull secrets change touches no pod, but makes a revision', () => {
    const secrets = (name: string, image: string) =>
      storedSet('logs', { containers: [{ name: 'log', image }], imagePullSecrets: [{ name }] });
    const before = secrets('regcred-old', 'l:1');
    const after = secrets('regcred-new', 'l:1');
    const pods = [injectedPod('one', before), injectedPod('two', before)];
    const first = planSidecarSet(stateOf(after, pods, [revisionOf(before, 1)]), NOW);
    expect(first.groups).toMatchObject([[{ type: 'create', object: { revision: 2 } }]]);
    const then = plan(after, pods);
    expect(then.groups).toEqual([]);
    expect(statusOf(then)).toMatchObject({ matchedPods: 2, updatedPods: 2, readyPods: 2, updatedReadyPods: 2 });
    const [write, ...more] = podWrites(plan(secrets('regcred-new', 'l:2'), pods));
    expect(write?.images).toEqual({ log: 'l:2' });
    expect(more).toEqual([]);
  });
});
