// SidecarSets upgrade running pods on real nodes, while the leading process of the controllers is killed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { Bed } from './bed/bed.ts';
import { writeBusyboxLayout } from './bed/images.ts';
import { until } from './bed/installation.ts';
import { installUnserved, type LiveGateway, startLiveGateway, untilServed } from './bed/live-gateway.ts';
import { Reconcilers } from './bed/reconcilers.ts';
import { missingForNodes } from './bed/required.ts';

const missing = await missingForNodes();

const SIDECARS = '/apis/apps.kruise.io/v1beta1/sidecarsets';

type Container = JsonObject & { name: string; image: string };
type ContainerStatus = { name: string; ready: boolean; restartCount: number; image: string; imageID: string };
type Pod = {
  metadata: { name: string; uid: string; annotations: Record<string, string> };
  spec: { containers: Container[] };
  status: { podIP?: string; conditions?: { type: string; status: string }[]; containerStatuses?: ContainerStatus[] };
};

describe.skipIf(missing.length > 0)('SidecarSets on nodes', () => {
  let bed: Bed;
  let gateway: LiveGateway;
  let reconcilers: Reconcilers;
  const layout = mkdtempSync(join(tmpdir(), 'sluice-layout-'));

  beforeAll(async () => {
    bed = await Bed.start({ nodes: 2 });
    await installUnserved(bed);
    gateway = await startLiveGateway(bed);
    await untilServed(bed);
    await bed.createNamespace('shop');
    reconcilers = new Reconcilers(bed);
    for (let i = 0; i < 2; i++) reconcilers.start();
    await reconcilers.leader();
    // Serves on the second port while another one has the first.
    for (const version of ['v1', 'v2']) await push(`mesh:${version}`, SERVE.replace('VERSION', version));
    await push('mesh:empty', 'exec sleep 100000');
  });
  afterAll(async () => {
    rmSync(layout, { recursive: true, force: true });
    await reconcilers?.end();
    await gateway?.process.end();
    await bed?.close();
  });

  const SERVE =
    'trap "kill $!; exit 0" TERM; mkdir -p /www; echo VERSION > /www/index.html; ' +
    '(httpd -f -p 8091 -h /www || httpd -f -p 8092 -h /www) & wait $!; wait';

  async function push(name: string, script: string): Promise<void> {
    await writeBusyboxLayout(layout, ['/bin/sh', '-c', script]);
    await bed.registry.pushImage(layout, `example/${name}`);
  }

  function set(name: string, container: JsonObject, image: string): JsonObject {
    return {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'SidecarSet',
      metadata: { name },
      spec: { selector: { matchLabels: { app: name } }, containers: [{ ...container, image }] },
    };
  }

  async function changeImage(name: string, image: string): Promise<void> {
    const stored = await bed.client.must(bed.client.get(`${SIDECARS}/${name}`));
    const spec = stored.spec as JsonObject & { containers: Container[] };
    const containers = spec.containers.map((one) => ({ ...one, image }));
    await bed.client.must(bed.client.send('PUT', `${SIDECARS}/${name}`, { ...stored, spec: { ...spec, containers } }));
  }

  async function statusOf(name: string): Promise<JsonObject> {
    const { status } = await bed.client.must(bed.client.get(`${SIDECARS}/${name}`));
    return (status ?? {}) as JsonObject;
  }

  /** Does the status tell of the set as it is, and of so many pods that are all upgraded and ready? */
  async function isUpgraded(name: string, pods: number): Promise<boolean> {
    const { metadata, status } = await bed.client.must(bed.client.get(`${SIDECARS}/${name}`));
    const { generation } = metadata as { generation: number };
    const counted = (status ?? {}) as JsonObject;
    const counts = [counted.matchedPods, counted.updatedPods, counted.readyPods, counted.updatedReadyPods];
    return counted.observedGeneration === generation && counts.every((count) => count === pods);
  }

  async function podsOf(app: string): Promise<Pod[]> {
    const path = `/api/v1/namespaces/shop/pods?labelSelector=app%3D${app}`;
    const { items } = await bed.client.must(bed.client.get(path));
    return (items as unknown as Pod[]).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** Resolves when the gateway has heard of the set: pods that are created earlier have no sidecar. */
  async function createSet(name: string, container: JsonObject, image: string): Promise<void> {
    await bed.client.must(bed.client.send('POST', SIDECARS, set(name, container, image)));
    const spec = { containers: [{ name: 'main', image: 'busybox:1.36' }] };
    const pod = { metadata: { name: 'asking', labels: { app: name } }, spec };
    await until('the gateway knows the set', async () => {
      const asked = bed.client.send('POST', '/api/v1/namespaces/shop/pods?dryRun=All', pod);
      return ((await bed.client.must(asked)).spec as { containers: Container[] }).containers.length > 1;
    });
  }

  async function deploy(app: string, replicas: number, command: string): Promise<Pod[]> {
    const main = { name: 'main', image: 'busybox:1.36', command: ['sh', '-c', command] };
    const template = {
      metadata: { labels: { app } },
      spec: { containers: [main], terminationGracePeriodSeconds: 1 },
    };
    const spec = { replicas, selector: { matchLabels: { app } }, template };
    const path = '/apis/apps/v1/namespaces/shop/deployments';
    await bed.client.must(bed.client.send('POST', path, { metadata: { name: app }, spec }));
    await until('its pods are ready', async () => (await podsOf(app)).filter(isReady).length === replicas, 60_000);
    return podsOf(app);
  }

  test('an image is rolled out in place, one pod at a time, though the leader is killed', async () => {
    await createSet('cold', { name: 'log' }, 'redis:7');
    const before = await deploy('cold', 4, 'sleep 100000');
    await until('the status counts them', () => isUpgraded('cold', 4));

    await changeImage('cold', 'redis:latest');
    let mostDown = 0;
    let isKilled = false;
    await until(
      'all are upgraded',
      async () => {
        const pods = await podsOf('cold');
        mostDown = Math.max(mostDown, pods.filter((pod) => !isReady(pod) || isBehind(pod, 'log')).length);
        if (!isKilled && pods.some(({ spec }) => spec.containers.some(({ image }) => image === 'redis:latest'))) {
          isKilled = true;
          await reconcilers.killLeader();
        }
        return isUpgraded('cold', 4);
      },
      60_000,
    );
    expect(mostDown).toBe(1);
    const after = await podsOf('cold');
    expect(after.map(({ metadata, status }) => [metadata.uid, status.podIP])).toEqual(
      before.map(({ metadata, status }) => [metadata.uid, status.podIP]),
    );
    expect(after.map((pod) => restartsOf(pod))).toEqual(after.map(() => ({ log: 1, main: 0 })));
    reconcilers.start();
  });

  test('a hot upgrade swaps the containers while there is always one that serves', async () => {
    const hot = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'registry.example.com/example/mesh:empty' };
    const container = { name: 'mesh', upgradeStrategy: hot };
    await createSet('hot', container, 'registry.example.com/example/mesh:v1');
    const ask = (port: number) => `wget -q -O - http://127.0.0.1:${port}/ 2>/dev/null`;
    const poll = `while :; do (${ask(8091)} || ${ask(8092)} || echo none) >> /tmp/polls; sleep 0.05; done`;
    const [before] = await deploy('hot', 1, poll);
    expect(imagesOf(before)).toMatchObject({ 'mesh-1': 'mesh:v1', 'mesh-2': 'mesh:empty' });
    const name = before?.metadata.name ?? '';
    const polls = async () =>
      (await kubectl('exec', '-n', 'shop', name, '-c', 'main', '--', 'cat', '/tmp/polls')).trim().split('\n');
    await until('it serves', async () => (await polls()).at(-1) === 'v1');
    await until('the status counts it', () => isUpgraded('hot', 1));
    const served = (await polls()).length;

    await changeImage('hot', 'registry.example.com/example/mesh:v2');
    await until('it is upgraded', () => isUpgraded('hot', 1), 60_000);
    await until('the new one serves', async () => (await polls()).at(-1) === 'v2');
    const [after] = await podsOf('hot');
    expect(imagesOf(after)).toMatchObject({ 'mesh-1': 'mesh:empty', 'mesh-2': 'mesh:v2' });
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(JSON.parse(after?.metadata.annotations['kruise.io/sidecarset-working-hotupgrade-container'] ?? '')).toEqual({
      mesh: 'mesh-2',
    });
    expect((await polls()).slice(served)).not.toContain('none');
    const events = await kubectl('get', 'events', '-n', 'shop', '-o', 'jsonpath={.items[*].reason}');
    expect(events).toContain('ResetContainerSucceed');
  });

  test('a change of more than an image leaves the pods, and they say so', async () => {
    const stored = await bed.client.must(bed.client.get(`${SIDECARS}/cold`));
    const spec = stored.spec as JsonObject & { containers: Container[] };
    const containers = spec.containers.map((one) => ({ ...one, env: [{ name: 'A', value: '1' }] }));
    await bed.client.must(bed.client.send('PUT', `${SIDECARS}/cold`, { ...stored, spec: { ...spec, containers } }));
    await until('the pods are counted as outdated', async () => (await statusOf('cold')).updatedPods === 0);
    await until('they say so', async () =>
      (await podsOf('cold')).every(({ status }) =>
        status.conditions?.some(({ type, status: value }) => type === 'SidecarSetUpgradable' && value === 'False'),
      ),
    );
    expect(await kubectl('get', 'events', '-A', '-o', 'jsonpath={.items[*].reason}')).toContain('NotUpgradablePods');
    expect((await podsOf('cold')).map((pod) => restartsOf(pod).log)).toEqual([1, 1, 1, 1]);
  });

  async function kubectl(...given: string[]): Promise<string> {
    const { code, stdout, stderr } = await bed.kubectl(given);
    if (code !== 0) throw new Error(`kubectl ${given.join(' ')}: ${stderr}`);
    return stdout;
  }
});

function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

/** Does the container not run the image that it shall run? */
function isBehind({ spec, status }: Pod, name: string): boolean {
  const wanted = spec.containers.find((one) => one.name === name)?.image ?? '';
  return !(status.containerStatuses?.find((one) => one.name === name)?.image ?? '').endsWith(wanted);
}

function restartsOf({ status }: Pod): Record<string, number> {
  return Object.fromEntries((status.containerStatuses ?? []).map(({ name, restartCount }) => [name, restartCount]));
}

function imagesOf(pod: Pod | undefined): Record<string, string> {
  return Object.fromEntries((pod?.spec.containers ?? []).map(({ name, image }) => [name, image.replace(/.*\//, '')]));
}
