// Which webhook paths are served with which gates, and what decides at each.

import type { Gates } from '../api/gates.ts';
import { findResource } from '../api/kinds/index.ts';
import type { Kind } from '../api/kinds/kind.ts';
import { CONVERT_PATH, type WebhookEntry, webhookEntries } from '../api/webhooks.ts';
import { Policies } from './policies.ts';

/** Paths that are served only with a gate (admission-overview 3). */
const SERVED_WITH: ReadonlyMap<string, string> = new Map([
  ['/mutate-pod', 'PodWebhook'],
  ['/validate-pod', 'PodWebhook'],
  ['/validate-service', 'ResourcesDeletionProtection'],
  ['/validate-ingress', 'ResourcesDeletionProtection'],
]);

/** How a path is decided: by the policies, by a kind, or by a kind but for deletions, where there is `deletion`. */
type HandlerParts<Handler> = {
  policy(path: string): Handler;
  kind(kind: Kind, type: WebhookEntry['type'], deletion: Handler | undefined): Handler;
  convert: Handler;
};

/** The handlers of all paths that are served. */
export function handlersOf<Handler>(gates: Gates, parts: HandlerParts<Handler>): ReadonlyMap<string, Handler> {
  const handlers = new Map<string, Handler>();
  for (const { path, type, group, resource } of webhookEntries) {
    const gate = SERVED_WITH.get(path);
    if (gate !== undefined && gates.get(gate) !== true) continue;
    const kind = findResource(group, resource);
    const policy = Policies.paths.includes(path) ? parts.policy(path) : undefined;
    if (kind !== undefined) handlers.set(path, parts.kind(kind, type, policy));
    else if (policy !== undefined) handlers.set(path, policy);
  }
  handlers.set(CONVERT_PATH, parts.convert);
  return handlers;
}
