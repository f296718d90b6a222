// Pods that a real API server creates: they get what the policies say, and nothing else.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { readVerdict } from '../support/answer.ts';
import { holdWebhooks } from '../support/policy-module.ts';
import { type Mutation, mutationsOf } from './bed/audit.ts';
import { Bed } from './bed/bed.ts';
import type { Client } from './bed/client.ts';
import { startGateway } from './bed/gateway.ts';
import { createConfiguration, install, setReinvocation, until } from './bed/installation.ts';
import { type LateWebhook, startLateWebhook } from './bed/late-webhook.ts';
import type { Process } from './bed/process.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();

const EXAMPLES = new URL('../../examples/', import.meta.url).pathname;
const OURS = 'mpod.kb.io';
const LATE = 'late.example.com';
/** Its pods are not reviewed. */
const UNREVIEWED = 'infrastructure';

describe.skipIf(missing.length > 0)('a pod created through a real API server', () => {
  let bed: Bed;
  let gateway: Process | undefined;
  let client: Client;

  beforeAll(async () => {
    bed = await Bed.start();
    client = bed.client;
    const started = await startGateway({ folder: bed.folder, objects: [join(EXAMPLES, 'sidecars')] });
    gateway = started.process;
    await install(client, started.endpoint);
    await bed.createNamespace(UNREVIEWED, { 'control-plane': 'yes' });
    for (const { metadata } of policyObjects().filter(({ kind }) => kind === 'Namespace')) {
      const { name, labels } = metadata as { name: string; labels?: JsonObject };
      await bed.createNamespace(name, labels);
    }
  });
  afterAll(async () => {
    await gateway?.end();
    await bed?.close();
  });

  const checkout = (name: string, labels: JsonObject = {}): JsonObject => {
    const [pod = {}] = manifests(join(EXAMPLES, 'pods/checkout.yaml'));
    const metadata = pod.metadata as JsonObject;
    return { ...pod, metadata: { ...metadata, name, labels: { ...(metadata.labels as JsonObject), ...labels } } };
  };

  test('gets its sidecars and pull secrets', async () => {
    const { stdout, stderr } = await bed.kubectl(['create', '-f', '-'], JSON.stringify(checkout('checkout-0')));
    expect([stdout, stderr]).toEqual(['pod/checkout-0 created\n', '']);
    const pod = await client.must(client.get('/api/v1/namespaces/shop/pods/checkout-0'));
    expect(names(pod, 'initContainers')).toEqual(['mesh-network']);
    expect(names(pod, 'containers')).toEqual(['mesh-proxy', 'app', 'log-shipper', 'metrics-agent']);
    expect(names(pod, 'imagePullSecrets').toSorted()).toEqual(['private-registry', 'shop-registry']);
    expect(mutationsOf(bed.folder, 'shop', 'checkout-0')).toEqual([{ round: 0, webhook: OURS, mutated: true }]);
  });

  test('is stored exactly as the policies made it', async () => {
    const seen = await client.must(create(checkout('checkout-1'), UNREVIEWED, '?dryRun=All'));
    const made = await decide(asRequested(seen, 'shop'));
    const expected = await client.must(create(made, UNREVIEWED, '?dryRun=All'));
    const stored = await client.must(create(checkout('checkout-1'), 'shop'));
    expect(comparable(stored)).toEqual(comparable(expected));
    expect(names(stored, 'containers')).toHaveLength(4);
  });

  test('is shown with its sidecars on a dry run, and not stored', async () => {
    const given = ['create', '--dry-run=server', '-o', 'json', '-f', '-'];
    const { stdout } = await bed.kubectl(given, JSON.stringify(checkout('checkout-2')));
    expect(names(JSON.parse(stdout) as JsonObject, 'containers')).toContain('mesh-proxy');
    expect((await client.get('/api/v1/namespaces/shop/pods/checkout-2')).status).toBe(404);
  });

  test('gets in another namespace what is for that namespace', async () => {
    const pod = await client.must(create(checkout('checkout-3'), 'batch'));
    expect(names(pod, 'containers')).toEqual(['app', 'log-shipper', 'metrics-agent']);
    expect(names(pod, 'initContainers')).toEqual([]);
  });

  test('stays as it is where pods are not reviewed', async () => {
    const pod = await client.must(create(checkout('checkout-4'), UNREVIEWED));
    expect(names(pod, 'containers')).toEqual(['app']);
    expect(mutationsOf(bed.folder, UNREVIEWED, 'checkout-4')).toEqual([]);
  });

  test('stays as it is where no policy wants it', async () => {
    const container = { name: 'app', image: 'registry.example.com/app:1' };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'plain' }, spec: { containers: [container] } };
    const stored = await client.must(create(pod, 'shop'));
    const untouched = await client.must(create(pod, UNREVIEWED, '?dryRun=All'));
    expect(comparable(stored)).toEqual(comparable(untouched));
  });

  test('may get its name from the API server', async () => {
    const { name: _none, ...metadata } = checkout('').metadata as JsonObject;
    const pod = await client.must(
      create({ ...checkout(''), metadata: { ...metadata, generateName: 'checkout-' } }, 'shop'),
    );
    expect((pod.metadata as JsonObject).name).toMatch(/^checkout-[a-z0-9]{5}$/);
    expect(names(pod, 'containers')).toContain('log-shipper');
  });

  test('gets nothing more when it is changed', async () => {
    const { spec, metadata } = await client.must(create(checkout('checkout-5', { logs: 'none' }), 'shop'));
    expect(names({ spec: spec as Json }, 'containers')).not.toContain('log-shipper');
    const patch = { metadata: { labels: { logs: 'files' } } };
    const changed = await client.must(client.send('PATCH', '/api/v1/namespaces/shop/pods/checkout-5', patch));
    expect(changed.spec).toEqual(spec);
    expect((changed.metadata as JsonObject).annotations).toEqual((metadata as JsonObject).annotations);
  });

  describe('with a webhook of somebody else after ours', () => {
    let late: LateWebhook;
    /** A pod that was reviewed once. */
    let once: JsonObject;
    const annotation = { op: 'add', path: '/metadata/annotations/late.example.com~1seen', value: 'yes' };
    const value = { name: 'late', image: 'registry.example.com/late:1' };
    const container = { op: 'add', path: '/spec/containers/-', value };
    const round0 = [
      { round: 0, webhook: OURS, mutated: true },
      { round: 0, webhook: LATE, mutated: true },
    ];

    beforeAll(async () => {
      late = await startLateWebhook([annotation, container]);
      await createConfiguration(client, late.configuration);
      await untilAsked('late-probe', ({ webhook }) => webhook === LATE);
      once = await client.must(create(withoutToken('checkout-6'), 'shop'));
    });
    afterAll(() => late?.close());

    test('is reviewed once, as we are installed', () => {
      expect(mutationsOf(bed.folder, 'shop', 'checkout-6')).toEqual(round0);
      expect(names(once, 'containers')).toEqual(['mesh-proxy', 'app', 'log-shipper', 'metrics-agent', 'late']);
    });

    describe('and if we are to be asked again', () => {
      beforeAll(async () => {
        await setReinvocation(client, 'IfNeeded');
        await untilAsked('again-probe', ({ round }) => round === 1);
      });

      test('is reviewed again, and not changed by us again', async () => {
        const stored = await client.must(create(withoutToken('checkout-7'), 'batch'));
        expect(mutationsOf(bed.folder, 'batch', 'checkout-7')).toEqual([
          ...round0,
          { round: 1, webhook: OURS, mutated: false },
        ]);
        expect(names(stored, 'containers')).toEqual(['app', 'log-shipper', 'metrics-agent', 'late']);
        expect(names(stored, 'imagePullSecrets').toSorted()).toEqual(['private-registry', 'shop-registry']);
      });

      test('comes out as if it had been reviewed once', async () => {
        const again = await client.must(create(withoutToken('checkout-8'), 'shop'));
        expect(mutationsOf(bed.folder, 'shop', 'checkout-8')).toContainEqual(expect.objectContaining({ round: 1 }));
        expect(comparable(again)).toEqual(comparable(once));
      });

      // The API server fills in the requests of containers with limits only; we take them away, and it fills them in.
      test('is not changed by us again if containers of ours have limits without requests', async () => {
        await client.must(create(withoutToken('checkout-9'), 'shop'));
        const calls = mutationsOf(bed.folder, 'shop', 'checkout-9');
        expect(calls).toContainEqual({ round: 1, webhook: OURS, mutated: false });
      });

      // The API server mounts the token of the service account into the containers that we added, before it asks again.
      test('keeps what others added to our containers meanwhile', async () => {
        const stored = await client.must(create(checkout('checkout-10', { late: 'yes' }), 'shop'));
        const { containers } = stored.spec as { containers: { name: string; volumeMounts?: { name: string }[] }[] };
        const withToken = containers.filter(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => isToken(name)));
        expect(withToken.map(({ name }) => name)).toEqual(containers.map(({ name }) => name));
      });
    });

    /** The late webhook changes it, and the API server mounts no token into its containers. */
    function withoutToken(name: string): JsonObject {
      const pod = checkout(name, { late: 'yes' });
      return { ...pod, spec: { ...(pod.spec as JsonObject), automountServiceAccountToken: false } };
    }

    /** Resolves when the creation of a pod that the late webhook changes calls such a webhook. */
    async function untilAsked(name: string, isExpected: (call: Mutation) => boolean): Promise<void> {
      await until('the webhooks are called as configured', async () => {
        await client.must(create(checkout(name, { late: 'yes' }), 'shop', '?dryRun=All'));
        return mutationsOf(bed.folder, 'shop', name).some(isExpected);
      });
    }
  });

  test('met no fault between the API server and the gateway', () => {
    const lines = bed.apiServer.process.log.split('\n');
    expect(lines.filter((line) => /failed calling webhook|invalid.*patch/i.test(line))).toEqual([]);
  });

  function create(pod: JsonObject, namespace: string, query = '') {
    const body = { ...pod, metadata: { ...(pod.metadata as JsonObject), namespace } };
    return client.send('POST', `/api/v1/namespaces/${namespace}/pods${query}`, body);
  }
});

/** The pod as the policies leave it, asked of them without any server. */
async function decide(pod: JsonObject): Promise<JsonObject> {
  const webhooks = await holdWebhooks();
  for (const object of policyObjects()) webhooks.apply(object);
  const { name, namespace } = pod.metadata as { name: string; namespace: string };
  const request: JsonObject = {
    uid: 'd0a2b1c3-0000-4000-8000-000000000003',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    name,
    namespace,
    operation: 'CREATE',
    userInfo: { username: 'admin' },
    object: pod,
    oldObject: null,
    dryRun: false,
  };
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  const { body } = webhooks.answer('/mutate-pod', new TextEncoder().encode(JSON.stringify(review)), Date.now());
  return readVerdict(request, body).object ?? {};
}

/** A pod as the API server shows it to webhooks: before it has a uid and a status. */
function asRequested(pod: JsonObject, namespace: string): JsonObject {
  const {
    uid: _uid,
    creationTimestamp: _time,
    managedFields: _fields,
    generation: _one,
    ...metadata
  } = pod.metadata as JsonObject;
  const { qosClass: _class, phase: _phase, ...status } = (pod.status ?? {}) as JsonObject;
  return { ...pod, metadata: { ...metadata, namespace }, status };
}

/** What does not depend on where and when the pod was created. */
function comparable(pod: JsonObject): JsonObject {
  const { labels = {}, annotations = {} } = pod.metadata as JsonObject;
  const timeless = JSON.stringify(annotations).replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>');
  const spec = JSON.stringify(pod.spec).replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access');
  return { labels, annotations: JSON.parse(timeless), spec: JSON.parse(spec) };
}

function isToken(volume: string): boolean {
  return volume.startsWith('kube-api-access-');
}

function names(pod: JsonObject, list: string): string[] {
  const entries = ((pod.spec as JsonObject)[list] ?? []) as { name: string }[];
  return entries.map(({ name }) => name);
}

function policyObjects(): JsonObject[] {
  const folder = join(EXAMPLES, 'sidecars');
  return readdirSync(folder).flatMap((file) => manifests(join(folder, file)));
}

function manifests(file: string): JsonObject[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as JsonObject);
}
