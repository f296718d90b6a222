// Where a gateway has its policy objects and its certificate from: files, or a cluster. One of the two is chosen at the start.

import type { SecureContextOptions } from 'node:tls';
import type { Health } from '../component/health.ts';
import type { Metrics } from '../component/metrics.ts';
import type { LiveOptions } from '../evaluator/live-reviews.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { SourceChange } from './change.ts';
import type { ClusterSettings } from './cluster/connect.ts';
import type { Evaluator } from './evaluation.ts';
import type { Widening } from './scope/widen.ts';

/** The certificate that is served, and what it is renewed by. */
export type Secrets = {
  readonly secrets: SecureContextOptions;
  /** `listener` is told of each new set. */
  watch(listener: (secrets: SecureContextOptions) => void): void;
};

export type Mode = {
  /** How this thread's evaluator asks the cluster; undefined when it decides by its objects alone. */
  readonly live: LiveOptions | undefined;
  /** What this thread's evaluator does before it allows a policy. */
  readonly widening: Widening | undefined;
  /** For events about pods; undefined without a cluster. */
  readonly events: EventRecorder | undefined;
  /** How other threads reach the cluster. */
  readonly cluster: ClusterSettings | undefined;
  /** Are all objects that count there once `open` has resolved? Else `serving` waits for them. */
  readonly loadsFirst: boolean;
  /** Adds checks and metrics. */
  expose(health: Health, metrics: Metrics): void;
  /** Resolves when TLS can be served. Rejects with the reason of `stop`. */
  openCertificate(stop: AbortSignal): Promise<Secrets>;
  /** Begins to hand objects to the evaluator, and each change to `servers` once there are any. */
  open(evaluator: Evaluator, servers: () => ChangeTaker | undefined, stop: AbortSignal): Promise<void>;
  /** All objects of now, for an evaluator of another thread. */
  snapshot(): readonly SourceChange[];
  /** The servers listen. Resolves when all objects that count are there. */
  serving(port: number, stop: AbortSignal): Promise<void>;
  /** Why the API server is not known to call this gateway rightly yet; undefined once it was, and without a cluster. */
  uninitialised(): string | undefined;
  /** What people are told where to look. */
  readonly notice: string;
  close(): Promise<void>;
};

export type ChangeTaker = { change(change: SourceChange): void };
