// Turns the hot path's counters into samples when the metrics are scraped.

import { histogramSamples, type Metrics, type Sample } from '../../component/metrics.ts';
import { BUCKETS, CODES, Counters, LATENCY_BOUNDS, VERDICTS } from './counters.ts';
import { DECISION_METRICS, type DecisionMetric, METRICS, REFUSALS } from './rows.ts';

/** Registers the metrics of the hot path; `threads` gives the counters of all threads at the time of a scrape. */
export function exposeCounters(metrics: Metrics, paths: readonly string[], threads: () => readonly Counters[]): void {
  const total = () => Counters.sum(paths.length, threads());
  metrics.add(METRICS.requests, () => requestSamples(total(), paths));
  metrics.add(METRICS.latency, () => latencySamples(total(), paths));
  metrics.add(METRICS.reviews, () => reviewSamples(total(), paths));
  metrics.add(METRICS.inFlight, () =>
    [...total().inFlight].map((value, i) => ({ labels: { webhook: paths[i] ?? '' }, value })),
  );
  metrics.add(METRICS.refusals, () =>
    [...total().refusals].map((value, i) => ({ labels: { reason: REFUSALS[i] ?? '' }, value })),
  );
  metrics.add(METRICS.panics, () => [{ labels: {}, value: total().panics[0] ?? 0 }]);
  metrics.add(METRICS.traps, () => [{ labels: {}, value: total().traps[0] ?? 0 }]);
  metrics.add(METRICS.handedOver, () => [{ labels: {}, value: total().handedOver[0] ?? 0 }]);
  metrics.add(METRICS.connections, () => [{ labels: {}, value: total().connections[0] ?? 0 }]);
}

/** Registers what is counted of decisions on a cluster; what is returned counts up, by metric and labels. */
export function decisionCounter(metrics: Metrics): (metric: DecisionMetric, ...labels: string[]) => void {
  const counters = new Map(DECISION_METRICS.map((name) => [name, metrics.counter(METRICS[name])]));
  return (metric, ...labels) => counters.get(metric)?.(...labels);
}

function* requestSamples(counters: Counters, paths: readonly string[]): Iterable<Sample> {
  for (const [i, value] of counters.requests.entries()) {
    const labels = { webhook: paths[Math.floor(i / CODES.length)] ?? '', code: CODES[i % CODES.length] ?? 0 };
    if (value > 0) yield { labels, value };
  }
}

function* reviewSamples(counters: Counters, paths: readonly string[]): Iterable<Sample> {
  for (const [i, value] of counters.reviews.entries()) {
    const row = Math.floor(i / CODES.length);
    const path = paths[Math.floor(row / VERDICTS.length)] ?? '';
    const labels = { path, verdict: VERDICTS[row % VERDICTS.length] ?? '', code: CODES[i % CODES.length] ?? 0 };
    if (value > 0) yield { labels, value };
  }
}

function* latencySamples(counters: Counters, paths: readonly string[]): Iterable<Sample> {
  for (const [i, webhook] of paths.entries()) {
    const counts = counters.latencies.subarray(i * BUCKETS, (i + 1) * BUCKETS);
    if (counts.every((count) => count === 0)) continue;
    yield* histogramSamples([{ labels: { webhook }, bounds: LATENCY_BOUNDS, counts, sum: counters.seconds[i] ?? 0 }]);
  }
}
