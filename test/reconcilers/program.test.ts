// `sluice reconcilers` from its flags to its end, on an API server in the same process.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { readAddress, readReconcilersFlags, readResync } from '../../reconcilers/flags.ts';
import { runReconcilers } from '../../reconcilers/main.ts';
import { FakeApiServer } from '../support/fake-apiserver.ts';

const LEASE = {
  collection: '/apis/coordination.k8s.io/v1/leases',
  namespace: 'kruise-system',
  name: 'kruise-manager',
  subresource: '',
};
const QUICK = [
  ...['--health-probe-addr', '127.0.0.1:0', '--metrics-addr', '127.0.0.1:0', '--v', '0'],
  ...['--leader-election-lease-duration', '3s', '--leader-election-renew-deadline', '2s'],
  ...['--leader-election-retry-period', '20ms'],
];

let server: FakeApiServer;
let folder: string;

beforeEach(async () => {
  server = await FakeApiServer.start();
  folder = await mkdtemp(join(tmpdir(), 'sluice-'));
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: server.connection.server.href } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  await writeFile(join(folder, 'config'), JSON.stringify(config));
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** Runs it until `stop`; `ports` are those that it listens on, in the order health, metrics. */
function run(given: readonly string[]) {
  const said = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  const ended = runReconcilers(
    given,
    {},
    {
      stdout: { write: (text) => (said.stdout += text) },
      stderr: { write: (text) => (said.stderr += text) },
      signals: {
        on: (signal, listener) => signal === 'SIGTERM' && listeners.add(listener),
        off: (_signal, listener) => listeners.delete(listener),
      },
    },
  );
  return { said, ended, stop: () => [...listeners].forEach((listener) => void listener()) };
}

function holder(): unknown {
  try {
    return (server.objects.get(LEASE).spec as JsonObject).holderIdentity;
  } catch {
    return undefined;
  }
}

describe('sluice reconcilers', () => {
  it('leads, gives a pod its condition, and gives the lease back when it is told to stop', async () => {
    const pod = {
      metadata: { name: 'a', namespace: 'shop' },
      spec: { readinessGates: [{ conditionType: 'KruisePodReady' }], containers: [] },
    };
    server.objects.create({ collection: '/api/v1/pods', namespace: 'shop', name: '', subresource: '' }, pod);
    const { ended, stop } = run(['--kubeconfig', join(folder, 'config'), ...QUICK]);
    await server.until(() =>
      server.requests.some(({ method, path }) => method === 'PATCH' && path.endsWith('/pods/a/status')),
    );
    expect(holder()).toMatch(/_[0-9a-f-]{36}$/);
    const agents = server.requests.map(({ headers }) => headers['user-agent']);
    expect(agents).toContain('kruise-manager/pod-readiness-controller');
    stop();
    expect(await ended).toBe(0);
    expect(holder()).toBe('');
  });

  it('ends with code 1 when the lease is taken from it', async () => {
    const { ended } = run(['--kubeconfig', join(folder, 'config'), ...QUICK]);
    await server.until(() => holder() !== undefined);
    const lease = server.objects.get(LEASE);
    server.objects.update(LEASE, { ...lease, spec: { holderIdentity: 'another', leaseDurationSeconds: 15 } });
    expect(await ended).toBe(1);
    expect(holder()).toBe('another');
  });

  it('waits for the API server, and stops in the middle of that', async () => {
    server.intercept(() => ({ status: 503 }));
    const { ended, stop } = run(['--kubeconfig', join(folder, 'config'), ...QUICK]);
    await server.until(() => server.requests.length > 0);
    stop();
    expect(await ended).toBe(0);
  });

  it.each([
    [['--nonsense'], 'error: unknown flag: --nonsense\n'],
    [['--feature-gates', 'NoSuch=true'], /^error: --feature-gates: unknown feature gate "NoSuch"/],
    [['--sidecarset-workers', '0'], /^error: --sidecarset-workers: expected a whole number from 1 to 1000/],
    [['--health-probe-addr', 'x'], /^error: --health-probe-addr: expected HOST:PORT/],
    [['--leader-election-renew-deadline', '20s'], /^error: --leader-election-lease-duration: expected more than/],
    [['--default-ttlseconds-for-always-nodeimage', '-1'], /^error: --default-ttlseconds-for-always-nodeimage/],
    [['--kubeconfig', '/nowhere/config'], /^error: \/nowhere\/config/],
  ])('refuses %j with code 2', async (given, message) => {
    const { ended, said } = run(['--kubeconfig', join(folder, 'config'), ...given]);
    expect(await ended).toBe(2);
    expect(said.stderr).toMatch(message);
  });

  it.each(['health-probe-addr', 'metrics-addr'])('ends with code 1 when the port of --%s is taken', async (flag) => {
    const { port } = server.connection.server;
    const { ended, said } = run(['--kubeconfig', join(folder, 'config'), ...QUICK, `--${flag}=127.0.0.1:${port}`]);
    expect(await ended).toBe(1);
    expect(said.stderr).toBe(`error: --${flag}: 127.0.0.1:${port} is taken by another program\n`);
  });

  it('shows its flags', async () => {
    const { ended, said } = run(['--help']);
    expect(await ended).toBe(0);
    expect(said.stdout).toContain('--leader-election-lease-duration DURATION');
  });

  it('takes the arguments of the chart and of the raw manifests', () => {
    const chart = [
      ...['--enable-leader-election', '--metrics-addr=:8080', '--health-probe-addr=:8000', '--logtostderr=true'],
      ...[
        '--leader-election-namespace=kruise-system',
        '--v=4',
        '--feature-gates=ImagePullJobGate=true',
        '--sync-period=0',
      ],
    ];
    expect(readReconcilersFlags(chart, {})).toMatchObject({ 'sync-period': '0', 'metrics-addr': ':8080' });
    const raw = [
      '--enable-leader-election',
      '--logtostderr=true',
      '--v=5',
      '--feature-gates=AllAlpha=true,AllBeta=true',
    ];
    expect(() => readReconcilersFlags(raw, {})).not.toThrow();
  });
});

describe('flags', () => {
  it.each([
    [':8080', { host: '0.0.0.0', port: 8080 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['localhost:80', { host: 'localhost', port: 80 }],
    ['0', undefined],
  ])('read the address %j', (text, address) => {
    expect(readAddress(text, 'metrics-addr')).toEqual(address);
  });

  it.each(['', '8080', ':', ':65536', 'a:b', '::1:80'])('refuse the address %j', (text) => {
    expect(() => readAddress(text, 'metrics-addr')).toThrow('expected HOST:PORT');
  });

  it('read the period of resyncs, and take what cannot be read as none', () => {
    expect([readResync('0'), readResync('1h'), readResync(undefined), readResync('soon')]).toEqual([
      0, 3_600_000, 36_000_000, 36_000_000,
    ]);
  });
});
