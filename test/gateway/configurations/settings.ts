// Configurations for tests: installed as plain manifests and as the chart do, and reconcilers over objects in memory.

import type { JsonObject } from '../../../api/core/json.ts';
import { webhookEntries } from '../../../api/webhooks.ts';
import {
  configurationName,
  type WebhookConfigurationOptions,
  WebhookConfigurations,
} from '../../../gateway/configurations/configurations.ts';
import type { ConfigurationSettings } from '../../../gateway/configurations/plan.ts';
import { MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../../kube/resource.ts';
import { ObjectStore } from '../../support/object-store.ts';
import { silentLogger } from '../../support/silent-logger.ts';

export const SERVICE = { namespace: 'kruise-system', name: 'kruise-webhook-service' };
export const BUNDLE = 'authority';
export const CA_BUNDLE = Buffer.from(BUNDLE).toString('base64');

export const RESOURCES = {
  mutating: MUTATING_WEBHOOK_CONFIGURATIONS,
  validating: VALIDATING_WEBHOOK_CONFIGURATIONS,
} as const;

/** A configuration as an installer leaves it: calls go to a Service that does not exist. */
export function installed(type: 'mutating' | 'validating', annotations: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: RESOURCES[type].kind,
    metadata: { name: configurationName(type), annotations },
    webhooks: webhookEntries.filter((entry) => entry.type === type).map((entry) => webhook(entry.name, entry.path)),
  };
}

/** An entry as manifests have it, without what the API server fills in. */
export function webhook(name: string, path: string, more: JsonObject = {}): JsonObject {
  const entry = webhookEntries.find((one) => one.name === name);
  return {
    name,
    clientConfig: { service: { namespace: 'system', name: 'webhook-service', path }, caBundle: 'Cg==' },
    rules: [
      {
        apiGroups: [entry?.group ?? 'apps'],
        apiVersions: [...(entry?.versions ?? ['v1'])],
        resources: [entry?.resource ?? 'things'],
        operations: [...(entry?.operations ?? ['CREATE'])],
      },
    ],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    admissionReviewVersions: ['v1', 'v1beta1'],
    ...more,
  };
}

/** Settings of a gateway that serves everything. */
export function settings(change: Partial<ConfigurationSettings> = {}): ConfigurationSettings {
  return {
    address: { service: SERVICE, caBundle: CA_BUNDLE },
    isServed: () => true,
    exemptNamespaces: ['kruise-system', 'kube-system'],
    scopeOf: () => undefined,
    ...change,
  };
}

/** A replica over these objects whose authorities are always the same, unless told otherwise. */
export function replica(store: ObjectStore, change: Partial<WebhookConfigurationOptions> = {}): WebhookConfigurations {
  return new WebhookConfigurations({
    client: store,
    certificates: { sync: async () => BUNDLE },
    isExternal: false,
    address: { service: SERVICE },
    isServed: () => true,
    exemptNamespaces: ['kruise-system', 'kube-system'],
    now: () => Date.now(),
    monotonic: () => performance.now(),
    random: () => 0.5,
    logger: silentLogger,
    ...change,
  });
}

/** Both configurations as installed. */
export function installedStore(): ObjectStore {
  const store = new ObjectStore();
  for (const type of ['mutating', 'validating'] as const) store.put(RESOURCES[type], installed(type));
  return store;
}
