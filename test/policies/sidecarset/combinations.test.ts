// Rules that meet on one pod: several sets with patches, pairs, volumes, secrets and revisions (sidecarset.md 5 to 9). One
// table for all, and long for that.
import { describe, test } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { namespace, revision } from '../../support/builders/cluster.ts';
import { container, env, mounts, pod, volumes } from '../../support/builders/pod.ts';
import { AFTER, initSidecar, type SidecarSetParts, sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { expectRow, type Row } from '../../support/injection-rows.ts';
import * as see from '../../support/see.ts';

const HASH = 'kruise.io/sidecarset-hash';
const LIST = 'kruise.io/sidecarset-injected-list';
const WORKING = 'kruise.io/sidecarset-working-hotupgrade-container';
const HOT = { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'e:1' } };
const SORTED = { EnableSortSidecarContainerByName: true };
const ofShop = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } };
const ofRevision = { injectionStrategy: { revision: { revisionName: 'r' } } };

const set = (name: string, containers: JsonObject[], parts: SidecarSetParts = {}): JsonObject =>
  sidecarSet(name, { containers, ...parts });
const patching = (name: string, policy: string, annotations: JsonObject, spec: JsonObject = {}): JsonObject =>
  set(name, [sidecar(`of-${name}`)], { spec: { patchPodMetadata: [{ patchPolicy: policy, annotations }], ...spec } });
const canaryOf = (base: string): SidecarSetParts => ({
  annotations: { 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': base },
});
const annotated = (annotations: Record<string, string>): JsonObject => pod({ annotations });
const both =
  (...views: ((created: JsonObject) => Json | undefined)[]) =>
  (created: JsonObject): Json =>
    views.map((view) => view(created) ?? null);
const recorded = (pick: (value: JsonObject) => Json | undefined) => (created: JsonObject) =>
  pick(JSON.parse(String(see.annotation(HASH)(created))));

const patches: Row[] = [
  {
    rule: 'of two that retain the first counts',
    objects: [patching('b', 'Retain', { k: 'b' }), patching('a', 'Retain', { k: 'a' })],
    see: see.annotation('k'),
    expected: 'a',
  },
  {
    rule: 'a set that pins the namespace is the first',
    objects: [namespace('shop'), patching('a', 'Retain', { k: 'a' }), patching('z', 'Retain', { k: 'z' }, ofShop)],
    see: see.annotation('k'),
    expected: 'z',
  },
  {
    rule: 'of two that overwrite the last counts',
    objects: [patching('b', 'Overwrite', { k: 'b' }), patching('a', 'Overwrite', { k: 'a' })],
    see: see.annotation('k'),
    expected: 'b',
  },
  {
    rule: 'a merge into what another set merged sorts both',
    objects: [patching('b', 'MergePatchJson', { k: '{"b" : 2}' }), patching('a', 'MergePatchJson', { k: '{"c" : 1}' })],
    see: see.annotation('k'),
    expected: '{"b":2,"c":1}',
  },
  {
    rule: 'a merge into a text that another set put there refuses the pod',
    objects: [patching('b', 'MergePatchJson', { k: '{"b":2}' }), patching('a', 'Overwrite', { k: 'text' })],
    refused: /^Invalid JSON Document$/,
  },
  {
    rule: 'an empty value is a value to retain',
    objects: [patching('s', 'Retain', { k: 'v' })],
    pod: annotated({ k: '' }),
    see: see.annotation('k'),
    expected: '',
  },
  {
    rule: 'a record of hashes that a patch brings is read',
    objects: [patching('s', 'MergePatchJson', { [HASH]: '{"z":"old"}' })],
    see: recorded(({ z }) => z),
    expected: { updateTimestamp: null, hash: 'old', sidecarSetName: 'z', sidecarList: null },
  },
  {
    rule: 'a record of hashes that a patch spoils refuses the pod',
    objects: [patching('s', 'Overwrite', { [HASH]: 'abc' })],
    refused: /value abc, unmarshal failed: invalid character 'a' looking for beginning of value$/,
  },
  {
    rule: 'versions of pairs are written behind patches',
    objects: [
      set('s', [sidecar('x', HOT)], {
        spec: {
          patchPodMetadata: [
            {
              patchPolicy: 'Overwrite',
              annotations: { 'version.sidecarset.kruise.io/x-1': '9', [WORKING]: '{"q":"q-2","x":"x-2"}' },
            },
          ],
        },
      }),
    ],
    see: both(see.annotation('version.sidecarset.kruise.io/x-1'), see.annotation(WORKING)),
    expected: ['1', '{"q":"q-2","x":"x-1"}'],
  },
];

const places: Row[] = [
  {
    rule: 'names of sets are compared by bytes',
    objects: [set('a0', [sidecar('c3')]), set('a-b', [sidecar('c2')]), set('a', [sidecar('c1')])],
    see: see.containers,
    expected: ['c1', 'c2', 'c3', 'app'],
  },
  {
    rule: 'front and back of two sets',
    objects: [set('s1', [sidecar('a', AFTER), sidecar('b')]), set('s2', [sidecar('c'), sidecar('d', AFTER)])],
    see: see.containers,
    expected: ['b', 'c', 'app', 'a', 'd'],
  },
  {
    rule: 'any place but the front is the back',
    objects: [set('s', [sidecar('a', { podInjectPolicy: 'Middle' }), sidecar('b', { podInjectPolicy: '' })])],
    see: see.containers,
    expected: ['app', 'a', 'b'],
  },
  {
    rule: 'pairs are sorted among others by the names that they get',
    gates: SORTED,
    objects: [set('s', [sidecar('x', HOT), sidecar('x-0'), sidecar('w')]), set('t', [sidecar('x-10')])],
    see: see.containers,
    expected: ['w', 'x-0', 'x-1', 'x-10', 'x-2', 'app'],
  },
  {
    rule: 'so are pairs of native sidecars, gate or not',
    objects: [
      sidecarSet('s', {
        initContainers: [
          initSidecar('m', { restartPolicy: 'Always', ...HOT }),
          initSidecar('m-10'),
          initSidecar('m-0', HOT),
        ],
      }),
    ],
    see: both(see.initContainers, see.annotation(WORKING)),
    expected: [['m-0', 'm-1', 'm-10', 'm-2'], '{"m":"m-1"}'],
  },
  {
    rule: 'init containers of one name keep the order of their sets',
    objects: [
      sidecarSet('s1', { initContainers: [initSidecar('i', { image: '1' })] }),
      sidecarSet('s0', { initContainers: [initSidecar('i', { image: '0' }), initSidecar('h')] }),
    ],
    see: ({ spec }) => ((spec as JsonObject).initContainers as JsonObject[]).map((one) => one.image ?? null),
    expected: ['registry.example.com/shop/h:1', '0', '1'],
  },
  {
    rule: 'a pair replaces its copy in the order of the manifest',
    objects: [set('s', [sidecar('x', HOT)])],
    pod: pod({ containers: [container('x-2'), container('app'), container('x-1')] }),
    see: see.images,
    expected: ['x-2 e:1', 'app registry.example.com/shop/app:1', 'x-1 registry.example.com/shop/x:1'],
  },
  {
    rule: 'an upgrade type in other letters makes no pair',
    objects: [set('s', [sidecar('x', { upgradeStrategy: { upgradeType: 'hotUpgrade', hotUpgradeEmptyImage: 'e' } })])],
    see: see.containers,
    expected: ['x', 'app'],
  },
];

const brought: Row[] = [
  {
    rule: 'volumes in the order in which containers were built, whatever their places',
    gates: SORTED,
    objects: ['2', '1'].map((n) =>
      sidecarSet(`s${n}`, {
        initContainers: [initSidecar(`i${n}`, { volumeMounts: mounts({ '/a': `a${n}` }) })],
        containers: [sidecar(`c${n}`, { volumeMounts: mounts({ '/a': `b${n}` }) })],
        spec: { volumes: volumes(`b${n}`, `a${n}`) },
      }),
    ),
    see: see.volumes,
    expected: ['a1', 'b1', 'a2', 'b2'],
  },
  {
    rule: 'no volume of a set for the mount of another',
    objects: [
      set('s1', [sidecar('x')], { spec: { volumes: volumes('v') } }),
      set('s2', [sidecar('y', { volumeMounts: mounts({ '/v': 'v' }) })]),
    ],
    see: see.volumes,
    expected: [],
  },
  {
    rule: 'volumes of a pair once',
    objects: [
      set('s', [sidecar('x', { ...HOT, volumeMounts: mounts({ '/v': 'v', '/w': 'v' }) })], {
        spec: { volumes: volumes('u', 'v') },
      }),
    ],
    see: see.volumes,
    expected: ['v'],
  },
  {
    rule: 'pull secrets of the set that pins the namespace first, of a base that was replaced none',
    objects: [
      namespace('shop'),
      set('base', [sidecar('w')], { imagePullSecrets: ['0'] }),
      set('a', [sidecar('x')], { imagePullSecrets: ['1', '2'], ...canaryOf('base') }),
      set('z', [sidecar('y')], { imagePullSecrets: ['3', '1'], spec: ofShop }),
    ],
    see: see.pullSecrets,
    expected: ['3', '1', '2'],
  },
  {
    rule: 'variables of a pair in their order',
    objects: [
      set('s', [
        sidecar('x', {
          ...HOT,
          env: env({ OWN: '1', SIDECARSET_VERSION: 'z' }),
          transferEnv: [{ sourceContainerName: 'app', envName: 'T' }],
        }),
      ]),
    ],
    pod: pod({ containers: [container('app', { env: env({ T: 't' }) })] }),
    see: see.envOf('x-2'),
    expected: [
      'OWN=1',
      'SIDECARSET_VERSION=z',
      'IS_INJECTED=true',
      'T=t',
      "SIDECARSET_VERSION<metadata.annotations['version.sidecarset.kruise.io/x-2']",
      "SIDECARSET_VERSION_ALT<metadata.annotations['versionalt.sidecarset.kruise.io/x-2']",
    ],
  },
  {
    rule: 'variables of the copy that a sidecar replaces',
    objects: [
      set('s', [
        sidecar('x', {
          transferEnv: [{ sourceContainerName: 'x', envNames: ['A', 'B'] }],
          env: env({ B: 'own' }),
        }),
      ]),
    ],
    pod: pod({ containers: [container('app'), container('x', { env: env({ A: '1', B: '2' }) })] }),
    see: see.envOf('x'),
    expected: ['B=own', 'IS_INJECTED=true', 'A=1'],
  },
];

const older = (parts: SidecarSetParts): JsonObject => revision({ name: 'r', of: sidecarSet('logs', parts) });
const revisions: Row[] = [
  {
    rule: 'of a hot upgrade brings a pair',
    objects: [set('logs', [sidecar('new')], { spec: ofRevision }), older({ containers: [sidecar('h', HOT)] })],
    see: both(
      see.containers,
      see.annotation(WORKING),
      recorded(({ logs }) => (logs as JsonObject).sidecarList),
    ),
    expected: [['h-1', 'h-2', 'app'], '{"h":"h-1"}', ['h']],
  },
  {
    rule: 'of a canary replaces the base',
    objects: [
      set('base', [sidecar('b')]),
      set('logs', [sidecar('new')], { spec: ofRevision, ...canaryOf('base') }),
      older({ containers: [sidecar('old')] }),
    ],
    see: both(see.containers, see.annotation(LIST)),
    expected: [['old', 'app'], 'logs'],
  },
  {
    rule: 'computes resources without its own containers, and with those of now',
    objects: [
      set('logs', [sidecar('app2')], { spec: ofRevision }),
      older({
        containers: [
          sidecar('old', {
            resourcesPolicy: {
              targetContainersMode: 'sum',
              targetContainersNameRegex: 'app|old',
              resourcesExpr: { limits: { cpu: 'cpu' } },
            },
          }),
        ],
      }),
    ],
    pod: pod({
      containers: ['app', 'app2', 'old'].map((name) => container(name, { resources: { limits: { cpu: '1' } } })),
    }),
    see: (created) => see.containerOf('old')(created)?.resources,
    expected: { limits: { cpu: '2' } },
  },
  {
    rule: 'is sorted among the init containers of other sets',
    objects: [
      set('logs', [sidecar('new')], { spec: ofRevision }),
      older({
        initContainers: [initSidecar('z', { volumeMounts: mounts({ '/v': 'v' }) })],
        spec: { volumes: volumes('v') },
      }),
      sidecarSet('other', { initContainers: [initSidecar('a')] }),
    ],
    see: both(see.initContainers, see.containers, see.volumes, see.annotation(LIST)),
    expected: [['a', 'z'], ['app'], ['v'], 'logs,other'],
  },
];

describe('annotations that several sets patch:', () => {
  test.each(patches)('$rule', expectRow);
});

describe('places of containers:', () => {
  test.each(places)('$rule', expectRow);
});

describe('sets bring', () => {
  test.each(brought)('$rule', expectRow);
});

describe('a revision', () => {
  test.each(revisions)('$rule', expectRow);
});
