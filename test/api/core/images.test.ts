import { expect, test } from 'vitest';
import { defaultPullPolicy, imageTag } from '../../../api/core/images.ts';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

test.each([
  ['busybox', 'latest'],
  ['busybox:1.36', '1.36'],
  ['library/busybox', 'latest'],
  ['registry.example.com:5000/a/b', 'latest'],
  ['registry.example.com:5000/a/b:v1', 'v1'],
  ['localhost/a:v1', 'v1'],
  ['Registry/a:v1', 'v1'],
  [`busybox@${digest}`, ''],
  [`busybox:latest@${digest}`, 'latest'],
  [`registry.example.com/a:v1@${digest}`, 'v1'],
  ['a__b/c-d.e:_x', '_x'],
])('the tag of %s is %j', (image, tag) => {
  expect(imageTag(image)).toBe(tag);
});

test.each([
  '',
  ' busybox',
  'Busybox',
  'a/Busybox:latest',
  'busybox:',
  'busybox:a b',
  '/a',
  'a//b',
  'a@sha256:12',
  `a@md5:${'0'.repeat(32)}`,
  '0'.repeat(64).replaceAll('0', 'a'),
  'a:-x',
  'a:'.concat('x'.repeat(129)),
])('%j is no image reference, and is not pulled always', (image) => {
  expect(imageTag(image)).toBeUndefined();
  expect(defaultPullPolicy(image)).toBe('IfNotPresent');
});

test('images that may change are pulled always', () => {
  expect(['a', 'a:latest', 'a:1', `a@${digest}`].map(defaultPullPolicy)).toEqual([
    'Always',
    'Always',
    'IfNotPresent',
    'IfNotPresent',
  ]);
});
