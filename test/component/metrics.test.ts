// Metrics come out in Prometheus' text format with what was counted.

import { expect, test } from 'vitest';
import { histogramSamples, type MetricRow, Metrics } from '../../component/metrics.ts';

const COUNTER: MetricRow = { name: 'things_total', type: 'counter', help: 'Things.', labels: ['kind', 'result'] };

async function linesOf(metrics: Metrics, prefix: string): Promise<string[]> {
  return (await metrics.expose()).split('\n').filter((line) => line.startsWith(prefix));
}

test('a counter has a series for each set of labels that was counted', async () => {
  const metrics = new Metrics('test', '1');
  const count = metrics.counter(COUNTER);
  count('a', 'good');
  count('a', 'good');
  count('b', 'b"ad');
  expect(await linesOf(metrics, 'things_total')).toEqual([
    'things_total{kind="a",result="good"} 2',
    'things_total{kind="b",result="b\\"ad"} 1',
  ]);
  expect(await linesOf(metrics, '# TYPE things_total')).toEqual(['# TYPE things_total counter']);
});

test('a counter without labels is there before anything was counted', async () => {
  const metrics = new Metrics('test', '1');
  metrics.counter({ ...COUNTER, labels: [] });
  expect(await linesOf(metrics, 'things_total')).toEqual(['things_total 0']);
});

test('a name can be taken once', () => {
  const metrics = new Metrics('test', '1');
  metrics.counter(COUNTER);
  expect(() => metrics.counter(COUNTER)).toThrow('things_total');
});

test('the buckets of a histogram are cumulated and end at infinity', () => {
  const samples = [...histogramSamples([{ labels: { path: 'p' }, bounds: [1, 2], counts: [3, 0, 2], sum: 9 }])];
  expect(samples).toEqual([
    { suffix: '_bucket', labels: { path: 'p', le: 1 }, value: 3 },
    { suffix: '_bucket', labels: { path: 'p', le: 2 }, value: 3 },
    { suffix: '_bucket', labels: { path: 'p', le: '+Inf' }, value: 5 },
    { suffix: '_sum', labels: { path: 'p' }, value: 9 },
    { suffix: '_count', labels: { path: 'p' }, value: 5 },
  ]);
});
