// The two webhook configurations that point an API server at a gateway on this machine.
import { request } from 'node:https';
import type { JsonObject } from '../../../api/core/json.ts';
import { type WebhookEntry, webhookEntries } from '../../../api/webhooks.ts';

/** Where a gateway listens, and the authority that signed its certificate (PEM). */
export type Endpoint = { host: string; port: number; ca: string };

/** Objects of built-in kinds come only if they ask for protection. */
const PROTECTED = { matchExpressions: [{ key: 'policy.kruise.io/delete-protection', operator: 'Exists' }] };
/** Pods of the namespaces that run the cluster itself are left alone. */
const NOT_CONTROL_PLANE = { matchExpressions: [{ key: 'control-plane', operator: 'DoesNotExist' }] };

/** The configurations as installed from plain manifests (admission-overview 2), without the paths that are not served. */
export function webhookConfigurations(endpoint: Endpoint, isServed: (path: string) => boolean): JsonObject[] {
  return (['mutating', 'validating'] as const).map((type) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: type === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: { name: configurationName(type) },
    webhooks: webhookEntries
      .filter((entry) => entry.type === type && isServed(entry.path))
      .map((entry) => webhookOf(entry, endpoint)),
  }));
}

/** The name of one of the two. */
export function configurationName(type: WebhookEntry['type']): string {
  return `kruise-${type}-webhook-configuration`;
}

/** Where an API server sends reviews, or ConversionReviews, of this path. */
export function clientConfig({ host, port, ca }: Endpoint, path: string): JsonObject {
  return { url: `https://${host}:${port}${path}`, caBundle: Buffer.from(ca).toString('base64') };
}

/** The paths of all entries that this gateway serves: it answers others with 404. */
export async function servedPaths(endpoint: Endpoint): Promise<ReadonlySet<string>> {
  const paths = [...new Set(webhookEntries.map(({ path }) => path))];
  const statuses = await Promise.all(paths.map((path) => statusOf(endpoint, path)));
  return new Set(paths.filter((_path, index) => statuses[index] !== 404));
}

function webhookOf(entry: WebhookEntry, endpoint: Endpoint): JsonObject {
  const isOwn = entry.group.endsWith('.kruise.io');
  const isPods = entry.group === '' && entry.resource.startsWith('pods');
  return {
    name: entry.name,
    clientConfig: clientConfig(endpoint, entry.path),
    rules: [
      {
        apiGroups: [entry.group],
        apiVersions: [...entry.versions],
        resources: [entry.resource],
        operations: [...entry.operations],
      },
    ],
    admissionReviewVersions: ['v1', 'v1beta1'],
    sideEffects: 'None',
    failurePolicy: isOwn || isPods ? 'Fail' : 'Ignore',
    ...(isPods ? { namespaceSelector: NOT_CONTROL_PLANE } : {}),
    ...(isOwn || isPods ? {} : { objectSelector: PROTECTED }),
  };
}

function statusOf({ host, port, ca }: Endpoint, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': 2 };
    const sent = request({ host, port, ca, path, method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end('{}');
  });
}
