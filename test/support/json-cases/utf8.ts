// UTF-8: the well-formed byte sequences of the Unicode standard (table 3-7), and everything beside them.

import { accepted, everywhere, type JsonCase, joined, raw, refused } from './case.ts';

const WELL: readonly (readonly [string, string])[] = [
  ['the first of two bytes', '\xc2\x80'],
  ['the last of two bytes', '\xdf\xbf'],
  ['the first of three bytes', '\xe0\xa0\x80'],
  ['the last that begins with E0', '\xe0\xbf\xbf'],
  ['the first that begins with E1', '\xe1\x80\x80'],
  ['the last that begins with EC', '\xec\xbf\xbf'],
  ['the last before the surrogates', '\xed\x9f\xbf'],
  ['the first behind the surrogates', '\xee\x80\x80'],
  ['the last of three bytes', '\xef\xbf\xbf'],
  ['the first of four bytes', '\xf0\x90\x80\x80'],
  ['the last that begins with F0', '\xf0\xbf\xbf\xbf'],
  ['the first that begins with F1', '\xf1\x80\x80\x80'],
  ['the last that begins with F3', '\xf3\xbf\xbf\xbf'],
  ['the last character of all', '\xf4\x8f\xbf\xbf'],
  ['a non-character in the middle', '\xef\xb7\x90'],
  ['lengths in turn', 'a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80b\xc3\xa9'],
];

const BAD: readonly (readonly [string, string])[] = [
  ['a continuation alone', '\x80'],
  ['the last continuation alone', '\xbf'],
  ['two continuations', '\x80\x80'],
  ['a slash in two bytes', '\xc0\xaf'],
  ['NUL in two bytes', '\xc0\x80'],
  ['the last overlong form of two bytes', '\xc1\xbf'],
  ['a slash in three bytes', '\xe0\x80\xaf'],
  ['NUL in three bytes', '\xe0\x80\x80'],
  ['the last overlong form of three bytes', '\xe0\x9f\xbf'],
  ['a slash in four bytes', '\xf0\x80\x80\xaf'],
  ['NUL in four bytes', '\xf0\x80\x80\x80'],
  ['the last overlong form of four bytes', '\xf0\x8f\xbf\xbf'],
  ['a quote in two bytes', '\xc0\xa2'],
  ['the first surrogate', '\xed\xa0\x80'],
  ['the last high surrogate', '\xed\xaf\xbf'],
  ['the first low surrogate', '\xed\xb0\x80'],
  ['the last surrogate', '\xed\xbf\xbf'],
  ['a pair of surrogates', '\xed\xa0\xbd\xed\xb8\x80'],
  ['the first beyond Unicode', '\xf4\x90\x80\x80'],
  ['F5', '\xf5\x80\x80\x80'],
  ['F7', '\xf7\xbf\xbf\xbf'],
  ['five bytes', '\xf8\x88\x80\x80\x80'],
  ['six bytes', '\xfc\x84\x80\x80\x80\x80'],
  ['FE', '\xfe'],
  ['FF', '\xff'],
  ['FE and FF', '\xfe\xff'],
  ['two bytes cut', '\xc3'],
  ['three bytes cut behind one', '\xe2'],
  ['three bytes cut behind two', '\xe2\x82'],
  ['four bytes cut behind one', '\xf0'],
  ['four bytes cut behind two', '\xf0\x9f'],
  ['four bytes cut behind three', '\xf0\x9f\x98'],
  ['two bytes cut by a letter', '\xc3a'],
  ['three bytes cut by a letter', '\xe2a\xac'],
  ['three bytes cut by a letter at their end', '\xe2\x82a'],
  ['four bytes cut by a letter', '\xf0a\x98\x80'],
  ['four bytes cut by a letter in the middle', '\xf0\x9fa\x80'],
  ['four bytes cut by a letter at their end', '\xf0\x9f\x98a'],
  ['two first bytes', '\xc3\xc3'],
  ['a first byte for a continuation', '\xe2\x82\xc3'],
  ['a letter of Latin-1', '\xe9'],
  ['quotes of Windows', '\x93a\x94'],
];

function utf16(text: string, isLittle: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(i * 2, text.charCodeAt(i), isLittle);
  return bytes;
}

export const utf8: readonly JsonCase[] = [
  ...everywhere(WELL.map(([name, text]) => accepted(`UTF-8: ${name}`, raw(`"${text}"`)))),
  ...WELL.map(([name, text]) => accepted(`UTF-8 in a key: ${name}`, raw(`{"${text}":1}`))),
  ...everywhere(BAD.map(([name, text]) => refused(`not UTF-8: ${name}`, raw(`"z${text}z"`), 'utf8'))),
  ...BAD.map(([name, text]) => refused(`not UTF-8, before the closing quote: ${name}`, raw(`"${text}"`), 'utf8')),
  ...BAD.map(([name, text]) => refused(`not UTF-8 in a key: ${name}`, raw(`{"${text}":1}`), 'utf8', undefined)),
  ...BAD.map(([name, text]) => refused(`not UTF-8 outside of a string: ${name}`, raw(`[${text}]`), 'unexpected', 1)),
  ...BAD.map(([name, text]) => refused(`not UTF-8 behind the value: ${name}`, raw(`[]${text}`), 'trailing', 2)),
  ...BAD.map(([name, text]) => refused(`not UTF-8 behind an escape: ${name}`, raw(`"\\n${text}"`), 'utf8')),
  refused('UTF-16, little end first', utf16('{}', true), 'unexpected', 1),
  refused('UTF-16, big end first', utf16('{}', false), 'unexpected', 0),
  refused('UTF-16 with its mark, little end first', utf16('\ufeff{}', true), 'unexpected', 0),
  refused('UTF-16 with its mark, big end first', utf16('\ufeff{}', false), 'unexpected', 0),
  refused('a digit in UTF-16', utf16('1', true), 'trailing', 1),
  refused('a byte order mark', raw('\xef\xbb\xbf{}'), 'unexpected', 0),
  refused('half a byte order mark', raw('\xef\xbb{}'), 'unexpected', 0),
  refused('a byte order mark alone', raw('\xef\xbb\xbf'), 'unexpected', 0),
  refused('a text cut within a character', joined(raw('["'), raw('\xf0\x9f')), 'utf8', 2),
];
