// Matching against the platform's own regular expressions where both mean the same, and its cost against a bound.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Direct } from '../../../support/direct.ts';

const direct = new Direct();
const matches = (pattern: string, text: string) => direct.call('patternMatches', pattern, text);

const text = fc.string({ unit: fc.constantFrom(...'abcABC019_- .\nkKKsSſéÉσςяЯ中'), maxLength: 6 });

/**
 * Forms that mean the same to both with `s`. Anchors are not repeated, which the platform has no syntax for; there are
 * no characters of two UTF-16 units, as it finds a \B between their halves.
 */
const { pattern: anyPattern } = fc.letrec<{ pattern: string; piece: string; repeated: string }>((tie) => ({
  piece: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(
      ...'abcAB0_é中.',
      '\\d',
      '\\D',
      '\\w',
      '\\.',
      '[ab]',
      '[^ab]',
      '[a-cK]',
      '[^\\d]',
      '[é-яk]',
      '\\p{L}',
      '\\P{Lu}',
    ),
    tie('pattern').map((inner) => `(${inner})`),
    tie('pattern').map((inner) => `(?:${inner})`),
  ),
  repeated: fc
    .tuple(tie('piece'), fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{0,2}', '{1,}', '{0}'))
    .map((parts) => parts.join('')),
  pattern: fc.oneof(
    { depthSize: 'medium' },
    fc
      .array(fc.oneof(tie('repeated'), tie('repeated'), fc.constantFrom('^', '$', '\\b', '\\B')), { maxLength: 4 })
      .map((list) => list.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((list) => list.join('|')),
  ),
}));

/** The platform tries one way after the other: with more repeats, nested, it would not come to an end. */
const REPEATS_MOST = 2;
const pattern = anyPattern.filter((source) => {
  const repeats = source.replaceAll(/\(\?|\\[pP]\{|\*\?/g, (part) => (part === '*?' ? '*' : '')).match(/[*+?{]/g);
  return (repeats ?? []).length <= REPEATS_MOST;
});

describe('a pattern', () => {
  it('matches where the platform does', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const expected = new RegExp(source, 'su');
        for (const sample of texts) {
          const result = expected.test(sample) ? 1 : 0;
          expect(matches(`(?s)${source}`, sample)).toBe(result);
          expect(direct.call('patternRemembers', `(?s)${source}`, sample)).toBe(result);
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('matches without regard to case where the platform does', () => {
    // The platform's \W, \P and [^...] fold in another order, and so does its \b.
    const folding = pattern.filter((source) => !/\\[WDPbB]|\[\^/.test(source));
    fc.assert(
      fc.property(folding, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const expected = new RegExp(source, 'isu');
        for (const sample of texts) expect(matches(`(?is)${source}`, sample)).toBe(expected.test(sample) ? 1 : 0);
      }),
      { numRuns: 1000 },
    );
  });

  it('of any characters is compiled or refused, and never stops the module', () => {
    const character = fc.constantFrom(...'ab0129()|*+?{}[]^$.\\-:,=!<>Pp{LdwsSQEbBAzxiUm é😀');
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 20 }), text, (source, sample) => {
        const { text: error, isError } = direct.answer('patternMatches', source, sample);
        if (isError) expect(error).toMatch(/^error parsing regexp: /);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('the cost of a match', () => {
  const long = 'a'.repeat(100_000);

  it.each([
    ['(a+)+$', `${long}!`],
    ['(a|aa)*b', long],
    ['^(a|a?)+$', `${long}!`],
    ['(a*)*b', long],
    ['(x+x+)+y', long.replaceAll('a', 'x')],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', long],
    ['(.*)(.*)(.*)(.*)(.*)[^a]$', long],
    ['(?i)(ſ|k|K)+!', long.replaceAll('a', 'K')],
    ['(?:a?){20}a{20}b', long],
  ])('grows with the text only: %s', (pattern, text) => {
    expect(matches(pattern, text)).toBe(0);
    const steps = direct.steps;
    expect(steps).toBeLessThan(400 * text.length);
    matches(pattern, text.slice(text.length / 2));
    // Beside a beginning that no text makes longer.
    expect(2 * direct.steps).toBeGreaterThan(steps);
    expect(Math.abs(2 * direct.steps - steps)).toBeLessThan(steps / 100 + 60_000);
  });

  it('ends at once where an anchored pattern cannot match any more', () => {
    expect(matches('^app', long)).toBe(0);
    expect(direct.steps).toBeLessThan(1000);
  });
});

describe('a pattern that is matched again and again', () => {
  const letters = fc.constantFrom(...'abcdABC019_-.\n');
  const long = fc.string({ unit: letters, minLength: 20, maxLength: 63 });

  it.each([
    '^(?:a?b?c?d?){30}[A-Z]+$',
    '(?:a|b)*a(?:a|b){12}',
    '\\b[a-c]+\\b.{3,}[0-9]$',
    '(?m)^[ab]+$|\\Bc\\B.{9}$',
    '^(?:[a-d]{1,9}[-_.]?){2,5}[0-9]*$',
    '(?i)^(?:abc|cd|[^a]b){3,}',
  ])('matches long texts where the platform does: %s', (source) => {
    const [flags, plain] = source.startsWith('(?') && source[3] === ')' ? [source[2], source.slice(4)] : ['', source];
    const expected = new RegExp(plain, `u${flags}`);
    fc.assert(
      fc.property(long, (text) => {
        const result = expected.test(text) ? 1 : 0;
        expect(matches(source, text)).toBe(result);
        expect(direct.call('patternRemembers', source, text)).toBe(result);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a pattern that would cost too much', () => {
  it.each([
    ['copies', '((a{10}){10}){10}'.repeat(10)],
    ['alternatives', Array(5000).fill('a').join('|')],
    ['literals', 'a'.repeat(5001)],
    ['optional ones', '(a?){1000}'.repeat(5)],
    ['Unicode classes', Array.from({ length: 300 }, (_, i) => `[\\pL${String.fromCharCode(0x4e00 + i)}]`).join('')],
    ['a class of Unicode classes', `[${'\\pL'.repeat(300)}]`],
    ['its length', '(?i)'.repeat(5000)],
  ])('is refused for the number of %s', (_, pattern) => {
    const { text, isError } = direct.answer('patternMatches', pattern, '');
    expect(isError).toBe(true);
    expect(text).toMatch(/^error parsing regexp: expression too large/);
  });

  it('is found so, or compiled, within a bound of steps', () => {
    const units = [
      '\\pL',
      '\\W',
      '\\w',
      'k',
      'ſ',
      'a-z',
      '[:alpha:]',
      '[[:',
      '()',
      'a|',
      '(a)*',
      '{1,',
      '[^k]',
      '\\P{Lu}',
      '\\QK\\E',
    ];
    for (const before of ['', '(?i)', '(?i)[', '((((']) {
      for (const unit of units) {
        const end = before.endsWith('[') || before.endsWith('^') ? ']' : '';
        const count = Math.floor((16_383 - before.length) / new TextEncoder().encode(unit).length);
        matches(before + unit.repeat(count) + end, 'a'.repeat(63));
        expect(direct.steps).toBeLessThan(10_000_000);
      }
    }
  });
});
