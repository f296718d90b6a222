// Unicode's general categories and scripts by name, read from the packed tables.

import { Text } from '../../json/text';
import { RuneSet } from './runes';
import { CATEGORIES, CATEGORY_NAMES, SCRIPT_NAMES, SCRIPTS } from './tables';
import { LAST_RUNE } from './utf8';

/** A run of CATEGORIES that alternates between the first two categories (upper and lower case letters). */
const ALTERNATING = 30;
/** Not part of any group of categories: code points that are not assigned. */
const UNASSIGNED = 'Cn';

/** Adds the code points of a category (`Lu`), a group of them (`L`), a script (`Greek`) or `Any`; false for no such name. */
export function addUnicode(name: Text, into: RuneSet): bool {
  if (name.is('Any')) {
    into.add(0, LAST_RUNE);
    return true;
  }
  const categories = name.length <= 2 ? categoriesOf(name) : 0;
  if (categories != 0) {
    addCategories(categories, into);
    return true;
  }
  const script = scriptOf(name);
  if (script < 0) {
    return false;
  }
  addScript(script, into);
  return true;
}

/** A bit for each category that a name of one or two letters means. */
function categoriesOf(name: Text): u32 {
  if (name.length == 0 || name.is(UNASSIGNED)) {
    return 0;
  }
  let categories: u32 = 0;
  for (let i = 0; i < CATEGORY_NAMES.length; i += 2) {
    const begins = <u8>CATEGORY_NAMES.charCodeAt(i) == name.byteAt(0);
    const second = <u8>CATEGORY_NAMES.charCodeAt(i + 1);
    const isUnassigned = i + 2 == CATEGORY_NAMES.length;
    if (begins && (name.length == 1 ? !isUnassigned : second == name.byteAt(1))) {
      categories |= 1 << (i >> 1);
    }
  }
  return categories;
}

/** Runs: category in 5 bits, and length less one in 3, or 7 there and the rest (less 7) in bytes of 7 bits. */
function addCategories(categories: u32, into: RuneSet): void {
  let rune = 0;
  let at = 0;
  while (at < CATEGORIES.length) {
    const head = <i32>CATEGORIES[at++];
    let length = head & 7;
    if (length == 7) {
      const rest = packed(CATEGORIES, at);
      length += rest >> 3;
      at += rest & 7;
    }
    const category = head >> 3;
    if (category != ALTERNATING) {
      if (((categories >> category) & 1) != 0) {
        into.add(rune, rune + length);
      }
    } else if ((categories & 3) == 3) {
      into.add(rune, rune + length);
    } else if ((categories & 3) != 0) {
      for (let i = <i32>(categories & 3) - 1; i <= length; i += 2) {
        into.add(rune + i, rune + i);
      }
    }
    rune += length + 1;
  }
}

/** Place of a script in the list of names, or -1. */
function scriptOf(name: Text): i32 {
  let script = 0;
  let from = 0;
  while (from < SCRIPT_NAMES.length) {
    let at = 0;
    while (at < name.length && <u8>SCRIPT_NAMES.charCodeAt(from + at) == name.byteAt(at)) {
      at++;
    }
    if (at == name.length && at > 0 && SCRIPT_NAMES.charCodeAt(from + at) == 0x20) {
      return script;
    }
    from = SCRIPT_NAMES.indexOf(' ', from + at) + 1;
    script++;
  }
  return -1;
}

/** Runs: script, and length less one in bytes of 7 bits. */
function addScript(script: i32, into: RuneSet): void {
  let rune = 0;
  let at = 0;
  while (at < SCRIPTS.length) {
    const value = <i32>SCRIPTS[at];
    const length = packed(SCRIPTS, at + 1);
    at += 1 + (length & 7);
    if (value == script) {
      into.add(rune, rune + (length >> 3));
    }
    rune += (length >> 3) + 1;
  }
}

/** A number in bytes of 7 bits, the lowest first, times 8, plus the number of bytes. */
function packed(bytes: StaticArray<u8>, from: i32): i32 {
  let value = 0;
  let at = from;
  let shift = 0;
  for (; bytes[at] >= 0x80; at++) {
    value |= (<i32>(bytes[at] & 0x7f)) << shift;
    shift += 7;
  }
  value |= (<i32>bytes[at]) << shift;
  return (value << 3) | (at - from + 1);
}
