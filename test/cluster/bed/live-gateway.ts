// The built gateway as a program that serves the cluster of a bed. Several of one bed share a port, or stand behind a
// `Service`; the API server's connections are spread over them.
import { existsSync, mkdirSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import type { JsonObject } from '../../../api/core/json.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../../scripts/image/runtime.ts';
import type { Bed } from './bed.ts';
import { chartCrds, createConfiguration, createCrds, until } from './installation.ts';
import { Process, untilReady } from './process.ts';
import { webhookConfigurations } from './webhook-configurations.ts';

export type LiveGateway = {
  readonly process: Process;
  readonly port: number;
  readonly healthPort: number;
  readonly metricsPort: number;
  /** The text of a page of health, or of the metrics. */
  health(path: string): Promise<string>;
  metrics(): Promise<string>;
  /** Its answer to a review, past the API server. */
  ask(path: string, request: JsonObject): Promise<{ status: number; response: JsonObject }>;
};

export type LiveGatewayOptions = {
  name?: string;
  /** Of another replica. */
  port?: number;
  /** The port of the Service that leads to it. */
  service?: number;
  /** To be served at once, and not only when all is there. */
  isLate?: boolean;
  drainDelay?: string;
  featureGates?: string;
  arguments?: readonly string[];
  environment?: Record<string, string>;
  /** Another kubeconfig than an administrator's. */
  kubeconfig?: string;
};

const PROGRAM = new URL('../../../dist/sluice.mjs', import.meta.url).pathname;
const START_LIMIT_MS = 30_000;

/** Installs CRDs and webhook configurations that lead nowhere yet: the first gateway changes that. */
export async function installUnserved(bed: Bed): Promise<void> {
  await createCrds(bed.client, chartCrds());
  await bed.createNamespace('kruise-system');
  const nowhere = { host: '127.0.0.1', port: 1, ca: '' };
  for (const configuration of webhookConfigurations(nowhere, () => true)) {
    await createConfiguration(bed.client, withoutAuthority(configuration));
  }
}

/** Starts one, and resolves once it listens; `untilServed` says when the API server gets its answers. */
export async function startLiveGateway(bed: Bed, options: LiveGatewayOptions = {}): Promise<LiveGateway> {
  if (!existsSync(PROGRAM)) throw new Error('dist/sluice.mjs is missing; "npm run build" makes it');
  const { name = 'gateway', port = 0, service, isLate = false, featureGates, drainDelay = '1s' } = options;
  const certificates = join(bed.folder, 'live-gateway');
  // Where the bed has nodes its API server lives in a network of its own, and this machine is another one there.
  const host = bed.network?.machineAddress ?? '127.0.0.1';
  mkdirSync(certificates, { recursive: true });
  const program = Process.start({
    folder: bed.folder,
    name,
    path: process.execPath,
    environment: {
      ...NODE_ENVIRONMENT,
      WEBHOOK_HOST: service === undefined ? host : `${host}:${service}`,
      ...options.environment,
    },
    arguments: [
      ...NODE_FLAGS,
      PROGRAM,
      'gateway',
      ...['--kubeconfig', options.kubeconfig ?? bed.kubeconfig],
      // With more than one thread a port is shared, with other processes too.
      ...['--workers', service === undefined ? '2' : '1', '--port', String(port)],
      ...['--health-port', '0', '--metrics-port', '0', '--drain-delay', drainDelay],
      ...['--cert-dir', certificates],
      ...(bed.network === undefined ? [] : ['--bind-address', '0.0.0.0']),
      ...(featureGates === undefined ? [] : ['--feature-gates', featureGates]),
      ...(options.arguments ?? []),
    ],
  });
  const found = () => portsIn(program.log, isLate);
  await untilReady(program, START_LIMIT_MS, async () => found() !== undefined);
  const ports = found() ?? { port: 0, healthPort: 0, metricsPort: 0 };
  const page = async (at: number, path: string) => (await fetch(`http://127.0.0.1:${at}${path}`)).text();
  return {
    process: program,
    ...ports,
    health: (path) => page(ports.healthPort, path),
    metrics: () => page(ports.metricsPort, '/metrics'),
    ask: (path, request) => ask(ports.port, path, request),
  };
}

function ask(port: number, path: string, asked: JsonObject): Promise<{ status: number; response: JsonObject }> {
  const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: asked });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) };
  // Who it is does not matter here: the API server's own calls show that its certificate is right.
  const to = {
    host: '127.0.0.1',
    port,
    path: `${path}?timeout=10s`,
    method: 'POST',
    headers,
    rejectUnauthorized: false,
  };
  return new Promise((resolve, reject) => {
    const sent = request(to, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const { response } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { response: JsonObject };
        resolve({ status: answer.statusCode ?? 0, response });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Resolves once the API server defaults and refuses by it. */
export async function untilServed(bed: Bed): Promise<void> {
  const set = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    spec: { selector: { matchLabels: { app: 'probe' } }, containers: [{ name: 'probe', image: 'probe:1' }] },
  };
  const path = '/apis/apps.kruise.io/v1beta1/sidecarsets?dryRun=All';
  await until('the webhooks are called', async () => {
    const made = await bed.client.send('POST', path, { ...set, metadata: { name: 'probe' } });
    const refused = await bed.client.send('POST', path, { ...set, metadata: { name: 'pro.be' } });
    const { annotations } = (made.body.metadata ?? {}) as { annotations?: JsonObject };
    return made.status === 201 && annotations !== undefined && refused.status === 422;
  });
}

/** What it says of its ports: those of health and metrics first, the one of reviews when that can be called. */
function portsIn(log: string, isLate: boolean): { port: number; healthPort: number; metricsPort: number } | undefined {
  const numberIn = (pattern: RegExp) => Number(pattern.exec(log)?.[1] ?? 0);
  const port = numberIn(/gateway listens on https:\/\/\S+:(\d+)/) || (isLate ? numberIn(/"port":(\d+)/) : 0);
  const healthPort = numberIn(/"healthPort":(\d+)/);
  const metricsPort = numberIn(/"metricsPort":(\d+)/);
  return port === 0 || metricsPort === 0 ? undefined : { port, healthPort, metricsPort };
}

function withoutAuthority(configuration: JsonObject): JsonObject {
  const webhooks = (configuration.webhooks as JsonObject[]).map((webhook) => {
    const { url } = webhook.clientConfig as { url: string };
    return { ...webhook, clientConfig: { url } };
  });
  return { ...configuration, webhooks };
}
