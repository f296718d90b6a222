// The built gateway as a program that serves the cluster of a bed. Several of one bed share a port, as replicas behind a
// Service do; the API server's connections are spread over them.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../api/core/json.ts';
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
};

export type LiveGatewayOptions = {
  name?: string;
  /** Of another replica. */
  port?: number;
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
  const { name = 'gateway', port = 0, featureGates, environment = {} } = options;
  const certificates = join(bed.folder, 'live-gateway');
  mkdirSync(certificates, { recursive: true });
  const program = Process.start({
    folder: bed.folder,
    name,
    path: process.execPath,
    environment: { WEBHOOK_HOST: '127.0.0.1', ...environment },
    arguments: [
      PROGRAM,
      'gateway',
      ...['--kubeconfig', options.kubeconfig ?? bed.kubeconfig],
      // With more than one thread a port is shared, with other processes too.
      ...['--workers', '2', '--port', String(port), '--health-port', '0', '--metrics-port', '0', '--drain-delay', '1s'],
      ...['--cert-dir', certificates],
      ...(featureGates === undefined ? [] : ['--feature-gates', featureGates]),
      ...(options.arguments ?? []),
    ],
  });
  const found = () => portsIn(program.log);
  await untilReady(program, START_LIMIT_MS, async () => found() !== undefined);
  const ports = found() ?? { port: 0, healthPort: 0, metricsPort: 0 };
  const page = async (at: number, path: string) => (await fetch(`http://127.0.0.1:${at}${path}`)).text();
  return {
    process: program,
    ...ports,
    health: (path) => page(ports.healthPort, path),
    metrics: () => page(ports.metricsPort, '/metrics'),
  };
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

function portsIn(log: string): { port: number; healthPort: number; metricsPort: number } | undefined {
  const numberIn = (pattern: RegExp) => Number(pattern.exec(log)?.[1] ?? 0);
  const port = numberIn(/gateway listens on https:\/\/\S+:(\d+)/);
  const healthPort = numberIn(/health on http:\/\/\S+:(\d+)\//);
  const metricsPort = numberIn(/metrics on http:\/\/\S+:(\d+)\//);
  return port === 0 || metricsPort === 0 ? undefined : { port, healthPort, metricsPort };
}

function withoutAuthority(configuration: JsonObject): JsonObject {
  const webhooks = (configuration.webhooks as JsonObject[]).map((webhook) => {
    const { url } = webhook.clientConfig as { url: string };
    return { ...webhook, clientConfig: { url } };
  });
  return { ...configuration, webhooks };
}
