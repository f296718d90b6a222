// The packed Unicode tables against the platform, which they were generated from.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unicodeTables } from '../../../../scripts/unicode.ts';
import { Direct } from '../../../support/direct.ts';

const direct = new Direct();
const committed = readFileSync(new URL('../../../../assembly/object/regex/tables.ts', import.meta.url), 'utf8');
const version = /Unicode (\S+);/.exec(committed)?.[1];
/** Another Node may know newer characters: then there is nothing to compare with. */
const sameUnicode = version === process.versions.unicode;

const samples = Array.from({ length: 0x110000 / 53 }, (_, index) => index * 53)
  .filter((rune) => rune < 0xd800 || rune > 0xdfff)
  .map((rune) => String.fromCodePoint(rune));

describe.runIf(sameUnicode)('the Unicode tables', () => {
  it('are what their generator writes', () => {
    expect(unicodeTables()).toBe(committed);
  });

  it.each(['L', 'Lu', 'Ll', 'Lt', 'M', 'Mn', 'N', 'Nd', 'P', 'Pd', 'S', 'Sm', 'Z', 'Zs', 'Cf', 'Co'])(
    'name the characters of category %s',
    (name) => {
      expectClass(name, new RegExp(`^\\p{${name}}$`, 'u'));
    },
  );

  it.each(['Latin', 'Greek', 'Cyrillic', 'Han', 'Arabic', 'Common', 'Inherited', 'Zanabazar_Square'])(
    'name the characters of script %s',
    (name) => {
      expectClass(name, new RegExp(`^\\p{Script=${name}}$`, 'u'));
    },
  );

  it('fold letters as the platform does', () => {
    const letters = samples
      .filter((text, index) => index % 4 === 0 && /\p{L}/u.test(text))
      .concat([...'kKKsSſσςΣθϑϴΘßẞǅǆǄµμΜιͅι']);
    for (const letter of letters) {
      for (const other of [letter.toUpperCase(), letter.toLowerCase(), ...'kKKsSſσςΣθϑϴΘ']) {
        if ([...other].length > 1) continue;
        const expected = new RegExp(`^${letter}$`, 'iu').test(other);
        expect([letter, other, direct.call('patternMatches', `(?i)^${letter}$`, other) === 1]).toEqual([
          letter,
          other,
          expected,
        ]);
      }
    }
  });
});

/** Holds for the samples of a class all together, and for none of the others. */
function expectClass(name: string, expected: RegExp): void {
  const inside = samples.filter((text) => expected.test(text)).join('');
  const outside = samples.filter((text) => !expected.test(text)).join('');
  expect(direct.call('patternMatches', `^\\p{${name}}*$`, inside)).toBe(1);
  expect(direct.call('patternMatches', `^\\P{${name}}*$`, outside)).toBe(1);
}
