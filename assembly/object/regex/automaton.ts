// Remembers where a matcher went from which states by which letter, so that texts which are alike, and many of them, cost a
// step for each byte. Texts that are not ASCII are left to the matcher.

import { Text } from '../../json/text';
import { ASCII_END, Behind, behindOf, Letters } from './letters';
import { Matcher } from './matcher';
import { Program } from './program';

/** Entries of the table of ways, and states, that are remembered; when there are more it begins anew. */
const WAYS_MOST = 1 << 15;
const STATES_MOST = 256;
const BITS = 32;
/** Kinds of what stands behind a place. */
const BEHIND = 4;

/** A way that is not known, and states that are none. */
const UNKNOWN: u16 = 0;
const MATCH = 1;
const NO_MATCH = 2;
const FIRST = 3;

/** Finds what its matcher finds. Valid, as that is, until the arena is emptied. */
export class Automaton {
  private readonly letters: Letters;
  /** By state, letter and what stands behind it. */
  private readonly ways: StaticArray<u16>;
  private readonly kinds: i32;
  /** Bits of the instructions that wait, for each state. */
  private readonly sets: StaticArray<u32>;
  private readonly words: i32;
  /** States by hash; 0 for none. */
  private readonly places: StaticArray<u16> = new StaticArray<u16>(2 * STATES_MOST);
  /** States before the first byte, by what stands behind. */
  private readonly first: StaticArray<u16> = new StaticArray<u16>(BEHIND);
  private readonly most: i32;
  private count: i32 = FIRST;

  constructor(
    program: Program,
    private readonly matcher: Matcher,
  ) {
    const letters = new Letters(program);
    const kinds = letters.asks ? BEHIND : 1;
    const words = (program.length + BITS - 1) / BITS;
    const width = letters.count * kinds;
    const most = min(STATES_MOST, FIRST + WAYS_MOST / width);
    this.letters = letters;
    this.kinds = kinds;
    this.words = words;
    this.most = most;
    this.ways = new StaticArray<u16>(most * width);
    this.sets = new StaticArray<u32>(most * words);
  }

  /** Whether any part of a text matches. */
  search(text: Text): bool {
    let state = this.begin(text);
    for (let at = 0; at < text.length && state >= FIRST; at++) {
      const byte = text.byteAt(at);
      if (<i32>byte >= ASCII_END) {
        return this.matcher.search(text);
      }
      const way = (state * this.letters.count + this.letters.of(byte)) * this.kinds + this.behind(text, at + 1);
      const known = this.ways[way];
      state = known == UNKNOWN ? this.explore(state, way, byte, text, at + 1) : known;
    }
    return state == MATCH;
  }

  private begin(text: Text): i32 {
    const behind = this.behind(text, 0);
    if (this.first[behind] == UNKNOWN) {
      this.matcher.begin(text);
      const state = this.stateOf(this.matcher);
      this.first[behind] = <u16>state;
    }
    return this.first[behind];
  }

  private behind(text: Text, at: i32): i32 {
    if (this.kinds == 1) {
      return 0;
    }
    return at == text.length ? Behind.End : behindOf(text.byteAt(at));
  }

  private explore(from: i32, way: i32, byte: u8, text: Text, at: i32): i32 {
    this.restore(from, text);
    this.matcher.advance(byte, at);
    const count = this.count;
    const state = this.stateOf(this.matcher);
    // Else all was forgotten meanwhile, and the way with it.
    if (this.count >= count) {
      this.ways[way] = <u16>state;
    }
    return state;
  }

  private restore(state: i32, text: Text): void {
    const matcher = this.matcher;
    matcher.resume(text);
    for (let word = 0; word < this.words; word++) {
      let bits = this.sets[state * this.words + word];
      while (bits != 0) {
        matcher.waiting[matcher.waitingCount++] = word * BITS + <i32>ctz(bits);
        bits &= bits - 1;
      }
    }
  }

  private stateOf(matcher: Matcher): i32 {
    if (matcher.isMatch) {
      return MATCH;
    }
    if (matcher.waitingCount == 0 && matcher.begins) {
      return NO_MATCH;
    }
    if (this.count == this.most) {
      this.forget();
    }
    const hash = this.write(this.count);
    let place = hash & (this.places.length - 1);
    while (this.places[place] != 0) {
      if (this.isSame(this.places[place], this.count)) {
        return this.places[place];
      }
      place = (place + 1) & (this.places.length - 1);
    }
    this.places[place] = <u16>this.count;
    return this.count++;
  }

  // The set of the matcher, as that of a state; returns its hash.
  private write(state: i32): i32 {
    const begin = state * this.words;
    for (let word = 0; word < this.words; word++) {
      this.sets[begin + word] = 0;
    }
    let hash: u32 = 0;
    for (let i = 0; i < this.matcher.waitingCount; i++) {
      const at = <u32>this.matcher.waiting[i];
      this.sets[begin + (at >> 5)] |= 1 << (at & 31);
      hash += (at + 1) * 0x9e3779b1;
    }
    return <i32>(hash >> 16);
  }

  private isSame(one: i32, other: i32): bool {
    for (let word = 0; word < this.words; word++) {
      if (this.sets[one * this.words + word] != this.sets[other * this.words + word]) {
        return false;
      }
    }
    return true;
  }

  private forget(): void {
    this.ways.fill(UNKNOWN);
    this.places.fill(0);
    this.first.fill(UNKNOWN);
    this.count = FIRST;
  }
}
