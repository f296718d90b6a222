// The recorded questions, asked of a gateway over HTTPS: all of them of one in this process, one of each kind of a process
// that follows its files.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatDifferences } from '../support/compare/difference.ts';
import { compareCase } from '../support/corpus.ts';
import { coveredCases, leftOut, oneOfEachKind } from '../support/coverage.ts';
import { RECORDED_GATES, RECORDED_GATES_FLAG } from '../support/gates.ts';
import { gatewayTransport, type ServedTransport } from '../support/gateway-transport.ts';
import { processTransport } from '../support/process-transport.ts';
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

describe('the gateway as a process that follows its files answers as recorded:', async () => {
  let gateway: ServedTransport | undefined;
  beforeAll(async () => {
    gateway = await processTransport(RECORDED_GATES_FLAG);
  });
  afterAll(() => gateway?.close());

  test.each(oneOfEachKind(coveredCases('gateway')))('$area/$name', async (question) => {
    const { differences } = compareCase(question, await runnerOver(gateway as ServedTransport)(question));
    if (differences.length > 0) expect.fail(formatDifferences(`${question.what} (${question.spec})`, differences));
  });
});

test('what is left out is said in one line', () => {
  const line = leftOut('gateway');
  if (line !== undefined) console.log(line);
});
