// How long the parts of a body are, found before it is read: what is too long to be an object is not worth the reading.

import { OBJECT_LENGTH_MOST } from '../api/core/decode.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NULL = Buffer.from('null');

/**
 * The body with null in place of each object, list and text that stands inside of so many others (2 for what a request
 * contains) and has more bytes than objects may have; undefined if there is none. The body must be JSON.
 */
export function withoutOversized(body: Uint8Array, depth: number): Uint8Array | undefined {
  if (body.length <= OBJECT_LENGTH_MOST) return undefined;
  const kept: Uint8Array[] = [];
  let done = 0;
  let level = 0;
  let start = 0;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (byte === QUOTE) {
      if (level === depth) start = i;
      i = endOfString(body, i);
    } else if (byte === 0x7b || byte === 0x5b) {
      if (level === depth) start = i;
      level++;
      continue;
    } else if (byte === 0x7d || byte === 0x5d) level--;
    else continue;
    if (level !== depth || i - start < OBJECT_LENGTH_MOST) continue;
    kept.push(body.subarray(done, start), NULL);
    done = i + 1;
  }
  return kept.length === 0 ? undefined : Buffer.concat([...kept, body.subarray(done)]);
}

function endOfString(body: Uint8Array, start: number): number {
  for (let i = start + 1; i < body.length; i++) {
    if (body[i] === QUOTE) return i;
    if (body[i] === BACKSLASH) i++;
  }
  return body.length;
}
