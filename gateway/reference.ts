// The reference page of the gateway, made from its tables of flags, metrics and Events.

import { flagReference } from '../component/flag-pages.ts';
import { metricReference } from '../component/metrics.ts';
import { eventReference } from '../kube/event-rows.ts';
import { EVENTS } from './events.ts';
import { gatewayFlags } from './flags.ts';
import { METRICS, REFUSALS } from './metrics/rows.ts';

/** The whole page in Markdown. */
export function gatewayReference(): string {
  return [
    '# Gateway: flags and metrics',
    '',
    'How to use them is in the [guide](../guide/gateway.md).',
    '',
    '## Flags',
    '',
    'A flag counts before its environment variable, and that before the default.',
    '',
    flagReference(gatewayFlags),
    '## Metrics',
    '',
    metricReference(Object.values(METRICS)),
    '`sluice_build_info`, `process_*` and `nodejs_*` come with them.',
    '',
    'Reasons of `sluice_gateway_refusals_total`:',
    '',
    ...REFUSALS.map((reason) => `- \`${reason}\``),
    '',
    '## Events',
    '',
    'In a cluster:',
    '',
    eventReference(Object.values(EVENTS)),
  ].join('\n');
}
