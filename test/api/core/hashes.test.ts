import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentHash, deepHash, revisionHash, revisionName, safeEncode } from '../../../api/core/hashes.ts';
import { sha256Hex } from '../../../api/core/sha256.ts';

function platformHash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

test('SHA-256 is that of the platform', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => sha256Hex(text) === platformHash(text)),
  );
  for (const length of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 1000, 100_000]) {
    expect(sha256Hex('x'.repeat(length)), `${length} bytes`).toBe(platformHash('x'.repeat(length)));
  }
});

test('hex digits are mapped to the safe alphabet, 0 and f to the same character', () => {
  expect(safeEncode('0123456789abcdef')).toBe('456789bcdfvwxz24');
  expect(contentHash('{"containers":null}')).toBe('x5vwx9w6vv4dv72c9w4c2f6v74fbwx545b45bbfz6z2dvf8w887xw86fvcb4cf48');
});

describe('the hash of a revision', () => {
  const data = '{"spec":{"template":{"x":1}}}';
  test.each([
    [undefined, '59547b6579'],
    [0, '78c586c9df'],
    [1, '78c586c9dd'],
  ])('with collision count %s is %s', (collisionCount, hash) => {
    expect(revisionHash(data, collisionCount)).toBe(hash);
  });

  test('ends the name of the revision, whose parent is cut', () => {
    expect(revisionName('logs', '76775bfdf5')).toBe('logs-76775bfdf5');
    expect(revisionName('x'.repeat(253), 'abc')).toBe(`${'x'.repeat(223)}-abc`);
  });
});

test.each([
  ['null', 86995377],
  ['{"image":"foo/image:v1","name":"test_container"}', 2386938832],
])('the deep hash of %s is that of Go', (text, hash) => {
  expect(deepHash(new TextEncoder().encode(text))).toBe(hash);
});
