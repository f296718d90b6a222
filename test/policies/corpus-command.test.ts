// The recorded questions, asked by `sluice review`: all of them in this process, one of each kind as a process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { asProcess, commandTransport, inProcess } from '../support/command-transport.ts';
import { formatDifferences } from '../support/compare/difference.ts';
import { compareObjects } from '../support/compare/objects.ts';
import { Placeholders } from '../support/compare/placeholders.ts';
import { compareCase, loadArea } from '../support/corpus.ts';
import { coveredCases, leftOut, oneOfEachKind } from '../support/coverage.ts';
import { RECORDED_GATES_FLAG } from '../support/gates.ts';
import { runnerOver } from '../support/runners.ts';

const NOW = Date.parse('2026-07-02T08:00:00Z');
const cases = coveredCases('command');

describe('the command answers as recorded:', () => {
  const command = commandTransport(inProcess, RECORDED_GATES_FLAG, NOW);
  afterAll(() => command.close());
  const run = runnerOver(command);

  test.each(cases)('$area/$name', async (question) => {
    const { differences } = compareCase(question, await run(question));
    if (differences.length > 0) expect.fail(formatDifferences(`${question.what} (${question.spec})`, differences));
  });
});

describe('the command as a process answers as recorded:', () => {
  const command = commandTransport(asProcess, RECORDED_GATES_FLAG, NOW);
  afterAll(() => command.close());
  const run = runnerOver(command);

  test.each(oneOfEachKind(cases))('$area/$name', async (question) => {
    const { differences } = compareCase(question, await run(question));
    if (differences.length > 0) expect.fail(formatDifferences(`${question.what} (${question.spec})`, differences));
  });
});

describe('without a path, the command does what an API server does:', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-corpus-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const created = loadArea('sidecarsets').filter((one) => one.via === 'apiserver' && one.request.method === 'POST');

  test.each(created)('$area/$name', async (question) => {
    const file = join(folder, 'object.json');
    writeFileSync(file, JSON.stringify(question.request.body));
    const { code, stdout, stderr } = await inProcess([
      'review',
      '-f',
      file,
      '--feature-gates',
      RECORDED_GATES_FLAG,
      '-o',
      'json',
    ]);
    expect({ code, stderr }).toEqual(
      question.expect.allowed ? { code: 0, stderr: '' } : { code: 1, stderr: expect.any(String) },
    );
    if (question.expect.object === undefined) return;
    // A command line stores nothing: what only storing sets is missing, and a field that storing converts is kept.
    const { metadata, spec } = question.expect.object as { metadata: JsonObject; spec: JsonObject };
    const { namespaceSelector: _converted, ...kept } = spec;
    const body = question.request.body as { spec: JsonObject };
    const wanted = {
      ...question.expect.object,
      metadata,
      spec: body.spec.namespace === undefined ? spec : { ...kept, namespace: body.spec.namespace },
    };
    const stored = ['uid', 'creationTimestamp', 'generation'].map((name) => `/object/metadata/${name}`);
    const placeholders = new Placeholders({ fromMs: NOW, toMs: NOW });
    expect(compareObjects(wanted, JSON.parse(stdout), { root: '/object', volatile: stored, placeholders })).toEqual([]);
  });
});

test('what is left out is said in one line', () => {
  const line = leftOut('command');
  if (line !== undefined) console.log(line);
});
