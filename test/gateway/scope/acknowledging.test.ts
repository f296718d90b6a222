// Policies are allowed with `--scope demand` only when their pods are sent.

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { Answer, Evaluator } from '../../../gateway/evaluation.ts';
import { acknowledging } from '../../../gateway/scope/acknowledging.ts';

const PATH = '/validate-apps-kruise-io-sidecarset';
const encode = (value: unknown) => Buffer.from(JSON.stringify(value));
const decode = ({ body }: Answer) => JSON.parse(Buffer.from(body).toString()) as { response: JsonObject };

/** An evaluator that gives this answer to everything, and what was widened for. */
function start(response: JsonObject, isLive: boolean, failure?: string) {
  const widened: { object: JsonObject; old: JsonObject | undefined }[] = [];
  const evaluator: Evaluator = {
    paths: () => [PATH, '/mutate-pod'],
    answer: () => {
      const answer = { status: 200, body: encode({ response }) };
      return isLive ? Promise.resolve(answer) : answer;
    },
    apply: () => undefined,
    remove: () => undefined,
  };
  const one = acknowledging(evaluator, {
    widen: async (object, old) => {
      if (failure !== undefined) throw new Error(failure);
      widened.push({ object, old });
    },
  });
  return { one, widened };
}

const object = { kind: 'SidecarSet', metadata: { name: 'one' } };
const review = (change: JsonObject = {}) => encode({ request: { uid: 'u', operation: 'CREATE', object, ...change } });

test.each([true, false])('one that is allowed waits for its pods; from a live decision: %s', async (isLive) => {
  const { one, widened } = start({ allowed: true }, isLive);
  const answer = await one.answer(
    PATH,
    review({ operation: 'UPDATE', oldObject: object, namespace: 'shop' }),
    0,
    999.5,
  );
  expect(decode(answer).response).toEqual({ allowed: true });
  const within = { ...object, metadata: { name: 'one', namespace: 'shop' } };
  expect(widened).toEqual([{ object: within, old: within }]);
});

test.each<[string, JsonObject, JsonObject]>([
  ['that is refused', { allowed: false }, {}],
  ['of a dry run', { allowed: true }, { dryRun: true }],
  ['that is deleted', { allowed: true }, { operation: 'DELETE', object: null, oldObject: object }],
])('one %s needs nothing', async (_what, response, change) => {
  const { one, widened } = start(response, false, 'unwanted');
  expect(decode(await one.answer(PATH, review(change), 0, 1000)).response).toEqual(response);
  expect(widened).toEqual([]);
});

test('one whose pods cannot be sent is refused for now, with the reason', async () => {
  const { one } = start({ allowed: true }, false, 'not now');
  const { response } = decode(await one.answer(PATH, review(), 0, 1000));
  expect(response).toMatchObject({
    uid: 'u',
    allowed: false,
    status: { code: 429, message: 'its pods could not be put in the scope of the webhooks: not now; try again' },
  });
});

test('pods are answered at once', () => {
  const { one } = start({ allowed: true }, false);
  expect(one.answer('/mutate-pod', review(), 0, 1000)).not.toBeInstanceOf(Promise);
});
