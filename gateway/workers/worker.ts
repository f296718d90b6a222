// One answering thread: its own evaluator and listener, orders and objects from the main thread. This file is loaded
// again as the thread's entry; it does nothing in any other thread.

import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { Health } from '../../component/health.ts';
import { createLogger, type Logger } from '../../component/logger.ts';
import { takeOver } from '../change.ts';
import type { ClusterSettings, Count } from '../cluster/connect.ts';
import { loadEvaluator } from '../load-evaluator.ts';
import { Counters } from '../metrics/counters.ts';
import { AdmissionServer } from '../server.ts';
import type { WorkerInput, WorkerOrder, WorkerReport } from './threads.ts';

/** Where a thread starts. */
export const WORKER_ENTRY: URL = new URL(import.meta.url);
/** How often a thread says that it is well. */
export const BEAT_MS = 500;

const input = workerData as WorkerInput | null;
if (!isMainThread && input?.sluiceGatewayWorker === true) await serve(input);

async function serve(given: WorkerInput): Promise<void> {
  const { gates, systemNamespace, evaluatorModule, limits } = given;
  const logger = createLogger('gateway', given.logLevel);
  const report = (message: WorkerReport) => parentPort?.postMessage(message);
  const reached = given.cluster === undefined ? {} : await connect(given.cluster, logger, report);
  const evaluator = await loadEvaluator({ gates, systemNamespace, ...reached }, evaluatorModule);
  for (const change of given.objects) takeOver(evaluator, change);
  let isLoaded = given.isLoaded;
  const readiness = new Int32Array(given.readiness);
  const health = new Health();
  health.addReadiness('gateway', () => (Atomics.load(readiness, 0) === 1 ? undefined : 'see the health port'));
  const server = new AdmissionServer({
    evaluator,
    isReady: () => isLoaded,
    health,
    counters: new Counters(given.paths, given.counters),
    logger,
    limits,
    secrets: given.secrets,
    callers: given.callers,
    denied: (denial) => report({ report: 'denied', denial }),
    monotonic: () => performance.now(),
    now: () => Date.now(),
  });
  parentPort?.on('message', (message: WorkerOrder) => {
    // An order that fails leaves this thread unlike the others: it ends, and another takes its place.
    if (message.order === 'change') takeOver(evaluator, message.change);
    else if (message.order === 'loaded') isLoaded = true;
    else if (message.order === 'renew') server.renew(message.secrets);
    else if (message.order === 'drain') server.drain();
    else void server.close(message.limitMs).then(() => report({ report: 'closed' }));
  });
  const beats = new Int32Array(given.beats);
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
  report({ report: 'listening', port: await server.listen(given.host, given.port, true) });
}

async function connect(settings: ClusterSettings, logger: Logger, report: (message: WorkerReport) => void) {
  const { liveOptions, openClient, openWidening } = await import('../cluster/connect.ts');
  const clocks = { monotonic: () => performance.now(), random: Math.random };
  const client = await openClient(settings, clocks, logger);
  const count: Count = (metric, ...labels) => report({ report: 'count', metric, labels });
  const live = liveOptions(client, settings, clocks, count);
  return { live, widening: openWidening(client, settings) };
}
