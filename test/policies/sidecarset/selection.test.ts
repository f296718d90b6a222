// Which SidecarSets act on a pod, in which order, and which revision of them: odd selectors, canaries beside canaries,
// revisions that are almost there (sidecarset.md 5.2, 5.7, 8.4).
import { describe, test } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { namespace, revision } from '../../support/builders/cluster.ts';
import { mounts, pod, volumes } from '../../support/builders/pod.ts';
import { initSidecar, type SidecarSetParts, sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { expectRow, type Row } from '../../support/injection-rows.ts';
import * as see from '../../support/see.ts';

const shop = namespace('shop', { env: 'dev' });
const OF_NAME = 'kubernetes.io/metadata.name';

/** A set with one container, called as the set. */
const set = (name: string, spec: JsonObject = {}, parts: SidecarSetParts = {}): JsonObject =>
  sidecarSet(name, { containers: [sidecar(name)], spec, ...parts });
const needs = (key: string, operator: string, values?: string[]): JsonObject => ({
  key,
  operator,
  ...(values === undefined ? {} : { values }),
});
const where = (...expressions: JsonObject[]): JsonObject => ({ matchExpressions: expressions });
const canaryOf = (base: string, mark = 'true'): SidecarSetParts => ({
  annotations: { 'apps.kruise.io/sidecarset-canary': mark, 'apps.kruise.io/sidecarset-base': base },
});
const deleting = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object.metadata as JsonObject), deletionTimestamp: '2026-07-01T00:00:00Z' },
});
const note = (text: string): JsonObject => ({
  patchPodMetadata: [{ patchPolicy: 'Retain', annotations: { note: text } }],
});

const selectors: [rule: string, spec: JsonObject, labels: Record<string, string>, matches: boolean][] = [
  ['a label whose value is empty', { selector: { matchLabels: { app: '' } } }, { app: '' }, true],
  ['an empty value does not stand for a missing label', { selector: { matchLabels: { app: '' } } }, { b: '' }, false],
  ['an empty value among others', { selector: where(needs('app', 'In', ['', 'x'])) }, { app: '' }, true],
  ['a missing label of a pod without any', { selector: where(needs('app', 'DoesNotExist')) }, {}, true],
  [
    'one key in and out',
    { selector: where(needs('app', 'In', ['web', 'x']), needs('app', 'NotIn', ['web'])) },
    { app: 'web' },
    false,
  ],
  ['empty lists select nothing', { selector: { matchLabels: {}, matchExpressions: [] } }, { app: 'web' }, false],
  ['an empty selector of namespaces takes all', { namespaceSelector: {} }, { app: 'web' }, true],
  ['a null selector of namespaces is none', { namespaceSelector: null }, { app: 'web' }, true],
  [
    'two conditions on the namespace',
    { namespaceSelector: where(needs('env', 'Exists'), needs('tier', 'DoesNotExist')) },
    { app: 'web' },
    true,
  ],
  [
    'the right name of a namespace with the wrong label',
    { namespaceSelector: { matchLabels: { [OF_NAME]: 'shop', env: 'prod' } } },
    { app: 'web' },
    false,
  ],
];

const pinned = (operator: string, values: string[]): JsonObject => ({
  namespaceSelector: where(needs(OF_NAME, operator, values)),
});

const order: Row[] = [
  {
    rule: 'one of several names pins a set',
    objects: [shop, set('a'), set('z', pinned('In', ['x', 'shop']))],
    see: see.containers,
    expected: ['z', 'a', 'app'],
  },
  {
    rule: 'a name that is excluded does not',
    objects: [shop, set('a'), set('z', pinned('NotIn', ['x']))],
    see: see.containers,
    expected: ['a', 'z', 'app'],
  },
  {
    rule: 'a set that is being deleted still acts',
    objects: [deleting(set('a'))],
    see: see.containers,
    expected: ['a', 'app'],
  },
  {
    rule: 'a pod that never was anywhere is in the default namespace',
    objects: [namespace('default'), set('a', pinned('In', ['default']))],
    pod: pod({ metadata: { namespace: '' } }),
    request: { namespace: '' },
    see: see.containers,
    expected: ['a', 'app'],
  },
];

const canaries: Row[] = [
  {
    rule: 'that is paused leaves the pod to its base',
    objects: [set('base'), set('new', { injectionStrategy: { paused: true } }, canaryOf('base'))],
    see: see.containers,
    expected: ['base', 'app'],
  },
  {
    rule: 'beside another of one base: both',
    objects: [set('base'), set('new', {}, canaryOf('base')), set('newer', {}, canaryOf('base'))],
    see: see.containers,
    expected: ['new', 'newer', 'app'],
  },
  {
    rule: 'of a canary: the last one',
    objects: [set('base'), set('new', {}, canaryOf('base')), set('newer', {}, canaryOf('new'))],
    see: see.containers,
    expected: ['newer', 'app'],
  },
  {
    rule: 'whose base is gone acts',
    objects: [set('new', {}, canaryOf('gone'))],
    see: see.containers,
    expected: ['new', 'app'],
  },
  { rule: 'of itself replaces itself', objects: [set('new', {}, canaryOf('new'))], untouched: true },
  {
    rule: 'with a blank behind the mark is none',
    objects: [set('base'), set('new', {}, canaryOf('base', 'true '))],
    see: see.containers,
    expected: ['base', 'new', 'app'],
  },
  {
    rule: 'brings its annotations, and its base none',
    objects: [set('base', note('old')), set('new', note('new'), canaryOf('base'))],
    see: see.annotation('note'),
    expected: 'new',
  },
  {
    rule: 'does not help a base whose revision is missing',
    objects: [
      set('base', { injectionStrategy: { revision: { revisionName: 'gone' } } }),
      set('new', {}, canaryOf('base')),
    ],
    refused: /"gone" not found/,
  },
];

const older = (name: string, parts: SidecarSetParts = {}): JsonObject =>
  sidecarSet('logs', { containers: [sidecar(name)], hashes: ['h-old', 'hw-old'], ...parts });
const live = (wanted: JsonObject, updateStrategy: JsonObject = {}, spec: JsonObject = {}): JsonObject =>
  sidecarSet('logs', {
    containers: [sidecar('new')],
    updateStrategy,
    spec: { injectionStrategy: { revision: wanted }, ...spec },
  });
const byName = { revisionName: 'r' };
const partial = { revisionName: 'r', policy: 'Partial' };
const onRecord = revision({ name: 'r', of: older('old') });
const at = (object: JsonObject, metadata: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object.metadata as JsonObject), ...metadata },
});
const v1 = (name: string, container: string, number: number): JsonObject =>
  revision({ name, of: older(container), revision: number, customVersion: 'v1' });
const volumesAndSecrets = (created: JsonObject): Json => [see.volumes(created), see.pullSecrets(created)];
const selectsWeb = { selector: { matchLabels: { app: 'web' } } };

const chosen: [rule: string, objects: JsonObject[], expected: string | RegExp][] = [
  ['a percentage counts for selected pods too', [live(partial, { ...selectsWeb, partition: '100%' }), onRecord], 'old'],
  ['nothing is kept back at 0%', [live(partial, { partition: '0%' }), onRecord], 'new'],
  ['a partition that is no percentage', [live(partial, { partition: '5' }), onRecord], /percentage/],
  ['sets that are never updated too', [live(partial, { type: 'NotUpdate', partition: '100%' }), onRecord], 'old'],
  ['an empty selector of pods takes all', [live(partial, { selector: {} }), onRecord], 'new'],
  ['an unknown policy counts as Always', [live({ ...byName, policy: 'Sometimes' }), onRecord], 'old'],
  ['no policy counts as Always', [live(byName), onRecord], 'old'],
  ['without a name there is nothing to choose', [live({ policy: 'Always' })], 'new'],
  ['updates that are paused choose nothing by themselves', [live({}, { paused: true })], 'new'],
  ['one that is missing is missed even by pods of the latest', [live(partial)], /"r" not found/],
  ['a version that none has is missed by the name of the set', [live({ customVersion: 'v9' })], /"logs" not found$/],
  ['another namespace has none', [live(byName), at(onRecord, { namespace: 'shop' })], /"r" not found/],
  ['by name it may be of another set', [live(byName), revision({ name: 'r', of: set('other') })], 'other'],
  [
    'by version it may not',
    [live({ customVersion: 'v1' }), revision({ name: 'r', of: set('other'), customVersion: 'v1' })],
    /not found/,
  ],
  [
    'of a version the one with the greatest number',
    [
      live({ customVersion: 'v1' }),
      v1('a', 'first', 1),
      v1('b', 'second', 3),
      revision({ name: 'c', of: older('third'), revision: 5, customVersion: 'v2' }),
    ],
    'second',
  ],
  [
    'of equal numbers the youngest',
    [
      live({ customVersion: 'v1' }),
      at(v1('b', 'early', 3), { creationTimestamp: '2026-06-01T00:00:00Z' }),
      v1('a', 'late', 3),
    ],
    'late',
  ],
  ['of equal ages the last name', [live({ customVersion: 'v1' }), v1('b', 'last', 3), v1('a', 'first', 3)], 'last'],
];

const restored: Row[] = [
  {
    rule: 'has the annotations that it had, and none of now',
    objects: [live(byName, {}, note('now')), revision({ name: 'r', of: older('old') })],
    see: (created) => see.annotation('note')(created) ?? null,
    expected: null,
  },
  {
    rule: 'has the volumes and pull secrets that it had',
    objects: [
      live(byName, {}, { imagePullSecrets: [{ name: 'new' }], volumes: volumes('new') }),
      revision({
        name: 'r',
        of: sidecarSet('logs', {
          containers: [sidecar('old', { volumeMounts: mounts({ '/o': 'old', '/n': 'new' }) })],
          imagePullSecrets: ['old'],
          spec: { volumes: volumes('old') },
        }),
      }),
    ],
    see: volumesAndSecrets,
    expected: [['old'], ['old']],
  },
  {
    rule: 'may have had init containers alone',
    objects: [
      live(byName),
      revision({ name: 'r', of: sidecarSet('logs', { initContainers: [initSidecar('setup')] }) }),
    ],
    see: (created) => [see.initContainers(created), see.containers(created)],
    expected: [['setup'], ['app']],
  },
];

describe('selectors:', () => {
  test.each(selectors)('%s', async (rule, spec, labels, matches) => {
    const seen = matches ? { see: see.containers, expected: ['a', 'app'] } : { untouched: true as const };
    await expectRow({ rule, objects: [shop, set('a', spec)], pod: pod({ labels }), ...seen });
  });
});

describe('the order of sets:', () => {
  test.each(order)('$rule', expectRow);
});

describe('a canary', () => {
  test.each(canaries)('$rule', expectRow);
});

describe('the revision that is injected:', () => {
  test.each(chosen)('%s', async (rule, objects, expected) => {
    const answer =
      typeof expected === 'string' ? { see: see.containers, expected: [expected, 'app'] } : { refused: expected };
    await expectRow({ rule, objects, ...answer });
  });
});

describe('a revision on record', () => {
  test.each(restored)('$rule', expectRow);
});
