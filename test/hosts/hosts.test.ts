// The hosts of examples/hosts, in four languages and three engines: the recorded questions get the same bytes in each.
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { processInput } from '../../component/flags.ts';
import { Policies } from '../../evaluator/policies.ts';
import { buildFaulty, FAULTS, reviewOf } from '../gateway/support/faulty.ts';
import type { Case } from '../support/corpus.ts';
import { coveredCases } from '../support/coverage.ts';
import { RECORDED_GATES } from '../support/gates.ts';
import { type HeldObjects, holdPolicies } from '../support/policy-module.ts';
import { type Call, Recorder, TRAPPED } from './support/calls.ts';
import { HOSTS, type Host, isReady, isRequired } from './support/programs.ts';
import { answersOf, firstDifference } from './support/running.ts';

const NOW = Date.parse('2026-07-02T08:00:00Z');
const TIME_LIMIT_MS = 120_000;
const { environment } = processInput();
const hosts = HOSTS.filter(({ name }) => name !== 'wapc');
const ready = hosts.filter((host) => isRequired(environment) || isReady(host, environment));

const SIDECARSET = JSON.stringify({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'logs', annotations: { 'kruise.io/sidecarset-hash': 'h' } },
  spec: { selector: { matchLabels: { app: 'web' } }, containers: [{ name: 'logs', image: 'logs:1' }] },
});

test('what is left out is said in one line', () => {
  const missing = hosts.filter((host) => !ready.includes(host)).map(({ name }) => name);
  if (missing.length > 0) console.log(`test/hosts: left out: ${missing.join(', ')}; "npm run hosts:setup" builds them`);
});

describe('the corpus', () => {
  let calls: readonly Call[] = [];

  beforeAll(async () => {
    const recorder = new Recorder(await compiled('policy'), RECORDED_GATES);
    const reference = await holdPolicies(RECORDED_GATES);
    for (const question of coveredCases('module')) ask(question, recorder, reference);
    // Longer than a review may be.
    recorder.record(`review 0 ${NOW}`, JSON.stringify({ padding: 'p'.repeat(8 << 20) }));
    calls = recorder.calls;
  }, TIME_LIMIT_MS);

  test.each(ready)('gets the same bytes in $source', { timeout: TIME_LIMIT_MS }, async (host) => {
    expect(calls.filter(({ line }) => line.startsWith('review')).length).toBeGreaterThan(400);
    expect(firstDifference(calls, await answers(host, 'policy', calls))).toBeUndefined();
  });
});

describe('a trap', () => {
  const review = (bytes: number): Call['line'] => `review 0 ${NOW} ${reviewOf('next', bytes)}`;
  let calls: readonly Call[] = [];

  beforeAll(async () => {
    await buildFaulty();
    const recorder = new Recorder(await compiled('faulty'), RECORDED_GATES);
    recorder.record('apply', SIDECARSET);
    recorder.record(`review 0 ${NOW}`, reviewOf('next', 900));
    const decided = recorder.calls.slice(-1);
    const faults = Object.values(FAULTS).flatMap((bytes) => [{ line: review(bytes), answer: TRAPPED }, ...decided]);
    calls = [...recorder.calls, ...faults];
  }, TIME_LIMIT_MS);

  test.each(ready)('costs $source one review and no object', { timeout: TIME_LIMIT_MS }, async (host) => {
    expect(calls.at(-1)?.answer.toString()).toMatch(/"patch":"\w+/);
    expect(firstDifference(calls, await answers(host, 'faulty', calls))).toBeUndefined();
  });
});

test('the example of docs/reference/embedding.md gets its sidecar', async () => {
  const page = await readFile(new URL('../../docs/reference/embedding.md', import.meta.url), 'utf8');
  const lines = /<<'END'\n([\s\S]*?)\nEND/.exec(page)?.[1]?.split('\n') ?? [];
  const [host] = hosts.filter(({ name }) => name === 'node');
  if (host === undefined) throw new Error('there is no host in Node');
  const written = await answers(
    host,
    'policy',
    lines.map((line) => ({ line, answer: Buffer.alloc(0) })),
  );
  const [, patch = ''] = /"patch":"([^"]+)"/.exec(written.toString()) ?? [];
  expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toContainEqual(
    expect.objectContaining({ op: 'add', value: expect.objectContaining({ name: 'logs', image: 'logs:1' }) }),
  );
});

test.each(HOSTS)('$source has less than 60 lines, empty ones and comments included', async ({ source }) => {
  const text = await readFile(new URL(`../../examples/hosts/${source}`, import.meta.url), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThan(60);
});

/** Makes every call that the case gives rise to; what Node's evaluator answers to its review must be the same. */
function ask({ objects, path, request, via }: Case, recorder: Recorder, reference: HeldObjects): void {
  recorder.hold(objects);
  for (const object of objects) if (object.kind === 'Pod') recorder.record('available', JSON.stringify(object));
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  const body = JSON.stringify(path === '/convert' || via === 'apiserver' ? request : review);
  // Kinds are decided in TypeScript: of them the module only says whether they are JSON as it must be.
  if (via === 'apiserver' || !Policies.paths.includes(path)) {
    recorder.record('checkJson', body);
    return;
  }
  reference.hold(objects);
  const expected = Buffer.from(reference.review(path, Buffer.from(body), NOW));
  expect(recorder.review(path, body, NOW).toString()).toBe(expected.toString());
}

function answers(host: Host, module: string, calls: readonly Call[]): Promise<Buffer> {
  const lines = calls.map(({ line }) => line);
  return answersOf(host.command(environment), {
    module: file(module),
    lines,
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
}

async function compiled(module: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(file(module)));
}

function file(module: string): string {
  return new URL(`../../dist/${module}.wasm`, import.meta.url).pathname;
}
