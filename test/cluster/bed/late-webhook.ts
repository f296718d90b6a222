// A mutating webhook of somebody else's that runs after ours: its configuration sorts behind, and it changes the pods
// that are labelled `late`.

import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isObject, type JsonObject, parseJson } from '../../../api/core/json.ts';
import { issueAuthority, issueServer } from '../../../kube/certificates/issue.ts';
import { clientConfig } from './webhook-configurations.ts';

export type LateWebhook = { configuration: JsonObject; close(): void };

/** Starts one that answers every review with these operations (RFC 6902). */
export async function startLateWebhook(operations: readonly JsonObject[]): Promise<LateWebhook> {
  const authority = await issueAuthority('late', Date.now());
  const pair = await issueServer(authority, ['127.0.0.1'], Date.now());
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  const server = createServer({ key: pair.key, cert: pair.certificate }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = parseJson(Buffer.concat(chunks).toString('utf8'));
      const asked = isObject(review) && isObject(review.request) ? review.request : {};
      const answer = { uid: asked.uid ?? '', allowed: true, patchType: 'JSONPatch', patch };
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const webhook = {
    name: 'late.example.com',
    clientConfig: clientConfig({ host: '127.0.0.1', port, ca: authority.certificate }, '/late'),
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
    objectSelector: { matchLabels: { late: 'yes' } },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'zz-late' },
    webhooks: [webhook],
  };
  return {
    configuration,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
