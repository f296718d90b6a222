// Acceptance case 40 of images.md, and the rules of 3.1 and 3.3.
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start({ ImagePullJobGate: true });
});

function job(spec: JsonObject, version = 'v1beta1'): JsonObject {
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'ImageListPullJob',
    metadata: { name: 'j', namespace: 'default' },
    spec: { images: ['a:1', 'b:2'], ...spec },
  };
}

const many = (count: number): JsonObject => ({ images: Array.from({ length: count }, (_, i) => `a:${i}`) });

test.each(['v1alpha1', 'v1beta1'])('a job is completed in %s, but for the pull policy of images', (version) => {
  const defaulted = admission.defaulted(job({}, version));
  expect(defaulted.spec).toEqual({
    images: ['a:1', 'b:2'],
    completionPolicy: { type: 'Always' },
    pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
  });
  expect((defaulted.metadata as JsonObject).finalizers).toBeUndefined();
});

describe('a job is admitted', () => {
  test.each<[string, JsonObject]>([
    ['with 255 images', many(255)],
    ['with a deadline before its timeout', { completionPolicy: { type: 'Always', activeDeadlineSeconds: 1 } }],
    ['that never ends', { completionPolicy: { type: 'Never' } }],
    ['with one image in two spellings', { images: ['a:1', 'docker.io/library/a:1'] }],
  ])('%s', (_what, spec) => {
    expect(admission.admit(job(spec))).toMatchObject({ allowed: true });
  });

  test('whatever an update changes', () => {
    const old = admission.defaulted(job({ pullSecrets: ['a'] }));
    expect(admission.admit(job({ images: ['c:3'], pullSecrets: ['b'] }), old)).toMatchObject({ allowed: true });
  });
});

describe('a job is refused', () => {
  test.each<[string, JsonObject, string]>([
    ['without images', { images: [] }, 'image can not be empty'],
    ['with null for images', { images: null }, 'image can not be empty'],
    ['with an image twice', { images: ['a:1', 'b:1', 'a:1'] }, 'images cannot have duplicate values'],
    ['with 256 images', many(256), 'images cannot have more than 255 values'],
    ['with an empty image', { images: ['a', ''] }, 'invalid image : invalid reference format'],
    ['for a percentage', { parallelism: '5%' }, 'parallelism does not support percentage value'],
    [
      'with a time to live, if it never ends',
      { completionPolicy: { type: 'Never', ttlSecondsAfterFinished: 1 } },
      'activeDeadlineSeconds and ttlSecondsAfterFinished can only work with Always CompletionPolicyType',
    ],
  ])('%s', (_what, spec, message) => {
    expect(admission.admit(job(spec))).toMatchObject({ allowed: false, code: 400, message });
    expect(admission.admit(job(spec, 'v1alpha1'))).toMatchObject({ allowed: false, code: 400, message });
  });

  test('while a gate is off', async () => {
    const closed = await KindAdmission.start({ ImagePullJobGate: false });
    expect(closed.admit(job({}))).toMatchObject({ allowed: false, code: 403 });
  });
});
