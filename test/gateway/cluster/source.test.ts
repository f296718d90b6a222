// Policy objects of a cluster reach whoever decides: all of them before anything is decided, and each change after that.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { InputError } from '../../../component/errors.ts';
import type { ClusterChange } from '../../../gateway/cluster/change.ts';
import { policyResources } from '../../../gateway/cluster/policy-resources.ts';
import { ClusterSource } from '../../../gateway/cluster/source.ts';
import type { Client } from '../../../kube/client.ts';
import type { RecordedEvent } from '../../../kube/events.ts';
import { createClient } from '../../support/client.ts';
import { FakeApiServer } from '../../support/fake-apiserver.ts';
import { protecting } from '../../support/protection.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import { eventually } from '../support/eventually.ts';

const BUDGETS = '/apis/policy.kruise.io/v1beta1/podunavailablebudgets';
const target = (collection: string, namespace = '', name = '') => ({ collection, namespace, name, subresource: '' });
const TIMES = { leastWaitMs: 1, mostWaitMs: 4 };

let server: FakeApiServer;
let client: Client;
let ending: AbortController;
let source: ClusterSource;
let running: Promise<void>;
let changes: ClusterChange[];
let events: RecordedEvent[];
let problems: string[];
beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createClient(server.connection, { timeoutMs: 2000 });
  ending = new AbortController();
  changes = [];
  events = [];
  problems = [];
  running = Promise.resolve();
  source = new ClusterSource({
    client,
    resources: policyResources('kruise-system'),
    apply: (change) => {
      if ('set' in change && isWrong(change.set))
        throw new InputError('expected something else', { field: 'spec.wrong' });
      changes.push(change);
    },
    events: { record: (event) => void events.push(event) },
    onProblem: (message) => void problems.push(message),
    logger: silentLogger,
    random: () => 0,
    monotonic: () => performance.now(),
    times: TIMES,
  });
});
afterEach(async () => {
  ending.abort();
  await running;
  await client.close();
  await server.close();
});

function start(): void {
  running = source.run(ending.signal);
}

function isWrong({ spec }: JsonObject): boolean {
  return (spec as JsonObject | undefined)?.wrong === true;
}

const named = () =>
  changes.map((change) => {
    if ('restored' in change) return 'restored';
    return 'set' in change ? nameOf(change.set) : `- ${change.gone.name}`;
  });
const nameOf = ({ metadata }: JsonObject) => String((metadata as JsonObject).name);

test('all objects come before it counts as loaded, and later changes one by one', async () => {
  server.objects.create(target(BUDGETS, 'shop'), protecting());
  server.objects.create(target('/api/v1/namespaces'), { metadata: { name: 'shop', annotations: { note: 'long' } } });
  start();
  await source.whenLoaded(ending.signal);
  expect(named().toSorted()).toEqual(['shop', 'web-pub']);
  expect(JSON.stringify(changes)).not.toContain('note');
  server.objects.delete(target(BUDGETS, 'shop', 'web-pub'));
  await eventually(() => expect(named()).toContain('- web-pub'));
  expect(changes.at(-1)).toMatchObject({ resourceVersion: String(server.objects.version) });
  expect(source.snapshot()).toHaveLength(1);
});

test('only what is asked for is read: settings by name, revisions by label, in one namespace', async () => {
  start();
  await source.whenLoaded(ending.signal);
  const lists = server.requests.filter(({ query }) => query.get('watch') !== 'true');
  const of = (plural: string) => lists.find(({ path }) => path.endsWith(plural));
  expect(of('configmaps')?.path).toBe('/api/v1/namespaces/kruise-system/configmaps');
  expect(of('configmaps')?.query.get('fieldSelector')).toBe('metadata.name=kruise-configuration');
  expect(of('controllerrevisions')?.query.get('labelSelector')).toBe('kruise.io/sidecarset-name');
  expect(lists.some(({ path }) => path.endsWith('/pods'))).toBe(false);
});

test('one resource that may not be read is named, and it is not loaded until it is', async () => {
  const refusal = { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: 'you may not' };
  const end = server.intercept(({ path }) => {
    return path.endsWith('/sidecarsets') ? { status: 403, body: JSON.stringify(refusal) } : undefined;
  });
  start();
  let isLoaded = false;
  const loaded = source.whenLoaded(ending.signal).then(() => {
    isLoaded = true;
  });
  const states = () => source.states().filter(({ missing }) => missing !== undefined);
  await eventually(() => expect(states()).toHaveLength(1));
  await eventually(() => expect(states()[0]?.missing).toContain('you may not'));
  expect(states()[0]?.name).toBe('sidecarsets.apps.kruise.io');
  expect(isLoaded).toBe(false);
  end();
  await loaded;
  await eventually(() =>
    expect(source.states().map(({ missing, degraded }) => missing ?? degraded)).toEqual(Array(8).fill(undefined)),
  );
});

test('what was read stays when it may not be read any more, and that is told', async () => {
  server.objects.create(target(BUDGETS, 'shop'), protecting());
  start();
  await source.whenLoaded(ending.signal);
  const refusal = { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: 'you may not' };
  const end = server.intercept(({ path }) => {
    return path.endsWith('/podunavailablebudgets') ? { status: 403, body: JSON.stringify(refusal) } : undefined;
  });
  server.endStreams('break');
  const budgets = () => source.states().find(({ name }) => name.startsWith('podunavailablebudgets'));
  await eventually(() => expect(budgets()?.degraded).toContain('you may not'));
  await eventually(() =>
    expect(problems).toContainEqual(
      expect.stringMatching(/^podunavailablebudgets.policy.kruise.io cannot be followed: .*you may not/),
    ),
  );
  expect(budgets()?.missing).toBeUndefined();
  expect(named()).toEqual(['web-pub']);
  end();
  await server.until(() => server.openStreams === 8);
  server.sendBookmark();
  await eventually(() => expect(budgets()?.degraded).toBeUndefined());
});

test('a cluster that was put back to an earlier state is told of before its objects', async () => {
  const stored = server.objects.create(target(BUDGETS, 'shop'), protecting());
  start();
  await source.whenLoaded(ending.signal);
  await server.until(() => server.openStreams > 0);
  changes.length = 0;
  const list = (resourceVersion: string) => {
    const metadata = { ...(stored.metadata as JsonObject), resourceVersion: '7' };
    return JSON.stringify({ kind: 'List', metadata: { resourceVersion }, items: [{ ...stored, metadata }] });
  };
  let isListed = false;
  server.intercept(({ path, query }) => {
    if (path !== BUDGETS) return undefined;
    if (query.get('watch') !== null) {
      return isListed ? undefined : { status: 410, body: '{"kind":"Status","code":410,"reason":"Expired"}' };
    }
    isListed = true;
    return { status: 200, body: list('50') };
  });
  server.endStreams();
  await eventually(() => expect(named().slice(0, 2)).toEqual(['restored', 'web-pub']));
});

test('a resource that the cluster has not is no reason to wait', async () => {
  server.intercept(({ path }) => {
    const body = JSON.stringify({ kind: 'Status', code: 404, reason: 'NotFound', message: 'not found' });
    return path.endsWith('/podprobemarkers') ? { status: 404, body } : undefined;
  });
  start();
  await source.whenLoaded(ending.signal);
  const markers = source.states().find(({ name }) => name.startsWith('podprobemarkers'));
  expect([markers?.missing, markers?.degraded]).toEqual([undefined, 'the API server has no such resource']);
});

test('an object that cannot be used is left out and told of once; others count', async () => {
  const wrong = { ...protecting(), metadata: { name: 'wrong', namespace: 'shop' }, spec: { wrong: true } };
  server.objects.create(target(BUDGETS, 'shop'), wrong);
  server.objects.create(target(BUDGETS, 'shop'), protecting());
  start();
  await source.whenLoaded(ending.signal);
  expect([named(), source.refused]).toEqual([['web-pub'], 1]);
  expect(events).toMatchObject([{ reason: 'InvalidPolicyObject', message: 'spec.wrong: expected something else' }]);
  expect(source.snapshot()).toHaveLength(1);
  const { metadata } = server.objects.get(target(BUDGETS, 'shop', 'wrong'));
  server.objects.update(target(BUDGETS, 'shop', 'wrong'), { ...protecting(), metadata: metadata as JsonObject });
  await eventually(() => expect([named(), source.refused]).toEqual([['web-pub', 'wrong'], 0]));
});
