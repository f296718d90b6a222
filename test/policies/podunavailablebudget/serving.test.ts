// Whether a pod serves and is protected, rule by rule of podunavailablebudget.md 4 and inplace-update.md 5: rows are odd
// values; available.test.ts has the ordinary ones.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { main, mainStatus, Protection, protecting, type RunningParts, running } from '../../support/protection.ts';

const byDefault = await Protection.start();
const scaling = await Protection.start({ InPlaceWorkloadVerticalScaling: true });
const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'c'.repeat(64)}`;

function serves(parts: RunningParts, cluster = byDefault): boolean {
  cluster.hold(protecting({ status: { unavailableAllowed: 0 } }));
  const { allowed, code } = cluster.delete(running(parts));
  if (!allowed) expect(code).toBe(403);
  // What controllers count.
  expect(cluster.isAvailable(running(parts))).toBe(!allowed);
  return !allowed;
}
const img = (image: string, imageID: string, status: JsonObject = {}): RunningParts => ({
  containers: [main({ image })],
  containerStatuses: [mainStatus({ image, imageID, ...status })],
});
const cond = (conditions: JsonObject[]): RunningParts => ({ status: { conditions } });
const ready = { type: 'Ready', status: 'True' };

describe('a pod serves by its phase, conditions and labels:', () => {
  test.each<[string, RunningParts, boolean]>([
    ['Ready Unknown', cond([{ type: 'Ready', status: 'Unknown' }]), false],
    ['Ready true lower', cond([{ type: 'Ready', status: 'true' }]), false],
    ['ContainersReady only', cond([{ type: 'ContainersReady', status: 'True' }]), false],
    ['Ready among others', cond([{ type: 'PodScheduled', status: 'False' }, ready]), true],
    ['phase Unknown', { status: { phase: 'Unknown' } }, false],
    ['phase Succeeded', { status: { phase: 'Succeeded' } }, false],
    ['phase running lower', { status: { phase: 'running' } }, false],
    ['no phase', { status: { phase: null } }, false],
    ['prefix label alone', { labels: { 'unavailable-pod.kruise.io/': 'x' } }, false],
    ['prefix label false', { labels: { 'unavailable-pod.kruise.io/x': 'false' } }, false],
    ['prefix as annotation', { annotations: { 'unavailable-pod.kruise.io/x': 'a' } }, true],
    ['prefix inside', { labels: { 'x.unavailable-pod.kruise.io/a': 'a' } }, true],
    ['prefix upper', { labels: { 'Unavailable-pod.kruise.io/a': 'a' } }, true],
    ['terminating later', { metadata: { deletionTimestamp: '2099-01-01T00:00:00Z' } }, false],
    [
      'readiness gate False but Ready True',
      {
        spec: { readinessGates: [{ conditionType: 'X' }] },
        status: { conditions: [ready, { type: 'X', status: 'False' }] },
      },
      true,
    ],
  ])('%s', (_what, p, expected) => expect(serves(p)).toBe(expected));
});

describe('the annotation that opts out', () => {
  test.each<[string, boolean]>([
    ['1', true],
    ['t', true],
    ['T', true],
    ['true', true],
    ['TRUE', true],
    ['True', true],
    ['0', false],
    ['f', false],
    ['false', false],
    ['tRUE', false],
    ['', false],
    [' true', false],
    ['true ', false],
    ['01', false],
    ['yes', false],
    ['on', false],
    ['y', false],
  ])('%j', (v, free) => {
    byDefault.hold(protecting({ status: { unavailableAllowed: 0 } }));
    for (const send of [
      (p: JsonObject) => byDefault.delete(p),
      (p: JsonObject) => {
        byDefault.hold(protecting({ status: { unavailableAllowed: 0 } }), p);
        return byDefault.evict(p);
      },
      (p: JsonObject) =>
        byDefault.update(p, { ...p, spec: { ...(p.spec as JsonObject), tolerations: [{ operator: 'Exists' }] } }),
    ])
      expect(send(running({ annotations: { 'pub.kruise.io/no-protect': v } })).allowed).toBe(free);
  });
  test('as label says nothing', () => {
    byDefault.hold(protecting({ status: { unavailableAllowed: 0 } }));
    expect(byDefault.delete(running({ labels: { 'pub.kruise.io/no-protect': 'true' } })).allowed).toBe(false);
  });
  test('counts by old pod on update', () => {
    byDefault.hold(protecting({ status: { unavailableAllowed: 0 } }));
    expect(
      byDefault.update(
        running(),
        running({ annotations: { 'pub.kruise.io/no-protect': 'true' }, spec: { activeDeadlineSeconds: 5 } }),
      ).allowed,
    ).toBe(false);
  });
});

describe('an image with a digest:', () => {
  test.each<[string, RunningParts, boolean]>([
    ['docker prefix', img(`r.io/a@${DIGEST}`, `docker-pullable://r.io/a@${DIGEST}`), true],
    ['docker:// bare', img(`r.io/a@${DIGEST}`, `docker://${DIGEST}`), true],
    ['tag both', img(`r.io/a:1@${DIGEST}`, `r.io/a:2@${DIGEST}`), true],
    ['other digest with tag', img(`r.io/a:1@${DIGEST}`, `r.io/a:1@${OTHER}`), false],
    ['bare digest, other', img(`r.io/a@${DIGEST}`, OTHER), true],
    ['nested path', img(`r.io/a/b/c@${DIGEST}`, `r.io/a/b/c@${DIGEST}`), true],
    ['nested path other', img(`r.io/a/b/c@${DIGEST}`, `r.io/a/b@${DIGEST}`), false],
    [
      'docker.io short vs full with library',
      img(`docker.io/nginx@${DIGEST}`, `docker.io/library/nginx@${DIGEST}`),
      true,
    ],
    ['docker.io vs other registry', img(`nginx@${DIGEST}`, `quay.io/library/nginx@${DIGEST}`), false],
    ['localhost', img(`localhost/a@${DIGEST}`, `localhost/a@${DIGEST}`), true],
    ['sha512', img(`r.io/a@sha512:${'a'.repeat(128)}`, `r.io/a@sha512:${'a'.repeat(128)}`), true],
    [
      'mixed images go on to grace',
      {
        ...img(`r.io/a@${DIGEST}`, `r.io/a@${DIGEST}`),
        containers: [main({ image: `r.io/a@${DIGEST}` }), main({ name: 'b', image: 'b:1' })],
        annotations: { 'inplace-update-grace': '{}' },
      },
      false,
    ],
    [
      'second digest container has no status',
      { containers: [main(), main({ name: 'b', image: `b@${DIGEST}` })] },
      false,
    ],
    [
      'tag first, wrong digest second',
      {
        containers: [main(), main({ name: 'b', image: `b@${DIGEST}` })],
        containerStatuses: [mainStatus(), mainStatus({ name: 'b', imageID: `docker.io/library/b@${OTHER}` })],
      },
      false,
    ],
    [
      'init container by digest is ignored',
      { spec: { initContainers: [main({ name: 'i', image: `i@${DIGEST}` })] } },
      true,
    ],
    [
      'ephemeral container by digest is ignored',
      { spec: { ephemeralContainers: [main({ name: 'i', image: `i@${DIGEST}` })] } },
      true,
    ],
    [
      'status of init containers is not looked at',
      {
        containers: [main({ image: `a@${DIGEST}` })],
        containerStatuses: [],
        status: {
          initContainerStatuses: [mainStatus({ imageID: `docker.io/library/a@${DIGEST}` })],
          containerStatuses: [],
        },
      },
      false,
    ],
  ])('%s', (_what, p, expected) => expect(serves(p)).toBe(expected));
});

const state = (s: JsonObject | string, more: RunningParts = {}): RunningParts => ({
  ...more,
  annotations: {
    'apps.kruise.io/inplace-update-state': typeof s === 'string' ? s : JSON.stringify(s),
    ...more.annotations,
  },
});
const last = (map: Record<string, string>) => ({
  lastContainerStatuses: Object.fromEntries(Object.entries(map).map(([n, imageID]) => [n, { imageID }])),
});
const two = (s1: JsonObject, s2: JsonObject, i1 = 'a:2', i2 = 'b:2'): RunningParts => ({
  containers: [main({ name: 'a', image: i1 }), main({ name: 'b', image: i2 })],
  containerStatuses: [
    mainStatus({ name: 'a', image: 'a:1', imageID: 'ida', ...s1 }),
    mainStatus({ name: 'b', image: 'b:1', imageID: 'idb', ...s2 }),
  ],
});

describe('an update in place:', () => {
  test.each<[string, RunningParts, boolean]>([
    ['both old', state(last({ a: 'ida', b: 'idb' }), two({}, {})), false],
    ['one old', state(last({ a: 'ida', b: 'idb' }), two({ imageID: 'new' }, {})), false],
    ['both new', state(last({ a: 'ida', b: 'idb' }), two({ imageID: 'new' }, { imageID: 'new' })), true],
    ['one new, other same image', state(last({ a: 'ida', b: 'idb' }), two({ imageID: 'new' }, { image: 'b:2' })), true],
    ['only a recorded, b untouched', state(last({ a: 'ida' }), two({ imageID: 'x' }, {})), true],
    ['recorded gone', state(last({ c: 'x' }), two({}, {})), false],
    ['rollback at once', state(last({ a: 'ida' }), two({ image: 'a:2' }, {})), true],
    ['empty recorded id equals empty', state(last({ a: '' }), two({ imageID: '' }, {})), false],
    ['null state', state('null'), true],
    ['array lastContainerStatuses', state('{"lastContainerStatuses":[]}'), false],
    [
      'next empty maps',
      state({ nextContainerImages: {}, nextContainerRefMetadata: {}, nextContainerResources: {} }),
      true,
    ],
    ['next null', state({ nextContainerImages: null }), true],
    ['precheck alone says nothing', state({ preCheckBeforeNext: { containersRequiredReady: ['main'] } }), true],
    ['grace before bad state', state('x', { annotations: { 'apps.kruise.io/inplace-update-grace': '' } }), false],
    ['legacy grace with done state', state({}, { annotations: { 'inplace-update-grace': '{}' } }), false],
    [
      'legacy state in progress',
      {
        annotations: { 'inplace-update-state': JSON.stringify(last({ main: 'id-1' })) },
        containers: [main({ image: 'x:2' })],
        containerStatuses: [mainStatus({ image: 'x:1', imageID: 'id-1' })],
      },
      false,
    ],
    [
      'current empty beats nothing',
      { annotations: { 'apps.kruise.io/inplace-update-state': '', 'inplace-update-state': '{}' } },
      false,
    ],
    ['labels are not annotations', { labels: { 'apps.kruise.io/inplace-update-grace': '' } }, true],
    ['meta unparsable without state', { annotations: { 'apps.kruise.io/runtime-containers-meta': 'x' } }, true],
    [
      'meta unparsable with state',
      state({}, { annotations: { 'apps.kruise.io/runtime-containers-meta': 'x' } }),
      false,
    ],
    ['unknown members', state({ foo: 1, revision: 'r', updateTimestamp: '2026-07-01T00:00:00Z' }), true],
    [
      'resources without gate',
      state({ updateResources: true }, { containers: [main({ resources: { requests: { cpu: '1' } } })] }),
      true,
    ],
  ])('%s', (_what, p, expected) => expect(serves(p)).toBe(expected));
  test('resources: two containers, one status', () => {
    expect(serves(state({ updateResources: true }, { containers: [main(), main({ name: 'b' })] }), scaling)).toBe(
      false,
    );
  });
});

describe('the upgrade of an injected container:', () => {
  const side = (
    sets: string,
    st: JsonObject | string | undefined,
    env: JsonObject[] = [{ name: 'IS_INJECTED', value: 'true' }],
    status: JsonObject = {},
  ): RunningParts => ({
    annotations: {
      'kruise.io/sidecarset-injected-list': sets,
      ...(st === undefined
        ? {}
        : { 'kruise.io/sidecarset-inplace-update-state': typeof st === 'string' ? st : JSON.stringify(st) }),
    },
    containers: [main(), main({ name: 's', image: 's:2', env })],
    containerStatuses: [mainStatus(), mainStatus({ name: 's', image: 's:1', imageID: 'i1', ...status })],
  });
  test.each<[string, RunningParts, boolean]>([
    ['no state', side('x', undefined), true],
    ['empty text', side('x', ''), false],
    ['value True', side('x', 'bad', [{ name: 'IS_INJECTED', value: 'True' }]), true],
    ['value 1', side('x', 'bad', [{ name: 'IS_INJECTED', value: '1' }]), true],
    [
      'valueFrom',
      side('x', 'bad', [{ name: 'IS_INJECTED', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }]),
      true,
    ],
    [
      'env later in list',
      side('x', 'bad', [
        { name: 'A', value: 'b' },
        { name: 'IS_INJECTED', value: 'true' },
      ]),
      false,
    ],
    ['list with the set in the middle', side('a,x,b', { x: last({ s: 'i1' }) }), false],
    ['prefix of a name', side('xy', { x: last({ s: 'i1' }) }), true],
    ['next containers of a sidecar do not count', side('x', { x: { nextContainerImages: { s: 'x' } } }), true],
    ['container missing in status', side('x', { x: last({ zz: 'i1' }) }), true],
    ['spec latest', { ...side('x', { x: last({ s: 'i1' }) }, undefined, { image: 's:2' }) }, true],
    ['null state', side('x', 'null'), true],
    ['list state', side('x', '[]'), false],
    [
      'main state too',
      {
        ...side('x', { x: last({ s: 'i2' }) }),
        annotations: { ...side('x', { x: last({ s: 'i2' }) }).annotations, 'apps.kruise.io/inplace-update-grace': '' },
      },
      false,
    ],
  ])('%s', (_what, p, expected) => expect(serves(p)).toBe(expected));
});
