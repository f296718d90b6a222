// Beds with nodes: containers run, Services lead to them, and nothing of a bed outlives it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { Bed } from './bed/bed.ts';
import { groupsOf } from './bed/cgroups.ts';
import { clearLeftovers, programsOf } from './bed/folders.ts';
import { writeBusyboxLayout } from './bed/images.ts';
import { until } from './bed/installation.ts';
import { Registry } from './bed/registry.ts';
import { missingForNodes } from './bed/required.ts';

const missing = await missingForNodes();

const BED = new URL('bed/bed.ts', import.meta.url).href;
const PODS = '/api/v1/namespaces/default/pods';

describe.skipIf(missing.length > 0)('a bed with nodes', () => {
  let bed: Bed;

  beforeAll(async () => {
    bed = await Bed.start({ nodes: 3 });
    await kubectl(bed, 'create', 'deployment', 'web', '--image=nginx:1.25', '--replicas=3');
    await kubectl(bed, 'expose', 'deployment', 'web', '--port=8080', '--target-port=80');
    await kubectl(bed, 'rollout', 'status', 'deployment/web', '--timeout=60s');
  });
  afterAll(() => bed?.close());

  test('has as many as were asked for, in zones of their own', async () => {
    const { items } = await bed.client.must(bed.client.get('/api/v1/nodes'));
    const nodes = (items as JsonObject[]).map(({ metadata }) => metadata as { name: string; labels: JsonObject });
    expect(nodes.map(({ name, labels }) => [name, labels['topology.kubernetes.io/zone']])).toEqual([
      ['node-1', 'zone-1'],
      ['node-2', 'zone-2'],
      ['node-3', 'zone-3'],
    ]);
    expect(bed.nodes.map(({ name }) => name)).toEqual(nodes.map(({ name }) => name));
  });

  test("runs a Deployment's pods, spread over them", async () => {
    const pods = await podsOf(bed, 'app=web');
    expect(pods.map(({ spec }) => (spec as JsonObject).nodeName).toSorted()).toEqual(['node-1', 'node-2', 'node-3']);
    expect(pods.map(({ status }) => (status as JsonObject).phase)).toEqual(['Running', 'Running', 'Running']);
  });

  test('lets commands run in containers, and shows what they print', async () => {
    expect(await inWeb(bed, 'echo "$HOSTNAME"')).toMatch(/^web-/);
    await kubectl(bed, 'run', 'talks', '--image=busybox:1.36', '--restart=Never', '--', 'echo', 'said');
    await until('the pod ends', async () => (await phaseOf(bed, 'talks')) === 'Succeeded');
    expect(await kubectl(bed, 'logs', 'talks')).toBe('said\n');
  });

  test('reaches Services by their cluster IPs, and refuses connections to those without endpoints', async () => {
    const address = await kubectl(bed, 'get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}');
    const fetch = `wget -qO- http://${address}:8080/ 2>&1; true`;
    await until('the Service leads to pods', async () => (await inWeb(bed, fetch)) === 'ok\n');
    await kubectl(bed, 'patch', 'service', 'web', '-p', '{"spec":{"selector":{"app":"nobody"}}}');
    await until('it leads to none', async () => (await inWeb(bed, fetch)).includes('Connection refused'));
    await kubectl(bed, 'patch', 'service', 'web', '-p', '{"spec":{"selector":{"app":"web"}}}');
    await until('it leads to pods again', async () => (await inWeb(bed, fetch)) === 'ok\n');
  });

  test('has networks of their own for its nodes, reached from this machine', async () => {
    // The same port on each, as a daemon on all nodes has.
    const container = { name: 'c', image: 'nginx:1.27', env: [{ name: 'PORT', value: '9090' }] };
    for (const { name } of bed.nodes) {
      const spec = { nodeName: name, hostNetwork: true, containers: [container] };
      await bed.client.must(bed.client.send('POST', PODS, { metadata: { name: `on-${name}` }, spec }));
    }
    await kubectl(bed, 'patch', 'service', 'web', '-p', '{"spec":{"type":"NodePort"}}');
    const port = await kubectl(bed, 'get', 'service', 'web', '-o', 'jsonpath={.spec.ports[0].nodePort}');
    for (const { address } of bed.nodes) {
      for (const url of [`http://${address}:9090/`, `http://${address}:${port}/`]) {
        await until(`${url} answers`, async () => (await textOf(url)) === 'ok\n');
      }
    }
  });

  test('gives pods a service account, and lets them reach the API server where it is said to be', async () => {
    const folder = '/var/run/secrets/kubernetes.io/serviceaccount';
    expect(await inWeb(bed, `ls ${folder}`)).toBe('ca.crt\nnamespace\ntoken\n');
    // It speaks TLS only, and says so.
    const fetch = 'wget -O- http://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT/ 2>&1; true';
    expect(await inWeb(bed, fetch)).toContain('400 Bad Request');
  });

  test('lets the API server call a webhook by its Service', async () => {
    // Nobody there speaks TLS: the answer shows that the call came to a container.
    const service = { namespace: 'default', name: 'web', port: 8080, path: '/' };
    const webhook = {
      name: 'web.example.com',
      clientConfig: { service },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
      namespaceSelector: { matchLabels: { asked: 'yes' } },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    };
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    await bed.client.must(bed.client.send('POST', path, { metadata: { name: 'web' }, webhooks: [webhook] }));
    await bed.createNamespace('asked', { asked: 'yes' });
    const create = () =>
      bed.client.send('POST', '/api/v1/namespaces/asked/configmaps?dryRun=All', { metadata: { name: 'one' } });
    await until('the webhook is called', async () => {
      return String((await create()).body.message).includes('server gave HTTP response to HTTPS client');
    });
    await bed.client.must(bed.client.delete(`${path}/web`));
  });

  test('runs another image for another tag', async () => {
    const image = async () => (await podsOf(bed, 'app=web')).map(imageIdOf);
    const [before] = await image();
    await kubectl(bed, 'set', 'image', 'deployment/web', 'nginx=nginx:1.26');
    await kubectl(bed, 'rollout', 'status', 'deployment/web', '--timeout=60s');
    await until('the pods are others', async () => {
      const after = await image();
      return after.length === 3 && new Set(after).size === 1 && after[0] !== before;
    });
  });

  test('runs an image that was built here', async () => {
    const layout = mkdtempSync(join(tmpdir(), 'sluice-layout-'));
    await writeBusyboxLayout(layout, ['/bin/echo', 'own']);
    await bed.registry.pushImage(layout, 'example/own:1');
    rmSync(layout, { recursive: true });
    await kubectl(bed, 'run', 'own', '--image=registry.example.com/example/own:1', '--restart=Never');
    await until('the pod ends', async () => (await phaseOf(bed, 'own')) === 'Succeeded');
    expect(await kubectl(bed, 'logs', 'own')).toBe('own\n');
  });

  test('gives volume claims a folder', async () => {
    const claim = {
      metadata: { name: 'disk' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    };
    await bed.client.must(bed.client.send('POST', '/api/v1/namespaces/default/persistentvolumeclaims', claim));
    const container = {
      ...{ name: 'keeps', image: 'busybox:1.36', command: ['sh', '-c', 'echo kept > /disk/file && cat /disk/file'] },
      volumeMounts: [{ name: 'disk', mountPath: '/disk' }],
    };
    const volumes = [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }];
    const spec = { restartPolicy: 'Never', containers: [container], volumes };
    await bed.client.must(bed.client.send('POST', PODS, { metadata: { name: 'keeps' }, spec }));
    await until('the pod ends', async () => (await phaseOf(bed, 'keeps')) === 'Succeeded');
    expect(await kubectl(bed, 'logs', 'keeps')).toBe('kept\n');
  });

  test('stands beside another one, which leaves nothing when it is closed', async () => {
    const other = await Bed.start({ nodes: 1 });
    await kubectl(other, 'run', 'idle', '--image=registry.k8s.io/pause:3.10');
    await until('the pod runs', async () => (await phaseOf(other, 'idle')) === 'Running');
    expect(await phaseOf(bed, 'idle')).toBeUndefined();
    expect(other.client.server).not.toBe(bed.client.server);
    const left = belongingsOf(other.folder);
    await other.close();
    expect(await whatStays(left)).toEqual([]);
    expect(await inWeb(bed, 'echo there')).toBe('there\n');
  });

  test('is cleared away by the next one if its owner was killed', async () => {
    const script = `const { Bed } = await import(${JSON.stringify(BED)});
      const bed = await Bed.start({ nodes: 1 });
      await bed.kubectl(['run', 'idle', '--image=registry.k8s.io/pause:3.10']);
      await bed.kubectl(['wait', 'pod/idle', '--for=condition=Ready', '--timeout=60s']);
      console.log(bed.folder);
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = await once(child.stdout, 'data');
    const folder = String(line).trim();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const left = belongingsOf(folder);
    // Runtime, shim, pause, container: of what runs on the node, half was started by others.
    expect(left.processes.length).toBeGreaterThan(programsOf(folder).size);
    clearLeftovers();
    expect(await whatStays(left)).toEqual([]);
    expect(await inWeb(bed, 'echo there')).toBe('there\n');
  });
});

async function kubectl(bed: Bed, ...given: string[]): Promise<string> {
  const { code, stdout, stderr } = await bed.kubectl(given);
  if (code !== 0) throw new Error(`kubectl ${given.join(' ')}: ${stderr}`);
  return stdout;
}

function inWeb(bed: Bed, command: string): Promise<string> {
  return kubectl(bed, 'exec', 'deployment/web', '--', 'sh', '-c', command);
}

async function podsOf(bed: Bed, labels: string): Promise<JsonObject[]> {
  const { items } = await bed.client.must(bed.client.get(`${PODS}?labelSelector=${encodeURIComponent(labels)}`));
  return items as JsonObject[];
}

async function phaseOf(bed: Bed, name: string): Promise<unknown> {
  const { body } = await bed.client.get(`${PODS}/${name}`);
  return isObject(body.status) ? body.status.phase : undefined;
}

/** The text of a page; empty if there is none. */
function textOf(url: string): Promise<string> {
  return fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    (response) => response.text(),
    () => '',
  );
}

function imageIdOf({ status }: JsonObject): unknown {
  const { containerStatuses } = status as { containerStatuses?: JsonObject[] };
  return containerStatuses?.[0]?.imageID;
}

type Belongings = { folder: string; processes: number[]; link: string };

/** What there is of a bed with nodes outside of its folder, whoever made it; the link is known by its hardware address. */
function belongingsOf(folder: string): Belongings {
  const members = groupsOf(folder).flatMap((group) => readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n'));
  const processes = new Set([...members.filter(Boolean).map(Number), ...programsOf(folder).values()]);
  const subnet = new URL(Registry.of(folder).url).hostname.replace(/\d+$/, '');
  const link = links().find(({ address }) => address.startsWith(subnet));
  return { folder, processes: [...processes], link: link?.mac ?? 'no link' };
}

/** What of it is still there when its links are gone: those go a moment after the processes. */
async function whatStays({ folder, processes, link }: Belongings): Promise<string[]> {
  expect(link).not.toBe('no link');
  await until('the link is gone', async () => links().every(({ mac }) => mac !== link));
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  return [
    ...processes.filter((pid) => existsSync(`/proc/${pid}/root`)).map((pid) => `process ${pid}`),
    ...groupsOf(folder),
    ...mounts.filter((line) => line.includes(folder) || line.includes('/tmp/hostpath_pv')),
    ...(existsSync(folder) ? [folder] : []),
  ];
}

function links() {
  return Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
}
