// `sluice gateway` as a process of its own: objects reach it as files that it follows, questions over HTTPS.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../api/core/json.ts';
import { readVerdict } from './answer.ts';
import { pod } from './builders/pod.ts';
import { sidecar, sidecarSet } from './builders/sidecarset.ts';
import { post, type ServedTransport } from './gateway-transport.ts';
import * as see from './see.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/sluice.mjs', import.meta.url));
const PATIENCE_MS = 10_000;

/** Starts the built gateway on a free port, with an empty folder of objects and certificates of its own. */
export async function processTransport(gates: string): Promise<ServedTransport> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-gateway-'));
  const [objects, certificates] = [join(folder, 'objects'), join(folder, 'certificates')];
  mkdirSync(objects);
  const ports = ['--port', '0', '--health-port', 'off', '--metrics-port', 'off'];
  const given = ['--objects', objects, '--cert-dir', certificates, '--feature-gates', gates, '--drain-delay', '0s'];
  const child = spawn(process.execPath, [PROGRAM, 'gateway', ...ports, ...given], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const remove = () => rmSync(folder, { recursive: true });
  const port = await listeningPort(child).catch((error: unknown) => {
    remove();
    throw error;
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: readFileSync(join(certificates, 'ca-cert.pem')) });
  const ask = (path: string, body: Uint8Array) => post({ agent, port, path, body });
  let generation = 0;
  return {
    hold: async (held) => {
      generation += 1;
      const list = { apiVersion: 'v1', kind: 'List', items: [...held, marker(generation)] };
      writeFileSync(join(folder, 'draft'), JSON.stringify(list));
      renameSync(join(folder, 'draft'), join(objects, 'objects.json'));
      await untilMarked(generation, (body) => ask('/mutate-pod', body));
    },
    ask,
    now: () => Date.now(),
    close: async () => {
      agent.destroy();
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
      remove();
    },
  };
}

function listeningPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const text = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text.stdout += part;
      const match = /listens on https:\/\/[^\s]*:(\d+)/.exec(text.stdout);
      if (match !== null) resolve(Number(match[1]));
    });
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      text.stderr += part;
    });
    child.on('error', reject);
    child.on('close', (code) => reject(new Error(`the gateway ended with ${code}: ${text.stderr}`)));
  });
}

// A set that only pods with its number match: once it acts, the files are in use.
function marker(generation: number): JsonObject {
  return sidecarSet('zz-marker', {
    selector: { matchLabels: { marker: String(generation) } },
    containers: [sidecar(`marker-${generation}`)],
  });
}

async function untilMarked(
  generation: number,
  ask: (body: Uint8Array) => Promise<{ body: Uint8Array }>,
): Promise<void> {
  const object = pod({ labels: { marker: String(generation) } });
  const resource = { group: '', version: 'v1', resource: 'pods' };
  const request = {
    uid: 'marker',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource,
    operation: 'CREATE',
    object,
  };
  const review = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const { body } = await ask(new TextEncoder().encode(review));
    const { object: created = {} } = readVerdict(request, body);
    if (see.containers(created).includes(`marker-${generation}`)) return;
  }
  throw new Error(`the gateway did not take over its files within ${PATIENCE_MS} ms`);
}
