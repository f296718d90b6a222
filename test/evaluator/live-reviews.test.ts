// Reviews on a cluster that answers late: units of a budget are granted once and no more than there are, whatever happens
// between a decision and its write.
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { effectiveGates } from '../../api/gates.ts';
import type { OnWriteFailure } from '../../evaluator/live-cluster.ts';
import { LiveWebhooks } from '../../evaluator/live-webhooks.ts';
import { Policies } from '../../evaluator/policies.ts';
import { readVerdict, type Verdict } from '../support/answer.ts';
import { controllerReference, workloadOf } from '../support/builders/policies.ts';
import { LiveStore } from '../support/live-store.ts';
import { bodyOf, NOW, protecting, requestAbout, running } from '../support/protection.ts';
import { KRUISE, ledger, MATCHED, spread } from '../support/spreading.ts';

const PATH = '/validate-pod';
const gates = effectiveGates(new Map([['PodUnavailableBudgetUpdateGate', true]]));
const BUDGET = {
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  namespace: 'shop',
  name: 'web-pub',
};

let store: LiveStore;
let unwritten: string[];
beforeEach(() => {
  store = new LiveStore();
  unwritten = [];
});

async function gateway(onWriteFailure: ReadonlyMap<string, OnWriteFailure> = new Map()): Promise<LiveWebhooks> {
  const observer = {
    unwritten: (kind: string, done: OnWriteFailure) => unwritten.push(`${kind} ${done}`),
  };
  const settings = { gates, systemNamespace: 'kruise-system' };
  return new LiveWebhooks(await Policies.load(), settings, { cluster: store, onWriteFailure, observer });
}

/** Everything that is stored, as a mirror brings it. */
function sync(one: LiveWebhooks): void {
  for (const [group, kind] of [
    ['policy.kruise.io', 'PodUnavailableBudget'],
    ['apps.kruise.io', 'WorkloadSpread'],
  ] as const) {
    for (const object of store.objects.list(group, kind, 'shop')) one.apply(object);
  }
}

/** A budget with so many units, and pods `web-0`, `web-1`, ... */
function stock(units: number, pods: number): JsonObject {
  for (let i = 0; i < pods; i++) store.put(running({ name: `web-${i}` }));
  return store.put(protecting({ status: { unavailableAllowed: units } }));
}

function deletion(name: string, more: JsonObject = {}): JsonObject {
  return requestAbout(running({ name }), { operation: 'DELETE', object: null, oldObject: running({ name }), ...more });
}

function eviction(name: string, more: JsonObject = {}): JsonObject {
  const object = { metadata: { name, namespace: 'shop' } };
  return requestAbout(running({ name }), { operation: 'CREATE', subResource: 'eviction', object, ...more });
}

async function ask(one: LiveWebhooks, request: JsonObject, leftMs = 4999.5): Promise<Verdict> {
  const answer = one.answer(PATH, bodyOf(request), NOW, leftMs);
  // One that is there at once is written over by the next.
  return readVerdict(request, answer instanceof Promise ? (await answer).body : answer.body.slice());
}

function status(): { unavailableAllowed: number; disruptedPods?: JsonObject } {
  const budget = store.objects.find('policy.kruise.io', 'PodUnavailableBudget', 'shop', 'web-pub');
  return budget?.status as { unavailableAllowed: number; disruptedPods?: JsonObject };
}

function recorded(): string[] {
  return Object.keys(status().disruptedPods ?? {}).sort();
}

describe('a unit of a budget', () => {
  test('is taken by one write without a read before it', async () => {
    stock(1, 1);
    const one = await gateway();
    sync(one);
    expect(await ask(one, deletion('web-0'))).toMatchObject({ allowed: true });
    expect([status().unavailableAllowed, recorded(), store.writes, store.questions]).toEqual([0, ['web-0'], 1, []]);
  });

  test('is answered at once when none is taken', async () => {
    stock(0, 1);
    const one = await gateway();
    sync(one);
    const answer = one.answer(PATH, bodyOf(deletion('web-0')), NOW, 5000);
    expect(answer).not.toBeInstanceOf(Promise);
    expect(await ask(one, deletion('web-0'))).toMatchObject({ allowed: false, code: 403 });
  });

  test('ten of them go to ten of 500 requests at once, in few writes', async () => {
    stock(10, 500);
    const one = await gateway();
    sync(one);
    const verdicts = await Promise.all(
      Array.from({ length: 500 }, (_, i) => ask(one, (i % 2 ? deletion : eviction)(`web-${i}`))),
    );
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect(new Set(verdicts.filter(({ allowed }) => !allowed).map(({ code }) => code))).toEqual(new Set([403]));
    expect([status().unavailableAllowed, recorded().length, store.conflicts]).toEqual([0, 10, 0]);
    expect(store.writes).toBeLessThanOrEqual(10);
  });

  test('two gateways share exactly, and everybody gets a decision', async () => {
    stock(10, 200);
    const all = [await gateway(), await gateway()];
    for (const one of all) sync(one);
    const verdicts = await Promise.all(
      Array.from({ length: 200 }, (_, i) => ask(all[i % 2] as LiveWebhooks, deletion(`web-${i}`))),
    );
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect(verdicts.filter(({ allowed, code }) => !allowed && code !== 403)).toEqual([]);
    expect([status().unavailableAllowed, recorded().length]).toEqual([0, 10]);
  });

  test('the last one of two gateways at the same moment goes to one', async () => {
    stock(1, 2);
    const all = [await gateway(), await gateway()];
    for (const one of all) sync(one);
    // Both have decided before either writes.
    const both = Promise.withResolvers<undefined>();
    let arrived = 0;
    store.beforeWrite = () => {
      if (++arrived === 2) both.resolve(undefined);
      return both.promise;
    };
    const verdicts = await Promise.all(all.map((one, i) => ask(one, deletion(`web-${i}`))));
    expect(verdicts.map(({ allowed }) => allowed).sort()).toEqual([false, true]);
    expect([status().unavailableAllowed, recorded().length, store.writes]).toEqual([0, 1, 1]);
  });

  test('the same review many times, at two gateways, takes one, and all copies get the same answer', async () => {
    stock(3, 1);
    const all = [await gateway(), await gateway()];
    for (const one of all) sync(one);
    const verdicts = await Promise.all(
      Array.from({ length: 16 }, (_, i) => ask(all[i % 2] as LiveWebhooks, (i % 3 ? deletion : eviction)('web-0'))),
    );
    expect(verdicts.every(({ allowed }) => allowed)).toBe(true);
    expect([status().unavailableAllowed, recorded(), store.writes]).toEqual([2, ['web-0'], 1]);
  });

  test('is not granted on what a gateway that hears nothing believes', async () => {
    stock(1, 2);
    const [deaf, other] = [await gateway(), await gateway()];
    sync(deaf);
    sync(other);
    expect(await ask(other, deletion('web-0'))).toMatchObject({ allowed: true });
    expect(await ask(deaf, deletion('web-1'))).toMatchObject({ allowed: false, code: 403 });
    expect([status().unavailableAllowed, recorded()]).toEqual([0, ['web-0']]);
  });

  test('is not taken for granted by a record that the controller has given up since', async () => {
    stock(1, 2);
    const deaf = await gateway();
    sync(deaf);
    expect(await ask(deaf, deletion('web-0'))).toMatchObject({ allowed: true });
    // The pod stayed, its unit came back, and went to somebody else.
    const disruptedPods = { 'web-9': '2026-07-02T08:00:30Z' };
    store.put(protecting({ status: { unavailableAllowed: 0, disruptedPods } }));
    expect(await ask(deaf, deletion('web-0'))).toMatchObject({ allowed: false, code: 403 });
    expect([status().unavailableAllowed, recorded()]).toEqual([0, ['web-9']]);
  });

  test('is not lost when copies of a review come among others', async () => {
    stock(6, 8);
    const one = await gateway();
    sync(one);
    store.turns = () => 3;
    const names = ['web-0', 'web-1', 'web-0', 'web-2', 'web-1', 'web-3', 'web-0', 'web-4', 'web-5', 'web-5'];
    const verdicts = await Promise.all(names.map((name, i) => ask(one, (i % 2 ? eviction : deletion)(name))));
    expect(verdicts.every(({ allowed }) => allowed)).toBe(true);
    expect([status().unavailableAllowed, recorded()]).toEqual([
      0,
      ['web-0', 'web-1', 'web-2', 'web-3', 'web-4', 'web-5'],
    ]);
  });

  test.each(['deletion', 'eviction'])('is not taken by a dry run of a %s, in any spelling', async (what) => {
    stock(1, 1);
    const one = await gateway();
    sync(one);
    const make = what === 'deletion' ? deletion : eviction;
    const options = { options: { dryRun: ['All'] } };
    const body = { object: { metadata: { name: 'web-0' }, deleteOptions: { dryRun: ['All'] } } };
    for (const spelling of [{ dryRun: true }, options, ...(what === 'eviction' ? [body] : [])]) {
      expect(await ask(one, make('web-0', spelling))).toMatchObject({ allowed: true });
    }
    expect([status().unavailableAllowed, store.writes]).toEqual([1, 0]);
  });
});

describe('between the decision and the write', () => {
  test('the budget is deleted: the request is allowed', async () => {
    const budget = stock(1, 1);
    const one = await gateway();
    sync(one);
    store.beforeWrite = () => {
      store.delete(budget);
      return undefined;
    };
    expect(await ask(one, deletion('web-0'))).toMatchObject({ allowed: true });
    expect(store.writes).toBe(0);
  });

  test('another one gets its name: it is decided anew, and the new one is left alone', async () => {
    stock(1, 1);
    const one = await gateway();
    sync(one);
    let isFirst = true;
    store.beforeWrite = () => {
      const fresh = protecting({ status: { unavailableAllowed: 0 } });
      if (isFirst) store.put({ ...fresh, metadata: { ...(fresh.metadata as JsonObject), uid: 'uid-other' } });
      isFirst = false;
      return undefined;
    };
    expect(await ask(one, deletion('web-0'))).toMatchObject({ allowed: false, code: 403 });
    expect([status().unavailableAllowed, recorded()]).toEqual([0, []]);
  });

  test('the answer gets lost: the unit is found taken', async () => {
    stock(1, 1);
    const one = await gateway();
    sync(one);
    store.afterWrite = () => ({
      outcome: 'conflict',
      object: store.objects.find('policy.kruise.io', 'PodUnavailableBudget', 'shop', 'web-pub') ?? null,
    });
    expect(await ask(one, deletion('web-0'))).toMatchObject({ allowed: true });
    expect([status().unavailableAllowed, recorded(), store.writes]).toEqual([0, ['web-0'], 1]);
  });

  test('others write all the time: whoever asked may try again', async () => {
    stock(5, 1);
    const one = await gateway();
    sync(one);
    store.beforeWrite = () => {
      store.put(store.objects.find('policy.kruise.io', 'PodUnavailableBudget', 'shop', 'web-pub') as JsonObject);
      return undefined;
    };
    expect(await ask(one, deletion('web-0'))).toMatchObject({ allowed: false, code: 429, reason: 'TooManyRequests' });
    expect([store.conflicts, unwritten]).toEqual([5, ['PodUnavailableBudget deny']]);
  });

  test('the API server goes away: refused for now, or admitted with a warning where that is wanted', async () => {
    stock(5, 2);
    store.beforeWrite = () => ({ outcome: 'failed', error: 'connection refused' });
    const strict = await gateway();
    const loose = await gateway(new Map([['PodUnavailableBudget', 'admit']]));
    for (const one of [strict, loose]) sync(one);
    const refused = await ask(strict, deletion('web-0'));
    expect(refused).toMatchObject({ allowed: false, code: 429 });
    expect(refused.message).toBe(
      'the status of PodUnavailableBudget shop/web-pub is not written: connection refused; try again',
    );
    expect(await ask(loose, deletion('web-0'))).toMatchObject({ allowed: true });
    expect(unwritten).toEqual(['PodUnavailableBudget deny', 'PodUnavailableBudget admit']);
    store.beforeWrite = () => undefined;
    expect(await ask(strict, deletion('web-1'))).toMatchObject({ allowed: true });
  });

  test('nothing comes back: the caller hears so in time, and others are not held up in other namespaces', async () => {
    stock(5, 2);
    const one = await gateway();
    sync(one);
    store.beforeWrite = () => new Promise(() => undefined);
    expect(await ask(one, deletion('web-0'), 30)).toMatchObject({ allowed: false, code: 429 });
  });
});

describe('what comes late', () => {
  test('an older state of a budget does not undo what was written', async () => {
    const old = stock(1, 2);
    const one = await gateway();
    sync(one);
    expect(await ask(one, deletion('web-0'))).toMatchObject({ allowed: true });
    one.apply(old);
    expect(await ask(one, deletion('web-1'))).toMatchObject({ allowed: false, code: 403 });
    expect(store.conflicts).toBe(0);
  });

  test('the end of an older budget does not take the present one away', async () => {
    stock(0, 1);
    const one = await gateway();
    sync(one);
    one.remove(BUDGET, '5');
    expect(await ask(one, deletion('web-0'))).toMatchObject({ allowed: false });
    one.remove(BUDGET, '999999');
    expect(await ask(one, deletion('web-0'))).toMatchObject({ allowed: true });
  });

  test('a pod that counts by now is looked at again when its budget has changed since', async () => {
    stock(1, 2);
    const one = await gateway();
    const ready = store.objects.find('', 'Pod', 'shop', 'web-0') as JsonObject;
    const waiting = { ...ready, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } };
    store.put(waiting);
    sync(one);
    store.beforeAnswer = () => {
      store.beforeAnswer = () => undefined;
      // The pod turns ready, is counted, and the unit goes to another before the answer arrives.
      store.put(ready);
      one.apply(store.put(protecting({ status: { unavailableAllowed: 0 } })));
      return { answer: waiting };
    };
    expect(await ask(one, eviction('web-0'))).toMatchObject({ allowed: false, code: 403 });
  });
});

describe('a deletion that takes a unit and leaves room in a spread', () => {
  const pod = (name: string) =>
    running({
      name,
      annotations: { [MATCHED]: JSON.stringify({ name: 'spread', subset: 'a' }) },
      metadata: { ownerReferences: [controllerReference('CloneSet', 'web', KRUISE)] },
    });
  const request = (name: string) =>
    requestAbout(pod(name), { operation: 'DELETE', object: null, oldObject: pod(name) });
  const stored = spread([['a', 3], ['b']], {
    status: ledger([
      ['a', 0],
      ['b', -1],
    ]),
  });
  const left = () => {
    const { status: now } = store.objects.find('apps.kruise.io', 'WorkloadSpread', 'shop', 'spread') as JsonObject;
    const { versionedSubsetStatuses } = now as { versionedSubsetStatuses: { versionIgnored: JsonObject[] } };
    return versionedSubsetStatuses.versionIgnored[0]?.missingReplicas;
  };

  test('does both, once, however often it comes', async () => {
    stock(3, 0);
    store.put(stored);
    const one = await gateway();
    sync(one);
    const verdicts = await Promise.all(['web-0', 'web-0', 'web-1', 'web-0'].map((name) => ask(one, request(name))));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true, true]);
    expect([recorded(), left(), store.writes]).toEqual([['web-0', 'web-1'], 2, 2]);
  });

  test('leaves none while the unit cannot be had', async () => {
    stock(1, 0);
    store.put(stored);
    const one = await gateway();
    sync(one);
    store.beforeWrite = ({ kind }) =>
      kind === 'PodUnavailableBudget' ? { outcome: 'failed', error: 'no' } : undefined;
    expect(await ask(one, request('web-0'))).toMatchObject({ allowed: false, code: 429 });
    expect([recorded(), left()]).toEqual([[], 0]);
  });

  test('keeps its unit when others write the spread meanwhile', async () => {
    stock(2, 0);
    store.put(stored);
    const one = await gateway();
    sync(one);
    let isFirst = true;
    store.beforeWrite = ({ kind }) => {
      if (kind === 'WorkloadSpread' && isFirst) {
        isFirst = false;
        store.put(stored);
      }
      return undefined;
    };
    expect(await ask(one, request('web-0'))).toMatchObject({ allowed: true });
    expect([recorded(), left(), status().unavailableAllowed]).toEqual([['web-0'], 1, 1]);
  });
});

test('whatever fails and in whatever order answers come, units and records agree', async () => {
  const fault = fc.constantFrom('none', 'none', 'none', 'touch', 'more', 'lost', 'failed');
  const run = async (faults: string[], turns: number[], pods: number[], units: number) => {
    store = new LiveStore();
    stock(units, 8);
    let allowance = units;
    const all = [await gateway(), await gateway()];
    for (const one of all) sync(one);
    const budget = () =>
      store.objects.find('policy.kruise.io', 'PodUnavailableBudget', 'shop', 'web-pub') as JsonObject;
    store.turns = () => turns.shift() ?? 1;
    let lose = false;
    store.beforeWrite = () => {
      const next = faults.shift() ?? 'none';
      lose = next === 'lost';
      if (next === 'failed') return { outcome: 'failed', error: 'refused' };
      if (next === 'touch') store.put(budget());
      if (next === 'more') {
        allowance++;
        store.put({
          ...budget(),
          status: { ...status(), unavailableAllowed: status().unavailableAllowed + 1 } as JsonObject,
        });
      }
      return undefined;
    };
    store.afterWrite = () => (lose ? { outcome: 'failed', error: 'the connection broke' } : undefined);
    const verdicts = await Promise.all(
      pods.map(async (pod, i) => {
        const request = (i % 3 ? deletion : eviction)(`web-${pod}`);
        return { pod, ...(await ask(all[i % 2] as LiveWebhooks, request)) };
      }),
    );
    const granted = new Set(verdicts.filter(({ allowed }) => allowed).map(({ pod }) => `web-${pod}`));
    expect(status().unavailableAllowed).toBeGreaterThanOrEqual(0);
    expect(status().unavailableAllowed).toBe(allowance - recorded().length);
    // Nothing is granted that is not on record.
    expect([...granted].filter((name) => !recorded().includes(name))).toEqual([]);
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fault, { maxLength: 12 }),
      fc.array(fc.nat(4), { maxLength: 60 }),
      fc.array(fc.nat(7), { minLength: 1, maxLength: 16 }),
      fc.nat(5),
      run,
    ),
    { numRuns: 60 },
  );
});

describe('where a number of pods is wanted for ever', () => {
  const owner = controllerReference('ReplicaSet', 'web-1', 'apps/v1');
  const { annotations } = running().metadata as { annotations: JsonObject };
  const owned = (name: string) => running({ name, metadata: { annotations, ownerReferences: [owner] } });
  const going = (name: string) =>
    requestAbout(owned(name), { operation: 'DELETE', object: null, oldObject: owned(name) });
  const fixed = { spec: { maxUnavailable: null, minAvailable: 7 }, status: { unavailableAllowed: 1 } };

  test('a pod that is too many is denied as long as its workload is there, also behind others of one turn', async () => {
    store.put(protecting(fixed));
    store.put(workloadOf('ReplicaSet', 'web-1', 'apps/v1'));
    const one = await gateway();
    sync(one);
    const verdicts = await Promise.all(['web-0', 'web-1', 'web-2'].map((name) => ask(one, going(name))));
    expect(verdicts.map(({ allowed }) => allowed).sort()).toEqual([false, false, true]);
    expect([status().unavailableAllowed, recorded().length]).toEqual([0, 1]);
  });

  test('all go once it is gone', async () => {
    store.put(protecting(fixed));
    const one = await gateway();
    sync(one);
    const verdicts = await Promise.all(['web-0', 'web-1', 'web-2'].map((name) => ask(one, going(name))));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true]);
  });

  test('nobody goes while the API server does not tell', async () => {
    store.put(protecting({ ...fixed, status: { unavailableAllowed: 0 } }));
    store.beforeAnswer = () => ({ error: 'the server is on fire' });
    const one = await gateway();
    sync(one);
    expect(await ask(one, going('web-0'))).toMatchObject({ allowed: false, code: 403 });
  });
});
