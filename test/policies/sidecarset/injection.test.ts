// What injection does to a pod: one row a rule (sidecarset.md 5, cases D1 to D16), against the policy module alone.
// It is one table on purpose, and long for that.
import { describe, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../../api/core/json.ts';
import { namespace, revision } from '../../support/builders/cluster.ts';
import { container, env, mounts, pod, volumes } from '../../support/builders/pod.ts';
import { AFTER, initSidecar, SHARED_MOUNTS, sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { Injection } from '../../support/injection.ts';
import { expectRow, type Row } from '../../support/injection-rows.ts';
import * as see from '../../support/see.ts';

const SORTED = { EnableSortSidecarContainerByName: true };
const shop = namespace('shop', { env: 'dev' });
const HASH = '4452vb4957f44cb7b6b2bw9fxd44wv87fw7db6zv6v5c8cw78455f955zvcc45fb';
const HASH_WITHOUT_IMAGE = 'w9c7z4dxfd49fv49fz2wbv299f5f5vv6862vv7zx785xf2cfcv4728vx8x5w9df6';
const logs = sidecarSet('logs', {
  containers: [sidecar('log-agent', { image: 'example.com/log-agent:1.0' })],
  hashes: [HASH, HASH_WITHOUT_IMAGE],
  latestRevision: 'logs-76775bfdf5',
});
const oom = (patchPolicy: string, text: string): JsonObject =>
  sidecarSet('logs', {
    containers: [sidecar('log-agent')],
    spec: { patchPodMetadata: [{ annotations: { oom: text }, patchPolicy }] },
  });

const sharing = (more: JsonObject = {}): JsonObject =>
  sidecarSet('side', {
    containers: [sidecar('side', { ...SHARED_MOUNTS, ...more })],
    spec: { volumes: volumes('side-log') },
  });

const app = (more: JsonObject): JsonObject[] => [container('app', more)];

// Two contents of one set: the live one, and an older one on record.
const older = sidecarSet('logs', { containers: [sidecar('old-agent')], hashes: ['h-old', 'hw-old'] });
const live = (revisionChoice: JsonObject, updateStrategy: JsonObject = {}): JsonObject =>
  sidecarSet('logs', {
    containers: [sidecar('new-agent')],
    updateStrategy,
    spec: { injectionStrategy: { revision: { revisionName: 'logs-old', ...revisionChoice } } },
  });
const onRecord = revision({ name: 'logs-old', of: older });
const canaryPod = pod({ labels: { app: 'web', canary: 'true' } });
const partial = { policy: 'Partial' };
const byLabel = { selector: { matchLabels: { canary: 'true' } } };

const rows: Record<string, Row[]> = {
  'D1, order of containers': [
    {
      rule: 'sets in order, before and after the own ones',
      objects: [
        sidecarSet('s1', { containers: [sidecar('b'), sidecar('a', AFTER)] }),
        sidecarSet('s2', { containers: [sidecar('c')] }),
      ],
      see: see.containers,
      expected: ['b', 'c', 'app', 'a'],
    },
    {
      rule: 'with the gate, the injected ones are sorted first',
      gates: SORTED,
      objects: [
        sidecarSet('s1', { containers: [sidecar('b'), sidecar('a', AFTER)] }),
        sidecarSet('s2', { containers: [sidecar('c')] }),
      ],
      see: see.containers,
      expected: ['b', 'c', 'app', 'a'],
    },
    {
      rule: 'with the gate, names of all sets are sorted together',
      gates: SORTED,
      objects: [sidecarSet('s1', { containers: [sidecar('z')] }), sidecarSet('s2', { containers: [sidecar('c')] })],
      see: see.containers,
      expected: ['c', 'z', 'app'],
    },
    {
      rule: 'sets are taken by name, whenever they came',
      objects: [sidecarSet('s2', { containers: [sidecar('c')] }), sidecarSet('s1', { containers: [sidecar('z')] })],
      see: see.containers,
      expected: ['z', 'c', 'app'],
    },
    {
      rule: 'sets that pin the namespace come before those that do not',
      objects: [
        shop,
        sidecarSet('a', { containers: [sidecar('of-all')] }),
        sidecarSet('b', {
          containers: [sidecar('of-shop')],
          spec: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } },
        }),
      ],
      see: see.containers,
      expected: ['of-shop', 'of-all', 'app'],
    },
  ],
  'D2, order of init containers': [
    {
      rule: 'behind the own ones by default, sorted by name over all sets',
      objects: [
        sidecarSet('s1', { initContainers: [initSidecar('z-init')] }),
        sidecarSet('s2', {
          initContainers: [initSidecar('a-init'), initSidecar('m-init', { podInjectPolicy: 'BeforeAppContainer' })],
        }),
      ],
      pod: pod({ initContainers: [container('i0')] }),
      see: see.initContainers,
      expected: ['m-init', 'i0', 'a-init', 'z-init'],
    },
  ],
  'D3, shared mounts': [
    {
      rule: 'own mounts first, then those of the pod at free paths',
      objects: [sharing({ volumeMounts: mounts({ '/log': 'side-log' }) })],
      pod: pod({
        containers: app({ volumeMounts: mounts({ '/data': 'd', '/log': 'l' }) }),
        volumes: volumes('d', 'l'),
      }),
      see: (created) => [see.mountsOf('side')(created), see.volumes(created)],
      expected: [
        ['/log side-log', '/data d'],
        ['d', 'l', 'side-log'],
      ],
    },
    {
      rule: 'not from init containers, nor from containers that are injected',
      objects: [sharing()],
      pod: pod({
        initContainers: [container('i0', { volumeMounts: mounts({ '/init': 'd' }) })],
        containers: [
          container('app', { volumeMounts: mounts({ '/data': 'd' }) }),
          container('proxy', { env: env({ IS_INJECTED: 'true' }), volumeMounts: mounts({ '/proxy': 'd' }) }),
        ],
        volumes: volumes('d'),
      }),
      see: see.mountsOf('side'),
      expected: ['/data d'],
    },
    {
      rule: 'not where an own device lies',
      objects: [
        sidecarSet('side', {
          containers: [sidecar('side', { ...SHARED_MOUNTS, volumeDevices: [{ name: 'disk', devicePath: '/data' }] })],
          spec: { volumes: [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }] },
        }),
      ],
      pod: pod({ containers: app({ volumeMounts: mounts({ '/data': 'd', '/log': 'd' }) }), volumes: volumes('d') }),
      see: see.mountsOf('side'),
      expected: ['/log d'],
    },
  ],
  'D4, env that shared mounts need': [
    {
      rule: 'the own value wins',
      objects: [
        sharing({ env: env({ REGION: 'us' }), transferEnv: [{ sourceContainerName: 'app', envName: 'REGION' }] }),
      ],
      pod: pod({
        containers: app({
          env: env({ REGION: 'eu' }),
          volumeMounts: [{ name: 'd', mountPath: '/x', subPathExpr: '$(REGION)/x' }],
        }),
        volumes: volumes('d'),
      }),
      see: see.envOf('side'),
      expected: ['REGION=us', 'IS_INJECTED=true'],
    },
    {
      rule: 'without an own value it comes once, behind the mark',
      objects: [sharing({ transferEnv: [{ sourceContainerName: 'app', envName: 'REGION' }] })],
      pod: pod({
        containers: app({
          env: env({ REGION: 'eu' }),
          volumeMounts: [{ name: 'd', mountPath: '/x', subPathExpr: '$(REGION)/x' }],
        }),
        volumes: volumes('d'),
      }),
      see: see.envOf('side'),
      expected: ['IS_INJECTED=true', 'REGION=eu'],
    },
    {
      rule: 'all names of an expression, each once, also if the path is taken',
      objects: [sharing({ volumeMounts: mounts({ '/y': 'side-log' }) })],
      pod: pod({
        containers: app({
          env: env({ B: '2', A: '1', C: '3' }),
          volumeMounts: [
            { name: 'd', mountPath: '/x', subPathExpr: '$(B)/$(A)/$(B)/$$(NONE)/$(MISSING)' },
            { name: 'd', mountPath: '/y', subPathExpr: '$(C)' },
          ],
        }),
        volumes: volumes('d'),
      }),
      see: see.envOf('side'),
      expected: ['IS_INJECTED=true', 'B=2', 'A=1', 'C=3'],
    },
  ],
  'D5, transferred env': [
    {
      rule: 'names of one entry are sorted',
      objects: [
        sidecarSet('side', {
          containers: [
            sidecar('side', { transferEnv: [{ sourceContainerName: 'app', envName: 'Z', envNames: ['B', 'A'] }] }),
          ],
        }),
      ],
      pod: pod({ containers: app({ env: env({ Z: '26', B: '2', A: '1' }) }) }),
      see: see.envOf('side'),
      expected: ['IS_INJECTED=true', 'A=1', 'B=2', 'Z=26'],
    },
    {
      rule: 'entries are taken in order; missing names and containers are skipped; the last of doubles counts',
      objects: [
        sidecarSet('side', {
          containers: [
            sidecar('side', {
              transferEnv: [
                { sourceContainerName: 'app', envNames: ['Z', 'NOT_THERE'] },
                { sourceContainerName: 'nobody', envName: 'A' },
                { sourceContainerName: 'app', envName: 'A' },
              ],
            }),
          ],
        }),
      ],
      pod: pod({ containers: app({ env: [...env({ Z: '26', A: '1' }), { name: 'A', value: '2' }] }) }),
      see: see.envOf('side'),
      expected: ['IS_INJECTED=true', 'Z=26', 'A=2'],
    },
    {
      rule: 'the source may be named by a label or an annotation of the pod',
      objects: [
        sidecarSet('side', {
          containers: [
            sidecar('side', {
              transferEnv: [
                {
                  sourceContainerNameFrom: { fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['main']" } },
                  envName: 'A',
                },
                {
                  sourceContainerNameFrom: {
                    fieldRef: { apiVersion: 'v1', fieldPath: "metadata.annotations['main']" },
                  },
                  envName: 'B',
                },
                {
                  sourceContainerNameFrom: { fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['none']" } },
                  envName: 'A',
                },
              ],
            }),
          ],
        }),
      ],
      pod: pod({
        labels: { app: 'web', main: 'one' },
        annotations: { main: 'two' },
        containers: [
          container('one', { env: env({ A: '1', B: '1' }) }),
          container('two', { env: env({ A: '2', B: '2' }) }),
        ],
      }),
      see: see.envOf('side'),
      expected: ['IS_INJECTED=true', 'A=1', 'B=2'],
    },
    {
      rule: 'env entries are copied whole',
      objects: [
        sidecarSet('side', {
          containers: [sidecar('side', { transferEnv: [{ sourceContainerName: 'app', envName: 'A' }] })],
        }),
      ],
      pod: pod({
        containers: app({
          env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: false } } }],
        }),
      }),
      see: (created) => see.containerOf('side')(created)?.env as Json,
      expected: [
        { name: 'IS_INJECTED', value: 'true' },
        { name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: false } } },
      ],
    },
  ],
  'D6, pull secrets': [
    {
      rule: 'own ones first, each name once',
      objects: [sidecarSet('side', { containers: [sidecar('side')], imagePullSecrets: ['q', 'r'] })],
      pod: pod({ imagePullSecrets: ['p', 'p', 'q'] }),
      see: see.pullSecrets,
      expected: ['p', 'q', 'r'],
    },
  ],
  'D7, annotations': [
    {
      rule: 'tell the sets, their hashes and their revision',
      objects: [logs],
      see: see.annotations,
      expected: {
        'kruise.io/sidecarset-hash': `{"logs":{"updateTimestamp":"2026-07-02T08:00:00Z","hash":"${HASH}","sidecarSetName":"logs","sidecarList":["log-agent"],"controllerRevision":"logs-76775bfdf5"}}`,
        'kruise.io/sidecarset-hash-without-image': `{"logs":{"updateTimestamp":"2026-07-02T08:00:00Z","hash":"${HASH_WITHOUT_IMAGE}","sidecarSetName":"logs","sidecarList":["log-agent"]}}`,
        'kruise.io/sidecarset-injected-list': 'logs',
      },
    },
    {
      rule: 'leave the revision out if the set has none yet',
      objects: [sidecarSet('logs', { containers: [sidecar('b'), sidecar('a')], latestRevision: '' })],
      see: see.annotation('kruise.io/sidecarset-hash'),
      expected:
        '{"logs":{"updateTimestamp":"2026-07-02T08:00:00Z","hash":"h-logs","sidecarSetName":"logs","sidecarList":["a","b"]}}',
    },
    {
      rule: 'list native sidecars among the sidecars, other init containers not',
      objects: [
        sidecarSet('logs', {
          initContainers: [initSidecar('setup'), initSidecar('native', { restartPolicy: 'Always' })],
          updateStrategy: { type: 'NotUpdate' },
        }),
      ],
      see: see.annotation('kruise.io/sidecarset-hash-without-image'),
      expected:
        '{"logs":{"updateTimestamp":"2026-07-02T08:00:00Z","hash":"hw-logs","sidecarSetName":"logs","sidecarList":["native"]}}',
    },
    {
      rule: 'have an empty list for plain init containers alone',
      objects: [sidecarSet('logs', { initContainers: [initSidecar('setup')], latestRevision: '' })],
      see: see.annotation('kruise.io/sidecarset-hash'),
      expected:
        '{"logs":{"updateTimestamp":"2026-07-02T08:00:00Z","hash":"h-logs","sidecarSetName":"logs","sidecarList":[]}}',
    },
    {
      rule: 'keep what other sets left there',
      objects: [sidecarSet('logs', { containers: [sidecar('a')] })],
      pod: pod({ annotations: { 'kruise.io/sidecarset-injected-list': 'mesh', other: 'x' } }),
      see: (created) => [
        see.annotation('kruise.io/sidecarset-injected-list')(created) ?? null,
        see.annotation('other')(created) ?? null,
      ],
      expected: ['logs,mesh', 'x'],
    },
  ],
  'D8, paused injection': [
    {
      rule: 'leaves the pod as it is',
      objects: [
        sidecarSet('logs', { containers: [sidecar('log-agent')], spec: { injectionStrategy: { paused: true } } }),
      ],
      untouched: true,
    },
  ],
  'D9, patches of annotations': [
    {
      rule: 'merged into JSON that is there',
      objects: [oom('MergePatchJson', '{"log-agent": 1}')],
      pod: pod({ annotations: { oom: '{"main": 2}' } }),
      see: see.annotation('oom'),
      expected: '{"log-agent":1,"main":2}',
    },
    {
      rule: 'set as they are where nothing is',
      objects: [oom('MergePatchJson', '{"log-agent": 1}')],
      see: see.annotation('oom'),
      expected: '{"log-agent": 1}',
    },
    {
      rule: 'refuse the pod whose text is no JSON',
      objects: [oom('MergePatchJson', '{"log-agent": 1}')],
      pod: pod({ annotations: { oom: 'main' } }),
      refused: /^Invalid JSON Document$/,
    },
    {
      rule: 'Retain keeps a value',
      objects: [oom('Retain', 'new')],
      pod: pod({ annotations: { oom: 'main' } }),
      see: see.annotation('oom'),
      expected: 'main',
    },
    {
      rule: 'Overwrite replaces it',
      objects: [oom('Overwrite', 'new')],
      pod: pod({ annotations: { oom: 'main' } }),
      see: see.annotation('oom'),
      expected: 'new',
    },
    {
      rule: 'an unknown policy does nothing',
      objects: [oom('Sometimes', 'new')],
      see: see.annotation('oom'),
    },
  ],
  'D10, which revision': [
    {
      rule: 'Partial, selected by the update: the live one',
      objects: [live(partial, byLabel), onRecord],
      pod: canaryPod,
      see: see.containers,
      expected: ['new-agent', 'app'],
    },
    {
      rule: 'Partial, not selected: the one on record',
      objects: [live(partial, byLabel), onRecord],
      see: see.containers,
      expected: ['old-agent', 'app'],
    },
    {
      rule: 'updates paused: the one on record, selected or not',
      objects: [live(partial, { ...byLabel, paused: true }), onRecord],
      pod: canaryPod,
      see: see.containers,
      expected: ['old-agent', 'app'],
    },
    {
      rule: 'updates paused: the one on record, not selected',
      objects: [live(partial, { ...byLabel, paused: true }), onRecord],
      see: see.containers,
      expected: ['old-agent', 'app'],
    },
    {
      rule: 'Partial, a hundred percent kept back: the one on record',
      objects: [live(partial, { partition: '100%' }), onRecord],
      see: see.containers,
      expected: ['old-agent', 'app'],
    },
    {
      rule: 'Partial, any number kept back: the live one',
      objects: [live(partial, { partition: 7 }), onRecord],
      see: see.containers,
      expected: ['new-agent', 'app'],
    },
    {
      rule: 'Always: the one on record',
      objects: [live({ policy: 'Always' }), onRecord],
      see: see.containers,
      expected: ['old-agent', 'app'],
    },
    {
      rule: 'its hash and name go to the pod',
      objects: [live({ policy: 'Always' }), onRecord],
      see: see.annotation('kruise.io/sidecarset-hash'),
      expected:
        '{"logs":{"updateTimestamp":"2026-07-02T08:00:00Z","hash":"h-old","sidecarSetName":"logs","sidecarList":["old-agent"],"controllerRevision":"logs-old"}}',
    },
    {
      rule: 'a revision that is not there refuses the pod',
      objects: [live({ policy: 'Always' })],
      refused: /^ControllerRevision\.apps "logs-old" not found$/,
    },
    {
      rule: 'a pod that does not match is not refused',
      objects: [live({ policy: 'Always' })],
      pod: pod({ labels: { app: 'db' } }),
      untouched: true,
    },
  ],
  'D11, canary': [
    {
      rule: 'replaces its base where both match',
      objects: [
        sidecarSet('base', { containers: [sidecar('of-base')] }),
        sidecarSet('canary', {
          containers: [sidecar('of-canary')],
          annotations: { 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': 'base' },
        }),
      ],
      see: (created) => [
        see.containers(created),
        see.annotation('kruise.io/sidecarset-injected-list')(created) ?? null,
      ],
      expected: [['of-canary', 'app'], 'canary'],
    },
    {
      rule: 'is none with any other text than true',
      objects: [
        sidecarSet('base', { containers: [sidecar('of-base')] }),
        sidecarSet('canary', {
          containers: [sidecar('of-canary')],
          annotations: { 'apps.kruise.io/sidecarset-canary': 'True', 'apps.kruise.io/sidecarset-base': 'base' },
        }),
      ],
      see: see.containers,
      expected: ['of-base', 'of-canary', 'app'],
    },
  ],
  'D12, hot upgrade': [
    {
      rule: 'injects a pair with versions',
      objects: [
        sidecarSet('mesh', {
          containers: [
            sidecar('mesh', {
              image: 'example.com/mesh:1',
              upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'example.com/empty:1' },
            }),
          ],
        }),
      ],
      see: (created) => [see.images(created), see.envOf('mesh-1')(created), see.hotAnnotations(created)],
      expected: [
        ['mesh-1 example.com/mesh:1', 'mesh-2 example.com/empty:1', 'app registry.example.com/shop/app:1'],
        [
          'IS_INJECTED=true',
          "SIDECARSET_VERSION<metadata.annotations['version.sidecarset.kruise.io/mesh-1']",
          "SIDECARSET_VERSION_ALT<metadata.annotations['versionalt.sidecarset.kruise.io/mesh-1']",
        ],
        {
          'kruise.io/sidecarset-working-hotupgrade-container': '{"mesh":"mesh-1"}',
          'version.sidecarset.kruise.io/mesh-1': '1',
          'version.sidecarset.kruise.io/mesh-2': '0',
          'versionalt.sidecarset.kruise.io/mesh-1': '0',
          'versionalt.sidecarset.kruise.io/mesh-2': '1',
        },
      ],
    },
    {
      rule: 'names the base container among the sidecars',
      objects: [
        sidecarSet('mesh', {
          containers: [
            sidecar('mesh', { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'e:1' } }),
          ],
          latestRevision: '',
        }),
      ],
      see: see.annotation('kruise.io/sidecarset-hash'),
      expected:
        '{"mesh":{"updateTimestamp":"2026-07-02T08:00:00Z","hash":"h-mesh","sidecarSetName":"mesh","sidecarList":["mesh"]}}',
    },
  ],
  'D13, a name that is there': [
    {
      rule: 'is replaced at its place',
      objects: [logs],
      pod: pod({ containers: [container('app'), container('log-agent')] }),
      see: see.images,
      expected: ['app registry.example.com/shop/app:1', 'log-agent example.com/log-agent:1.0'],
    },
    {
      rule: 'is replaced whole: nothing of the old entry stays',
      objects: [logs],
      pod: pod({ containers: [container('app'), container('log-agent', { command: ['old'], stdin: true })] }),
      see: see.containerOf('log-agent'),
      expected: {
        ...container('log-agent', { image: 'example.com/log-agent:1.0' }),
        env: [{ name: 'IS_INJECTED', value: 'true' }],
      },
    },
  ],
  'D14, not concerned': [
    {
      rule: 'a namespace with other labels',
      objects: [
        shop,
        sidecarSet('logs', {
          containers: [sidecar('a')],
          spec: { namespaceSelector: { matchLabels: { env: 'prod' } } },
        }),
      ],
      untouched: true,
    },
    {
      rule: 'a namespace that is not known',
      objects: [
        sidecarSet('logs', {
          containers: [sidecar('a')],
          spec: { namespaceSelector: { matchLabels: { env: 'dev' } } },
        }),
      ],
      untouched: true,
    },
    { rule: 'a pod that succeeded', objects: [logs], pod: pod({ status: { phase: 'Succeeded' } }), untouched: true },
    { rule: 'a pod that failed', objects: [logs], pod: pod({ status: { phase: 'Failed' } }), untouched: true },
    {
      rule: 'a pod that is being deleted',
      objects: [logs],
      pod: pod({ metadata: { deletionTimestamp: '2026-07-02T07:00:00Z' } }),
      untouched: true,
    },
    {
      rule: 'a subresource',
      objects: [logs],
      request: { subResource: 'ephemeralcontainers', requestSubResource: 'ephemeralcontainers' },
      untouched: true,
    },
    { rule: 'an update', objects: [logs], request: { operation: 'UPDATE', oldObject: pod() }, untouched: true },
    {
      rule: 'a set without selector',
      objects: [sidecarSet('logs', { containers: [sidecar('a')], selector: {} })],
      untouched: true,
    },
  ],
  'D15, shared devices': [
    {
      rule: 'own ones, then those of the pod at free paths',
      objects: [
        sidecarSet('side', {
          containers: [
            sidecar('side', {
              shareVolumeDevicePolicy: { type: 'enabled' },
              volumeMounts: mounts({ '/dev/y': 'v' }),
              volumeDevices: [{ name: 'z', devicePath: '/dev/z' }],
            }),
          ],
          spec: { volumes: [...volumes('v'), { name: 'z', persistentVolumeClaim: { claimName: 'z' } }] },
        }),
      ],
      pod: pod({
        containers: app({
          volumeDevices: [
            { name: 'pvc1', devicePath: '/dev/x' },
            { name: 'pvc2', devicePath: '/dev/y' },
          ],
        }),
        volumes: ['pvc1', 'pvc2'].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
      }),
      see: (created) => [see.devicesOf('side')(created), see.volumes(created)],
      expected: [
        ['/dev/z z', '/dev/x pvc1'],
        ['pvc1', 'pvc2', 'v', 'z'],
      ],
    },
  ],
  'D16, volumes': [
    {
      rule: 'only mounted ones; that of the pod wins',
      objects: [
        sidecarSet('side', {
          containers: [sidecar('side', { volumeMounts: mounts({ '/v1': 'v1' }) })],
          spec: { volumes: volumes('v1', 'v2') },
        }),
      ],
      pod: pod({ volumes: [{ name: 'v1', hostPath: { path: '/own', type: '' } }] }),
      see: (created) => (created.spec as JsonObject).volumes as Json,
      expected: [{ name: 'v1', hostPath: { path: '/own', type: '' } }],
    },
    {
      rule: 'in the order in which containers mount them, those of init containers first',
      objects: [
        sidecarSet('side', {
          containers: [sidecar('c', { volumeMounts: mounts({ '/c': 'c', '/a': 'a' }) })],
          initContainers: [initSidecar('i', { volumeMounts: mounts({ '/i': 'i', '/c': 'c' }) })],
          spec: { volumes: volumes('a', 'b', 'c', 'i') },
        }),
      ],
      see: see.volumes,
      expected: ['i', 'c', 'a'],
    },
  ],
};

describe.each(Object.entries(rows))('%s', (_group, group) => {
  test.each(group)('$rule', expectRow);
});

test('members of SidecarSet containers that pods do not have stay out of the pod', async () => {
  const set = sidecarSet('side', {
    containers: [
      sidecar('side', {
        transferEnv: [{ sourceContainerName: 'app', envName: 'A' }],
        shareVolumeDevicePolicy: { type: 'disabled' },
        lifecycle: { preStop: { exec: { command: ['true'] } } },
      }),
    ],
  });
  const created = (await Injection.start()).hold(set).create(pod());
  expect(see.containerOf('side')(created)).toEqual({
    ...container('side'),
    env: [{ name: 'IS_INJECTED', value: 'true' }],
    lifecycle: { preStop: { exec: { command: ['true'] } } },
  });
});

test('the namespace of the request counts where the pod names none', async () => {
  const set = sidecarSet('side', {
    containers: [sidecar('a')],
    spec: { namespaceSelector: { matchLabels: { env: 'dev' } } },
  });
  const nameless = pod();
  if (isObject(nameless.metadata)) delete nameless.metadata.namespace;
  const created = (await Injection.start()).hold(shop, set).create(nameless, { namespace: 'shop' });
  expect(see.containers(created)).toEqual(['a', 'app']);
  expect(created.metadata).not.toHaveProperty('namespace');
});

test('a dry run is injected like any other', async () => {
  const created = (await Injection.start()).hold(logs).create(pod(), { dryRun: true });
  expect(see.containers(created)).toEqual(['log-agent', 'app']);
});
