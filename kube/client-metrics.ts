// The metrics of clients, as a table; reference pages are made from it.

import type { MetricRow } from '../component/metrics.ts';

export const CLIENT_METRICS = {
  requests: {
    name: 'rest_client_requests_total',
    type: 'counter',
    help: 'Requests to the API server, each try for itself; the code is <error> where no answer came.',
    labels: ['code', 'host', 'method'],
  },
} as const satisfies Record<string, MetricRow>;
