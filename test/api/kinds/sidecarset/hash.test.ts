import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cloneJson, type JsonObject, parseJson } from '../../../../api/core/json.ts';
import { effectiveGates } from '../../../../api/gates.ts';
import { hashText } from '../../../../api/kinds/sidecarset/hash.ts';
import { sidecarSet } from '../../../../api/kinds/sidecarset/kind.ts';
import { revisionData, revisionIdentity } from '../../../../api/kinds/sidecarset/revision.ts';
import { SidecarSet } from '../../../../api/kinds/sidecarset/schema.ts';
import { SIDECARSET_HASH, SIDECARSET_HASH_WITHOUT_IMAGE } from '../../../../api/names.ts';
import { arbitraryOf } from '../../../support/arbitraries.ts';

const gates = effectiveGates();
const logs = {
  selector: { matchLabels: { app: 'web' } },
  containers: [{ name: 'log-agent', image: 'example.com/log-agent:1.0' }],
};
const newLogs = { ...logs, containers: [{ name: 'log-agent', image: 'example.com/log-agent:1.1' }] };

function defaulted(spec: JsonObject, version = 'v1beta1'): SidecarSet {
  const object = { apiVersion: `apps.kruise.io/${version}`, kind: 'SidecarSet', metadata: { name: 'logs' }, spec };
  return sidecarSet.applyDefaults(object, version, { gates }) as SidecarSet;
}
function hashes(spec: JsonObject, version?: string): (string | undefined)[] {
  const annotations = defaulted(spec, version).metadata?.annotations;
  return [annotations?.[SIDECARSET_HASH], annotations?.[SIDECARSET_HASH_WITHOUT_IMAGE]];
}

describe('the hashes of running pods', () => {
  const a1 = '4452vb4957f44cb7b6b2bw9fxd44wv87fw7db6zv6v5c8cw78455f955zvcc45fb';
  const withoutImage = 'w9c7z4dxfd49fv49fz2wbv299f5f5vv6862vv7zx785xf2cfcv4728vx8x5w9df6';

  test.each(['v1alpha1', 'v1beta1'])('stay the same through %s', (version) => {
    expect(hashes(logs, version)).toEqual([a1, withoutImage]);
  });

  test('differ by the image in one of them only', () => {
    const a2 = 'db9bwx78xz246c84f5fx4xbz84bz9967ddxf6c4d74c26w97vw4d92c4cfd24bb9';
    expect(hashes(newLogs)).toEqual([a2, withoutImage]);
  });

  test('are made of the exact text of the typed containers', () => {
    const mesh = {
      containers: [
        {
          name: 'mesh',
          image: 'example.com/mesh:1',
          command: ['sh', '-c', 'sleep 5 && echo <ok>'],
          resources: { limits: { memory: '128Mi', cpu: '1000m' } },
          podInjectPolicy: 'AfterAppContainer',
          upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'example.com/empty:1' },
          shareVolumePolicy: { type: 'enabled' },
          transferEnv: [{ sourceContainerName: 'app', envName: 'REGION' }],
        },
      ],
    };
    expect(hashText(defaulted(mesh).spec ?? {})).toBe(
      '{"containers":[{"name":"mesh","image":"example.com/mesh:1","command":["sh","-c","sleep 5 \\u0026\\u0026 echo \\u003cok\\u003e"],"resources":{"limits":{"cpu":"1","memory":"128Mi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent","podInjectPolicy":"AfterAppContainer","upgradeStrategy":{"upgradeType":"HotUpgrade","hotUpgradeEmptyImage":"example.com/empty:1"},"shareVolumePolicy":{"type":"enabled"},"transferEnv":[{"sourceContainerName":"app","envName":"REGION"}]}]}',
    );
    expect(hashes(mesh)[0]).toBe('96w4z2x4bwv884wv9z47894b94fzbxz7bcx99cw6f44z484bwf8dzxzx4ww47cv2');
  });

  test('take in all init containers once one of them is a native sidecar', () => {
    const agent = { name: 'agent', image: 'example.com/agent:latest' };
    const native = { updateStrategy: { type: 'NotUpdate' }, initContainers: [{ ...agent, restartPolicy: 'Always' }] };
    expect(hashes(native)[0]).toBe('vv5d49czxf5z6fw2ff45zz49dbf597z857fc8w7fx4f4c259f97v884zdbwwxwxd');
    const none = 'x5vwx9w6vv4dv72c9w4c2f6v74fbwx545b45bbfz6z2dvf8w887xw86fvcb4cf48';
    expect(hashes({ initContainers: [agent] })).toEqual([none, none]);
    expect(hashes({})).toEqual([none, none]);
    const both = [
      { name: 'plain', image: 'p:1' },
      { ...agent, restartPolicy: 'Always' },
    ];
    expect(hashText(defaulted({ initContainers: both }).spec ?? {})).toContain('"initContainers":[{"name":"plain"');
  });

  test('tell an empty list of containers from none, though it is not stored', () => {
    expect(hashes({ containers: [] })).not.toEqual(hashes({}));
    expect(defaulted({ containers: [] }).spec).not.toHaveProperty('containers');
  });

  test('keep every digit of numbers beyond 2^53', () => {
    const spec = (seconds: string) =>
      sidecarSet.applyDefaults(
        parseSet(`[{"name":"a","image":"a:1","securityContext":{"runAsUser":${seconds}}}]`),
        'v1beta1',
        { gates },
      ) as SidecarSet;
    expect(hashText(spec('9007199254740993').spec ?? {})).toContain('"runAsUser":9007199254740993}');
    expect(spec('9007199254740993').metadata).not.toEqual(spec('9007199254740992').metadata);
  });

  test('do not depend on what is not content', () => {
    const more = {
      ...logs,
      volumes: [{ name: 'v' }],
      imagePullSecrets: [{ name: 's' }],
      patchPodMetadata: [{ annotations: { a: 'b' } }],
      updateStrategy: { paused: true },
      initContainers: [{ name: 'plain', image: 'p:1' }],
    };
    expect(hashes(more)).toEqual(hashes(logs));
  });

  test('are computed anew whatever a client wrote, and are stable', () => {
    // An empty list of containers is hashed as such, but stored as none.
    const stored = arbitraryOf(SidecarSet).map((given) =>
      JSON.parse(JSON.stringify(given).replaceAll('"containers":[]', '"_":1')),
    );
    fc.assert(
      fc.property(stored, (given) => {
        const once = sidecarSet.applyDefaults(given as JsonObject, 'v1beta1', { gates });
        const annotations = { ...(once as SidecarSet).metadata?.annotations, [SIDECARSET_HASH]: 'forged' };
        const forged = { ...cloneJson(once), metadata: { ...(once.metadata as JsonObject), annotations } };
        expect(sidecarSet.applyDefaults(forged, 'v1beta1', { gates }).metadata).toEqual(once.metadata);
      }),
    );
  });
});

describe('revisions', () => {
  test('record five members of the spec, sorted, and are named after them', () => {
    const set = defaulted(logs);
    expect(revisionData(set)).toBe(
      '{"spec":{"$patch":"replace","containers":[{"image":"example.com/log-agent:1.0","imagePullPolicy":"IfNotPresent","name":"log-agent","podInjectPolicy":"BeforeAppContainer","resources":{},"shareVolumePolicy":{"type":"disabled"},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","upgradeStrategy":{"upgradeType":"ColdUpgrade"}}],"imagePullSecrets":null,"initContainers":null,"patchPodMetadata":null,"volumes":null}}',
    );
    expect(revisionIdentity(set)).toEqual({ name: 'logs-76775bfdf5', hash: '76775bfdf5' });
    expect(revisionIdentity(set, 1).name).toBe('logs-76775bfdf4');
    expect(revisionIdentity(defaulted(newLogs)).name).toBe('logs-699cbc85dd');
  });

  test('are the same for what decodes the same', () => {
    const loose = { ...logs, volumes: [], imagePullSecrets: [], containers: [{ ...logs.containers[0], stdin: false }] };
    expect(revisionData(defaulted(loose))).toBe(revisionData(defaulted(logs)));
  });
});

function parseSet(containers: string): JsonObject {
  return { apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet', spec: { containers: parseJson(containers) } };
}
