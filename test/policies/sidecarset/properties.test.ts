// What holds for every injection, tried on generated pods and SidecarSets.
import fc from 'fast-check';
import { applyPatch, type Operation } from 'rfc6902';
import { describe, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../../api/core/json.ts';
import { applyPatch as applyOurs } from '../../../api/core/patch.ts';
import { compareObjects } from '../../support/compare/objects.ts';
import { Placeholders } from '../../support/compare/placeholders.ts';
import { Injection, NOW } from '../../support/injection.ts';
import { inject } from '../../support/model.ts';
import { pods, SIDECARS, sidecarSets } from '../../support/pods.ts';
import * as see from '../../support/see.ts';

const RUNS = { numRuns: 150 };
const TEXT_NOW = '2026-07-02T08:00:00Z';

/** Every difference between two objects, with nothing volatile. */
function differences(expected: JsonObject, got: JsonObject): unknown[] {
  return compareObjects(expected, got, {
    root: '',
    volatile: [],
    placeholders: new Placeholders({ fromMs: NOW, toMs: NOW }),
  });
}

/** A value with every scalar replaced by its text, so that equal means equal to the byte. */
function raw(text: string): Json {
  type Reviver = (key: string, value: Json, context: { source?: string }) => Json;
  const parse = JSON.parse as (text: string, reviver: Reviver) => Json;
  return parse(text, (_key, value, context) => context.source ?? value);
}

describe('injection', async () => {
  const injection = await Injection.start();
  const withMeeting = pods([...SIDECARS, ...SIDECARS.map((name) => `${name}-1`)]);

  test('gives what the rules say, told in the plainest way', () => {
    fc.assert(
      fc.property(withMeeting, sidecarSets, (pod, sets) => {
        const created = injection.hold(...sets).create(pod);
        expect(differences(inject(pod, sets, TEXT_NOW), created)).toEqual([]);
      }),
      RUNS,
    );
  });

  test('changes nothing but times when it comes a second time', () => {
    fc.assert(
      fc.property(pods(), sidecarSets, (pod, sets) => {
        const once = injection.hold(...sets).create(pod);
        const twice = injection.create(once, {}, NOW + 3_600_000);
        expect(differences(see.withoutTimes(once), see.withoutTimes(twice))).toEqual([]);
      }),
      RUNS,
    );
  });

  test('keeps every byte of what it is not about', () => {
    fc.assert(
      fc.property(withMeeting, sidecarSets, (pod, sets) => {
        const { operations } = injection.hold(...sets).review(pod);
        const before = raw(JSON.stringify(pod)) as JsonObject;
        const after = raw(JSON.stringify(pod)) as JsonObject;
        applyPatch(after, rawOperations(operations));
        expectForeignKept(before, after, new Set(sets.flatMap(injectedNames)), annotationsOf(sets));
      }),
      RUNS,
    );
  });

  test('does not depend on the order in which sets arrive', () => {
    fc.assert(
      fc.property(withMeeting, sidecarSets, fc.nat(5), (pod, sets, rotation) => {
        const created = injection.hold(...sets).create(pod);
        const shuffled = rotation % 2 === 0 ? sets.toReversed() : [...sets.slice(1), ...sets.slice(0, 1)];
        expect(injection.hold(...shuffled).create(pod)).toEqual(created);
      }),
      RUNS,
    );
  });

  test('does not depend on sets that do not match, nor on sets that were there before', () => {
    fc.assert(
      fc.property(withMeeting, sidecarSets, sidecarSets, (pod, sets, others) => {
        const created = injection.hold(...sets).create(pod);
        injection.hold(...others);
        injection.create(pod);
        const foreign = others.map((set) => renamed(set, { matchLabels: { app: 'db' } }));
        expect(injection.hold(...foreign, ...sets).create(pod)).toEqual(created);
      }),
      RUNS,
    );
  });

  test('answers with a patch that every implementation applies alike', () => {
    fc.assert(
      fc.property(withMeeting, sidecarSets, (pod, sets) => {
        const { object, operations } = injection.hold(...sets).review(pod);
        expect(applyOurs(pod, operations as unknown as Parameters<typeof applyOurs>[1])).toEqual(object);
      }),
      RUNS,
    );
  });

  test('leaves pods that no set matches without a patch', () => {
    fc.assert(
      fc.property(withMeeting, sidecarSets, (pod, sets) => {
        const others = sets.map((set) => renamed(set, { matchLabels: { app: 'db' } }));
        expect(injection.hold(...others).review(pod).operations).toEqual([]);
      }),
      RUNS,
    );
  });
});

function rawOperations(operations: readonly Operation[]): Operation[] {
  return operations.map((operation) => {
    if (!('value' in operation)) return operation;
    return { ...operation, value: raw(JSON.stringify(operation.value)) };
  });
}

function expectForeignKept(
  before: JsonObject,
  after: JsonObject,
  injected: ReadonlySet<string>,
  annotated: ReadonlySet<string>,
): void {
  const [specBefore, specAfter] = [before.spec as JsonObject, after.spec as JsonObject];
  for (const list of ['containers', 'initContainers']) {
    const foreign = (spec: JsonObject) => items(spec[list]).filter((one) => !injected.has(String(one.name)));
    expect(foreign(specAfter)).toEqual(foreign(specBefore));
  }
  const own = items(specBefore.volumes);
  expect(items(specAfter.volumes).slice(0, own.length)).toEqual(own);
  const ownSecrets = items(specBefore.imagePullSecrets).map((one) => String(one.name));
  const secrets = items(specAfter.imagePullSecrets).map((one) => String(one.name));
  expect(secrets.slice(0, new Set(ownSecrets).size)).toEqual([...new Set(ownSecrets)]);
  const foreignNotes = (pod: JsonObject) =>
    Object.entries(see.annotations(pod)).filter(([name]) => !annotated.has(name) && !name.includes('kruise.io/'));
  expect(foreignNotes(after)).toEqual(foreignNotes(before));
  expect(omit(specAfter, 'containers', 'initContainers', 'volumes', 'imagePullSecrets')).toEqual(
    omit(specBefore, 'containers', 'initContainers', 'volumes', 'imagePullSecrets'),
  );
  expect(omit(after.metadata as JsonObject, 'annotations')).toEqual(omit(before.metadata as JsonObject, 'annotations'));
  expect(omit(after, 'spec', 'metadata')).toEqual(omit(before, 'spec', 'metadata'));
}

/** The raw texts of the names of all containers that the set injects. */
function injectedNames(set: JsonObject): string[] {
  const { containers, initContainers } = set.spec as JsonObject;
  return [...items(containers), ...items(initContainers)].flatMap(({ name }) =>
    [name, `${name}-1`, `${name}-2`].map((one) => JSON.stringify(one)),
  );
}

function annotationsOf(sets: readonly JsonObject[]): Set<string> {
  const patches = sets.flatMap((set) => items((set.spec as JsonObject).patchPodMetadata));
  return new Set(patches.flatMap((patch) => Object.keys(patch.annotations as JsonObject)));
}

function renamed(set: JsonObject, selector: JsonObject): JsonObject {
  const metadata = { ...(set.metadata as JsonObject), name: `other-${(set.metadata as JsonObject).name}` };
  return { ...set, metadata, spec: { ...(set.spec as JsonObject), selector } };
}

function omit(object: JsonObject, ...names: string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function items(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
