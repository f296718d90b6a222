// The gateway as a way to the product: its own server, certificates and limits, asked over HTTPS.
import { Agent, request } from 'node:https';
import { Health } from '../../component/health.ts';
import { createLogger } from '../../component/logger.ts';
import { LIMITS } from '../../gateway/limits.ts';
import { Counters } from '../../gateway/metrics/counters.ts';
import { AdmissionServer } from '../../gateway/server.ts';
import { issueAuthority, issueServer } from '../../kube/certificates/issue.ts';
import type { Exchange } from './answer.ts';
import { holdWebhooks, replacing } from './policy-module.ts';
import type { Transport } from './runners.ts';

export type ServedTransport = Transport & { close(): Promise<void> };

/** Starts a gateway on a free port of this machine. Its objects are replaced in place; its clock is the real one. */
export async function gatewayTransport(gates: Record<string, boolean>): Promise<ServedTransport> {
  const webhooks = await holdWebhooks(gates);
  const authority = await issueAuthority('corpus', Date.now());
  const pair = await issueServer(authority, ['localhost', '127.0.0.1'], Date.now());
  const server = new AdmissionServer({
    evaluator: webhooks,
    isReady: () => true,
    health: new Health(),
    counters: new Counters(webhooks.paths().length),
    logger: createLogger('corpus', 'error'),
    limits: LIMITS,
    secrets: { key: pair.key, cert: pair.certificate },
    callers: [],
    denied: () => undefined,
    monotonic: () => performance.now(),
    now: () => Date.now(),
  });
  const port = await server.listen('127.0.0.1', 0, false);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.certificate });
  return {
    hold: replacing(webhooks),
    ask: (path, body) => post({ agent, port, path, body }),
    stored: (reference) => webhooks.object(reference),
    now: () => Date.now(),
    close: async () => {
      agent.destroy();
      await server.close(5000);
    },
  };
}

/** One POST of an AdmissionReview, as an API server sends it. */
export function post(to: { agent: Agent; port: number; path: string; body: Uint8Array }): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent: to.agent,
        host: '127.0.0.1',
        port: to.port,
        path: `${to.path}?timeout=10s`,
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Length': to.body.length },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(to.body);
  });
}
