// The mirrors of a program: one for each resource, with the indexes of all who want it.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Metrics } from '../../component/metrics.ts';
import type { Client } from '../../kube/client.ts';
import { Mirrors, type MirrorsOptions, mirrorName } from '../../kube/mirrors.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { CONTROLLER_REVISIONS, DEPLOYMENTS, NODES, PODS } from '../../kube/resource.ts';
import { createClient } from '../support/client.ts';
import { FakeApiServer } from '../support/fake-apiserver.ts';
import { silentLogger } from '../support/silent-logger.ts';

let server: FakeApiServer;
let client: Client;

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createClient(server.connection);
});
afterEach(async () => {
  await client.close();
  await server.close();
});

const byName = ({ metadata }: KubeObject) => [metadata.name];
const options = (): MirrorsOptions => ({
  client,
  logger: silentLogger,
  random: () => 0,
  monotonic: () => performance.now(),
});

describe('mirrors', () => {
  it('are one for each resource, with the indexes of all', async () => {
    server.objects.create(
      { collection: '/api/v1/pods', namespace: 'shop', name: '', subresource: '' },
      { metadata: { name: 'a' } },
    );
    const mirrors = new Mirrors(
      [
        { resource: PODS, indexes: { name: byName } },
        { resource: PODS, indexes: { name: byName, kind: ({ kind }) => [kind] } },
        { resource: DEPLOYMENTS },
      ],
      options(),
    );
    expect(mirrors.all.map(mirrorName)).toEqual(['pods', 'deployments.apps']);
    expect(() => mirrors.list(PODS)).toThrow('pods are not read yet');
    const ending = new AbortController();
    const running = mirrors.run(ending.signal);
    await mirrors.of(PODS).whenSynced(ending.signal);
    expect(mirrors.indexed(PODS, 'name', 'a')).toHaveLength(1);
    expect(mirrors.indexed(PODS, 'kind', 'Pod')).toHaveLength(1);
    expect(mirrors.hasSeen(PODS, String(server.objects.version))).toBe(true);
    expect(mirrors.hasSeen(PODS, String(server.objects.version + 1))).toBe(false);
    const metrics = new Metrics('test', '0');
    mirrors.expose(metrics);
    expect(await metrics.expose()).toContain('sluice_mirror_objects{resource="pods"} 1\n');
    ending.abort();
    await running;
  });

  it('read namespaced resources in one namespace only, if there is one', async () => {
    const mirrors = new Mirrors([{ resource: PODS }, { resource: NODES }], { ...options(), namespace: 'shop' });
    const ending = new AbortController();
    const running = mirrors.run(ending.signal);
    await Promise.all(mirrors.all.map((mirror) => mirror.whenSynced(ending.signal)));
    await server.until(() => server.openStreams === 2);
    expect(new Set(server.requests.map(({ path }) => path))).toEqual(
      new Set(['/api/v1/namespaces/shop/pods', '/api/v1/nodes']),
    );
    ending.abort();
    await running;
  });

  it.each([
    { given: 'by all who want it', others: [], path: '/apis/apps/v1/namespaces/system/controllerrevisions' },
    {
      given: 'by some',
      others: [{ resource: CONTROLLER_REVISIONS }],
      path: '/apis/apps/v1/namespaces/shop/controllerrevisions',
    },
  ])('read a resource in the namespace that is named $given', async ({ others, path }) => {
    const wanted = [{ resource: CONTROLLER_REVISIONS, namespace: 'system' }, ...others];
    const mirrors = new Mirrors(wanted, { ...options(), namespace: 'shop' });
    const ending = new AbortController();
    const running = mirrors.run(ending.signal);
    await mirrors.of(CONTROLLER_REVISIONS).whenSynced(ending.signal);
    expect(server.requests[0]?.path).toBe(path);
    ending.abort();
    await running;
  });

  it('refuse two indexes of one name, two versions of a resource, and resources that nobody wanted', () => {
    const other = ({ kind }: KubeObject) => [kind];
    const twice = [
      { resource: PODS, indexes: { name: byName } },
      { resource: PODS, indexes: { name: other } },
    ];
    expect(() => new Mirrors(twice, options())).toThrow('two indexes of pods are called name');
    const versions = [{ resource: PODS }, { resource: { ...PODS, version: 'v2' } }];
    expect(() => new Mirrors(versions, options())).toThrow('pods are watched in two versions');
    expect(() => new Mirrors([], options()).list(PODS)).toThrow('pods of group "" are watched by nobody');
  });
});
