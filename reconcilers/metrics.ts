// The metrics of the program besides those of its controllers and mirrors.

import type { MetricRow } from '../component/metrics.ts';

export const PROGRAM_METRICS = {
  master: {
    name: 'leader_election_master_status',
    type: 'gauge',
    help: '1 while this process leads, else 0.',
    labels: ['name'],
  },
  leader: { name: 'kruise_manager_is_leader', type: 'gauge', help: '1 while this process leads, else 0.', labels: [] },
  eventsDropped: {
    name: 'sluice_events_dropped_total',
    type: 'counter',
    help: 'Events that were not sent to the API server.',
    labels: [],
  },
} as const satisfies Record<string, MetricRow>;
