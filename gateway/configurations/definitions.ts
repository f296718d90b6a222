// Conversion of our CRDs by the gateway (operations.md 10.1).

import { isObject, type JsonObject } from '../../api/core/json.ts';
import { findKind } from '../../api/kinds/index.ts';
import { CONVERT_PATH } from '../../api/webhooks.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { type Address, clientConfigOf, refuseInjection } from './address.ts';
import { saysTheSame } from './entries.ts';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** The definition to write so that its objects are converted here; undefined when nothing has to change. Pure. */
export function planDefinition(live: KubeObject, address: Address): JsonObject | undefined {
  if (!isConvertedHere(live)) return undefined;
  refuseInjection(live);
  const wanted = clientConfigOf(CONVERT_PATH, address);
  if (saysTheSame(conversionOf(live).clientConfig, wanted)) return undefined;
  const object = live as unknown as JsonObject & { spec: JsonObject };
  const webhook = { clientConfig: wanted, conversionReviewVersions: [...REVIEW_VERSIONS] };
  return { ...object, spec: { ...object.spec, conversion: { strategy: 'Webhook', webhook } } };
}

/** Why a definition that somebody else keeps up would not reach us; empty if it does, or is not ours to convert. Pure. */
export function definitionFaults(live: KubeObject, caBundle: string): string[] {
  if (!isConvertedHere(live)) return [];
  const { clientConfig } = conversionOf(live);
  const present = isObject(clientConfig) ? clientConfig.caBundle : undefined;
  return present === caBundle ? [] : ['spec.conversion.webhook.clientConfig.caBundle: not the ca.crt of the Secret'];
}

function isConvertedHere({ spec }: KubeObject): boolean {
  const { group, names, conversion, versions } = (spec ?? {}) as JsonObject;
  const kind = isObject(names) ? String(names.kind) : '';
  const isByWebhook = isObject(conversion) && conversion.strategy === 'Webhook';
  return isByWebhook && Array.isArray(versions) && versions.length > 0 && findKind(String(group), kind) !== undefined;
}

function conversionOf({ spec }: KubeObject): JsonObject {
  const { conversion } = (spec ?? {}) as JsonObject;
  return isObject(conversion) && isObject(conversion.webhook) ? conversion.webhook : {};
}
