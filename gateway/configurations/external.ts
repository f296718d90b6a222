// Configurations whose certificates somebody else keeps up, such as cert-manager: they are checked, never written
// (operations.md 8.4).

import { isObject } from '../../api/core/json.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { entriesOf, nameOf, pathOf } from './entries.ts';

/** What keeps the API server from calling us by this configuration; empty when nothing does. `caBundle` is base64. Pure. */
export function configurationFaults(live: KubeObject, isServed: (path: string) => boolean, caBundle: string): string[] {
  return entriesOf(live.webhooks).flatMap((entry) => {
    const field = `webhooks[${nameOf(entry)}]`;
    const path = pathOf(entry);
    if (path === undefined || !isServed(path)) {
      // What is called only for objects that ask for it, or may fail, does no harm; anything else would be refused for good.
      const isHarmless = entry.failurePolicy === 'Ignore' || selects(entry.objectSelector);
      return isHarmless
        ? []
        : [`${field}: ${path ?? 'no path'} is not served with these feature gates; remove the entry`];
    }
    const present = isObject(entry.clientConfig) ? entry.clientConfig.caBundle : undefined;
    return present === caBundle ? [] : [`${field}.clientConfig.caBundle: not the ca.crt of the Secret`];
  });
}

function selects(selector: unknown): boolean {
  const { matchLabels, matchExpressions } = (selector ?? {}) as { matchLabels?: object; matchExpressions?: unknown[] };
  return Object.keys(matchLabels ?? {}).length > 0 || (matchExpressions?.length ?? 0) > 0;
}
