// Rows of tables about the creation of pods: what the cluster holds, the pod, and what is to be seen of the answer.
import { expect } from 'vitest';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { pod } from './builders/pod.ts';
import { Injection } from './injection.ts';

export type Row = {
  rule: string;
  objects: JsonObject[];
  /** A pod labelled `app: web` with one container `app` if absent. */
  pod?: JsonObject;
  /** Members of the request that differ from a plain creation. */
  request?: JsonObject;
  gates?: Record<string, boolean>;
  /** What to look at in the created pod, and what is there. */
  see?: (created: JsonObject) => Json | undefined;
  expected?: Json;
  /** Nothing but this may be read from the answer: the pod is as it was. */
  untouched?: true;
  /** The pod is refused, with such a message. */
  refused?: RegExp;
};

/** Asks what the row asks, and expects its answer. */
export async function expectRow(row: Row): Promise<void> {
  const injection = (await Injection.start(row.gates)).hold(...row.objects);
  const verdict = injection.review(row.pod ?? pod(), row.request);
  if (row.refused !== undefined) {
    expect(verdict).toMatchObject({ allowed: false, message: expect.stringMatching(row.refused) });
    expect(verdict.code).toBeGreaterThanOrEqual(400);
    return;
  }
  expect(verdict).toMatchObject({ allowed: true });
  if (row.untouched) expect(verdict.operations).toEqual([]);
  else expect(row.see?.(verdict.object as JsonObject)).toEqual(row.expected);
}
