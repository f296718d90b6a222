// A server in this process, with the stand-in evaluator, on a free port.

import { Writable } from 'node:stream';
import { Health } from '../../../component/health.ts';
import { createLogger, type LogLevel } from '../../../component/logger.ts';
import { LIMITS, type Limits } from '../../../gateway/limits.ts';
import { Counters } from '../../../gateway/metrics/counters.ts';
import { REFUSALS, type Refusal } from '../../../gateway/metrics/rows.ts';
import { AdmissionServer, type ServerParts } from '../../../gateway/server.ts';
import { contextOf, testSecrets } from './secrets.ts';
import { StandIn } from './stand-in.ts';

export type TestServer = {
  server: AdmissionServer;
  port: number;
  evaluator: StandIn;
  counters: Counters;
  health: Health;
  /** The log lines so far. */
  log: string[];
  refused(reason: Refusal): number;
  close(): Promise<void>;
};

type Change = Partial<Omit<ServerParts, 'limits'>> & { limits?: Partial<Limits>; logLevel?: LogLevel };

/** Starts one; times are short only where `limits` say so. */
export async function startServer(change: Change = {}): Promise<TestServer> {
  const { limits, logLevel = 'info', ...parts } = change;
  const evaluator = new StandIn();
  const counters = new Counters((parts.evaluator ?? evaluator).paths().length);
  const health = new Health();
  const log: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      log.push(String(chunk));
      done();
    },
  });
  const server = new AdmissionServer({
    evaluator,
    isReady: () => true,
    health,
    counters,
    logger: createLogger('gateway', logLevel, sink),
    secrets: contextOf((await testSecrets()).server),
    callers: [],
    denied: () => undefined,
    monotonic: () => performance.now(),
    now: () => Date.now(),
    ...parts,
    limits: { ...LIMITS, ...limits },
  });
  const port = await server.listen('127.0.0.1', 0, false);
  const refused = (reason: Refusal) => counters.refusals[REFUSALS.indexOf(reason)] ?? 0;
  return { server, port, evaluator, counters, health, log, refused, close: () => server.close(0) };
}
