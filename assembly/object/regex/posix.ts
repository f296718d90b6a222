// The classes that POSIX names inside brackets, over ASCII.

import { Text } from '../../json/text';
import { RuneSet } from './runes';

/** Pairs of first and last character. */
const ALNUM: StaticArray<u8> = [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a];
const ALPHA: StaticArray<u8> = [0x41, 0x5a, 0x61, 0x7a];
const ASCII: StaticArray<u8> = [0x00, 0x7f];
const BLANK: StaticArray<u8> = [0x09, 0x09, 0x20, 0x20];
const CNTRL: StaticArray<u8> = [0x00, 0x1f, 0x7f, 0x7f];
const DIGIT: StaticArray<u8> = [0x30, 0x39];
const GRAPH: StaticArray<u8> = [0x21, 0x7e];
const LOWER: StaticArray<u8> = [0x61, 0x7a];
const PRINT: StaticArray<u8> = [0x20, 0x7e];
const PUNCT: StaticArray<u8> = [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e];
const SPACE: StaticArray<u8> = [0x09, 0x0d, 0x20, 0x20];
const UPPER: StaticArray<u8> = [0x41, 0x5a];
const WORD: StaticArray<u8> = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
const XDIGIT: StaticArray<u8> = [0x30, 0x39, 0x41, 0x46, 0x61, 0x66];

/** The class of a name, or null. */
export function posixClass(name: Text): RuneSet | null {
  if (name.is('alnum')) return setOf(ALNUM);
  if (name.is('alpha')) return setOf(ALPHA);
  if (name.is('ascii')) return setOf(ASCII);
  if (name.is('blank')) return setOf(BLANK);
  if (name.is('cntrl')) return setOf(CNTRL);
  if (name.is('digit')) return setOf(DIGIT);
  if (name.is('graph')) return setOf(GRAPH);
  if (name.is('lower')) return setOf(LOWER);
  if (name.is('print')) return setOf(PRINT);
  if (name.is('punct')) return setOf(PUNCT);
  if (name.is('space')) return setOf(SPACE);
  if (name.is('upper')) return setOf(UPPER);
  if (name.is('word')) return setOf(WORD);
  if (name.is('xdigit')) return setOf(XDIGIT);
  return null;
}

function setOf(pairs: StaticArray<u8>): RuneSet {
  const set = new RuneSet();
  for (let i = 0; i < pairs.length; i += 2) {
    set.add(pairs[i], pairs[i + 1]);
  }
  return set;
}
