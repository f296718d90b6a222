// How a thread reaches the cluster, and how its evaluator asks it.

import { randomUUID } from 'node:crypto';
import type { Gates } from '../../api/gates.ts';
import type { Environment } from '../../component/flags.ts';
import type { Logger } from '../../component/logger.ts';
import type { OnWriteFailure } from '../../evaluator/live-cluster.ts';
import type { LiveOptions } from '../../evaluator/live-reviews.ts';
import { Client } from '../../kube/client.ts';
import { readConnection } from '../../kube/connection.ts';
import { Discovery } from '../../kube/discovery.ts';
import type { DecisionMetric } from '../metrics/rows.ts';
import { Widening } from '../scope/widen.ts';
import { Facts } from './facts.ts';
import { Statuses } from './statuses.ts';

/** Can be sent to another thread. */
export type ClusterSettings = {
  readonly kubeconfig: string | undefined;
  readonly environment: Environment;
  readonly qps: number;
  readonly burst: number;
  readonly onWriteFailure: ReadonlyMap<string, OnWriteFailure>;
  /** With `--scope demand`: the gates, on which it depends what policies concern. */
  readonly scopeGates: Gates | undefined;
};

/** Counts a decision metric up, by its labels. */
export type Count = (metric: DecisionMetric, ...labels: string[]) => void;

/** As the API server's audit log has it. */
const USER_AGENT = 'sluice-gateway';
const REQUEST_MS = 15_000;

/** Made by whoever starts a thread; `monotonic` in milliseconds of a clock that nobody sets. */
export type Clocks = { readonly monotonic: () => number; readonly random: () => number };

/** Reads how to connect; nothing is sent yet. Throws InputError naming file and field. */
export async function openClient(settings: ClusterSettings, clocks: Clocks, logger: Logger): Promise<Client> {
  const { kubeconfig, environment, qps, burst } = settings;
  const { monotonic, random } = clocks;
  const connection = await readConnection({ kubeconfig, environment, monotonic });
  const options = { userAgent: USER_AGENT, qps, burst, timeoutMs: REQUEST_MS, random, monotonic, logger };
  return new Client(connection, options);
}

/** What has to happen before a policy is allowed; undefined when all pods are sent in any case. */
export function openWidening(client: Client, { scopeGates: gates }: ClusterSettings): Widening | undefined {
  return gates === undefined ? undefined : new Widening({ client, gates, stamp: randomUUID });
}

/** How an evaluator asks and writes by a client. */
export function liveOptions(
  client: Client,
  settings: ClusterSettings,
  { monotonic }: Clocks,
  count: Count,
): LiveOptions {
  const discovery = new Discovery(client, monotonic);
  const facts = new Facts({ client, discovery, monotonic, asked: (outcome) => count('factReads', outcome) });
  const statuses = new Statuses(client, discovery, (kind, outcome) => count('statusWrites', kind, outcome));
  return {
    cluster: {
      answer: (question) => facts.answer(question),
      write: (effect, signal) => statuses.write(effect, signal),
    },
    onWriteFailure: settings.onWriteFailure,
    observer: { unwritten: (kind, done) => count('unwritten', kind, done) },
  };
}
