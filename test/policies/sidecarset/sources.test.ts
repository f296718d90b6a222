// What injected containers take from the pod: mounts, devices, environment, with names and values on the edge
// (sidecarset.md 5.5).
import { describe, test } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { container, env, mounts, pod, volumes } from '../../support/builders/pod.ts';
import { initSidecar, SHARED_MOUNTS, sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { expectRow, type Row } from '../../support/injection-rows.ts';
import * as see from '../../support/see.ts';

const DEVICES = { shareVolumeDevicePolicy: { type: 'enabled' } };
const one = (more: JsonObject, spec: JsonObject = {}): JsonObject[] => [
  sidecarSet('s', { containers: [sidecar('x', more)], spec }),
];
const init = (more: JsonObject): JsonObject[] => [sidecarSet('s', { initContainers: [initSidecar('x', more)] })];
const app = (more: JsonObject, ...others: JsonObject[]): JsonObject =>
  pod({ containers: [container('app', more), ...others] });
const mount = (mountPath: string, subPathExpr: string): JsonObject => ({ name: 'v', mountPath, subPathExpr });
const marked = (...values: string[]): Json[] => values.map((value) => ({ name: 'IS_INJECTED', value }));
const device = (devicePath: string, name: string): JsonObject => ({ devicePath, name });
const sharedBy = (rule: string, from: JsonObject, expected: string[]): Row => ({
  rule,
  objects: one(SHARED_MOUNTS),
  pod: app({ volumeMounts: mounts({ '/a': 'v' }), ...from }),
  see: see.mountsOf('x'),
  expected,
});

const shared: Row[] = [
  sharedBy('not of a container whose first mark is true', { env: marked('true', 'false') }, []),
  sharedBy('of one whose first mark is not', { env: marked('false', 'true') }, ['/a v']),
  sharedBy('of one whose mark is written otherwise', { env: marked('True') }, ['/a v']),
  {
    rule: 'of the copy of a sidecar that the manifest has',
    objects: one(SHARED_MOUNTS),
    pod: pod({ containers: [container('app'), container('x', { volumeMounts: mounts({ '/x': 'v' }) })] }),
    see: see.mountsOf('x'),
    expected: ['/x v'],
  },
  {
    rule: 'not of other sidecars of the set, nor of ephemeral containers',
    objects: [
      sidecarSet('s', {
        containers: [sidecar('x', SHARED_MOUNTS), sidecar('y', { volumeMounts: mounts({ '/y': 'v' }) })],
        spec: { volumes: volumes('v') },
      }),
    ],
    pod: pod({ spec: { ephemeralContainers: [container('e', { volumeMounts: mounts({ '/e': 'v' }) })] } }),
    see: see.mountsOf('x'),
    expected: [],
  },
  {
    rule: 'at a path that is written otherwise',
    objects: one({ ...SHARED_MOUNTS, volumeMounts: mounts({ '/a/': 'own' }) }, { volumes: volumes('own') }),
    pod: app({ volumeMounts: mounts({ '/a': 'v' }) }),
    see: see.mountsOf('x'),
    expected: ['/a/ own', '/a v'],
  },
  {
    rule: 'with all that the mount says',
    objects: one(SHARED_MOUNTS),
    pod: app({
      volumeMounts: [{ name: 'v', mountPath: '/a', readOnly: true, subPath: 'q', recursiveReadOnly: 'Disabled' }],
    }),
    see: (created) => see.containerOf('x')(created)?.volumeMounts,
    expected: [{ name: 'v', mountPath: '/a', readOnly: true, subPath: 'q', recursiveReadOnly: 'Disabled' }],
  },
  {
    rule: "without the set's volume of that name",
    objects: one(SHARED_MOUNTS, { volumes: volumes('v') }),
    pod: app({ volumeMounts: mounts({ '/a': 'v' }) }),
    see: see.volumes,
    expected: [],
  },
  {
    rule: 'of devices where neither mount nor device lies, also for init containers',
    objects: init({ ...SHARED_MOUNTS, ...DEVICES }),
    pod: app(
      { volumeMounts: mounts({ '/dev/a': 'v' }), volumeDevices: [device('/dev/b', 'p')] },
      container('two', { volumeDevices: [device('/dev/a', 'q'), device('/dev/b', 'q'), device('/dev/c', 'q')] }),
    ),
    see: see.devicesOf('x'),
    expected: ['/dev/b p', '/dev/c q'],
  },
  {
    rule: 'of devices alone',
    objects: one(DEVICES),
    pod: app({ volumeMounts: mounts({ '/m': 'v' }), volumeDevices: [device('/dev/b', 'p')] }),
    see: (created) => [see.devicesOf('x')(created), see.mountsOf('x')(created)],
    expected: [['/dev/b p'], []],
  },
];

const needed: Row[] = [
  {
    rule: 'names of all letters that names may have, also behind a second dollar',
    objects: one(SHARED_MOUNTS),
    pod: app({
      env: env({ 'A.B-c': '1', X: '2', _y: '3', '9z': '4' }),
      volumeMounts: [mount('/x', '$(A.B-c)/$$(X)/$(_y)/$(9z)/$(N)')],
    }),
    see: see.envOf('x'),
    expected: ['IS_INJECTED=true', 'A.B-c=1', 'X=2', '_y=3'],
  },
  {
    rule: 'names without anything between, one in another, none with a blank',
    objects: one(SHARED_MOUNTS),
    pod: app({ env: env({ A: '1', B: '2', C: '3' }), volumeMounts: [mount('/a', '$(A)$(B)$($(C))$( A)')] }),
    see: see.envOf('x'),
    expected: ['IS_INJECTED=true', 'A=1', 'B=2', 'C=3'],
  },
  {
    rule: 'of two containers with one name the first',
    objects: one(SHARED_MOUNTS),
    pod: app(
      { env: env({ R: '1' }), volumeMounts: [mount('/a', '$(R)')] },
      container('two', { env: env({ R: '2' }), volumeMounts: [mount('/b', '$(R)')] }),
    ),
    see: see.envOf('x'),
    expected: ['IS_INJECTED=true', 'R=1'],
  },
  {
    rule: 'what is transferred wins',
    objects: one({ ...SHARED_MOUNTS, transferEnv: [{ sourceContainerName: 'two', envName: 'R' }] }),
    pod: app(
      { env: env({ R: '1', Q: 'q' }), volumeMounts: [mount('/a', '$(Q)/$(R)')] },
      container('two', { env: env({ R: '2' }) }),
    ),
    see: see.envOf('x'),
    expected: ['IS_INJECTED=true', 'R=2', 'Q=q'],
  },
];

const fromPath = (fieldPath: string): JsonObject => ({
  transferEnv: [{ sourceContainerNameFrom: { fieldRef: { apiVersion: 'v1', fieldPath } }, envName: 'A' }],
});
const taking = (...items: JsonObject[]): JsonObject => ({ transferEnv: items });
const A1 = app({ env: env({ A: '1' }) });
const GOT = ['IS_INJECTED=true', 'A=1'];
const NOTHING = ['IS_INJECTED=true'];

const transferred: [rule: string, objects: JsonObject[], asked: JsonObject, expected: string[]][] = [
  [
    'a name that stands in both members and twice comes once',
    one(taking({ sourceContainerName: 'app', envName: 'B', envNames: ['C', 'B', 'A', 'C'] })),
    app({ env: env({ A: '1', B: '2', C: '3' }) }),
    [...GOT, 'B=2', 'C=3'],
  ],
  ['no names, no variables', one(taking({ sourceContainerName: 'app', envName: '', envNames: [] })), A1, NOTHING],
  [
    'of two items with one name the first',
    one(taking({ sourceContainerName: 'app', envName: 'A' }, { sourceContainerName: 'two', envName: 'A' })),
    app({ env: env({ A: '1' }) }, container('two', { env: env({ A: '2' }) })),
    GOT,
  ],
  [
    'the mark is not transferred',
    one(taking({ sourceContainerName: 'app', envNames: ['IS_INJECTED', 'A'] })),
    app({ env: env({ IS_INJECTED: 'no', A: '1' }) }),
    GOT,
  ],
  [
    'an injected container of the manifest may be the source',
    one(taking({ sourceContainerName: 'y', envName: 'A' })),
    app({}, container('y', { env: env({ IS_INJECTED: 'true', A: '1' }) })),
    GOT,
  ],
  [
    'into an init container, but not out of one',
    init(taking({ sourceContainerName: 'app', envName: 'A' }, { sourceContainerName: 'i', envName: 'I' })),
    pod({
      initContainers: [container('i', { env: env({ I: '1' }) })],
      containers: [container('app', { env: env({ A: '1' }) })],
    }),
    GOT,
  ],
  [
    'not out of envFrom',
    one(taking({ sourceContainerName: 'app', envName: 'A' })),
    app({ envFrom: [{ configMapRef: { name: 'c' } }] }),
    NOTHING,
  ],
  [
    'a source that names nothing is none',
    one(taking({ sourceContainerName: 'app', sourceContainerNameFrom: {}, envName: 'A' })),
    A1,
    GOT,
  ],
  [
    'another field passes the item over, not the next one',
    one(
      taking(
        {
          sourceContainerName: 'app',
          sourceContainerNameFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
          envName: 'B',
        },
        { sourceContainerName: 'app', envName: 'A' },
      ),
    ),
    pod({ name: 'app', containers: [container('app', { env: env({ A: '1', B: '2' }) })] }),
    GOT,
  ],
  [
    'the annotation that names the source may be one of the set',
    one(fromPath("metadata.annotations['main']"), {
      patchPodMetadata: [{ patchPolicy: 'Retain', annotations: { main: 'app' } }],
    }),
    A1,
    GOT,
  ],
  [
    'a key with a prefix',
    one(fromPath("metadata.labels['example.com/main']")),
    pod({
      labels: { app: 'web', 'example.com/main': 'app' },
      containers: [container('app', { env: env({ A: '1' }) })],
    }),
    GOT,
  ],
  ...["metadata.labels[']", "metadata.labels['", "metadata.annotations['']", "']", '', 'metadata.labels'].map(
    (path): [string, JsonObject[], JsonObject, string[]] => [
      `no key in ${JSON.stringify(path)}`,
      init(fromPath(path)),
      A1,
      NOTHING,
    ],
  ),
];

describe('mounts are shared', () => {
  test.each(shared)('$rule', expectRow);
});

describe('variables that a shared mount needs:', () => {
  test.each(needed)('$rule', expectRow);
});

describe('variables are transferred:', () => {
  test.each(transferred)('%s', async (rule, objects, asked, expected) => {
    await expectRow({ rule, objects, pod: asked, see: see.envOf('x'), expected });
  });
});
