// The metrics of a program, exposed in Prometheus' text format. Metrics are rows of a table; hot ones are kept by
// their owner in plain numbers and read when someone asks.

import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';

/** What a metric is. Label values must be bounded: paths we serve, codes, reasons; never names of users or objects. */
export type MetricRow = {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
};

/** One line of the exposition; `suffix` is `_bucket`, `_sum` or `_count` for histograms. */
export type Sample = { suffix?: string; labels: Record<string, string | number>; value: number };

/** A histogram's state for one set of labels: `counts[i]` is of `bounds[i]`, one more for all above the last. */
export type HistogramState = {
  labels: Record<string, string | number>;
  bounds: readonly number[];
  counts: ArrayLike<number>;
  sum: number;
};

export class Metrics {
  readonly #registry = new Registry();

  /** Process and Node.js metrics and `sluice_build_info` come with it. */
  constructor(program: string, version: string) {
    // A coarse sampling of the event loop's delay: the usual 10 ms would cost an idle process its rest.
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 100 });
    const labels = { program, version, node: process.version };
    this.add(BUILD_INFO, () => [{ labels, value: 1 }]);
  }

  readonly contentType: string = Registry.PROMETHEUS_CONTENT_TYPE;

  /** Adds a metric whose samples are read at each scrape. Throws when the name is taken. */
  add(row: MetricRow, read: () => Iterable<Sample>): void {
    const get = async () => {
      const values = [...read()].map(({ suffix = '', labels, value }) => ({
        metricName: row.name + suffix,
        labels,
        value,
      }));
      return { name: row.name, help: row.help, type: row.type, values, aggregator: 'sum' };
    };
    // The registry needs no more of a metric than its name and `get`; its types ask for one of its own classes.
    this.#registry.registerMetric({ name: row.name, help: row.help, get } as unknown as Metric);
  }

  /** Adds a counter without or with labels and returns what counts: `count('reload', 'failed')`. */
  counter(row: MetricRow): (...labelValues: string[]) => void {
    const counts = new Map<string, Sample>();
    if (row.labels.length === 0) counts.set('[]', { labels: {}, value: 0 });
    this.add(row, () => counts.values());
    return (...labelValues) => {
      const key = JSON.stringify(labelValues);
      const sample = counts.get(key);
      if (sample !== undefined) sample.value++;
      else counts.set(key, { labels: zip(row.labels, labelValues), value: 1 });
    };
  }

  /** The exposition. */
  expose(): Promise<string> {
    return this.#registry.metrics();
  }
}

/** The samples of histograms, buckets cumulated as the format wants. */
export function* histogramSamples(states: Iterable<HistogramState>): Iterable<Sample> {
  for (const { labels, bounds, counts, sum } of states) {
    let total = 0;
    for (let i = 0; i <= bounds.length; i++) {
      total += counts[i] ?? 0;
      yield { suffix: '_bucket', labels: { ...labels, le: bounds[i] ?? '+Inf' }, value: total };
    }
    yield { suffix: '_sum', labels, value: sum };
    yield { suffix: '_count', labels, value: total };
  }
}

/** The rows as a table in Markdown, in the order of their names. */
export function metricReference(rows: readonly MetricRow[]): string {
  const lines = rows.map(({ name, type, labels, help }) => {
    return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(' ')} | ${help} |\n`;
  });
  return `| Metric | Type | Labels | Meaning |\n|---|---|---|---|\n${lines.sort().join('')}`;
}

const BUILD_INFO: MetricRow = {
  name: 'sluice_build_info',
  type: 'gauge',
  help: 'Always 1; the labels say which program, version and Node.js run.',
  labels: ['program', 'version', 'node'],
};

function zip(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
}
