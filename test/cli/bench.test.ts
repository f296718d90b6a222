// `sluice bench` on a clock that goes one millisecond at each look, and a heap that grows with it.

import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadAdmission } from '../../cli/evaluator.ts';
import { writeEviction } from './eviction.ts';
import { testFolder } from './files.ts';
import { run } from './stand-in.ts';

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const policyModule = new URL('../../dist/policy.wasm', import.meta.url);
const { folder, write } = testFolder();
const { budget, eviction } = writeEviction(write);
const real = { loadAdmission, policyModule };
const review = ['-f', `${examples}/reviews/pod.json`, '--objects', `${examples}/sidecars`];

describe('sluice bench', () => {
  it('tells percentiles, memory of a review and of the module', async () => {
    const { code, stdout } = await run(['bench', ...review, '--count', '20', '-o', 'json'], real);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        modules: [
          {
            module: expect.stringMatching(/^sha256:[0-9a-f]{12}$/),
            reviews: 20,
            ...{ p50: 1000, p90: 1000, p99: 1000, max: 1000, mean: 1000 },
            heapBytes: 2000,
            moduleBytes: expect.any(Number),
          },
        ],
      },
    ]);
  });

  it('compares two modules in turns', async () => {
    copyFileSync(policyModule, `${folder}/other.wasm`);
    const { code, stdout, stderr } = await run(
      ['bench', ...review, '--count', '120', '--module', `${folder}/other.wasm`],
      real,
    );
    expect([code, stderr]).toEqual([0, '']);
    const [, first, second, ratio] = stdout.split('\n');
    expect([first, ratio]).toEqual([second, 'second to first: 1.00 (medians)']);
  });

  it('gives back what reviews take: each finds the cluster as it was', async () => {
    let denied = 0;
    const { code } = await run(['bench', '-f', eviction, '--objects', budget, '--count', '10'], {
      policyModule,
      loadAdmission: async (settings, options) => {
        const admission = await loadAdmission(settings, options);
        const answer: typeof admission.answer = (path, body, nowMs) => {
          const given = admission.answer(path, body, nowMs);
          if (!Buffer.from(given.body).includes('"allowed":true')) denied++;
          return given;
        };
        const { figures } = admission;
        return {
          answer,
          figures,
          apply: (object) => admission.apply(object),
          paths: () => admission.paths(),
          explain: () => [],
        };
      },
    });
    expect([code, denied]).toEqual([0, 0]);
  });

  it.each([
    [['-f', 'x', '--count', '0'], 'Expected a number from 1'],
    [['--objects', 'x'], '--filename (-f) is required'],
    [[...review, '--module', '/nowhere/policy.wasm'], '/nowhere/policy.wasm: no such file or folder'],
    [['-f', `${examples}/sidecars/namespaces.yaml`], 'no webhook answers this review'],
  ])('%j ends with 2', async (given, message) => {
    expect(await run(['bench', ...given], real)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
