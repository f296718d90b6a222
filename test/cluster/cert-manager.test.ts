// The chart with certificates by the real cert-manager (F26): who calls is told of the authority, and no call fails while
// certificate or authority are renewed.
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { CHART } from '../charts/helm.ts';
import { Bed } from './bed/bed.ts';
import { startCertManager } from './bed/cert-manager.ts';
import { installChart } from './bed/chart.ts';
import { until } from './bed/installation.ts';
import { within } from './bed/network.ts';
import type { Process } from './bed/process.ts';
import { missingForCertManager } from './bed/required.ts';

const missing = await missingForCertManager();

const SYSTEM = '/api/v1/namespaces/kruise-system';
const CERTIFICATES = '/apis/cert-manager.io/v1/namespaces/kruise-system/certificates';
const CONFIGURATIONS = ['mutating', 'validating'].map(
  (type) => `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations/kruise-${type}-webhook-configuration`,
);
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SETTINGS = ['--set', 'certManager.enabled=true'];

describe.skipIf(missing.length > 0)('the chart with cert-manager', () => {
  let bed: Bed;
  let certManager: Process[] = [];

  beforeAll(async () => {
    bed = await Bed.start({ nodes: 1 });
    certManager = await startCertManager(bed);
    await installChart(bed, SETTINGS);
    await bed.createNamespace('shop');
  });
  afterAll(async () => {
    for (const program of certManager) await program.end();
    await bed?.close();
  });

  test('serves what was issued, and all who call are told of the authority', async () => {
    const { 'tls.crt': leaf = '', 'ca.crt': authority = '' } = await secret('kruise-webhook-certs');
    const certificate = new X509Certificate(leaf);
    expect(certificate.checkIssued(new X509Certificate(authority))).toBe(true);
    expect(certificate.subjectAltName).toContain('kruise-webhook-service.kruise-system.svc');
    expect(await bundles()).toEqual(new Set([authority]));
    expect(await handshake(authority)).toBe(certificate.fingerprint256);
    // The gateway itself wrote nothing of it.
    const managers = await managersOf(CONFIGURATIONS[0] ?? '');
    expect(managers.filter((name) => name.includes('sluice'))).toEqual([]);
  });

  test('makes a copy of the certificate where OpenKruise has it, with the rest of the file system read-only', async () => {
    const read = "console.log(require('fs').readFileSync('/tmp/kruise-webhook-certs/tls.crt', 'utf8').trim())";
    const given = ['-n', 'kruise-system', 'exec', 'deploy/kruise-controller-manager', '--'];
    const { 'tls.crt': leaf = '' } = await secret('kruise-webhook-certs');
    expect((await kubectl(...given, '/nodejs/bin/node', '-e', read)).trim()).toBe(leaf.trim());
  });

  test('takes SidecarSets of both versions, and puts their containers into pods', async () => {
    for (const version of ['v1alpha1', 'v1beta1']) {
      const set = {
        apiVersion: `apps.kruise.io/${version}`,
        kind: 'SidecarSet',
        metadata: { name: `agent-${version}` },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          containers: [{ name: `agent-${version}`, image: 'busybox:1.36', command: ['sleep', '100000'] }],
        },
      };
      await bed.client.must(bed.client.send('POST', `/apis/apps.kruise.io/${version}/sidecarsets`, set));
    }
    await until('both are known', async () => (await create()) === 'agent-v1alpha1,agent-v1beta1,main');
  });

  test('a renewed certificate is served without a restart, and no call fails', async () => {
    const pods = await gatewayPods();
    await calling(async () => {
      await replaced(async () => renew('kruise-webhook-certs'));
    });
    expect(await gatewayPods()).toEqual(pods);
  });

  test('a Secret that is deleted is issued anew and served, and no call fails', async () => {
    const pods = await gatewayPods();
    await calling(async () => {
      await replaced(async () => {
        await bed.client.must(bed.client.delete(`${SYSTEM}/secrets/kruise-webhook-certs`));
      });
    });
    expect(await gatewayPods()).toEqual(pods);
  });

  test('a renewed authority is trusted beside the old one, as they have one key, and no call fails', async () => {
    const { 'tls.crt': before = '' } = await secret('kruise-webhook-ca');
    await calling(async () => {
      await renew('kruise-webhook-ca');
      await until('there is a new authority', async () => {
        const { 'tls.crt': now = '' } = await secret('kruise-webhook-ca');
        return now !== '' && now !== before;
      });
      await replaced(() => renew('kruise-webhook-certs'));
    });
    const { 'ca.crt': authority = '' } = await secret('kruise-webhook-certs');
    expect(authority).not.toBe(before);
    await until('all who call trust it', () => isTrustedByAll(authority));
  });

  test('certificates of a ClusterIssuer take the place of those of the own authority', async () => {
    await clusterIssuer();
    const settings = ['certManager.issuerRef.name=company', 'certManager.issuerRef.kind=ClusterIssuer'];
    const { code, stderr } = await bed.helm(['upgrade', 'kruise', CHART, ...SETTINGS, '--set', settings.join(',')]);
    expect([code, stderr]).toEqual([0, '']);
    const { 'ca.crt': company = '' } = await secret('company', 'kube-system');
    await until('all who call trust it', () => isTrustedByAll(company));
    const { 'tls.crt': leaf = '' } = await secret('kruise-webhook-certs');
    const { fingerprint256 } = new X509Certificate(leaf);
    await until('it is served', async () => (await handshake(company).catch(() => '')) === fingerprint256);
    await until('calls are answered', async () => (await create()) === 'agent-v1alpha1,agent-v1beta1,main');
    expect((await gatewayPods()).map(({ restarts }) => restarts)).toEqual([0, 0]);
  });

  /** Resolves when a new certificate is in the Secret, and both replicas serve it. */
  async function replaced(change: () => Promise<void>): Promise<void> {
    const { 'tls.crt': before = '' } = await secret('kruise-webhook-certs');
    await change();
    let leaf = '';
    await until('there is a new certificate', async () => {
      leaf = (await secret('kruise-webhook-certs'))['tls.crt'] ?? '';
      return leaf !== '' && leaf !== before;
    });
    const end = new X509Certificate(leaf).validToDate.getTime() / 1000;
    await until('both replicas serve it', async () => {
      const pods = await gatewayPods();
      const ends = await Promise.all(pods.map(({ name }) => expiryIn(name)));
      return ends.length === 2 && ends.every((one) => one === end);
    });
  }

  /** Calls, and makes connections of its own, while `during` goes on; all must do. */
  async function calling(during: () => Promise<void>): Promise<void> {
    const failures: string[] = [];
    let count = 0;
    let isOver = false;
    const repeat = async (call: () => Promise<string | undefined>) => {
      while (!isOver) {
        const failure = await call();
        count++;
        if (failure !== undefined) failures.push(failure);
      }
    };
    const calls = repeat(async () => {
      const made = await create();
      return made === 'agent-v1alpha1,agent-v1beta1,main' ? undefined : made;
    });
    const handshakes = repeat(async () => {
      const [trusted = ''] = await bundles();
      return handshake(trusted).then(
        () => undefined,
        (error: Error) => error.message,
      );
    });
    try {
      await during();
    } finally {
      isOver = true;
      await Promise.all([calls, handshakes]);
    }
    expect(failures).toEqual([]);
    expect(count).toBeGreaterThan(5);
  }

  /** As `cmctl renew` does. */
  async function renew(name: string): Promise<void> {
    const path = `${CERTIFICATES}/${name}`;
    const { metadata, status = {} } = (await bed.client.must(bed.client.get(path))) as unknown as Certificate;
    const issuing = {
      type: 'Issuing',
      status: 'True',
      reason: 'ManuallyTriggered',
      message: 'renewed by hand',
      observedGeneration: metadata.generation,
      lastTransitionTime: new Date().toISOString().replace(/\.\d+/, ''),
    };
    const conditions = [...(status.conditions ?? []).filter(({ type }) => type !== 'Issuing'), issuing];
    const patch = JSON.stringify({ status: { conditions } });
    await kubectl(
      '-n',
      'kruise-system',
      'patch',
      'certificate',
      name,
      '--subresource=status',
      '--type=merge',
      '-p',
      patch,
    );
  }

  async function clusterIssuer(): Promise<void> {
    const issuer = (name: string, spec: JsonObject) => ({
      apiVersion: 'cert-manager.io/v1',
      kind: 'ClusterIssuer',
      metadata: { name },
      spec,
    });
    const authority = {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { namespace: 'kube-system', name: 'company' },
      spec: {
        isCA: true,
        commonName: 'company',
        secretName: 'company',
        issuerRef: { kind: 'ClusterIssuer', name: 'self-signed' },
      },
    };
    const objects = [
      issuer('self-signed', { selfSigned: {} }),
      authority,
      issuer('company', { ca: { secretName: 'company' } }),
    ];
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    const { code, stderr } = await bed.kubectl(['apply', '-f', '-'], JSON.stringify(list));
    expect([code, stderr]).toEqual([0, '']);
    await until('there is an authority', async () => (await secret('company', 'kube-system'))['ca.crt'] !== undefined);
  }

  /** The names of the containers of a new pod, or why there is none. */
  async function create(): Promise<string> {
    const pod = {
      metadata: { generateName: 'web-', labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'nginx:1.25' }] },
    };
    const { status, body } = await bed.client.send('POST', '/api/v1/namespaces/shop/pods?dryRun=All', pod);
    const { containers = [] } = (body.spec ?? {}) as { containers?: { name: string }[] };
    return status === 201 ? containers.map(({ name }) => name).join() : String(body.message);
  }

  /** The certificate that the Service gives to who trusts these authorities, as its fingerprint. Rejects if they do not vouch. */
  async function handshake(ca: string): Promise<string> {
    const { network } = bed;
    if (network === undefined) throw new Error('a bed without nodes');
    const { spec } = await bed.client.must(bed.client.get(`${SYSTEM}/services/kruise-webhook-service`));
    const { clusterIP: host } = spec as { clusterIP: string };
    const options = { host, port: 443, ca, servername: 'kruise-webhook-service.kruise-system.svc' };
    const [path = '', ...given] = within(network.controlPlane, [
      process.execPath,
      '-e',
      CONNECT,
      JSON.stringify(options),
    ]);
    return (await promisify(execFile)(path, given)).stdout.trim();
  }

  /** The authorities of all webhooks and of all CRDs that are converted. */
  async function bundles(): Promise<Set<string>> {
    const configurations = await Promise.all(CONFIGURATIONS.map((path) => bed.client.must(bed.client.get(path))));
    const { items } = (await bed.client.must(bed.client.get(DEFINITIONS))) as unknown as { items: Definition[] };
    const all = [
      ...configurations.flatMap(({ webhooks }) => webhooks as unknown as Caller[]),
      ...items.flatMap(({ spec }) => spec.conversion?.webhook ?? []),
    ];
    return new Set(all.map(({ clientConfig }) => Buffer.from(clientConfig.caBundle ?? '', 'base64').toString()));
  }

  async function isTrustedByAll(authority: string): Promise<boolean> {
    const all = await bundles();
    return all.size === 1 && all.has(authority);
  }

  async function secret(name: string, namespace = 'kruise-system'): Promise<Record<string, string>> {
    const { status, body } = await bed.client.get(`/api/v1/namespaces/${namespace}/secrets/${name}`);
    if (status === 404) return {};
    const data = (body.data ?? {}) as Record<string, string>;
    return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
  }

  async function gatewayPods(): Promise<{ name: string; restarts: number }[]> {
    const path = `${SYSTEM}/pods?labelSelector=control-plane%3Dcontroller-manager`;
    const { items } = (await bed.client.must(bed.client.get(path))) as unknown as { items: Pod[] };
    const present = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return present.map(({ metadata, status }) => ({
      name: metadata.name,
      restarts: status.containerStatuses?.[0]?.restartCount ?? 0,
    }));
  }

  /** When the certificate that a replica serves ends, in Unix seconds. */
  async function expiryIn(pod: string): Promise<number> {
    const text = await kubectl('get', '--raw', `${SYSTEM}/pods/${pod}:8080/proxy/metrics`);
    return Number(/^sluice_certificate_expiry_timestamp_seconds(?:\{[^}]*\})? (\S+)$/m.exec(text)?.[1]);
  }

  async function managersOf(path: string): Promise<string[]> {
    const { metadata } = await bed.client.must(bed.client.get(path));
    const { managedFields } = metadata as unknown as { managedFields: { manager: string }[] };
    return managedFields.map(({ manager }) => manager);
  }

  async function kubectl(...given: string[]): Promise<string> {
    const { code, stdout, stderr } = await bed.kubectl(given);
    if (code !== 0) throw new Error(`kubectl ${given.join(' ')}: ${stderr}`);
    return stdout;
  }
});

/** Prints the fingerprint of who is there, if it can be trusted. */
const CONNECT = `
const socket = require('node:tls').connect(JSON.parse(process.argv[1]), () => {
  console.log(socket.getPeerX509Certificate().fingerprint256);
  socket.end();
});
socket.setTimeout(10000, () => socket.destroy(new Error('no answer')));
`;

type Caller = { clientConfig: { caBundle?: string } };
type Definition = { spec: { conversion?: { webhook?: Caller } } };
type Certificate = { metadata: { generation: number }; status?: { conditions?: JsonObject[] } };
type Pod = {
  metadata: { name: string; deletionTimestamp?: string };
  status: { containerStatuses?: { restartCount: number }[] };
};
