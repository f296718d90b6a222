// Certificates of replicas that share a Secret, with a real API server as the caller (operations.md 22: cases 7, 8, 9; F25, F26).
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { issueAuthority, issueServer } from '../../kube/certificates/issue.ts';
import { OVERLAP_MS } from '../../kube/certificates/plan.ts';
import { writeContents } from '../../kube/certificates/secret.ts';
import type { Client } from '../../kube/client.ts';
import { readConnection } from '../../kube/connection.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, MUTATING_WEBHOOK_CONFIGURATIONS, SECRETS } from '../../kube/resource.ts';
import { createClient } from '../support/client.ts';
import { Bed } from './bed/bed.ts';
import { chartCrds, createConfiguration, createCrds, until } from './bed/installation.ts';
import { Balancer, Replica, SECRET } from './bed/replica.ts';
import { missingPrograms } from './bed/required.ts';
import { configurationName, webhookConfigurations } from './bed/webhook-configurations.ts';

const missing = await missingPrograms();
const DAY_MS = 86_400_000;
const SIDECARSETS = '/apis/apps.kruise.io';

describe.skipIf(missing.length > 0)('replicas behind one Service', () => {
  let bed: Bed;
  let client: Client;
  let balancer: Balancer;
  let now: number;
  const replicas: Replica[] = [];

  beforeAll(async () => {
    bed = await Bed.start();
    const connection = { kubeconfig: bed.kubeconfig, environment: {}, monotonic: () => performance.now() };
    client = createClient(await readConnection(connection));
    await bed.createNamespace(SECRET.namespace);
    await createCrds(bed.client, chartCrds());
    balancer = await Balancer.start();
    // As they are installed: nobody is there, and nobody is trusted.
    const nowhere = {
      host: '127.0.0.1',
      port: balancer.port,
      ca: (await issueAuthority('nobody', Date.now())).certificate,
    };
    for (const configuration of webhookConfigurations(nowhere, () => true))
      await createConfiguration(bed.client, configuration);
  });

  afterEach(async () => {
    balancer.targets = [];
    await balancer.cut();
    await Promise.all(replicas.splice(0).map((replica) => replica.close()));
    await bed.client.delete(`/api/v1/namespaces/${SECRET.namespace}/secrets/${SECRET.name}`);
  });

  afterAll(async () => {
    balancer?.close();
    await client?.close();
    await bed?.close();
  });

  async function start(count: number): Promise<Replica[]> {
    now = Date.now();
    const options = { client, port: balancer.port, now: () => now };
    replicas.push(...(await Promise.all(Array.from({ length: count }, () => Replica.start(options)))));
    balancer.targets = replicas.map(({ port }) => port);
    return replicas;
  }

  /** Asks for a default and for a conversion: both the configurations and the CRDs have to be right. */
  async function call(name: string): Promise<string> {
    const body = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'SidecarSet', metadata: { name }, spec: SPEC };
    const { status, body: object } = await bed.client.send(
      'POST',
      `${SIDECARSETS}/v1alpha1/sidecarsets?dryRun=All`,
      body,
    );
    return status === 201 ? 'done' : String(object.message);
  }

  async function secret(): Promise<Record<string, string>> {
    const { data } = (await client.get(SECRETS, SECRET)) as KubeObject & { data: Record<string, string> };
    return Object.fromEntries(
      Object.entries(data).map(([name, text]) => [name, Buffer.from(text, 'base64').toString()]),
    );
  }

  async function bundles(): Promise<Set<string>> {
    const { webhooks } = (await client.get(MUTATING_WEBHOOK_CONFIGURATIONS, {
      name: configurationName('mutating'),
    })) as KubeObject & {
      webhooks: { clientConfig: { caBundle: string } }[];
    };
    const { spec } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name: 'sidecarsets.apps.kruise.io' });
    const { conversion } = spec as { conversion: { webhook: { clientConfig: { caBundle: string } } } };
    const all = [...webhooks.map(({ clientConfig }) => clientConfig), conversion.webhook.clientConfig];
    return new Set(all.map(({ caBundle }) => Buffer.from(caBundle, 'base64').toString()));
  }

  test('that start together on an empty Secret serve one certificate, which all callers trust', async () => {
    await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { ...SECRET } });
    const started = await start(3);
    await Promise.all(started.map(({ configurations }) => configurations.reconcile()));
    const files = await secret();
    expect(started.map(({ certificates }) => certificates.secrets?.cert)).toEqual(Array(3).fill(files['tls.crt']));
    expect(await bundles()).toEqual(new Set([files['ca-cert.pem']]));
    await until('the API server calls', async () => (await call('one')) === 'done');
    for (let round = 0; round < 6; round++) {
      await balancer.cut();
      expect(await call('one')).toBe('done');
    }
    expect(started.every(({ asked }) => asked.size > 0)).toBe(true);
  });

  test('put a Secret that was deleted back, with callers that never notice', async () => {
    const [one] = await start(2);
    for (const replica of replicas) replica.run();
    await until('the API server calls', async () => (await call('one')) === 'done');
    const before = await secret();
    const failures = await calling(async () => {
      await bed.client.delete(`/api/v1/namespaces/${SECRET.namespace}/secrets/${SECRET.name}`);
      await until('the Secret is back and trusted', async () => {
        const files = await secret().catch(() => undefined);
        return files !== undefined && (await bundles()).has(files['ca-cert.pem'] ?? '');
      });
    });
    expect(failures).toEqual([]);
    const after = await secret();
    expect(after['ca-key.pem']).not.toBe(before['ca-key.pem']);
    expect(one?.certificates.fault()).toBeUndefined();
  });

  test('replace their authority under load, and no call fails', async () => {
    await client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...SECRET },
      data: writeContents(await endingSoon()),
    });
    await start(2);
    for (const replica of replicas) replica.run();
    const passes = async () => {
      const before = replicas.map(({ configurations }) => configurations.figures.passes);
      for (const { configurations } of replicas) configurations.wake();
      await until('every replica looked', async () => {
        return replicas.every(({ configurations }, index) => configurations.figures.passes > (before[index] ?? 0));
      });
    };
    await until('the API server calls', async () => (await call('one')) === 'done');
    const seen: number[] = [];
    const failures = await calling(async () => {
      for (let step = 0; step < 5; step++) {
        await passes();
        await passes();
        // Calls go over open connections, so that what new ones would find is tried by itself.
        const [published = ''] = await bundles();
        for (const { port } of replicas) await handshake(port, published);
        seen.push((await secret())['ca-cert.pem']?.match(/BEGIN/g)?.length ?? 0);
        now += OVERLAP_MS;
      }
    });
    expect(failures).toEqual([]);
    expect([seen[0], seen.at(-1)]).toEqual([2, 1]);
    const { 'tls.crt': leaf = '', 'ca-cert.pem': authority = '' } = await secret();
    expect(new X509Certificate(leaf).checkIssued(new X509Certificate(authority))).toBe(true);
    expect(new X509Certificate(authority).validToDate.getTime()).toBeGreaterThan(now + 3000 * DAY_MS);
    expect(await bundles()).toEqual(new Set([authority]));
    expect(replicas.map(({ certificates }) => certificates.secrets?.cert)).toEqual([leaf, leaf]);
  });

  /** What calls failed with while `during` went on; each call is a handshake of its own as far as that can be had. */
  async function calling(during: () => Promise<void>): Promise<string[]> {
    const failures: string[] = [];
    let isOver = false;
    const caller = async (name: string) => {
      while (!isOver) {
        const result = await call(name);
        if (result !== 'done') failures.push(result);
      }
    };
    const callers = Promise.all(['one', 'two'].map(caller));
    try {
      await during();
    } finally {
      isOver = true;
      await callers;
    }
    return failures;
  }
});

/** Rejects unless a caller that trusts these authorities accepts the certificate. */
async function handshake(port: number, ca: string): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port, ca });
  await once(socket, 'secureConnect');
  socket.destroy();
}

const SPEC: JsonObject = {
  selector: { matchLabels: { app: 'probe' } },
  containers: [{ name: 'probe', image: 'probe:1' }],
};

/** Contents of a Secret whose certificate is due, and whose authority does not last either. */
async function endingSoon() {
  const signer = await issueAuthority('webhook-cert-ca', Date.now() - 3350 * DAY_MS, 'RSA');
  const issued = await issueServer(signer, ['127.0.0.1', 'localhost'], Date.now(), 170 * DAY_MS);
  return { authorities: signer.certificate, authorityKey: signer.key, ...issued };
}
