// Compares the answer to a ConversionReview.
import type { JsonObject } from '../../../api/core/json.ts';
import type { Case, CaseResult, Expectation } from '../corpus.ts';
import { type Difference, truth } from './difference.ts';
import { compareObjects } from './objects.ts';
import type { Placeholders } from './placeholders.ts';

/** Status, uid and version of the review bind; objects are compared as objects, in their order. */
export function compareConversion(
  recorded: Case,
  expect: Expectation,
  result: CaseResult,
  placeholders: Placeholders,
): Difference[] {
  if (expect.http !== undefined) return truth('/http', expect.http, result.http);
  const review = result.conversion;
  if (review === undefined) return truth('/http', 200, `${result.http ?? 'nothing'}: ${result.body ?? ''}`);
  const outcome = review.result as JsonObject | undefined;
  const differences = [
    ...truth('/reviewVersion', expect.reviewVersion, review.apiVersion),
    ...truth('/uid', expect.uid, review.uid),
    ...truth('/status', expect.status, outcome?.status),
  ];
  if (differences.length > 0)
    return outcome?.message ? [...differences, ...truth('/message', expect.message, outcome.message)] : differences;
  if (expect.objects === undefined) return compareMessage(recorded, expect, outcome);
  const objects = (review.convertedObjects ?? []) as JsonObject[];
  if (objects.length !== expect.objects.length) return truth('/objects', expect.objects, objects);
  return expect.objects.flatMap((object, index) =>
    compareObjects(object, objects[index], {
      root: `/objects/${index}`,
      volatile: recorded.volatile,
      placeholders,
      withoutZeroCounters: true,
    }),
  );
}

function compareMessage(recorded: Case, expect: Expectation, outcome: JsonObject | undefined): Difference[] {
  if (recorded.goText === true || recorded.volatile.includes('/message')) {
    return outcome?.message ? [] : truth('/message', 'some text', outcome?.message);
  }
  return truth('/message', expect.message, outcome?.message);
}
