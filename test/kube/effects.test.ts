import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import type { Client } from '../../kube/client.ts';
import { isConflict, retryOnConflict } from '../../kube/conflicts.ts';
import { applyPlan, type Outcome } from '../../kube/effects.ts';
import type { RecordedEvent } from '../../kube/events.ts';
import type { Plan, PlannedEffect } from '../../kube/plan.ts';
import { CONFIG_MAPS, PODS } from '../../kube/resource.ts';
import { createClient } from '../support/client.ts';
import { FakeApiServer } from '../support/fake-apiserver.ts';
import { rejection } from '../support/rejection.ts';

let server: FakeApiServer;
let client: Client;
let recorded: string[];

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createClient(server.connection);
  recorded = [];
});

afterEach(async () => {
  await client.close();
  await server.close();
});

const events = { record: ({ reason }: RecordedEvent) => void recorded.push(reason) };

function carryOut(plan: Plan, signal = new AbortController().signal): Promise<Outcome> {
  return applyPlan(plan, { client, events, signal });
}

function named(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name } };
}

function creating(name: string): PlannedEffect {
  return { type: 'create', resource: PODS, object: named(name) };
}

async function podNames(): Promise<string[]> {
  return (await client.list(PODS)).items.map(({ metadata }) => metadata.name);
}

const isWrite = ({ method }: { method: string }) => method !== 'GET';

describe('a change that is refused', () => {
  const onRefusal = {
    type: 'event',
    regarding: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name: 'web', uid: 'u', resourceVersion: '1' },
    },
    eventType: 'Warning',
    reason: 'Refused',
    message: 'not done',
  } as const;
  const reference = { namespace: 'default', name: 'web' };
  const patching: PlannedEffect = {
    type: 'patch',
    resource: PODS,
    reference,
    patch: { metadata: { labels: { a: 'b' } } },
    patchType: 'strategic',
    onRefusal,
  };
  const deleting: PlannedEffect = { type: 'delete', resource: PODS, reference, uid: 'another', onRefusal };

  test.each<[string, PlannedEffect]>([
    ['a patch', patching],
    ['a deletion', deleting],
  ])('%s: its event is told', async (_what, effect) => {
    await client.create(PODS, named('web'));
    server.failNext([{ status: 403 }], isWrite);
    const { failures } = await carryOut({ groups: [[effect]] });
    expect([failures.length, recorded]).toEqual([1, ['Refused']]);
  });

  test('a patch of what is gone: nothing is told', async () => {
    const { failures } = await carryOut({ groups: [[patching]] });
    expect([failures.length, recorded]).toEqual([1, []]);
  });
});

describe('plans', () => {
  test('each kind of effect is done, and told with what the mirrors will show', async () => {
    const old = await client.create(PODS, named('old'));
    const evicted = await client.create(PODS, named('evicted'));
    const changed = await client.create(PODS, named('changed'));
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'c' } };
    const reference = { namespace: 'default', name: 'changed' };
    const { changes, failures, error } = await carryOut({
      groups: [
        [creating('new'), { type: 'create', resource: CONFIG_MAPS, object: settings }],
        [
          { type: 'delete', resource: PODS, reference: { namespace: 'default', name: 'old' }, uid: old.metadata.uid },
          { type: 'evict', reference: { namespace: 'default', name: 'evicted' }, uid: evicted.metadata.uid },
          { type: 'patch', resource: PODS, reference, patch: { metadata: { labels: { a: 'b' } } }, patchType: 'merge' },
        ],
        [{ type: 'event', regarding: changed, eventType: 'Normal', reason: 'Done', message: '' }],
      ],
      status: {
        type: 'patch',
        resource: PODS,
        reference,
        patch: { status: { n: 1 } },
        patchType: 'merge',
        subresource: 'status',
      },
    });
    expect({ failures, error, recorded }).toEqual({ failures: [], error: undefined, recorded: ['Done'] });
    expect(await podNames()).toEqual(['changed', 'new']);
    const now = await client.get(PODS, reference);
    expect(now).toMatchObject({ metadata: { labels: { a: 'b' } }, status: { n: 1 } });
    expect(changes.map(({ type, reference: { name } }) => `${type} ${name}`)).toEqual([
      'created new',
      'created c',
      'deleted old',
      'deleted evicted',
      'updated changed',
      'updated changed',
    ]);
    expect(changes.at(-1)?.resourceVersion).toBe(now.metadata.resourceVersion);
  });

  test('what is gone or has another uid is deleted', async () => {
    await client.create(PODS, named('other'));
    const gone = (name: string): PlannedEffect[] => [
      { type: 'delete', resource: PODS, reference: { namespace: 'default', name }, uid: 'before' },
      { type: 'evict', reference: { namespace: 'default', name }, uid: 'before' },
    ];
    const { error, changes } = await carryOut({ groups: [[...gone('other'), ...gone('none')]] });
    expect(error).toBeUndefined();
    expect(changes).toHaveLength(4);
    expect(await podNames()).toEqual(['other']);
  });

  test('what has changed since it was read is not deleted, if the plan says so', async () => {
    const { metadata } = await client.create(PODS, named('web'));
    const reference = { namespace: 'default', name: 'web' };
    await client.patch(PODS, reference, { metadata: { labels: { a: 'b' } } }, { patchType: 'merge' });
    const { uid, resourceVersion } = metadata;
    const { error } = await carryOut({
      groups: [[{ type: 'delete', resource: PODS, reference, uid, resourceVersion }]],
    });
    expect(error).toMatchObject({ name: 'RetryError' });
    expect(await podNames()).toEqual(['web']);
  });

  test('a group is begun slowly and ends with the first failure; the status is written in any case', async () => {
    await client.create(PODS, named('web'));
    const before = server.requests.length;
    server.intercept(({ method, body }) => (method === 'POST' && body.includes('pod-3') ? { status: 403 } : undefined));
    const reference = { namespace: 'default', name: 'web' };
    const { changes, failures, error } = await carryOut({
      groups: [Array.from({ length: 100 }, (_, i) => creating(`pod-${i}`)), [creating('never')]],
      status: {
        type: 'patch',
        resource: PODS,
        reference,
        patch: { status: {} },
        patchType: 'merge',
        subresource: 'status',
      },
    });
    // 1 + 2 + 4, of which one failed, and the status.
    expect(server.requests.length - before).toBe(8);
    expect(changes).toHaveLength(7);
    expect(failures).toMatchObject([{ effect: { object: named('pod-3') }, error: { code: 403 } }]);
    expect(error).toMatchObject({ name: 'StatusError', code: 403 });
  });

  test('all effects are tried where the status reports how they ended', async () => {
    await client.create(PODS, named('web'));
    server.intercept(({ method, body }) => (method === 'POST' && body.includes('pod-3') ? { status: 403 } : undefined));
    const reference = { namespace: 'default', name: 'web' };
    const { failures } = await carryOut({
      groups: [Array.from({ length: 10 }, (_, i) => creating(`pod-${i}`)), [creating('behind')]],
      report: (failed) => ({
        type: 'patch',
        resource: PODS,
        reference,
        patch: { status: { failed: failed.length } },
        patchType: 'merge',
        subresource: 'status',
      }),
    });
    expect(failures).toMatchObject([{ effect: { object: named('pod-3') } }]);
    expect(await podNames()).toHaveLength(11);
    expect(await client.get(PODS, reference)).toMatchObject({ status: { failed: 1 } });
  });

  test('a large group is done whole', async () => {
    const { error } = await carryOut({ groups: [Array.from({ length: 300 }, (_, i) => creating(`pod-${i}`))] });
    expect(error).toBeUndefined();
    expect(await podNames()).toHaveLength(300);
  });

  test.each<[string, number, JsonObject, object]>([
    ['a conflict is to be tried again', 409, { reason: 'Conflict' }, { name: 'RetryError', afterMs: undefined }],
    ['a name that is taken too: a mirror may lag', 409, { reason: 'AlreadyExists' }, { name: 'RetryError' }],
    [
      'a time that the server asks for is told',
      429,
      { details: { retryAfterSeconds: 77 } },
      { name: 'RetryError', afterMs: 77_000 },
    ],
    [
      'nothing can be created in a namespace that goes',
      403,
      { details: { causes: [{ reason: 'NamespaceTerminating' }] } },
      { name: 'TerminalError' },
    ],
    ['what is invalid stays as it is', 422, { reason: 'Invalid' }, { name: 'StatusError', code: 422 }],
  ])('%s', async (_, status, body, expected) => {
    server.failNext(
      [{ status, body: JSON.stringify({ kind: 'Status', message: 'no', code: status, ...body }) }],
      isWrite,
    );
    const { error } = await carryOut({ groups: [[creating('web')]] });
    expect(error).toMatchObject(expected);
  });

  test('nothing more is begun once the loop is ended', async () => {
    const controller = new AbortController();
    const reason = new Error('not the leader any more');
    server.intercept(({ method }) => {
      if (method === 'POST') controller.abort(reason);
      return undefined;
    });
    const plan = { groups: [[creating('a'), creating('b'), creating('c')]] };
    expect(await rejection(carryOut(plan, controller.signal))).toBe(reason);
    expect(server.requests.filter(isWrite)).toHaveLength(1);
    expect(await rejection(carryOut(plan, controller.signal))).toBe(reason);
    expect(server.requests.filter(isWrite)).toHaveLength(1);
  });
});

describe('conflicts', () => {
  const count = async (name: string, by: () => Promise<void>) => {
    const reference = { namespace: 'default', name };
    const { metadata, status } = await client.get(PODS, reference);
    await by();
    const { n } = (status ?? { n: 0 }) as { n: number };
    const { resourceVersion } = metadata;
    const object = { ...named(name), metadata: { ...reference, resourceVersion }, status: { n: n + 1 } };
    return await client.update(PODS, object, { subresource: 'status' });
  };
  const options = { signal: new AbortController().signal, random: () => 0 };

  test('every one of several writers counts once', async () => {
    await client.create(PODS, named('web'));
    const nothing = () => Promise.resolve();
    await Promise.all([1, 2, 3].map(() => retryOnConflict(() => count('web', nothing), options)));
    expect(await client.get(PODS, { namespace: 'default', name: 'web' })).toMatchObject({ status: { n: 3 } });
  });

  test('it gives up after five, and at once for another reason', async () => {
    await client.create(PODS, named('web'));
    let tries = 0;
    const disturb = async () => {
      tries++;
      await client.patch(PODS, { namespace: 'default', name: 'web' }, {}, { patchType: 'merge' });
    };
    expect(isConflict(await rejection(retryOnConflict(() => count('web', disturb), options)))).toBe(true);
    expect(tries).toBe(5);
    expect(await rejection(retryOnConflict(() => count('none', disturb), options))).toMatchObject({ code: 404 });
    expect(tries).toBe(5);
  });
});
