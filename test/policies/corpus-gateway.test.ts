// The recorded questions, asked of a gateway over HTTPS.
import { afterAll, describe, expect, test } from 'vitest';
import { formatDifferences } from '../support/compare/difference.ts';
import { compareCase } from '../support/corpus.ts';
import { coveredCases, leftOut } from '../support/coverage.ts';
import { RECORDED_GATES } from '../support/gates.ts';
import { gatewayTransport } from '../support/gateway-transport.ts';
import { runnerOver } from '../support/runners.ts';

describe('the gateway answers as recorded:', async () => {
  const gateway = await gatewayTransport(RECORDED_GATES);
  afterAll(() => gateway.close());
  const run = runnerOver(gateway);

  test.each(coveredCases('gateway'))('$area/$name', async (question) => {
    const { differences } = compareCase(question, await run(question));
    if (differences.length > 0) expect.fail(formatDifferences(`${question.what} (${question.spec})`, differences));
  });
});

test('what is left out is said in one line', () => {
  const line = leftOut('gateway');
  if (line !== undefined) console.log(line);
});
