// The recorded questions, asked of the policy module and the kinds' webhooks alone.
import { describe, expect, test } from 'vitest';
import { formatDifferences } from '../support/compare/difference.ts';
import { compareCase } from '../support/corpus.ts';
import { coveredCases, leftOut } from '../support/coverage.ts';
import { RECORDED_GATES } from '../support/gates.ts';
import { moduleTransport } from '../support/policy-module.ts';
import { runnerOver } from '../support/runners.ts';

const NOW = Date.parse('2026-07-02T08:00:00Z');

describe('the policy module answers as recorded:', async () => {
  const run = runnerOver(await moduleTransport(RECORDED_GATES, NOW));

  test.each(coveredCases('module'))('$area/$name', async (question) => {
    const { differences } = compareCase(question, await run(question));
    if (differences.length > 0) expect.fail(formatDifferences(`${question.what} (${question.spec})`, differences));
  });
});

test('what is left out is said in one line', () => {
  const line = leftOut('module');
  if (line !== undefined) console.log(line);
});
