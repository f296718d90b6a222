// Strings and base64 against the platform's own.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonModule } from '../support/module.ts';

const module = new JsonModule();

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({
    unit: fc.constantFrom(...'<>&"\\/ab\n\r\t\b\f\0\x1f\x7f\u2027\u2028\u2029\u202aâ€\u{1f600}'),
    maxLength: 60,
  }),
  fc.string({ unit: fc.constantFrom('x', 'x', 'x', 'x', 'x', '"', '\u2028'), maxLength: 120 }),
);

/** What Go's encoding/json escapes beyond JSON.stringify, for HTML's sake. */
function html(quoted: string): string {
  return quoted.replace(/[<>&\u2028\u2029]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

describe('a string written as JSON', () => {
  it('is escaped as JSON.stringify does it', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(module.quoted(value, false)).toBe(JSON.stringify(value));
      }),
      { numRuns: 4000 },
    );
  });

  it('is escaped for HTML as Go does it', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(module.quoted(value, true)).toBe(html(JSON.stringify(value)));
      }),
      { numRuns: 4000 },
    );
  });

  it('is escaped rightly wherever in a vector the character stands', () => {
    for (const one of [
      '"',
      '\\',
      '\n',
      '\x1f',
      '<',
      '>',
      '&',
      '\u2028',
      '\u2029',
      '\u2027',
      '\u202a',
      '€',
      '=',
      '?',
      "'",
    ]) {
      for (let before = 0; before < 40; before++) {
        const value = 'x'.repeat(before) + one + 'y'.repeat(before % 19);
        expect(module.quoted(value, false)).toBe(JSON.stringify(value));
        expect(module.quoted(value, true)).toBe(html(JSON.stringify(value)));
      }
    }
  });
});

describe('base64', () => {
  it('is that of the platform for every length and every byte', () => {
    for (let length = 0; length < 300; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 89 + length * 7) & 0xff);
      expect(module.base64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
    }
    const all = Uint8Array.from({ length: 3 * 65_536 }, (_, i) => (i % 3 === 0 ? i / 3 : i / 3 / 256) & 0xff);
    expect(module.base64(all)).toBe(Buffer.from(all).toString('base64'));
  });

  it('is that of the platform for random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(module.base64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      }),
      { numRuns: 4000 },
    );
  });
});
