// Revisions of SidecarSets, with names and numbers as running clusters have them (sidecarset 8, A6 and A7).
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../kube/objects.ts';
import { register, revisionKeys, truncate } from '../../../reconcilers/sidecarset/revisions.ts';
import { injectedPod, storedSet } from '../../support/builders/injected-pod.ts';
import { plan, revisionOf, stateOf, statusOf } from './state.ts';

const logs = (image: string, spec = {}, metadata = {}, status = {}) =>
  storedSet('logs', { containers: [{ name: 'log-agent', image }], ...spec }, metadata, status);
const ONE = 'example.com/log-agent:1.0';
const TWO = 'example.com/log-agent:1.1';

function created(object: KubeObject, revisions: readonly KubeObject[]) {
  const { effects, ...rest } = register(stateOf(object, [], revisions));
  const [effect] = effects;
  return { ...rest, effects, object: effect?.type === 'create' ? effect.object : undefined };
}

describe('the latest revision of a SidecarSet', () => {
  it('is made with the name that the reference gives it', () => {
    const found = created(logs(ONE), []);
    expect(found).toMatchObject({ latest: 'logs-76775bfdf5', isNew: true, collisionCount: 0 });
    expect(found.object).toMatchObject({
      metadata: {
        namespace: 'kruise-system',
        labels: { 'controller.kubernetes.io/hash': '76775bfdf5', 'kruise.io/sidecarset-name': 'logs' },
        ownerReferences: [{ kind: 'SidecarSet', uid: 'uid-logs', controller: true, blockOwnerDeletion: true }],
      },
      revision: 1,
    });
  });

  it('is made before anything else names it', () => {
    const state = stateOf(logs(ONE), [injectedPod('a', logs(TWO))], []);
    expect(register(state).isNew).toBe(true);
    expect(plan(logs(ONE), []).groups).toEqual([]);
  });

  it('gets the next number when the content changes', () => {
    const found = created(logs(TWO), [revisionOf(logs(ONE), 1)]);
    expect(found).toMatchObject({ latest: 'logs-699cbc85dd', isNew: true });
    expect(found.object?.revision).toBe(2);
  });

  it('is the former one with a new number when the content comes back', () => {
    const former = revisionOf(logs(ONE), 1);
    const found = register(stateOf(logs(ONE), [], [revisionOf(logs(TWO), 2), former]));
    expect(found).toMatchObject({ latest: 'logs-76775bfdf5', isNew: false });
    expect(found.effects).toMatchObject([
      { type: 'patch', reference: { name: 'logs-76775bfdf5' }, patch: { revision: 3 } },
    ]);
    expect(found.history.at(-1)).toBe(former);
  });

  it('needs nothing when it is the last', () => {
    expect(register(stateOf(logs(TWO), [], [revisionOf(logs(ONE), 1), revisionOf(logs(TWO), 2)])).effects).toEqual([]);
  });

  it('goes by another name where the name has another content, and keeps the first hash in its label', () => {
    const other = revisionOf(logs(ONE), 1, { data: { other: true } });
    const stranger = { ...other, metadata: { ...other.metadata, labels: {} } };
    const found = created(logs(ONE), [stranger]);
    expect(found).toMatchObject({ latest: 'logs-76775bfdf4', collisionCount: 1, isNew: true });
    expect(found.object).toMatchObject({ metadata: { labels: { 'controller.kubernetes.io/hash': '76775bfdf5' } } });
  });

  it('is the one of the same name and content, whoever owns it', () => {
    const orphan = revisionOf(logs(ONE), 1);
    const foreign = {
      ...orphan,
      metadata: { ...orphan.metadata, ownerReferences: [{ ...orphan.metadata.ownerReferences?.[0], uid: 'before' }] },
    } as KubeObject;
    expect(register(stateOf(logs(ONE), [], [foreign]))).toMatchObject({
      latest: 'logs-76775bfdf5',
      isNew: false,
      effects: [],
    });
  });

  it('counts collisions in the status', () => {
    const found = created(logs(ONE, {}, {}, { collisionCount: 1 }), []);
    expect(found).toMatchObject({ latest: 'logs-76775bfdf4', collisionCount: 1 });
  });

  it('is labelled with the custom version, also afterwards', () => {
    const versioned = logs(ONE, { customVersion: 'v7' });
    expect(created(versioned, []).object).toMatchObject({
      metadata: { labels: { 'apps.kruise.io/sidecarset-custom-version': 'v7' } },
    });
    expect(register(stateOf(versioned, [], [revisionOf(versioned, 1)])).effects).toMatchObject([
      { type: 'patch', patch: { metadata: { labels: { 'apps.kruise.io/sidecarset-custom-version': 'v7' } } } },
    ]);
  });

  it('has the bytes of the reference, with the escapes of HTML', () => {
    const set = storedSet('mesh', {
      containers: [{ name: 'mesh', image: 'm:1', command: ['sh', '-c', 'a && echo <ok>'] }],
    });
    expect(JSON.stringify(created(set, []).object?.data)).toContain('"a \\u0026\\u0026 echo \\u003cok\\u003e"');
  });

  it('carries the labels and annotations of the SidecarSet', () => {
    const set = logs(ONE, {}, { labels: { team: 'a' }, annotations: { note: 'n' } });
    expect(created(set, []).object).toMatchObject({
      metadata: {
        labels: { team: 'a' },
        annotations: {
          note: 'n',
          'kruise.io/sidecarset-hash': set.metadata.annotations?.['kruise.io/sidecarset-hash'],
        },
      },
    });
  });
});

describe('old revisions', () => {
  const images = ['a:1', 'b:1', 'c:1', 'd:1'] as const;
  const history = (count: number) => images.slice(0, count).map((image, index) => revisionOf(logs(image), index + 1));
  const nameOf = (image: string) => revisionOf(logs(image), 1).metadata.name;

  function deleted(object: KubeObject, count: number, pods: Parameters<typeof stateOf>[1] = []) {
    const state = stateOf(object, pods, history(count));
    return truncate(state, register(state)).map((effect) => (effect.type === 'delete' ? effect.reference.name : ''));
  }

  it('are deleted beyond the limit, but not those that a pod records', () => {
    const first = logs('a:1');
    const record = {
      logs: {
        updateTimestamp: '2026-03-01T05:00:00Z',
        hash: 'h',
        sidecarSetName: 'logs',
        sidecarList: [],
        controllerRevision: nameOf('a:1'),
      },
    };
    const pod = injectedPod('p', first, { annotations: { 'kruise.io/sidecarset-hash': JSON.stringify(record) } });
    expect(deleted(logs('c:1', { revisionHistoryLimit: 2 }), 3, [pod])).toEqual([nameOf('b:1')]);
    expect(deleted(logs('c:1', { revisionHistoryLimit: 2 }), 3)).toEqual([nameOf('a:1')]);
  });

  it('stay when injection names them', () => {
    const spec = { revisionHistoryLimit: 1, injectionStrategy: { revision: { revisionName: nameOf('b:1') } } };
    expect(deleted(logs('d:1', spec), 4)).toEqual([nameOf('a:1'), nameOf('c:1')]);
  });

  it('leave the latest even with a limit of zero', () => {
    expect(deleted(logs('b:1', { revisionHistoryLimit: 0 }), 2)).toEqual([nameOf('a:1')]);
  });
});

describe('the index of revisions', () => {
  it('finds them by label and by name, in the system namespace only', () => {
    const keys = revisionKeys('kruise-system');
    const revision = revisionOf(logs(ONE), 1);
    expect(keys(revision)).toEqual(['logs']);
    expect(keys({ ...revision, metadata: { ...revision.metadata, labels: {} } })).toEqual(['logs']);
    expect(keys({ ...revision, metadata: { ...revision.metadata, namespace: 'shop' } })).toEqual([]);
  });
});

describe('the status', () => {
  it('tells the latest revision and the collisions', () => {
    expect(statusOf(plan(logs(ONE), []))).toEqual({
      observedGeneration: 1,
      matchedPods: 0,
      updatedPods: 0,
      readyPods: 0,
      latestRevision: 'logs-76775bfdf5',
      collisionCount: 0,
    });
  });
});
