// The metrics of mirrors, as a table; reference pages are made from it.

import type { MetricRow } from '../component/metrics.ts';

const labels = ['resource'];

export const MIRROR_METRICS = {
  objects: { name: 'sluice_mirror_objects', type: 'gauge', help: 'Objects that are kept.', labels },
  leftOut: {
    name: 'sluice_mirror_unreadable_objects',
    type: 'gauge',
    help: 'Objects that are left out because they cannot be read.',
    labels,
  },
  detour: {
    name: 'sluice_mirror_detour',
    type: 'gauge',
    help: '1 while objects are read as they are stored, because the API server cannot convert all of them.',
    labels,
  },
  synced: {
    name: 'sluice_mirror_current',
    type: 'gauge',
    help: '1 while the API server is followed, 0 before everything was read and while it cannot be.',
    labels,
  },
  staleness: {
    name: 'sluice_mirror_staleness_seconds',
    type: 'gauge',
    help: 'Seconds since the API server last said something, be it that nothing has changed.',
    labels,
  },
  lists: { name: 'sluice_mirror_lists_total', type: 'counter', help: 'Times that everything was read.', labels },
  watches: { name: 'sluice_mirror_watches_total', type: 'counter', help: 'Watches that were begun.', labels },
  events: { name: 'sluice_mirror_events_total', type: 'counter', help: 'Events that were taken over.', labels },
  damagedFrames: {
    name: 'sluice_mirror_damaged_frames_total',
    type: 'counter',
    help: 'Events that could not be read; the watch was begun again from the last good one.',
    labels,
  },
  silences: {
    name: 'sluice_mirror_silences_total',
    type: 'counter',
    help: 'Watches that were given up because nothing came on them any more.',
    labels,
  },
  expirations: {
    name: 'sluice_mirror_expirations_total',
    type: 'counter',
    help: 'Times that the API server had forgotten where a watch or a list was to go on.',
    labels,
  },
  failures: {
    name: 'sluice_mirror_failures_total',
    type: 'counter',
    help: 'Lists and watches that failed, for whatever reason.',
    labels,
  },
} as const satisfies Record<string, MetricRow>;
