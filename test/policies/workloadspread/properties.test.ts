// Any spread with any ledger: which subset a pod gets and what is booked, held against the rules written down plainly
// (workloadspread.md 3.5, 3.9 and 4).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { workloadOf } from '../../support/builders/policies.ts';
import { KRUISE, podOf, Spreading, spread, TIME } from '../../support/spreading.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const PODS = ['web-0', 'web-3', 'web-17', 'other', ''];
const TARGETS: [string, string, string][] = [
  ['CloneSet', 'web', KRUISE],
  ['StatefulSet', 'web', KRUISE],
  ['ReplicaSet', 'web', 'apps/v1'],
];

type Max = number | string | undefined;
type Entry = { name: string; missing: number; creating: string[]; deleting: string[]; schedulable: string | undefined };
type Given = {
  maxes: Max[];
  target: [string, string, string];
  hash: string | undefined;
  pod: string;
  replicas: number;
};
type Ledger = { version: string; entries: Entry[] } | undefined;

const maxes = fc.oneof(
  fc.array(fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }), { minLength: 1, maxLength: 4 }),
  fc.array(fc.option(fc.constantFrom('0%', '10%', '33%', '50%', '100%'), { nil: undefined }), {
    minLength: 1,
    maxLength: 4,
  }),
);
const some = fc.subarray(PODS.slice(0, 4), { maxLength: 2 });
const entry = fc.record({
  name: fc.constantFrom(...NAMES, 'gone'),
  missing: fc.integer({ min: -1, max: 3 }),
  creating: some,
  deleting: some,
  schedulable: fc.constantFrom(undefined, 'True', 'False', 'Unknown'),
});
const ledgers: fc.Arbitrary<Ledger> = fc.option(
  fc.record({
    version: fc.constantFrom('versionIgnored', 'h1', 'h2'),
    entries: fc.uniqueArray(entry, { selector: ({ name }) => name, maxLength: 4 }),
  }),
  { nil: undefined },
);
const given = fc.record({
  maxes,
  target: fc.constantFrom(...TARGETS),
  hash: fc.constantFrom(undefined, 'h1', 'h2'),
  pod: fc.constantFrom(...PODS),
  replicas: fc.integer({ min: 0, max: 7 }),
});

const times = (names: string[]) => Object.fromEntries(names.map((name) => [name, '2026-07-02T07:59:00Z']));
const written = ({ name, missing, creating, deleting, schedulable }: Entry): JsonObject => ({
  name,
  replicas: 1,
  missingReplicas: missing,
  ...(creating.length > 0 && { creatingPods: times(creating) }),
  ...(deleting.length > 0 && { deletingPods: times(deleting) }),
  ...(schedulable !== undefined && {
    conditions: [
      {
        type: 'Schedulable',
        status: schedulable,
        reason: 'R',
        message: '',
        lastTransitionTime: '2026-07-01T00:00:00Z',
      },
    ],
  }),
});

function statusOf(ledger: Ledger, overall: Entry[]): JsonObject {
  return {
    subsetStatuses: overall.map(written),
    ...(ledger !== undefined && { versionedSubsetStatuses: { [ledger.version]: ledger.entries.map(written) } }),
  };
}

const ordinalOf = (pod: string): number => Number(/-([0-9]+)$/.exec(pod)?.[1] ?? -1);

/** The ledger that counts for the pod, as it is stored or as it is made from the spec. */
function entriesOf({ maxes: limits, target, hash, replicas }: Given, ledger: Ledger): JsonObject[] {
  const version = target[0] === 'ReplicaSet' && hash !== undefined ? hash : 'versionIgnored';
  if (ledger?.version === version && ledger.entries.length > 0) return ledger.entries.map(written);
  return limits.map((max, index) => ({
    name: NAMES[index] as string,
    replicas: 0,
    missingReplicas:
      max === undefined ? -1 : typeof max === 'number' ? max : Math.ceil((Number.parseInt(max, 10) * replicas) / 100),
  }));
}

function isBooked({ creatingPods = {}, deletingPods = {} }: JsonObject, pod: string): boolean {
  return Object.hasOwn(creatingPods as JsonObject, pod) || Object.hasOwn(deletingPods as JsonObject, pod);
}

function isAvoided(subset: JsonObject | undefined): boolean {
  return ((subset?.conditions ?? []) as JsonObject[]).some(({ status }) => status === 'False');
}

/** The name of the subset, whether a booking is made there, and in which entries. */
function chosen(input: Given, ledger: Ledger, overall: Entry[]): { subset?: string; books: boolean } {
  const { maxes: limits, target, pod } = input;
  if (limits.length === 1 && limits[0] === undefined) return { subset: 'a', books: false };
  if (target[0] === 'StatefulSet') {
    let threshold = 0;
    for (const [index, max] of limits.entries()) {
      const name = NAMES[index] as string;
      if (isAvoided(overall.map(written).find((one) => one.name === name))) continue;
      threshold += typeof max === 'number' ? max : max === undefined ? 2147483647 : 0;
      if (ordinalOf(pod) < threshold) return { subset: name, books: false };
    }
    return { books: false };
  }
  const entries = entriesOf(input, ledger);
  const earlier = pod === '' ? undefined : entries.find((one) => isBooked(one, pod));
  if (earlier !== undefined) return { subset: String(earlier.name), books: false };
  const free = entries.find(
    (one) => !isAvoided(one) && (Number(one.missingReplicas) > 0 || one.missingReplicas === -1),
  );
  return free === undefined ? { books: false } : { subset: String(free.name), books: free.missingReplicas !== -1 };
}

function objectsOf({ maxes: limits, target, replicas }: Given, ledger: Ledger, overall: Entry[]): JsonObject[] {
  const status = statusOf(ledger, overall);
  const subsets = limits.map((max, index): [string, Max] => [NAMES[index] as string, max]);
  return [spread(subsets, { target, status }), { ...workloadOf(...target), spec: { replicas } }];
}

function podFor({ target, hash, pod }: Given, subset?: string): JsonObject {
  const labels = { app: 'web', ...(hash !== undefined && { 'pod-template-hash': hash }) };
  return podOf(pod, { owner: target, labels, ...(subset !== undefined && { subset }) });
}

const cluster = await Spreading.start();
const ledgerNow = (input: Given): JsonObject[] | undefined => {
  const version = input.target[0] === 'ReplicaSet' && input.hash !== undefined ? input.hash : 'versionIgnored';
  return cluster.ledgers()?.[version];
};
const overalls = fc.uniqueArray(entry, { selector: ({ name }) => name, maxLength: 4 });

test('a pod gets the subset of the plain rule, and one booking at most', () => {
  fc.assert(
    fc.property(given, ledgers, overalls, (input, ledger, overall) => {
      cluster.hold(...objectsOf(input, ledger, overall));
      const stored = cluster.status();
      const { subset, books } = chosen(input, ledger, overall);
      const place = cluster.place(podFor(input));
      const isInSpec = subset !== undefined && NAMES.indexOf(subset) >= 0 && NAMES.indexOf(subset) < input.maxes.length;
      expect(place?.subset).toBe(isInSpec ? subset : undefined);
      if (!books) {
        expect(cluster.status()).toEqual(stored);
        expect(place?.uid).toBeUndefined();
        return;
      }
      const before = entriesOf(input, ledger);
      const after = ledgerNow(input) ?? [];
      const id =
        input.pod !== ''
          ? input.pod
          : Object.keys(after.find(({ name }) => name === subset)?.creatingPods ?? {}).find((one) => one.length === 36);
      expect(after).toEqual(
        before.map((one) =>
          one.name !== subset
            ? one
            : {
                ...one,
                missingReplicas: Number(one.missingReplicas) - 1,
                creatingPods: { ...(one.creatingPods as JsonObject), [id ?? '']: TIME },
              },
        ),
      );
      if (isInSpec) expect(place?.uid).toBe(input.pod === '' ? id : undefined);
    }),
    { numRuns: 1500 },
  );
});

test('a pod that goes is booked once in the subset that it names, if that counts', () => {
  fc.assert(
    fc.property(
      given,
      ledgers,
      overalls,
      fc.constantFrom(...NAMES, 'gone', 'none'),
      (input, ledger, overall, subset) => {
        if (input.pod === '') return;
        cluster.hold(...objectsOf(input, ledger, overall));
        const stored = cluster.status();
        expect(cluster.delete(podFor(input, subset)).allowed).toBe(true);
        const before = entriesOf(input, ledger);
        const named = before.find(({ name }) => name === subset);
        const isCounted =
          !(input.maxes.length === 1 && input.maxes[0] === undefined) &&
          input.target[0] !== 'StatefulSet' &&
          named !== undefined &&
          named.missingReplicas !== -1 &&
          !before.some((one) => isBooked(one, input.pod));
        if (!isCounted) {
          expect(cluster.status()).toEqual(stored);
          return;
        }
        expect(ledgerNow(input)).toEqual(
          before.map((one) =>
            one !== named
              ? one
              : {
                  ...one,
                  missingReplicas: Number(one.missingReplicas) + 1,
                  deletingPods: { ...(one.deletingPods as JsonObject), [input.pod]: TIME },
                },
          ),
        );
      },
    ),
    { numRuns: 1500 },
  );
});
