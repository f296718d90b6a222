// A gateway in this process, whose objects are replaced in place: for tests that change them often.
import type { JsonObject } from '../../api/core/json.ts';
import { Health } from '../../component/health.ts';
import { createLogger } from '../../component/logger.ts';
import type { ObjectReference } from '../../evaluator/policies.ts';
import { LIMITS } from '../../gateway/limits.ts';
import { Counters } from '../../gateway/metrics/counters.ts';
import { AdmissionServer } from '../../gateway/server.ts';
import { issueAuthority, issueServer } from '../../kube/certificates/issue.ts';
import { holdWebhooks, replacing } from './policy-module.ts';

export type ServedWebhooks = {
  /** Where it listens, and who signed its certificate. */
  endpoint: { host: string; port: number; ca: string };
  /** Makes the gateway know exactly these objects, which are as stored. */
  hold(objects: readonly JsonObject[]): void;
  /** An object as it is by now, with what decisions have written. */
  stored(reference: ObjectReference): JsonObject | undefined;
  close(): Promise<void>;
};

/** Starts one on a free port, with gates at their defaults but for those given. Its clock is the real one. */
export async function serveWebhooks(gates: Record<string, boolean>): Promise<ServedWebhooks> {
  const webhooks = await holdWebhooks(gates);
  const authority = await issueAuthority('sluice tests', Date.now());
  const pair = await issueServer(authority, ['127.0.0.1'], Date.now());
  const server = new AdmissionServer({
    evaluator: webhooks,
    isReady: () => true,
    health: new Health(),
    counters: new Counters(webhooks.paths().length),
    logger: createLogger('test', 'error'),
    limits: LIMITS,
    secrets: { key: pair.key, cert: pair.certificate },
    callers: [],
    denied: () => undefined,
    monotonic: () => performance.now(),
    now: () => Date.now(),
  });
  const port = await server.listen('127.0.0.1', 0, false);
  return {
    endpoint: { host: '127.0.0.1', port, ca: authority.certificate },
    hold: replacing(webhooks),
    stored: (reference) => webhooks.object(reference),
    close: () => server.close(5000),
  };
}
