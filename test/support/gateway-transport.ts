// The gateway as a way to the product: its own server, certificates and limits, asked over HTTPS.
import { Agent, request } from 'node:https';
import type { Exchange } from './answer.ts';
import type { Transport } from './runners.ts';
import { serveWebhooks } from './served-webhooks.ts';

export type ServedTransport = Transport & { close(): Promise<void> };

/** Starts a gateway on a free port of this machine. Its objects are replaced in place; its clock is the real one. */
export async function gatewayTransport(gates: Record<string, boolean>): Promise<ServedTransport> {
  const { endpoint, hold, stored, close } = await serveWebhooks(gates);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: endpoint.ca });
  return {
    hold,
    ask: (path, body) => post({ agent, port: endpoint.port, path, body }),
    stored,
    now: () => Date.now(),
    close: async () => {
      agent.destroy();
      await close();
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
