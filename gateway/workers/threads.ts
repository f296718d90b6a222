// What the gateway does with the servers that answer requests, whether there is one in this thread or several in
// threads of their own.

import type { SecureContextOptions } from 'node:tls';
import type { Denial } from '../../evaluator/denial.ts';
import type { SourceChange } from '../change.ts';
import type { ClusterSettings } from '../cluster/connect.ts';
import type { Counters } from '../metrics/counters.ts';
import type { DecisionMetric } from '../metrics/rows.ts';

export type Servers = {
  /** The port they share. */
  readonly port: number;
  /** How many can answer now. */
  readonly running: number;
  /** Takes over a change that was tried before and is known to be good. */
  change(change: SourceChange): void;
  /** All objects that count have been handed on: reviews are answered from now on. */
  loaded(): void;
  renew(secrets: SecureContextOptions): void;
  /** Every answer from now on ends its connection. */
  drain(): void;
  /** Takes no connection any more and resolves when the last is gone, after `limitMs` by force. */
  close(limitMs: number): Promise<void>;
  counters(): readonly Counters[];
};

/** What a thread is started with. */
export type WorkerInput = {
  sluiceGatewayWorker: true;
  host: string;
  port: number;
  gates: ReadonlyMap<string, boolean>;
  systemNamespace: string;
  objects: readonly SourceChange[];
  /** Are these all that count? Else an order says when they have come. */
  isLoaded: boolean;
  cluster: ClusterSettings | undefined;
  secrets: SecureContextOptions;
  callers: readonly string[];
  limits: import('../limits.ts').Limits;
  logLevel: import('../../component/logger.ts').LogLevel;
  paths: number;
  counters: SharedArrayBuffer;
  /** One cell that the thread counts up while it is well. */
  beats: SharedArrayBuffer;
  /** One cell, 1 while the program is ready. */
  readiness: SharedArrayBuffer;
  evaluatorModule: string | undefined;
};

/** To a thread. */
export type WorkerOrder =
  | { order: 'change'; change: SourceChange }
  | { order: 'loaded' }
  | { order: 'renew'; secrets: SecureContextOptions }
  | { order: 'drain' }
  | { order: 'close'; limitMs: number };

/** From a thread. */
export type WorkerReport =
  | { report: 'listening'; port: number }
  | { report: 'closed' }
  | { report: 'denied'; denial: Denial }
  | { report: 'count'; metric: DecisionMetric; labels: string[] };
