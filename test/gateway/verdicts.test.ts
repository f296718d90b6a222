// What the gateway counts of an answer is read out of its bytes, which it does not decode.
import { expect, test } from 'vitest';
import { verdictOf } from '../../gateway/refusal.ts';

const HEAD = '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u-1",';

test.each<[string, string, { allowed: boolean; code: number }]>([
  ['an admitted request', `${HEAD}"allowed":true,"status":{"code":200}}}`, { allowed: true, code: 200 }],
  [
    'a denied one',
    `${HEAD}"allowed":false,"status":{"code":403,"reason":"Forbidden","message":"no"}}}`,
    { allowed: false, code: 403 },
  ],
  ['a code alone', `${HEAD}"allowed":false,"status":{"code":500}}}`, { allowed: false, code: 500 }],
  [
    'a code in another place',
    `${HEAD}"allowed":false,"status":{"message":"no","code":422}}}`,
    { allowed: false, code: 422 },
  ],
  ['a code that is none', `${HEAD}"allowed":false,"status":{"code":4031}}}`, { allowed: false, code: 4031 }],
  ['no code', `${HEAD}"allowed":false}}`, { allowed: false, code: 0 }],
  ['an answer that ends early', `${HEAD}"allowed":false,"status":{"code":4`, { allowed: false, code: 4 }],
  ['no review', '{}', { allowed: false, code: 0 }],
])('%s', (_what, answer, verdict) => {
  expect(verdictOf(Buffer.from(answer))).toEqual(verdict);
});
