// The gateway as a program: its flags, its ports, its exit codes, and what it says while it starts (fault F04).

import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runGateway } from '../../gateway/main.ts';
import { eventually } from './support/eventually.ts';
import { Peer, request, responseOf, review } from './support/peer.ts';
import { GatewayProcess, type ProcessOptions } from './support/process.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function start(options: ProcessOptions = {}): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(options);
  open.push(gateway);
  return gateway;
}

/** Runs one in this process that is expected to end by itself, and tells how. */
async function fail(
  flags: string[],
  environment: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-failing-'));
  open.push({ close: () => rm(folder, { recursive: true }) });
  const said = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof said) => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  const ports = ['--port', '0', '--health-port', 'off', '--metrics-port', 'off', '--log-level', 'error'];
  const given = ['--objects', folder, '--cert-dir', join(folder, '.certs'), ...ports, ...flags];
  const evaluatorModule = new URL('./support/stand-in.ts', import.meta.url).href;
  const world = { stdout: stream('stdout'), stderr: stream('stderr'), signals: new EventEmitter(), evaluatorModule };
  return { code: await runGateway(given, environment, world), ...said };
}

async function ask(gateway: GatewayProcess): Promise<string> {
  const ca = await readFile(join(gateway.folder, '.certs', 'ca-cert.pem'));
  const peer = await Peer.tls(gateway.port, { ca, rejectUnauthorized: true, servername: 'localhost' });
  const message = responseOf(await peer.send(request(review('u'))).answer()).status?.message ?? '';
  peer.close();
  return message;
}

const object = (name: string, spec = {}) => JSON.stringify({ apiVersion: 'v1', kind: 'X', metadata: { name }, spec });

const wrong: [string, string[], RegExp][] = [
  ['an unknown flag', ['--prot', '1'], /error: unknown flag: --prot/],
  ['a port that is none', ['--port', '65536'], /error: --port: expected a whole number from 0 to 65535, got "65536"/],
  [
    'an unknown level',
    ['--log-level=loud'],
    /error: --log-level: expected one of error, warn, info, debug, got "loud"/,
  ],
  ['no number of workers', ['--workers', '0'], /error: --workers: expected a whole number from 1 to 64/],
  ['a duration without unit', ['--drain-delay', '5'], /error: --drain-delay: expected a duration such as 10s/],
  ['an unknown gate', ['--feature-gates', 'NoSuch=true'], /error: --feature-gates: .*NoSuch/],
  ['a gate that is neither', ['--feature-gates', 'PodWebhook=maybe'], /error: --feature-gates: .*PodWebhook.*maybe/],
  ['a stray argument', ['now'], /error: unexpected argument "now"/],
  ['a flag without its value', ['--client-ca-file'], /error: --client-ca-file: expected FILE, got nothing/],
  ['a scope without a cluster', ['--scope', 'demand'], /error: --scope: demand needs a cluster, not files/],
  ['names without an authority', ['--allowed-names', 'a'], /error: --allowed-names: needs --client-ca-file/],
  ['objects that are not there', ['--objects', '/nowhere/at/all'], /error: \/nowhere\/at\/all: no such file or folder/],
  [
    'a client CA that is not there',
    ['--client-ca-file', '/nowhere/ca.pem'],
    /error: \/nowhere\/ca.pem: no such file or folder\n/,
  ],
];

test.each(wrong)('%s ends the start with exit code 2 and a message that names it', async (_name, flags, message) => {
  const { code, stderr } = await fail(flags);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain(' at ');
  expect(code).toBe(2);
});

test('a wrong object ends the start with exit code 2, naming file, line, column and field', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-wrong-'));
  open.push({ close: () => rm(folder, { recursive: true }) });
  const file = join(folder, 'bad.yaml');
  await writeFile(file, 'apiVersion: v1\nkind: X\nmetadata: {name: x}\nspec:\n  wrong: 1\n');
  const { code, stderr } = await fail(['--objects', file]);
  expect(stderr).toContain(`error: ${file}:5:3: spec.wrong: must not be there`);
  expect(code).toBe(2);
});

test.each([
  { flag: 'port', given: [] },
  { flag: 'port', given: ['--workers', '2'] },
  { flag: 'health-port', given: [] },
  { flag: 'metrics-port', given: [] },
])('a port that is taken ends the start with exit code 1: $flag $given', async ({ flag, given }) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  open.push({ close: () => taken.close() });
  const { port } = taken.address() as AddressInfo;
  const { code, stdout, stderr } = await fail([`--${flag}`, String(port), ...given]);
  expect(stderr).toContain(`error: --${flag}: 127.0.0.1:${port} is taken by another program\n`);
  expect([code, stdout]).toEqual([1, '']);
});

test('an address that the machine has not ends the start with exit code 1', async () => {
  const { code, stderr } = await fail(['--bind-address', '192.0.2.1']);
  expect([code, stderr]).toEqual([1, 'error: --bind-address: 192.0.2.1 is no address of this machine\n']);
});

test.each(['--help', '-h'])('%s prints the table of flags', async (flag) => {
  const { code, stdout } = await fail([flag]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/--objects FILE\|DIR/);
  expect(stdout).toMatch(/--drain-delay DURATION +How long/);
  expect(stdout.split('\n').every((line) => line.length <= 120)).toBe(true);
});

test('objects are served, followed, kept while a file is broken, and followed again after the repair', async () => {
  const gateway = await start();
  const file = join(gateway.folder, 'a.yaml');
  expect(await ask(gateway)).toBe('');
  await writeFile(file, object('a'));
  await eventually(async () => expect(await ask(gateway)).toBe('a'));
  await writeFile(file, 'apiVersion: v1\nkind: [\n');
  await gateway.printed(/objects not reloaded.*|a\.yaml:\d+:\d+/);
  expect(await ask(gateway)).toBe('a');
  expect((await gateway.ready()).status).toBe(200);
  expect(await gateway.metric('sluice_objects_current')).toBe(0);
  expect(await gateway.metric('sluice_object_reloads_total{result="error"}')).toBe(1);
  await writeFile(join(gateway.folder, '.draft'), object('b'));
  await rename(join(gateway.folder, '.draft'), file);
  await eventually(async () => expect(await ask(gateway)).toBe('b'));
  await eventually(async () => expect(await gateway.metric('sluice_objects_current')).toBe(1));
  expect(await gateway.metric('sluice_objects{kind="X"}')).toBe(1);
});

test('while objects are still read, the process is live, and unready by their name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-many-'));
  open.push({ close: () => rm(folder, { recursive: true }) });
  const file = join(folder, 'many.json');
  await writeFile(file, Array.from({ length: 400 }, (_, i) => object(`n${i}`, { blockMs: 50 })).join('\n'));
  const health = await freePort();
  const gateway = await GatewayProcess.spawn({ objects: file, flags: ['--health-port', String(health)] });
  open.push(gateway);
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${health}${path}`).then(async (answer) => [answer.status, await answer.text()]);
  await eventually(async () => expect(await get('/livez')).toEqual([200, 'ok']));
  const [status, body] = await get('/readyz');
  expect(status).toBe(500);
  expect(body).toContain('[-]objects failed: reason withheld');
  expect(body).toContain('[-]webhook-ready failed');
  expect((await get('/readyz?verbose'))[1]).toContain('[-]objects failed: the objects are not loaded yet');
  expect(gateway.stdout).toBe('');
});

test('a signal while objects are still being applied ends the start, with exit code 0', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-many-'));
  open.push({ close: () => rm(folder, { recursive: true }) });
  const file = join(folder, 'many.json');
  await writeFile(file, Array.from({ length: 400 }, (_, i) => object(`n${i}`, { blockMs: 50 })).join('\n'));
  const gateway = await GatewayProcess.spawn({ objects: file });
  open.push(gateway);
  await gateway.printed(/metrics are served/);
  gateway.signal('SIGTERM');
  expect(await gateway.exit).toBe(0);
  expect(gateway.stdout).toBe('');
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('one port can serve health and metrics, and either can be left out', async () => {
  const port = String(await freePort());
  const shared = await start({ flags: ['--health-port', port, '--metrics-port', port] });
  expect((await shared.ready()).status).toBe(200);
  expect(await shared.metric('sluice_gateway_workers')).toBe(1);
  const alone = await start({ flags: ['--health-port', 'off', '--metrics-port=off'] });
  expect(alone.stdout).not.toMatch(/health on|metrics on/);
});

/** A gateway of a cluster that nobody answers for. */
async function spawnUnanswered(flags: string[], environment: Record<string, string>): Promise<GatewayProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-unanswered-'));
  open.push({ close: () => rm(folder, { recursive: true }) });
  const kubeconfig = join(folder, 'kubeconfig');
  const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } };
  const context = { name: 'c', context: { cluster: 'c', user: 'c' } };
  const user = { name: 'c', user: { token: 't' } };
  const config = { contexts: [context], clusters: [cluster], users: [user], 'current-context': 'c' };
  await writeFile(kubeconfig, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...config }));
  const given = [
    '--kubeconfig',
    kubeconfig,
    '--cert-dir',
    join(folder, 'certs'),
    '--port',
    '0',
    '--metrics-port',
    'off',
  ];
  const gateway = await GatewayProcess.spawnPlain([...given, '--health-port', 'off', ...flags], environment);
  open.push(gateway);
  return gateway;
}

test.each([
  ['a Secret', 'secret'],
  ['a folder', 'fs'],
])(
  'a cluster that is not set up for it within --webhook-initialize-timeout ends it with exit code 1, with its certificate in %s',
  async (_where, writer) => {
    const gateway = await spawnUnanswered(['--webhook-initialize-timeout', '1s'], { WEBHOOK_CERT_WRITER: writer });
    expect(await gateway.exit).toBe(1);
    expect(gateway.stderr).toMatch(/"reason":"[^"]+","msg":"not initialised within --webhook-/);
    expect(gateway.stderr).not.toContain(' at ');
  },
);

test('a signal before all objects of a cluster are read ends it with exit code 0', async () => {
  const gateway = await spawnUnanswered([], { WEBHOOK_CERT_WRITER: 'fs' });
  await gateway.printed(/connections are taken/);
  gateway.signal('SIGTERM');
  expect(await gateway.exit).toBe(0);
});

test('files need no cluster: --webhook-initialize-timeout ends nothing', async () => {
  const gateway = await start({ flags: ['--webhook-initialize-timeout', '1ms'] });
  expect((await gateway.ready()).status).toBe(200);
});

test('the environment of the system that we replace is understood', async () => {
  const gateway = await start({
    environment: { POD_NAMESPACE: 'other-system', SERVICE_NAME: 'hook', WEBHOOK_HOST: '10.0.0.5' },
  });
  const ca = await readFile(join(gateway.folder, '.certs', 'ca-cert.pem'));
  for (const servername of ['hook.other-system.svc', 'localhost']) {
    const peer = await Peer.tls(gateway.port, { ca, rejectUnauthorized: true, servername });
    peer.close();
  }
  const { code, stderr } = await fail(['--cert-dir', '']);
  expect(stderr).toContain('--cert-dir');
  expect(code).toBe(2);
});

test('logs are JSON lines that say who may call', async () => {
  const gateway = await start();
  const lines = gateway.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(
    lines.every((line) => typeof line.ts === 'number' && line.caller === 'gateway' && line.level && line.msg),
  ).toBe(true);
  expect(lines.map((line) => line.msg)).toContain('callers are not authenticated; --client-ca-file changes that');
});

test('metrics have the names that existing alerts use, and no label that grows', async () => {
  const gateway = await start();
  await ask(gateway);
  const stray = await Peer.tls(gateway.port);
  await stray.send(request('{}', { path: '/never/heard?of=it' })).answer();
  stray.close();
  const text = await (await fetch(`http://127.0.0.1:${gateway.metricsPort}/metrics`)).text();
  for (const name of [
    'controller_runtime_webhook_requests_total{webhook="/mutate-pod",code="200"} 1',
    'controller_runtime_webhook_latency_seconds_bucket{webhook="/mutate-pod",le="0.00005"}',
    'controller_runtime_webhook_requests_in_flight{webhook="/mutate-pod"} 0',
    'sluice_admission_reviews_total{path="/mutate-pod",verdict="allowed",code="200"} 1',
    'sluice_certificate_expiry_timestamp_seconds',
    'sluice_build_info{program="gateway"',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ]) {
    expect(text).toContain(name);
  }
  expect(text).not.toContain('never');
});

test('gateways that start at once on one empty certificate folder are all trusted by the one authority in it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-shared-'));
  const gateways = await Promise.all([1, 2].map(() => start({ flags: ['--cert-dir', join(folder, 'certs')] })));
  const ca = await readFile(join(folder, 'certs/ca-cert.pem'), 'utf8');
  for (const { port } of gateways) {
    const peer = await Peer.tls(port, { ca, rejectUnauthorized: true, servername: 'localhost' });
    expect(responseOf(await peer.send(request(review('u'))).answer()).uid).toBe('u');
    peer.close();
  }
  await rm(folder, { recursive: true });
});
