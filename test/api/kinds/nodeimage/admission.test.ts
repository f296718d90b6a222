// Acceptance cases 30 and 31 of images.md, and the rules of 3.1 and 3.4.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { nodeImage } from '../../../../api/kinds/nodeimage/kind.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
});

function node(images: JsonObject, { version = 'v1beta1', status }: { version?: string; status?: JsonObject } = {}) {
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'NodeImage',
    metadata: { name: 'n1' },
    spec: { images },
    ...(status !== undefined && { status }),
  };
}

const pullPolicy = { timeoutSeconds: 600, backoffLimit: 3, ttlSecondsAfterFinished: 300 };
const task = (tag: string, more: JsonObject = {}): JsonObject => ({
  tag,
  createdAt: '2026-07-01T00:00:00Z',
  pullPolicy,
  ...more,
});
const ofUbuntu = (...tags: JsonObject[]): JsonObject => ({ ubuntu: { tags } });
const tagsOf = (images: Json | undefined, name: string) =>
  ((images as JsonObject)[name] as { tags: JsonObject[] }).tags.map(({ tag }) => tag);

describe('defaults', () => {
  test.each(['v1alpha1', 'v1beta1'])('complete a task in %s with the time of the request', (version) => {
    const given = node(ofUbuntu({ tag: 'latest', pullPolicy: { ttlSecondsAfterFinished: 300 } }), { version });
    const defaulted = admission.defaulted(given);
    const [tag] = (defaulted.spec as { images: { ubuntu: { tags: Json[] } } }).images.ubuntu.tags;
    expect(tag).toEqual({ tag: 'latest', createdAt: '2026-07-02T08:00:00Z', pullPolicy });
    expect(admission.validate(defaulted)).toMatchObject({ allowed: true });
  });

  test('put tasks in order of their bytes, in the status too, and leave all else', () => {
    const tags = ['b', 'B', '10', '9', '😀', '\uffee'].map((tag) => task(tag));
    const status = {
      desired: 6,
      imageStatuses: { ubuntu: { tags: [...tags].map(({ tag = '' }) => ({ tag, phase: 'Waiting' })) } },
    };
    const defaulted = admission.defaulted(node(ofUbuntu(...tags), { status }));
    const sorted = ['10', '9', 'B', 'b', '\uffee', '😀'];
    expect(tagsOf((defaulted.spec as JsonObject).images, 'ubuntu')).toEqual(sorted);
    expect(tagsOf((defaulted.status as JsonObject).imageStatuses, 'ubuntu')).toEqual(sorted);
    expect(admission.mutate(defaulted).operations).toEqual([]);
  });

  test('keep tasks without a time of creation apart from the clock, if there is none', () => {
    const defaulted = nodeImage.applyDefaults(node(ofUbuntu({ tag: 'a' })), 'v1beta1', { gates: new Map() });
    expect(JSON.stringify(defaulted)).not.toContain('createdAt');
  });
});

const many = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`img${i}`, { tags: [] }]));

describe('a NodeImage is admitted', () => {
  test.each<[string, JsonObject]>([
    ['with 256 images', many(256)],
    ['without tasks', ofUbuntu()],
    ['with a tag in two images', { a: { tags: [task('1')] }, b: { tags: [task('1')] } }],
  ])('%s', (_what, images) => {
    expect(admission.admit(node(images))).toMatchObject({ allowed: true });
  });
});

describe('a NodeImage is refused', () => {
  test.each<[string, JsonObject, string]>([
    ['with 257 images', many(257), 'spec images length 257 can not be more than 256'],
    ['with an image without name', { '': { tags: [] } }, 'image name can not be empty'],
    ['with an empty tag', ofUbuntu(task('')), 'tag for image ubuntu can not be empty'],
    ['with a tag twice', ofUbuntu(task('a'), task('a')), 'duplicated tag a for image ubuntu'],
    ['with a negative version', ofUbuntu(task('a', { version: -1 })), 'version for ubuntu/a can not be less than 0'],
    [
      'without a time to live',
      ofUbuntu({ tag: 'latest' }),
      'pullPolicy.ttlSecondsAfterFinished for ubuntu/latest must set',
    ],
    [
      'for the first fault, by name of the image',
      { b: { tags: [task('')] }, a: { tags: [task('1', { version: -1 })] } },
      'version for a/1 can not be less than 0',
    ],
  ])('%s', (_what, images, message) => {
    expect(admission.admit(node(images))).toMatchObject({ allowed: false, code: 400, message });
    expect(admission.admit(node(images, { version: 'v1alpha1' }))).toMatchObject({
      allowed: false,
      code: 400,
      message,
    });
  });

  test.each<[string, JsonObject, string]>([
    ['a time of creation', { tag: 'a', pullPolicy }, 'createAt field for ubuntu/a can not be empty'],
    ['a pull policy', { tag: 'a', createdAt: '2026-07-01T00:00:00Z' }, 'pullPolicy for ubuntu/a must set'],
  ])('without %s that nothing has filled in', (_what, tag, message) => {
    expect(admission.validate(node(ofUbuntu(tag)))).toMatchObject({ allowed: false, code: 400, message });
  });

  test('while there is no daemon', async () => {
    const closed = await KindAdmission.start({ KruiseDaemon: false, ImagePullJobGate: true });
    expect(closed.admit(node(ofUbuntu(task('a'))))).toMatchObject({ allowed: false, code: 403 });
  });
});

test('the gate of image pull jobs does not matter', async () => {
  const withoutJobs = await KindAdmission.start({ ImagePullJobGate: false });
  expect(withoutJobs.admit(node(ofUbuntu(task('a'))))).toMatchObject({ allowed: true });
});

test('a NodeImage of 200 KB is defaulted and validated within 10 ms', () => {
  const tags = Array.from({ length: 10 }, (_, i) => task(String(100 - i)));
  const images = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`reg.io/team/app-${i}`, { tags }]));
  const given = node(images);
  expect(JSON.stringify(given).length).toBeGreaterThan(200_000);
  const context = { gates: new Map<string, boolean>(), now: 0 };
  const once = (): number => {
    const started = performance.now();
    const defaulted = nodeImage.applyDefaults(given, 'v1beta1', context);
    expect(nodeImage.validate(defaulted, undefined, {} as never)).toEqual([]);
    return performance.now() - started;
  };
  // The best of many: the machine may be busy.
  expect(Math.min(...Array.from({ length: 30 }, once))).toBeLessThan(10);
});
