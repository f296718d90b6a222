// Acceptance cases 1 to 8 of containerrecreaterequest.md, and the rules of section 2.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { container, pod } from '../../../support/builders/pod.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

const POD_UID = 'crr.apps.kruise.io/pod-uid';
const NODE_NAME = 'crr.apps.kruise.io/node-name';
const ACQUIRED = 'crr.apps.kruise.io/unready-acquired';

const node: JsonObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };
const exec = { exec: { command: ['sh', '-c', 'sleep 1'] } };
const status = (name: string, id = `containerd://${name}1`): JsonObject => ({
  name,
  containerID: id,
  restartCount: 0,
  ready: true,
});

type Parts = { spec?: JsonObject; status?: JsonObject; metadata?: JsonObject; preStop?: JsonObject };

/** Pod `p` with containers `app` (with a hook) and `log`, a sidecar `proxy` and an init container `init`, all started. */
function target({ spec = {}, status: more = {}, metadata = {}, preStop = exec }: Parts = {}): JsonObject {
  const ports = [
    { name: 'http', containerPort: 80, protocol: 'TCP' },
    { containerPort: 81, protocol: 'TCP' },
  ];
  return pod({
    name: 'p',
    namespace: 'default',
    metadata: { uid: 'u1', ...metadata },
    containers: [container('app', { ports, lifecycle: { preStop } }), container('log')],
    initContainers: [container('proxy', { restartPolicy: 'Always' }), container('init')],
    spec: { nodeName: 'n1', ...spec },
    status: {
      phase: 'Running',
      initContainerStatuses: [status('proxy'), status('init')],
      containerStatuses: [status('app'), status('log')],
      ...more,
    },
  });
}

function request(spec: JsonObject = {}, metadata: JsonObject = {}, version = 'v1beta1'): JsonObject {
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'ContainerRecreateRequest',
    metadata: { name: 'r', namespace: 'default', ...metadata },
    spec: { podName: 'p', containers: [{ name: 'app' }], ...spec },
  };
}

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
});
beforeEach(() => void admission.hold(node, target()));

const firstContainer = (object: JsonObject): JsonObject | undefined =>
  (object.spec as { containers: JsonObject[] }).containers[0];
const labelsOf = (object: JsonObject): Json | undefined => (object.metadata as JsonObject).labels;

describe('a new request', () => {
  test.each(['v1alpha1', 'v1beta1'])('in %s gets labels, strategy, hook and status from the pod', (version) => {
    const admitted = admission.defaulted(request({}, {}, version));
    expect(labelsOf(admitted)).toEqual({
      'crr.apps.kruise.io/active': 'true',
      [POD_UID]: 'u1',
      [NODE_NAME]: 'n1',
    });
    expect(admitted.spec).toEqual({
      podName: 'p',
      containers: [
        { name: 'app', preStop: exec, statusContext: { containerID: 'containerd://app1', restartCount: 0 } },
      ],
      strategy: { failurePolicy: 'Fail', terminationGracePeriodSeconds: 30 },
    });
  });

  test('gets the ports of the container for a hook over HTTP', () => {
    const httpGet = { path: '/stop', port: 'http', scheme: 'HTTP' };
    admission.hold(node, target({ preStop: { httpGet } }));
    expect(firstContainer(admission.defaulted(request()))).toMatchObject({
      preStop: { httpGet },
      ports: [
        { name: 'http', containerPort: 80, protocol: 'TCP' },
        { containerPort: 81, protocol: 'TCP' },
      ],
    });
  });

  test('gets no hook where the hook only sleeps', () => {
    admission.hold(node, target({ preStop: { sleep: { seconds: 5 } } }));
    expect(firstContainer(admission.defaulted(request()))).not.toHaveProperty('preStop');
  });

  test('keeps its own strategy and labels, but not those that tell pod and node', () => {
    const strategy = { failurePolicy: 'Ignore', orderedRecreate: true, terminationGracePeriodSeconds: 0 };
    const given = request({ strategy }, { labels: { mine: '1', [POD_UID]: 'forged', [NODE_NAME]: 'n2' } });
    const admitted = admission.defaulted(given);
    expect((admitted.spec as JsonObject).strategy).toEqual(strategy);
    expect(labelsOf(admitted)).toMatchObject({ mine: '1', [POD_UID]: 'u1', [NODE_NAME]: 'n1' });
  });

  test('is marked if the node has no daemon', () => {
    const virtual = { ...node, metadata: { name: 'n1', labels: { type: 'virtual-kubelet' } } };
    admission.hold(virtual, target());
    expect(labelsOf(admission.defaulted(request()))).toMatchObject({ type: 'virtual-kubelet' });
  });

  test('may be about a sidecar among the init containers', () => {
    const admitted = admission.defaulted(request({ containers: [{ name: 'proxy' }] }));
    expect(firstContainer(admitted)).toEqual({
      name: 'proxy',
      statusContext: { containerID: 'containerd://proxy1', restartCount: 0 },
    });
  });

  test('is about the pod in the namespace of the request, if it does not tell its own', () => {
    const given = request();
    given.metadata = { name: 'r' };
    expect(admission.mutate(given)).toMatchObject({ allowed: true });
    expect(admission.mutate(request({}, { namespace: 'other' }))).toMatchObject({ message: 'no found Pod named p' });
  });

  test.each<[string, JsonObject]>([
    ['with the shortest deadline', { activeDeadlineSeconds: 3 }],
    ['with a time to live that only the schema refuses', { ttlSecondsAfterFinished: -1 }],
    ['with an empty strategy', { strategy: null }],
  ])('is admitted %s', (_what, spec) => {
    expect(admission.mutate(request(spec))).toMatchObject({ allowed: true });
  });
});

describe('a new request is refused', () => {
  test.each<[string, JsonObject, string]>([
    ['without a pod', { podName: '' }, 'podName can not be empty'],
    ['without containers', { containers: [] }, 'containers list can not be null'],
    ['with a short deadline', { activeDeadlineSeconds: 2 }, 'activeDeadlineSeconds can not be less than 3s'],
    [
      'with a negative grace period',
      { strategy: { terminationGracePeriodSeconds: -1 } },
      'terminationGracePeriodSeconds must be non-negative integer',
    ],
    [
      'with a negative unready period',
      { strategy: { unreadyGracePeriodSeconds: -10 } },
      'unreadyGracePeriodSeconds must be non-negative integer',
    ],
    ['with an unknown policy', { strategy: { failurePolicy: 'Retry' } }, 'unknown failurePolicy Retry'],
    ['for a pod that does not exist', { podName: 'q' }, 'no found Pod named q'],
    ['for a container twice', { containers: [{ name: 'app' }, { name: 'app' }] }, 'can not recreate app multi times'],
    ['for an unknown container', { containers: [{ name: 'nope' }] }, 'container nope not found in Pod'],
    [
      'for an init container that has ended',
      { containers: [{ name: 'init' }] },
      'not found init containerStatus in Pod Status',
    ],
    [
      'with facts of its own',
      { containers: [{ name: 'app', statusContext: { containerID: 'x', restartCount: 0 } }] },
      'preStop, ports, statusContext in container are ready-only fields',
    ],
    [
      'with a hook of its own',
      { containers: [{ name: 'app', preStop: {} }] },
      'preStop, ports, statusContext in container are ready-only fields',
    ],
  ])('%s', (_what, spec, message) => {
    expect(admission.mutate(request(spec))).toMatchObject({ allowed: false, code: 400, message });
    expect(admission.mutate(request(spec, {}, 'v1alpha1'))).toMatchObject({ allowed: false, code: 400, message });
  });

  const inactive = 'not allowed to recreate containers in an inactive Pod';
  test.each<[string, JsonObject[], string]>([
    ['for a pod that has ended', [node, target({ status: { phase: 'Succeeded' } })], inactive],
    ['for a pod that has failed', [node, target({ status: { phase: 'Failed' } })], inactive],
    [
      'for a pod that is being deleted',
      [node, target({ metadata: { deletionTimestamp: '2026-07-02T07:00:00Z' } })],
      inactive,
    ],
    [
      'for a pod without node',
      [node, target({ spec: { nodeName: '' } })],
      'not allowed to recreate containers in a pending Pod',
    ],
    ['for a pod on an unknown node', [target()], 'no found Node named n1'],
    [
      'for a container without status',
      [node, target({ status: { containerStatuses: [status('log')] } })],
      'not found app containerStatus in Pod Status',
    ],
    [
      'for a container that has never run',
      [node, target({ status: { containerStatuses: [status('app', '')] } })],
      'no containerID in app containerStatus, maybe the container has not been initialized',
    ],
    [
      'for a pod that cannot be read',
      [node, target({ status: { containerStatuses: 'none' as unknown as Json } })],
      'can not read Pod p: status.containerStatuses: expected array, got string',
    ],
  ])('%s', (_what, cluster, message) => {
    admission.hold(...cluster);
    expect(admission.mutate(request())).toMatchObject({ allowed: false, code: 400, message });
  });

  test('no longer once the sidecars of the pod were ended', () => {
    const conditions = [{ type: 'SidecarTerminated', status: 'False' }];
    admission.hold(node, target({ status: { phase: 'Succeeded', conditions } }));
    expect(admission.mutate(request())).toMatchObject({ allowed: true });
  });
});

describe('an update', () => {
  const labels = { [POD_UID]: 'u1', [NODE_NAME]: 'n1' };
  const old = (version = 'v1beta1', metadata: JsonObject = {}) => request({}, { labels, ...metadata }, version);

  test.each<[string, JsonObject]>([
    ['labels', request({}, { labels: { ...labels, foo: '1', 'crr.apps.kruise.io/active': 'false' } })],
    ['finalizers', request({}, { labels, finalizers: ['a.b/c'] })],
    ['nothing', old()],
  ])('of %s is admitted without a patch, whatever has become of the pod', (_what, changed) => {
    admission.hold();
    expect(admission.mutate(changed, old())).toMatchObject({ allowed: true, operations: [] });
  });

  test.each<[string, JsonObject, string]>([
    ['the spec', request({ strategy: {} }, { labels }), 'spec of ContainerRecreateRequest is immutable'],
    [
      'the UID of the pod',
      request({}, { labels: { ...labels, [POD_UID]: 'u2' } }),
      `not allowed to update immutable label ${POD_UID}`,
    ],
    ['the node', request({}, { labels: { [POD_UID]: 'u1' } }), `not allowed to update immutable label ${NODE_NAME}`],
  ])('of %s is denied', (_what, changed, message) => {
    expect(admission.mutate(changed, old())).toMatchObject({ allowed: false, code: 403, message });
  });

  test('of the time at which the pod was made unready is denied in v1alpha1, but not its first setting', () => {
    const at = (time?: string): JsonObject => (time === undefined ? {} : { annotations: { [ACQUIRED]: time } });
    const update = (from: string | undefined, to: string | undefined, version: string) =>
      admission.mutate(request({}, { labels, ...at(to) }, version), old(version, at(from)));
    const message = `not allowed to update immutable annotation ${ACQUIRED}`;
    expect(update('a', 'b', 'v1alpha1')).toMatchObject({ allowed: false, code: 403, message });
    expect(update('a', undefined, 'v1alpha1')).toMatchObject({ allowed: false, code: 403, message });
    expect(update(undefined, 'b', 'v1alpha1')).toMatchObject({ allowed: true });
    expect(update('a', 'b', 'v1beta1')).toMatchObject({ allowed: true });
  });

  test('with an old object that cannot be read is refused with 400', () => {
    expect(admission.mutate(old(), { ...old(), spec: 'x' })).toMatchObject({ allowed: false, code: 400 });
  });
});

test('without the daemon nothing is admitted, and the gate is named', async () => {
  const closed = (await KindAdmission.start({ KruiseDaemon: false })).hold(node, target());
  for (const verdict of [closed.mutate(request()), closed.mutate(request(), request())]) {
    expect(verdict).toMatchObject({ allowed: false, code: 403 });
    expect(verdict.message).toContain('KruiseDaemon');
  }
});

test('a request for a pod of 200 KB is admitted within 10 ms', () => {
  const containers = Array.from({ length: 400 }, (_, i) =>
    container(`c${i}`, { env: [{ name: 'A', value: 'x'.repeat(350) }] }),
  );
  const statuses = containers.map(({ name }) => status(String(name)));
  const big = target({ spec: { containers }, status: { containerStatuses: statuses } });
  expect(JSON.stringify(big).length).toBeGreaterThan(200_000);
  admission.hold(node, big);
  const given = request({ containers: containers.slice(0, 20).map(({ name = null }) => ({ name })) });
  const once = (): number => {
    const started = performance.now();
    expect(admission.mutate(given)).toMatchObject({ allowed: true });
    return performance.now() - started;
  };
  // The best of many: the machine may be busy.
  expect(Math.min(...Array.from({ length: 30 }, once))).toBeLessThan(10);
});
