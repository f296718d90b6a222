// SidecarSets, revisions and pods as OpenKruise leaves them are taken over: nothing is written that is right already, and what is
// written has the bytes that OpenKruise would have written.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { revisionData } from '../../api/kinds/sidecarset/revision.ts';
import type { SidecarSet } from '../../api/kinds/sidecarset/schema.ts';
import { storedSet } from '../support/builders/injected-pod.ts';
import { loadArea } from '../support/corpus.ts';
import { Bed } from './bed/bed.ts';
import { chartCrds, createCrds, until } from './bed/installation.ts';
import { Process } from './bed/process.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();

const SIDECARS = '/apis/apps.kruise.io/v1beta1/sidecarsets';
const REVISIONS = '/apis/apps/v1/namespaces/kruise-system/controllerrevisions';
const PODS = '/api/v1/namespaces/shop/pods';
const PROGRAM = new URL('../../cli/main.ts', import.meta.url).pathname;

describe.skipIf(missing.length > 0)('a cluster that OpenKruise has run', () => {
  let bed: Bed;
  let reconcilers: Process;
  const recorded = loadArea('sidecarset').find(({ name }) => name === 'revision-always-by-name')?.objects ?? [];
  const set = recorded.find(({ kind }) => kind === 'SidecarSet') as JsonObject & { metadata: JsonObject };

  beforeAll(async () => {
    bed = await Bed.start();
    await createCrds(bed.client, chartCrds());
    await bed.createNamespace('kruise-system');
    await bed.createNamespace('shop');
    const made = await create(SIDECARS, set);
    const uid = (made.metadata as JsonObject).uid as string;
    for (const revision of recorded.filter(({ kind }) => kind === 'ControllerRevision')) {
      const [owner] = (revision.metadata as JsonObject).ownerReferences as JsonObject[];
      if (owner?.uid !== set.metadata.uid) continue;
      const metadata = { ...(revision.metadata as JsonObject), ownerReferences: [{ ...owner, uid }] };
      await create(REVISIONS, { ...revision, metadata });
    }
    const status = {
      ...(set.status as JsonObject),
      observedGeneration: (made.metadata as JsonObject).generation as number,
    };
    await bed.client.must(bed.client.send('PUT', `${SIDECARS}/logging/status`, { ...made, status }));
    await createPod();
    reconcilers = Process.start({
      folder: bed.folder,
      name: 'reconcilers',
      path: process.execPath,
      arguments: [
        ...[PROGRAM, 'reconcilers', '--kubeconfig', bed.kubeconfig],
        ...['--metrics-addr', '127.0.0.1:0', '--health-probe-addr', '127.0.0.1:0'],
      ],
    });
  });
  afterAll(async () => {
    await reconcilers?.end();
    await bed?.close();
  });

  /** Without what the API server gives every object itself. */
  async function create(path: string, object: JsonObject): Promise<JsonObject> {
    const {
      uid: _uid,
      resourceVersion: _version,
      creationTimestamp: _time,
      generation: _generation,
      ...metadata
    } = object.metadata as JsonObject;
    return bed.client.must(bed.client.send('POST', path, { ...object, metadata }));
  }

  /** A pod of the SidecarSet that runs its latest content. */
  async function createPod(): Promise<void> {
    const { annotations } = set.metadata as { annotations: Record<string, string> };
    const entry = { updateTimestamp: '2026-07-01T08:00:00Z', sidecarSetName: 'logging', sidecarList: ['log-agent'] };
    const hash = annotations['kruise.io/sidecarset-hash'] as string;
    const without = annotations['kruise.io/sidecarset-hash-without-image'] as string;
    const latest = (set.status as JsonObject).latestRevision as string;
    const { containers } = set.spec as { containers: { name: string; image: string }[] };
    const images = [
      { name: 'app', image: 'registry.example.com/app:1' },
      ...containers.map(({ name, image }) => ({ name, image })),
    ];
    const metadata = {
      name: 'web',
      labels: { app: 'web' },
      annotations: {
        'kruise.io/sidecarset-injected-list': 'logging',
        'kruise.io/sidecarset-hash': JSON.stringify({ logging: { ...entry, hash, controllerRevision: latest } }),
        'kruise.io/sidecarset-hash-without-image': JSON.stringify({ logging: { ...entry, hash: without } }),
      },
    };
    await create(PODS, { metadata, spec: { containers: images } });
    const containerStatuses = images.map(({ name, image }) => ({
      ...{ name, image, ready: true, restartCount: 0, started: true },
      imageID: `${image}@sha256:${'1'.repeat(64)}`,
    }));
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], containerStatuses };
    await bed.client.must(bed.client.send('PATCH', `${PODS}/web/status`, { status }));
  }

  test('keeps its revisions and pods as they are', async () => {
    const before = [await bed.client.get(REVISIONS), await bed.client.get(PODS)].map(versions);
    await until('the pod is counted', async () => {
      const { body } = await bed.client.get(`${SIDECARS}/logging`);
      return isObject(body.status) && body.status.updatedReadyPods === 1;
    });
    const { body } = await bed.client.get(`${SIDECARS}/logging`);
    expect(body.status).toEqual({
      ...(set.status as JsonObject),
      ...{ observedGeneration: 1, matchedPods: 1, updatedPods: 1, readyPods: 1, updatedReadyPods: 1 },
    });
    expect([await bed.client.get(REVISIONS), await bed.client.get(PODS)].map(versions)).toEqual(before);
  });

  test('gets new revisions with the bytes of the reference', async () => {
    const command = ['sh', '-c', 'sleep 5 && echo <ok>'];
    const made = storedSet('mesh', { containers: [{ name: 'mesh', image: 'mesh:1', command }] });
    await create(SIDECARS, made as unknown as JsonObject);
    const latest = async () =>
      ((await bed.client.get(`${SIDECARS}/mesh`)).body.status as JsonObject | undefined)?.latestRevision;
    await until('it has a revision', async () => (await latest()) !== undefined);
    // Texts in what is stored are as they were sent.
    const stored = await bed.etcd.get(`/registry/controllerrevisions/kruise-system/${await latest()}`);
    const text = stored?.toString();
    expect(text).toContain(revisionData(made as unknown as SidecarSet));
    expect(text).toContain('echo \\u003cok\\u003e');
  });
});

/** The versions of the objects of a list, by name. */
function versions({ body }: { body: JsonObject }): Record<string, unknown> {
  const items = body.items as { metadata: { name: string; resourceVersion: string } }[];
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}
