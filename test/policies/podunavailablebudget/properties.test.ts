// Whatever comes in whatever order to however many gateways: units granted never exceed what the budget allows, and a
// pod takes one unit, however often it is asked for. Reviews of other gateways, and writes of a controller, fall between
// a decision and its commit.
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { effectiveGates } from '../../../api/gates.ts';
import { commitTo } from '../../../evaluator/commit.ts';
import { Objects } from '../../../evaluator/objects.ts';
import { type Cluster, Policies } from '../../../evaluator/policies.ts';
import { readVerdict, type Verdict } from '../../support/answer.ts';
import { referenceTo } from '../../support/policy-module.ts';
import { bodyOf, DISRUPTIVE_UPDATE, NOW, protecting, requestAbout, running } from '../../support/protection.ts';

const POD_COUNT = 6;

/** The gateways: each has its own view of the budget. */
const module = await WebAssembly.compile(await readFile(new URL('../../../dist/policy.wasm', import.meta.url)));
const replicas = [Policies.of(module), Policies.of(module)];
const gates = effectiveGates(new Map([['PodUnavailableBudgetUpdateGate', true]]));
for (const one of replicas) one.configure({ gates, systemNamespace: 'kruise-system' });

type Deed = 'delete' | 'evict' | 'update' | 'dry run';

/** What happens between a decision and its commit, or on its own. */
type Happening =
  | { what: 'review'; deed: Deed; pod: number; replica: number; meanwhile: Happening[] }
  /** The controller finds so many more pods available. */
  | { what: 'more'; units: number }
  /** A write that changes nothing that counts. */
  | { what: 'touch' }
  /** Everything has reached this replica. */
  | { what: 'sync'; replica: number };

/** One store, and gateways that learn of it late. */
class Gateways {
  readonly objects = new Objects();
  readonly granted = new Set<number>();
  readonly refused = new Set<string>();
  allowance: number;

  constructor(units: number) {
    this.allowance = units;
    const budget = protecting({ status: { unavailableAllowed: units } });
    this.#write(budget);
    for (let pod = 0; pod < POD_COUNT; pod++) this.#write(running({ name: `web-${pod}` }));
    for (const one of replicas) one.apply(encode(budget));
  }

  get budget(): JsonObject {
    return this.objects.find('policy.kruise.io', 'PodUnavailableBudget', 'shop', 'web-pub') as JsonObject;
  }

  get recorded(): string[] {
    const { disruptedPods = {}, unavailablePods = {} } = this.budget.status as Record<string, JsonObject>;
    return [...Object.keys(disruptedPods), ...Object.keys(unavailablePods)];
  }

  get left(): number {
    return Number((this.budget.status as JsonObject).unavailableAllowed);
  }

  let(happening: Happening): void {
    if (happening.what === 'review') {
      const verdict = this.review(happening.deed, happening.pod, happening.replica, happening.meanwhile);
      if (verdict.allowed && happening.deed !== 'dry run') this.granted.add(happening.pod);
      if (!verdict.allowed) this.refused.add(String(verdict.code));
    } else if (happening.what === 'sync') {
      replicas[happening.replica]?.apply(encode(this.budget));
    } else {
      const units = happening.what === 'more' ? happening.units : 0;
      const { metadata, status } = this.budget as { metadata: JsonObject; status: JsonObject };
      const resourceVersion = String(Number(metadata.resourceVersion) + 1);
      this.allowance += units;
      const unavailableAllowed = Number(status.unavailableAllowed) + units;
      this.#write({
        ...this.budget,
        metadata: { ...metadata, resourceVersion },
        status: { ...status, unavailableAllowed },
      });
    }
    // Never more is taken than there is, and what is taken is noted.
    expect(this.left).toBeGreaterThanOrEqual(0);
    expect(this.left).toBe(this.allowance - this.recorded.length);
    expect(new Set(this.recorded).size).toBe(this.recorded.length);
  }

  review(deed: Deed, pod: number, replica: number, meanwhile: Happening[] = []): Verdict {
    const policies = replicas[replica] as Policies;
    const apply = (object: JsonObject) => policies.apply(encode(object));
    const pending = [...meanwhile];
    const cluster: Cluster = {
      answer: (question) => this.objects.answer(question),
      commit: (effects) => {
        // The replica that decides is busy: others are not.
        const next = pending.shift();
        if (next !== undefined && !('replica' in next && next.replica === replica)) this.let(next);
        const outcome = commitTo(this.objects, effects, apply);
        if (outcome === 'conflict') apply(this.budget);
        return outcome;
      },
    };
    const request = requestOf(deed, running({ name: `web-${pod}` }));
    return readVerdict(request, policies.review('/validate-pod', bodyOf(request), NOW, cluster));
  }

  #write(object: JsonObject): void {
    this.objects.put(referenceTo(object), object);
  }
}

function requestOf(deed: Deed, pod: JsonObject): JsonObject {
  const deletion = { operation: 'DELETE', object: null, oldObject: pod };
  const { name } = pod.metadata as JsonObject;
  switch (deed) {
    case 'delete':
      return requestAbout(pod, deletion);
    case 'dry run':
      return requestAbout(pod, { ...deletion, dryRun: true });
    case 'update':
      return requestAbout(pod, {
        operation: 'UPDATE',
        object: running({ name: String(name), ...DISRUPTIVE_UPDATE }),
        oldObject: pod,
      });
    default:
      return requestAbout(pod, {
        operation: 'CREATE',
        subResource: 'eviction',
        object: { metadata: { name } as JsonObject },
      });
  }
}

function encode(object: JsonObject): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(object));
}

const deed = fc.constantFrom<Deed>('delete', 'evict', 'update', 'dry run');
const pod = fc.nat({ max: POD_COUNT - 1 });
const replica = fc.nat({ max: replicas.length - 1 });
const calm = fc.oneof<fc.Arbitrary<Happening>[]>(
  fc.record({ what: fc.constant('more' as const), units: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ what: fc.constant('touch' as const) }),
  fc.record({ what: fc.constant('sync' as const), replica }),
);
function reviewWith(meanwhile: fc.Arbitrary<Happening[]>): fc.Arbitrary<Happening> {
  return fc.record({ what: fc.constant('review' as const), deed, pod, replica, meanwhile });
}
const quiet = reviewWith(fc.constant([]));
const busy = reviewWith(fc.array(fc.oneof(calm, quiet), { maxLength: 6 }));
const happenings = fc.array(fc.oneof({ arbitrary: busy, weight: 4 }, { arbitrary: calm, weight: 1 }), {
  maxLength: 20,
});

describe('units of a budget', () => {
  test('are never granted beyond what it allows, and one a pod', () => {
    fc.assert(
      fc.property(fc.nat({ max: 4 }), happenings, (units, all) => {
        const gateways = new Gateways(units);
        for (const happening of all) gateways.let(happening);
        // Every pod that was let go is noted: nothing is granted on what is stale.
        const noted = new Set(gateways.recorded);
        for (const one of gateways.granted) expect(noted).toContain(`web-${one}`);
        expect(noted.size).toBeLessThanOrEqual(gateways.allowance);
      }),
      { numRuns: 200 },
    );
  });

  test('do not depend on who is asked first: as many pods go as there are units', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: POD_COUNT }),
        fc.shuffledSubarray([...Array(POD_COUNT * 2).keys()], { minLength: POD_COUNT * 2 }),
        fc.constantFrom<Deed>('delete', 'evict', 'update'),
        (units, order, how) => {
          const gateways = new Gateways(units);
          for (const one of order) {
            gateways.let({
              what: 'review',
              deed: how,
              pod: one % POD_COUNT,
              replica: one < POD_COUNT ? 0 : 1,
              meanwhile: [],
            });
          }
          expect(gateways.granted.size).toBe(Math.min(units, POD_COUNT));
          expect([...gateways.refused]).toEqual(units < POD_COUNT ? ['403'] : []);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('two gateways and the last unit', () => {
  test('the second, which has decided already, decides again and denies', () => {
    const gateways = new Gateways(1);
    const first: Happening = { what: 'review', deed: 'delete', pod: 1, replica: 1, meanwhile: [] };
    const verdict = gateways.review('delete', 0, 0, [first]);
    expect(verdict).toMatchObject({ allowed: false, code: 403 });
    expect(gateways.recorded).toEqual(['web-1']);
    expect(gateways.left).toBe(0);
  });

  test('the same request to both takes one unit and is admitted by both', () => {
    const gateways = new Gateways(2);
    const first: Happening = { what: 'review', deed: 'evict', pod: 0, replica: 1, meanwhile: [] };
    expect(gateways.review('evict', 0, 0, [first]).allowed).toBe(true);
    expect(gateways.recorded).toEqual(['web-0']);
    expect(gateways.left).toBe(1);
  });

  test('a budget that is spent while a gateway does not hear of it is not granted again', () => {
    const gateways = new Gateways(1);
    expect(gateways.review('delete', 0, 0).allowed).toBe(true);
    expect(gateways.review('delete', 1, 1)).toMatchObject({ allowed: false, code: 403 });
  });

  test('one that is written all the time is given up on, and nothing is taken', () => {
    const gateways = new Gateways(1);
    const touches = Array.from({ length: 9 }, (): Happening => ({ what: 'touch' }));
    expect(gateways.review('delete', 0, 0, touches)).toMatchObject({ allowed: false, code: 500 });
    expect(gateways.left).toBe(1);
  });
});
