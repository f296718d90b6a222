// Which webhook paths are served with which gates, and what decides at each.

import type { Gates } from '../api/gates.ts';
import { findResource } from '../api/kinds/index.ts';
import type { Kind } from '../api/kinds/kind.ts';
import { type WebhookEntry, webhookEntries } from '../api/webhooks.ts';
import { Policies } from './policies.ts';

/** Paths that are served only with a gate (admission-overview 3). */
const SERVED_WITH: ReadonlyMap<string, string> = new Map([
  ['/mutate-pod', 'PodWebhook'],
  ['/validate-pod', 'PodWebhook'],
  ['/validate-service', 'ResourcesDeletionProtection'],
  ['/validate-ingress', 'ResourcesDeletionProtection'],
]);

/** A path: decided by a kind, by the policies, or, where both are set, deletions by the policies and the rest by the kind. */
export type ServedPath = {
  path: string;
  type: WebhookEntry['type'];
  kind: Kind | undefined;
  isOfPolicies: boolean;
};

/** The paths of admission that are served. */
export function servedPaths(gates: Gates): ServedPath[] {
  return webhookEntries
    .filter(({ path }) => {
      const gate = SERVED_WITH.get(path);
      return gate === undefined || gates.get(gate) === true;
    })
    .map(({ path, type, group, resource }) => {
      return { path, type, kind: findResource(group, resource), isOfPolicies: Policies.paths.includes(path) };
    })
    .filter(({ kind, isOfPolicies }) => kind !== undefined || isOfPolicies);
}
