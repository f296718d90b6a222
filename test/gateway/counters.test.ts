// The hot path's counters add up over threads.

import { expect, test } from 'vitest';
import { Metrics } from '../../component/metrics.ts';
import { Counters } from '../../gateway/metrics/counters.ts';
import { exposeCounters } from '../../gateway/metrics/expose.ts';

async function linesOf(metrics: Metrics, prefix: string): Promise<string[]> {
  return (await metrics.expose()).split('\n').filter((line) => line.startsWith(prefix));
}

test('the counts of several threads are summed, and those of one that ended are kept', async () => {
  const paths = ['/a', '/b'];
  const past = new Counters(2);
  const one = new Counters(2);
  const two = new Counters(2);
  // Another thread sees the same memory.
  const alias = new Counters(2, one.memory);
  alias.answered(0, 200, 0.00004);
  alias.answered(1, 599, 99);
  alias.reviewed(0, true, 200);
  alias.reviewed(1, false, 403);
  alias.refused('late');
  alias.wasHandedOver();
  alias.inFlightChanged(0, 1);
  two.answered(0, 200, 0.00006);
  two.connections[0] = 4;
  const metrics = new Metrics('test', '1');
  let threads = [past, one, two];
  exposeCounters(metrics, paths, () => threads);
  const counts = async () => [
    ...(await linesOf(metrics, 'controller_runtime_webhook_requests_total{')),
    ...(await linesOf(metrics, 'sluice_admission_reviews_total{')),
    ...(await linesOf(metrics, 'sluice_gateway_refusals_total{reason="late"}')),
    ...(await linesOf(metrics, 'sluice_gateway_connections_handed_over_total')),
    ...(await linesOf(metrics, 'controller_runtime_webhook_latency_seconds_bucket{webhook="/a",le="0.00005"}')),
    ...(await linesOf(metrics, 'controller_runtime_webhook_latency_seconds_count{webhook="/a"}')),
  ];
  const expected = [
    'controller_runtime_webhook_requests_total{webhook="/a",code="200"} 2',
    'controller_runtime_webhook_requests_total{webhook="/b",code="0"} 1',
    'sluice_admission_reviews_total{path="/a",verdict="allowed",code="200"} 1',
    'sluice_admission_reviews_total{path="/b",verdict="denied",code="403"} 1',
    'sluice_gateway_refusals_total{reason="late"} 1',
    'sluice_gateway_connections_handed_over_total 1',
    'controller_runtime_webhook_latency_seconds_bucket{webhook="/a",le="0.00005"} 1',
    'controller_runtime_webhook_latency_seconds_count{webhook="/a"} 2',
  ];
  expect(await counts()).toEqual(expected);
  expect(await linesOf(metrics, 'controller_runtime_webhook_requests_in_flight{webhook="/a"}')).toEqual([
    'controller_runtime_webhook_requests_in_flight{webhook="/a"} 1',
  ]);
  past.absorb(one);
  threads = [past, two];
  expect(await counts()).toEqual(expected);
  expect(await linesOf(metrics, 'controller_runtime_webhook_requests_in_flight{webhook="/a"}')).toEqual([
    'controller_runtime_webhook_requests_in_flight{webhook="/a"} 0',
  ]);
  expect(await linesOf(metrics, 'sluice_gateway_connections ')).toEqual(['sluice_gateway_connections 4']);
});
