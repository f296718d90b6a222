// What answers look like on the wire: their headers, and bodies in the form that is sent in one write.

import { isAscii } from 'node:buffer';

/** The body of an answer: ASCII as text, all else as bytes. */
export type Content = string | Uint8Array;

/** A 503 may be tried again: the API server does so by itself, as long as its caller waits. */
export function reviewHeaders(body: Content, status: number): string[] {
  const headers = ['Content-Type', 'application/json', 'Content-Length', String(body.length)];
  if (status === 503) headers.push('Retry-After', '1');
  return headers;
}

/** An answer that nobody writes over: a text where it is ASCII, which has as many bytes as characters. */
export function copied(body: Uint8Array): Content {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  return isAscii(bytes) ? bytes.toString('latin1') : Buffer.from(body);
}

export function plain(
  status: number,
  text: string,
  ...more: string[]
): { status: number; headers: string[]; body: Buffer } {
  const body = Buffer.from(text);
  const type = ['Content-Type', 'text/plain; charset=utf-8', 'X-Content-Type-Options', 'nosniff'];
  return { status, headers: [...type, 'Content-Length', String(body.length), ...more], body };
}
