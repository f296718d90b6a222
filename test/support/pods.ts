// Generated pods and SidecarSets: ordinary in shape, odd in content (members that Kubernetes does not know, numbers and
// texts written in unusual ways, names that meet).
import fc from 'fast-check';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { container, pod, volumes } from './builders/pod.ts';
import { sidecar, sidecarSet } from './builders/sidecarset.ts';

const APPS = ['app', 'web', 'job'];
const VOLUMES = ['data', 'logs', 'run'];
const PATHS = ['/data', '/logs', '/run', '/data/more', '/'];
const VARIABLES = ['A', 'B', 'C_1', 'REGION'];

/** Text of a JSON scalar that is printed as it stands; `JSON.stringify` leaves it alone. */
function verbatim(text: string): Json {
  return (JSON as unknown as { rawJSON(text: string): Json }).rawJSON(text);
}

// Numbers and texts that a careless rewrite would change.
const oddScalar = fc
  .constantFrom(
    ...['1e3', '1.50', '-0', '123456789012345678901', '1E-7', '0.1e1', '9007199254740993'],
    ...['"\\u0041\\/b"', '"\\ud83d\\ude00"', '"é😀"', '"\\u2028<&>"', '"a\\tb\\"c\\\\"', '""'],
  )
  .map(verbatim);

const anything: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    oddScalar,
    fc.constantFrom<Json>(true, false, null),
    fc.string({ maxLength: 6 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('x', 'name', 'env', 'a/b', 'é', '~'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

// Members that no version of Kubernetes knows.
const unknownMembers = fc.dictionary(fc.constantFrom('futureField', 'x-vendor', 'zz'), anything, { maxKeys: 2 });

const variables = fc.array(
  fc.record({ name: fc.constantFrom(...VARIABLES), value: fc.constantFrom('', '1', 'é"\\', '$(A)') }),
  { maxLength: 4 },
);

const mounts = fc.uniqueArray(
  fc.record(
    {
      name: fc.constantFrom(...VOLUMES),
      mountPath: fc.constantFrom(...PATHS),
      subPathExpr: fc.constantFrom('$(A)/x', '$(REGION)$(B)', '$(NOT_THERE)', '$$(A)'),
      readOnly: fc.boolean(),
    },
    { requiredKeys: ['name', 'mountPath'] },
  ),
  { selector: ({ mountPath }) => mountPath, maxLength: 3 },
);

const devices = fc.uniqueArray(
  fc.record({ name: fc.constantFrom(...VOLUMES), devicePath: fc.constantFrom(...PATHS) }),
  {
    selector: ({ devicePath }) => devicePath,
    maxLength: 2,
  },
);

const secretNames = fc.array(fc.constantFrom('reg-a', 'reg-b', 'reg-c'), { maxLength: 3 });

function filled(members: Record<string, Json>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

function podContainer(name: string): fc.Arbitrary<JsonObject> {
  return fc
    .record({ env: variables, mounts, devices, unknown: unknownMembers, isInjected: fc.boolean() })
    .map(({ env, mounts: volumeMounts, devices: volumeDevices, unknown, isInjected }) => {
      const mark = isInjected && name.startsWith('side-') ? [{ name: 'IS_INJECTED', value: 'true' }] : [];
      return container(name, {
        ...filled({ env: [...mark, ...env] as Json[], volumeMounts, volumeDevices }),
        ...unknown,
      });
    });
}

// What an earlier injection, or an odd hand, left in the annotations: by sets that are there and one that is gone.
const entry = (name: string): fc.Arbitrary<string> =>
  fc
    .record({
      hash: fc.constantFrom('h-old', ''),
      sidecars: fc.subarray(['a', 'b']),
      time: fc.constantFrom('2026-01-01T00:00:00Z', null),
    })
    .map(({ hash, sidecars, time }) =>
      JSON.stringify({ [name]: { updateTimestamp: time, hash, sidecarSetName: name, sidecarList: sidecars } }),
    );
const leftovers = fc.record(
  {
    'kruise.io/sidecarset-hash': fc.oneof(entry('gone'), entry('mesh'), fc.constant('{"gone":"h-old","logs":"h"}')),
    'kruise.io/sidecarset-hash-without-image': fc.oneof(entry('gone'), entry('logs'), fc.constant('{}')),
    'kruise.io/sidecarset-injected-list': fc.constantFrom('', 'gone', 'mesh,gone', ',', 'mesh,mesh', ' logs'),
    'kruise.io/sidecarset-working-hotupgrade-container': fc.constantFrom(
      '{"side-mesh-b":"side-mesh-b-2"}',
      '{"zz":"zz-2","aa":"aa-1"}',
      'no JSON',
      '{}',
    ),
  },
  { requiredKeys: [] },
);

/** Pods labelled `app: web`. `meeting` are names of injected containers that the pod may have already. */
export function pods(meeting: readonly string[] = []): fc.Arbitrary<JsonObject> {
  const names = (pool: readonly string[], minLength: number) =>
    fc.uniqueArray(fc.constantFrom(...pool), { minLength, maxLength: 3 });
  const containersOf = (pool: readonly string[], minLength: number) =>
    names(pool, minLength).chain((chosen) => fc.tuple(...chosen.map(podContainer)));
  return fc
    .record({
      containers: containersOf([...APPS, ...meeting], 1),
      initContainers: containersOf(['init-a', 'init-z', ...meeting.map((name) => `i${name}`)], 0),
      volumeNames: fc.uniqueArray(fc.constantFrom(...VOLUMES, 'own'), { maxLength: 3 }),
      imagePullSecrets: secretNames,
      annotations: fc.dictionary(fc.constantFrom('note', 'main', 'x/y'), fc.constantFrom('app', 'é"\\', ''), {
        maxKeys: 2,
      }),
      history: meeting.length > 0 ? leftovers : fc.constant({}),
      unknown: unknownMembers,
      metadata: unknownMembers,
    })
    .map(({ containers, initContainers, volumeNames, imagePullSecrets, history, unknown, metadata, ...parts }) => {
      const annotations = { ...parts.annotations, ...history };
      return pod({
        labels: { app: 'web', main: 'web' },
        ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
        containers: [...containers],
        ...(initContainers.length > 0 ? { initContainers: [...initContainers] } : {}),
        ...(volumeNames.length > 0 ? { volumes: volumes(...volumeNames) } : {}),
        ...(imagePullSecrets.length > 0 ? { imagePullSecrets } : {}),
        spec: unknown,
        metadata,
      });
    });
}

const transfers = fc.array(
  fc
    .record({
      source: fc.constantFrom<JsonObject>(
        ...APPS.map((name) => ({ sourceContainerName: name })),
        { sourceContainerNameFrom: { fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['main']" } } },
        { sourceContainerNameFrom: { fieldRef: { apiVersion: 'v1', fieldPath: "metadata.annotations['main']" } } },
      ),
      envName: fc.constantFrom('', ...VARIABLES),
      envNames: fc.array(fc.constantFrom(...VARIABLES), { maxLength: 3 }),
    })
    .map(({ source, envName, envNames }) => ({
      ...source,
      ...(envName === '' ? {} : { envName }),
      ...(envNames.length > 0 ? { envNames } : {}),
    })),
  { maxLength: 2 },
);

function setContainer(name: string): fc.Arbitrary<JsonObject> {
  const sharing = fc.constantFrom('enabled', 'disabled');
  return fc
    .record({
      env: variables,
      mounts,
      devices,
      transferEnv: transfers,
      shareVolumePolicy: sharing,
      shareVolumeDevicePolicy: fc.option(sharing, { nil: undefined }),
      podInjectPolicy: fc.constantFrom('BeforeAppContainer', 'AfterAppContainer'),
      isHot: fc.boolean(),
      isNative: fc.boolean(),
    })
    .map((parts) =>
      sidecar(name, {
        ...filled({
          env: parts.env,
          volumeMounts: parts.mounts,
          volumeDevices: parts.devices.filter(
            (one) => !parts.mounts.some((mount) => mount.mountPath === one.devicePath),
          ),
          transferEnv: parts.transferEnv,
        }),
        ...(name.startsWith('iside-') && parts.isNative ? { restartPolicy: 'Always' } : {}),
        podInjectPolicy: parts.podInjectPolicy,
        shareVolumePolicy: { type: parts.shareVolumePolicy },
        ...(parts.shareVolumeDevicePolicy === undefined
          ? {}
          : { shareVolumeDevicePolicy: { type: parts.shareVolumeDevicePolicy } }),
        upgradeStrategy: parts.isHot
          ? { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'example.com/empty:1' }
          : { upgradeType: 'ColdUpgrade' },
      }),
    );
}

const SETS = ['logs', 'mesh', 'vault'];

/** Names of containers that generated SidecarSets may inject, before hot upgrade doubles them. */
export const SIDECARS = SETS.flatMap((set) => [`side-${set}-b`, `side-${set}-a`]);

/** Up to three SidecarSets that match the pods of `pods`, with different names for different containers. */
export const sidecarSets: fc.Arbitrary<JsonObject[]> = fc
  .uniqueArray(fc.constantFrom(...SETS), { minLength: 1, maxLength: 3 })
  .chain((names) => fc.tuple(...names.map(oneSet)))
  .map((sets) => [...sets]);

function oneSet(name: string): fc.Arbitrary<JsonObject> {
  const some = (prefix: string, minLength: number) =>
    fc
      .uniqueArray(fc.constantFrom(`${prefix}-${name}-b`, `${prefix}-${name}-a`), { minLength, maxLength: 2 })
      .chain((names) => fc.tuple(...names.map(setContainer)));
  return fc
    .record({
      containers: some('side', 1),
      initContainers: some('iside', 0),
      imagePullSecrets: secretNames,
      volumeNames: fc.uniqueArray(fc.constantFrom(...VOLUMES), { maxLength: 3 }),
      patchPolicy: fc.constantFrom('Retain', 'Overwrite'),
      patches: fc.dictionary(fc.constantFrom('note', `of-${name}`), fc.constantFrom('1', 'é<&>'), { maxKeys: 2 }),
      hasRevision: fc.boolean(),
    })
    .map((parts) =>
      sidecarSet(name, {
        containers: [...parts.containers],
        ...(parts.initContainers.length > 0 ? { initContainers: [...parts.initContainers] } : {}),
        ...(parts.imagePullSecrets.length > 0 ? { imagePullSecrets: parts.imagePullSecrets } : {}),
        latestRevision: parts.hasRevision ? `${name}-r1` : '',
        spec: {
          ...(parts.volumeNames.length > 0 ? { volumes: volumes(...parts.volumeNames) } : {}),
          ...(Object.keys(parts.patches).length > 0
            ? { patchPodMetadata: [{ annotations: parts.patches, patchPolicy: parts.patchPolicy }] }
            : {}),
        },
      }),
    );
}

/** The same sets, of which only the first patches annotations: two that overwrite one never agree. */
export function agreeing(sets: readonly JsonObject[]): JsonObject[] {
  return sets.map((set, i) => {
    const { patchPodMetadata: _patches, ...spec } = set.spec as JsonObject;
    return i === 0 ? set : { ...set, spec };
  });
}
