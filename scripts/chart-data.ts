// What the templates of the chart need to know of the API: the kinds, the webhooks, the feature gates.
import { gateDependencies, gateTable } from '../api/gates.ts';
import { kinds } from '../api/kinds/index.ts';
import { type WebhookEntry, webhookEntries } from '../api/webhooks.ts';

/** Entries by what they are for: their failure policies and selectors are values of the chart. */
type Purpose = 'podMutation' | 'podProtection' | 'kinds' | 'deletionProtection';

/** The data, in the order in which it is written. */
export function chartData(): object {
  return {
    gates: Object.fromEntries(gateTable.map((gate) => [gate.name, gate.default])),
    stages: Object.fromEntries(
      (['alpha', 'beta'] as const).map((stage) => [
        stage === 'alpha' ? 'AllAlpha' : 'AllBeta',
        gateTable.filter((gate) => gate.stage === stage).map(({ name }) => name),
      ]),
    ),
    gateDependencies,
    kinds: kinds.map(({ description }) => ({
      group: description.group,
      resource: description.plural,
      scope: description.scope,
      hasScale: description.versions.some(({ scale }) => scale !== undefined),
      hasVersions: description.versions.length > 1,
    })),
    webhooks: webhookEntries.map((entry) => ({ ...entry, purpose: purposeOf(entry), ...gateOf(entry) })),
  };
}

function purposeOf({ type, group, resource }: WebhookEntry): Purpose {
  if (group === '' && resource.startsWith('pods')) return type === 'mutating' ? 'podMutation' : 'podProtection';
  return group.endsWith('.kruise.io') ? 'kinds' : 'deletionProtection';
}

// Without its gate the path of an entry is not served (admission-overview 3).
function gateOf({ group, resource }: WebhookEntry): { gate?: string } {
  if (group === '' && resource.startsWith('pods')) return { gate: 'PodWebhook' };
  return ['services', 'ingresses'].includes(resource) ? { gate: 'ResourcesDeletionProtection' } : {};
}
