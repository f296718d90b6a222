// The reference page of the controllers' program, made from its tables of flags and metrics.

import { flagReference } from '../component/flag-pages.ts';
import { type MetricRow, metricReference } from '../component/metrics.ts';
import { eventReference } from '../kube/event-rows.ts';
import { MIRROR_METRICS } from '../kube/mirror-metrics.ts';
import { EVENTS } from './events.ts';
import { reconcilersFlags } from './flags.ts';
import { LOOP_METRICS } from './loop/metrics.ts';
import { PROGRAM_METRICS } from './metrics.ts';

/** The whole page in Markdown. */
export function reconcilersReference(): string {
  const metrics: MetricRow[] = [LOOP_METRICS, MIRROR_METRICS, PROGRAM_METRICS].flatMap((table) => Object.values(table));
  return [
    '# Reconcilers: flags, health and metrics',
    '',
    'How to use them is in the [guide](../guide/reconcilers.md).',
    '',
    '## Flags',
    '',
    'A flag counts before its environment variable, and that before the default.',
    '',
    flagReference(reconcilersFlags),
    '## Health',
    '',
    'On the port of `--health-probe-addr`: `/livez` and `/healthz` are well while the process answers. `/readyz` has the checks',
    '`api-server`, `leader-election`, and `mirror-RESOURCE` for each resource that is followed, such as `mirror-pods` and',
    '`mirror-sidecarsets.apps.kruise.io`; `/readyz?verbose` gives reasons. A resource that the API server has not is no failure:',
    'its controllers begin when it comes.',
    '',
    '## Metrics',
    '',
    metricReference(metrics),
    '`sluice_build_info`, `process_*` and `nodejs_*` come with them.',
    '',
    '## Events',
    '',
    eventReference(Object.values(EVENTS)),
  ].join('\n');
}
