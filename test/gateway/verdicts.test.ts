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
  [
    'a uid that speaks of a verdict',
    '{"response":{"uid":"\\"allowed\\":true","allowed":false,"status":{"code":403}}}',
    { allowed: false, code: 403 },
  ],
  ['no review', '{}', { allowed: false, code: 0 }],
])('%s', (_what, answer, verdict) => {
  expect(verdictOf('/mutate-pod', answer)).toEqual(verdict);
});

const CONVERSION = '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u-1",';

test.each<[string, string, { allowed: boolean; code: number }]>([
  [
    'a conversion',
    `${CONVERSION}"convertedObjects":[{"spec":{"allowed":false}}],"result":{"status":"Success"}}}`,
    { allowed: true, code: 200 },
  ],
  [
    'a failed one, whatever its objects say',
    `${CONVERSION}"convertedObjects":[],"result":{"status":"Failure","message":"\\"allowed\\":true"}}}`,
    { allowed: false, code: 0 },
  ],
  [
    'one that failed with a code',
    `${CONVERSION}"convertedObjects":[],"result":{"status":"Failure","message":"no","code":500}}}`,
    { allowed: false, code: 500 },
  ],
])('%s', (_what, answer, verdict) => {
  expect(verdictOf('/convert', answer)).toEqual(verdict);
});
