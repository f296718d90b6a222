// Names, hashes and UIDs that follow from content alone, so that the same input always makes the same review.

import { createHash } from 'node:crypto';
import type { Json } from '../api/core/json.ts';

// The letters and digits of generated names: no vowels, and nothing that looks like one.
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A UID in the form of a UUID. */
export function contentUid(...content: readonly Json[]): string {
  const hex = digest(content).toString('hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** `length` (at most 32) characters that a generated name may have. */
export function contentSuffix(length: number, ...content: readonly Json[]): string {
  return [...digest(content).subarray(0, length)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

function digest(content: readonly Json[]): Buffer {
  return createHash('sha256').update(JSON.stringify(content)).digest();
}
