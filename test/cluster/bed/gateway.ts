// The built gateway as a program of a bed, deciding by files.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Process, untilReady } from './process.ts';
import type { Endpoint } from './webhook-configurations.ts';

export type GatewayOptions = {
  /** Of the bed. */
  folder: string;
  /** Files and folders of policy objects. */
  objects: readonly string[];
  featureGates?: string;
};

const PROGRAM = new URL('../../../dist/sluice.mjs', import.meta.url).pathname;
const START_LIMIT_MS = 30_000;

/** Starts it on a free port, with an authority of its own. */
export async function startGateway(options: GatewayOptions): Promise<{ process: Process; endpoint: Endpoint }> {
  const { folder, objects, featureGates } = options;
  if (!existsSync(PROGRAM)) throw new Error('dist/sluice.mjs is missing; "npm run build" makes it');
  const certificates = join(folder, 'gateway');
  mkdirSync(certificates, { recursive: true });
  const program = Process.start({
    folder,
    name: 'gateway',
    path: process.execPath,
    arguments: [
      PROGRAM,
      'gateway',
      ...['--port', '0', '--health-port', 'off', '--metrics-port', 'off', '--drain-delay', '0s'],
      ...['--cert-dir', certificates],
      ...objects.flatMap((path) => ['--objects', path]),
      ...(featureGates === undefined ? [] : ['--feature-gates', featureGates]),
    ],
  });
  const port = () => Number(/gateway listens on https:\/\/\S+:(\d+)/.exec(program.log)?.[1] ?? 0);
  await untilReady(program, START_LIMIT_MS, async () => port() > 0);
  return {
    process: program,
    endpoint: { host: '127.0.0.1', port: port(), ca: readFileSync(join(certificates, 'ca-cert.pem'), 'utf8') },
  };
}
