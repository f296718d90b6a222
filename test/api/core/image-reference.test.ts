import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeImage } from '../../../api/core/image-reference.ts';
import { imageTag } from '../../../api/core/images.ts';

const hex = '0123456789abcdef'.repeat(4);
const digest = `sha256:${hex}`;
const malformed = 'invalid reference format';

test.each([
  ['ubuntu', 'ubuntu', 'latest'],
  ['ubuntu:20.04', 'ubuntu', '20.04'],
  ['library/ubuntu', 'ubuntu', 'latest'],
  ['docker.io/library/ubuntu:20.04', 'ubuntu', '20.04'],
  ['docker.io/ubuntu', 'ubuntu', 'latest'],
  ['docker.io/acme/app:1', 'acme/app', '1'],
  ['docker.io/library/acme/app:1', 'library/acme/app', '1'],
  ['index.docker.io/library/redis', 'redis', 'latest'],
  ['index.docker.io/redis', 'redis', 'latest'],
  ['reg.io:5000/a/b:v1', 'reg.io:5000/a/b', 'v1'],
  ['reg.io/library/a', 'reg.io/library/a', 'latest'],
  [`reg.io/a/b:v1@${digest}`, 'reg.io/a/b', digest],
  [`app@${digest}`, 'app', digest],
  [`app@sha512:${hex}${hex}`, 'app', `sha512:${hex}${hex}`],
  ['localhost/x', 'localhost/x', 'latest'],
  ['localhost:5000/x', 'localhost:5000/x', 'latest'],
  ['Registry.example.com/x', 'Registry.example.com/x', 'latest'],
  ['a__b/c-d.e:_x', 'a__b/c-d.e', '_x'],
  ['a_b.c/x', 'a_b.c/x', 'latest'],
])('%s is the image %s with tag %s', (text, name, tag) => {
  expect(normalizeImage(text)).toEqual({ name, tag });
});

test.each([
  ['', malformed],
  [' app', malformed],
  ['a:b:c', malformed],
  ['a:', malformed],
  ['a@', malformed],
  ['/a', malformed],
  ['a//b', malformed],
  ['reg.io/', malformed],
  ['reg..io/a', malformed],
  ['reg.io:x/a', malformed],
  ['a:-x', malformed],
  [`a:${'x'.repeat(129)}`, malformed],
  ['a@sha256:12', malformed],
  ['UPPER/x', `${malformed}: repository name must be lowercase`],
  ['INVALID_REF', `${malformed}: repository name must be lowercase`],
  ['reg.io/App', `${malformed}: repository name must be lowercase`],
  [`a@md5:${'0'.repeat(32)}`, 'unsupported digest algorithm'],
  [`a@sha256:${'0'.repeat(63)}`, 'invalid checksum digest length'],
  [`a@sha256:${'A'.repeat(64)}`, 'invalid checksum digest format'],
  [hex, `invalid repository name (${hex}), cannot specify 64-byte hexadecimal strings`],
  [`reg.io/${'a'.repeat(250)}`, 'repository name must not be more than 255 characters'],
])('%s is refused: %s', (text, fault) => {
  expect(normalizeImage(text)).toBe(fault);
});

const part = fc.stringMatching(/^[a-z0-9]{1,4}([._]|__|-{1,3})?[a-z0-9]{1,4}$/);
const registry = fc.constantFrom('', 'docker.io/', 'index.docker.io/', 'reg.io/', 'reg.io:5000/', 'localhost/');
const tag = fc.constantFrom('', ':v1', ':latest', `@${digest}`, `:v1@${digest}`);

test('the familiar form stands for the same image', () => {
  fc.assert(
    fc.property(registry, fc.array(part, { minLength: 1, maxLength: 3 }), tag, (host, parts, suffix) => {
      const reference = normalizeImage(`${host}${parts.join('/')}${suffix}`);
      if (typeof reference === 'string') throw new Error(reference);
      const joint = reference.tag.includes(':') ? '@' : ':';
      expect(normalizeImage(`${reference.name}${joint}${reference.tag}`)).toEqual(reference);
    }),
  );
});

test('whatever has a tag for the pull policy is an image here, but for upper case and brackets in the first part', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9.:/@_-]{0,12}$/), (text) => {
      expect(typeof normalizeImage(text) === 'object').toBe(imageTag(text) !== undefined);
    }),
    { numRuns: 2000 },
  );
});

test('a long text is refused quickly', () => {
  const started = performance.now();
  for (const piece of ['a', 'a.', 'a-', 'a_', 'a/', '-', 'a:', 'A']) normalizeImage(piece.repeat(100_000));
  expect(performance.now() - started).toBeLessThan(2000);
});
