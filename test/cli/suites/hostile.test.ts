// Suites and recordings with anything anywhere: what is wrong is told, and nothing is taken for a bug of ours.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../api/core/json.ts';
import { loadAdmission } from '../../../cli/evaluator.ts';
import { readDocuments } from '../../../component/manifests.ts';
import { testFolder } from '../files.ts';
import { run } from '../stand-in.ts';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
const { folder, write } = testFolder();
const real = { loadAdmission };
const EXITS = [0, 1, 2];

/** The value with what stands at the nth place, counted through all of it, put in place of that. */
function replaced(value: Json, place: number, other: Json): Json {
  let left = place;
  const walk = (one: Json): Json => {
    if (left-- === 0) return other;
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, walk(inner)]));
  };
  return walk(value);
}

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(null, [], {}, '', '(', '-1', 1e21, '__proto__', '../..', { kind: 'List', items: null }),
) as fc.Arbitrary<Json>;

const suites = async (): Promise<Json[]> =>
  (await readDocuments([`${examples}/suites`])).map(({ object }) =>
    JSON.parse(JSON.stringify(object).replaceAll('"../', `"${examples}/`)),
  );

const kyverno: Json = {
  apiVersion: 'cli.kyverno.io/v1alpha1',
  kind: 'Test',
  metadata: { name: 'a' },
  policies: [`${examples}/sidecars`],
  resources: [`${examples}/pods`],
  results: [{ policy: 'mesh', resources: ['orders'], kind: 'Deployment', result: 'pass' }],
};
const gatekeeper: Json = {
  apiVersion: 'test.gatekeeper.sh/v1alpha1',
  kind: 'Suite',
  metadata: { name: 'a' },
  tests: [
    {
      name: 'a',
      constraint: `${examples}/sidecars`,
      cases: [{ name: 'b', object: `${examples}/pods/checkout.yaml`, assertions: [{ violations: 'no' }] }],
    },
  ],
};

describe('anything in place of anything', () => {
  it('in a suite ends with 0, 1 or 2, with and without recording', async () => {
    const all = [...(await suites()), kyverno, gatekeeper];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...all),
        fc.nat(120),
        anything,
        fc.boolean(),
        async (suite, place, other, update) => {
          const file = write('suite.yaml', JSON.stringify(replaced(suite, place, other)));
          const { code, stderr } = await run(['test', file, '--coverage', ...(update ? ['--update'] : [])], real);
          expect([code, stderr]).toEqual([expect.toBeOneOf(EXITS), expect.not.stringContaining('internal error')]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('in a recording ends with 0, 1 or 2', async () => {
    const file = `${folder}/recording.json`;
    const given = ['-f', `${examples}/pods/checkout.yaml`, '--objects', `${examples}/sidecars`];
    await run(['review', ...given, '--record', file], real);
    const recording = JSON.parse(readFileSync(file, 'utf8')) as Json;
    await fc.assert(
      fc.asyncProperty(fc.nat(300), anything, async (place, other) => {
        const changed = write('changed.json', JSON.stringify(replaced(recording, place, other)));
        const { code, stderr } = await run(['review', '--replay', changed], real);
        expect([code, stderr]).toEqual([expect.toBeOneOf(EXITS), expect.not.stringContaining('internal error')]);
      }),
      { numRuns: 100 },
    );
  });
});
