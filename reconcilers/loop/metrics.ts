// The metrics of controllers, under the names that dashboards know (operations 11.2), and what counts for them.

import { Histogram } from '../../component/histogram.ts';
import { histogramSamples, type MetricRow, type Metrics } from '../../component/metrics.ts';
import type { WorkQueue } from '../../kube/queue.ts';

const controller = ['controller'];
const name = ['name'];

export const LOOP_METRICS = {
  reconciles: {
    name: 'controller_runtime_reconcile_total',
    type: 'counter',
    help: 'Reconciles by result: success, error, requeue, requeue_after.',
    labels: ['controller', 'result'],
  },
  errors: {
    name: 'controller_runtime_reconcile_errors_total',
    type: 'counter',
    help: 'Reconciles that failed.',
    labels: controller,
  },
  terminal: {
    name: 'controller_runtime_terminal_reconcile_errors_total',
    type: 'counter',
    help: 'Reconciles that failed and are not tried again until something changes.',
    labels: controller,
  },
  panics: {
    name: 'controller_runtime_reconcile_panics_total',
    type: 'counter',
    help: 'Errors that nobody expected, in a reconcile or in telling whom a change concerns: bugs.',
    labels: controller,
  },
  seconds: {
    name: 'controller_runtime_reconcile_time_seconds',
    type: 'histogram',
    help: 'Seconds of a reconcile.',
    labels: controller,
  },
  workersMost: {
    name: 'controller_runtime_max_concurrent_reconciles',
    type: 'gauge',
    help: 'Objects that are reconciled at once, at most.',
    labels: controller,
  },
  workersActive: {
    name: 'controller_runtime_active_workers',
    type: 'gauge',
    help: 'Objects that are being reconciled.',
    labels: controller,
  },
  leaks: {
    name: 'sluice_expectation_timeouts_total',
    type: 'counter',
    help: 'Writes that were not seen in a mirror within --expectation-timeout.',
    labels: controller,
  },
  depth: { name: 'workqueue_depth', type: 'gauge', help: 'Objects that wait to be reconciled.', labels: name },
  adds: { name: 'workqueue_adds_total', type: 'counter', help: 'Objects that were queued.', labels: name },
  retries: {
    name: 'workqueue_retries_total',
    type: 'counter',
    help: 'Objects that were queued again after a failure.',
    labels: name,
  },
  waited: {
    name: 'workqueue_queue_duration_seconds',
    type: 'histogram',
    help: 'Seconds from being queued to being reconciled.',
    labels: name,
  },
  worked: {
    name: 'workqueue_work_duration_seconds',
    type: 'histogram',
    help: 'Seconds that a queued object was worked on.',
    labels: name,
  },
  unfinished: {
    name: 'workqueue_unfinished_work_seconds',
    type: 'gauge',
    help: 'Seconds of work on objects that are not done, added up.',
    labels: name,
  },
  longest: {
    name: 'workqueue_longest_running_processor_seconds',
    type: 'gauge',
    help: 'Seconds of the reconcile that runs for the longest time.',
    labels: name,
  },
} as const satisfies Record<string, MetricRow>;

const RESULTS = ['success', 'error', 'requeue', 'requeue_after'] as const;
export type Result = (typeof RESULTS)[number];

const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What one controller counts. */
export class ReconcileCounts {
  readonly results: Record<Result, number> = { success: 0, error: 0, requeue: 0, requeue_after: 0 };
  readonly seconds: Histogram;
  errors = 0;
  terminal = 0;
  panics = 0;
  leaks = 0;

  constructor(controllerName: string) {
    this.seconds = new Histogram(BOUNDS, { controller: controllerName });
  }
}

/** What the metrics of a controller are read from. */
export type Observed = {
  readonly name: string;
  readonly workers: number;
  readonly counts: ReconcileCounts;
  readonly queue: WorkQueue;
};

/** Adds the metrics of all controllers. */
export function exposeControllers(metrics: Metrics, controllers: readonly Observed[]): void {
  const each = (row: MetricRow, value: (one: Observed) => number) => {
    const label = row.labels[0] ?? 'name';
    metrics.add(row, () => controllers.map((one) => ({ labels: { [label]: one.name }, value: value(one) })));
  };
  metrics.add(LOOP_METRICS.reconciles, () =>
    controllers.flatMap((one) =>
      RESULTS.map((result) => ({ labels: { controller: one.name, result }, value: one.counts.results[result] })),
    ),
  );
  each(LOOP_METRICS.errors, ({ counts }) => counts.errors);
  each(LOOP_METRICS.terminal, ({ counts }) => counts.terminal);
  each(LOOP_METRICS.panics, ({ counts }) => counts.panics);
  each(LOOP_METRICS.leaks, ({ counts }) => counts.leaks);
  each(LOOP_METRICS.workersMost, ({ workers }) => workers);
  each(LOOP_METRICS.workersActive, ({ queue }) => queue.working);
  each(LOOP_METRICS.depth, ({ queue }) => queue.depth);
  each(LOOP_METRICS.adds, ({ queue }) => queue.counts.adds);
  each(LOOP_METRICS.retries, ({ queue }) => queue.counts.retries);
  each(LOOP_METRICS.unfinished, ({ queue }) => queue.unfinished.sum);
  each(LOOP_METRICS.longest, ({ queue }) => queue.unfinished.longest);
  metrics.add(LOOP_METRICS.seconds, () => histogramSamples(controllers.map(({ counts }) => counts.seconds)));
  const ofQueues = (which: 'waited' | 'worked') => () =>
    histogramSamples(
      controllers.map((one) => {
        const { bounds, counts, sum } = one.queue[which];
        return { labels: { name: one.name }, bounds, counts, sum };
      }),
    );
  metrics.add(LOOP_METRICS.waited, ofQueues('waited'));
  metrics.add(LOOP_METRICS.worked, ofQueues('worked'));
}
