// A release of OpenKruise's shape is upgraded to Sluice and rolled back: the same names, its certificate and its records.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { webhookEntries } from '../../api/webhooks.ts';
import { issueAuthority, issueServer } from '../../kube/certificates/issue.ts';
import { CHART } from '../charts/helm.ts';
import { Bed } from './bed/bed.ts';
import { pushSluice } from './bed/chart.ts';
import { chartCrds, until } from './bed/installation.ts';
import { missingForNodes } from './bed/required.ts';
import { configurationName } from './bed/webhook-configurations.ts';

const missing = await missingForNodes();

const NAMESPACE = 'kruise-system';
const MANAGER = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/kruise-controller-manager`;
const SECRET = `/api/v1/namespaces/${NAMESPACE}/secrets/kruise-webhook-certs`;
const CONFIGURATION = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${configurationName('mutating')}`;

describe.skipIf(missing.length > 0)('an installation of OpenKruise', () => {
  let bed: Bed;
  let authority: string;

  beforeAll(async () => {
    bed = await Bed.start({ nodes: 1 });
    await pushSluice(bed);
    const chart = join(bed.folder, 'kruise');
    writeChart(chart);
    await helm('install', 'kruise', chart, '--wait', '--timeout=2m');
    authority = await runAsManager();
    await bed.createNamespace('shop');
  });
  afterAll(() => bed?.close());

  test('becomes Sluice by an upgrade of its release; callers go on trusting its authority', async () => {
    await helm('upgrade', 'kruise', CHART, '--set=manager.replicas=1', '--wait', '--timeout=4m');
    const { metadata, spec } = await read(MANAGER);
    expect(metadata).toMatchObject({ labels: { 'app.kubernetes.io/name': 'sluice' } });
    expect(spec).toMatchObject({ selector: { matchLabels: { 'control-plane': 'controller-manager' } } });
    expect((await read(SECRET)).data).toMatchObject({ 'ca-cert.pem': authority });
    await until('the webhooks are those of the chart', async () => {
      const [pods] = (await read(CONFIGURATION)).webhooks as JsonObject[];
      return pods?.sideEffects === 'NoneOnDryRun' && pods.timeoutSeconds === 10;
    });
    await create({
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'SidecarSet',
      metadata: { name: 'agent' },
      spec: { selector: { matchLabels: { app: 'web' } }, containers: [{ name: 'agent', image: 'busybox:1.36' }] },
    });
    const pod = {
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'a:1' }] },
    };
    await until('pods get sidecars', async () => {
      const { body } = await bed.client.send('POST', '/api/v1/namespaces/shop/pods?dryRun=All', pod);
      return ((body.spec as JsonObject | undefined)?.containers as JsonObject[] | undefined)?.length === 2;
    });
  });

  test('comes back by a rollback, with the authority and a list of webhooks to take over', async () => {
    await helm('rollback', 'kruise', '1', '--force-conflicts', '--wait', '--timeout=2m');
    const { containers } = ((await read(MANAGER)).spec as Workload).template.spec;
    expect(containers.map(({ image }) => image)).toEqual(['registry.k8s.io/pause:3.10']);
    expect((await read(SECRET)).data).toMatchObject({ 'ca-cert.pem': authority });
    const { metadata, webhooks } = await read(CONFIGURATION);
    expect((webhooks as JsonObject[]).map(({ name }) => name)).toContain('mpod.kb.io');
    // OpenKruise's chart empties an annotation that whoever serves the webhooks fills: a gateway that is ending may be the first.
    const { template } = (metadata as { annotations: { template: string } }).annotations;
    const named = (JSON.parse(template || '[]') as { name: string }[]).map(({ name }) => name);
    if (template !== '') expect(named).toEqual((webhooks as JsonObject[]).map(({ name }) => name));
  });

  type Workload = { template: { spec: { containers: JsonObject[] } } };

  async function helm(...given: string[]): Promise<void> {
    const { code, stderr } = await bed.helm(given);
    if (code !== 0) throw new Error(`helm ${given.join(' ')}: ${stderr}`);
  }

  async function create(object: JsonObject): Promise<void> {
    const { code, stderr } = await bed.kubectl(['create', '-f', '-'], JSON.stringify(object));
    if (code !== 0) throw new Error(`${String(object.kind)}: ${stderr}`);
  }

  function read(path: string): Promise<JsonObject> {
    return bed.client.must(bed.client.get(path));
  }

  /** What OpenKruise's manager writes when it starts; tells its authority. */
  async function runAsManager(): Promise<string> {
    const issuer = await issueAuthority('webhook-cert-ca', Date.now(), 'RSA');
    const server = await issueServer(issuer, [`kruise-webhook-service.${NAMESPACE}.svc`, 'localhost'], Date.now());
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const [ca, cert, key] = [base64(issuer.certificate), base64(server.certificate), base64(server.key)];
    const data = { 'ca-key.pem': base64(issuer.key), 'ca-cert.pem': ca, 'cert.pem': cert, 'key.pem': key };
    await bed.client.must(bed.client.send('PATCH', SECRET, { data: { ...data, 'tls.crt': cert, 'tls.key': key } }));
    for (const type of ['mutating', 'validating'] as const) {
      const path = `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations/${configurationName(type)}`;
      const { metadata, webhooks, ...rest } = await read(path);
      const annotations = {
        ...(metadata as { annotations?: JsonObject }).annotations,
        template: JSON.stringify(webhooks),
      };
      const trusting = (webhooks as JsonObject[]).map((webhook) => {
        return { ...webhook, clientConfig: { ...(webhook.clientConfig as JsonObject), caBundle: ca } };
      });
      const written = { ...rest, metadata: { ...(metadata as JsonObject), annotations }, webhooks: trusting };
      await bed.client.must(bed.client.send('PUT', path, written));
    }
    return ca;
  }
});

/** A chart with the objects of OpenKruise's that ours replaces; its manager does nothing. */
function writeChart(folder: string): void {
  mkdirSync(join(folder, 'templates'), { recursive: true });
  writeFileSync(join(folder, 'Chart.yaml'), JSON.stringify({ apiVersion: 'v1', name: 'kruise', version: '1.9.0' }));
  const labels = { 'control-plane': 'controller-manager' };
  const pod = {
    serviceAccountName: 'kruise-manager',
    containers: [{ name: 'manager', image: 'registry.k8s.io/pause:3.10' }],
  };
  const own = (name: string) => ({ namespace: NAMESPACE, name });
  const objects: JsonObject[] = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels: { 'control-plane': 'openkruise' } } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kruise-daemon-config' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: own('kruise-manager') },
    { apiVersion: 'v1', kind: 'Secret', metadata: own('kruise-webhook-certs') },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: own('kruise-webhook-service'),
      spec: { ports: [{ port: 443, targetPort: 9876 }], selector: labels },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...own('kruise-controller-manager'), labels },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
    },
    ...(['mutating', 'validating'] as const).map(configuration),
    ...chartCrds(),
  ];
  writeFileSync(
    join(folder, 'templates/all.yaml'),
    objects.map((object) => `---\n${JSON.stringify(object)}\n`).join(''),
  );
}

function configuration(type: 'mutating' | 'validating'): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: type === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: { name: configurationName(type), annotations: { template: '' } },
    webhooks: webhookEntries
      .filter((entry) => entry.type === type)
      .map(({ name, path, group, versions, resource, operations }) => ({
        name,
        admissionReviewVersions: ['v1', 'v1beta1'],
        clientConfig: { service: { namespace: NAMESPACE, name: 'kruise-webhook-service', path } },
        rules: [{ apiGroups: [group], apiVersions: [...versions], resources: [resource], operations: [...operations] }],
        failurePolicy: group.endsWith('.kruise.io') || resource.startsWith('pods') ? 'Fail' : 'Ignore',
        sideEffects: 'None',
        timeoutSeconds: 30,
        namespaceSelector: { matchExpressions: [{ key: 'control-plane', operator: 'NotIn', values: ['openkruise'] }] },
      })),
  };
}
