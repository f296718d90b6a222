// Keeps objects of one kind small: as compressed JSON text, with the first objects of the kind as dictionary, since
// objects of a kind are much alike. A pod of 7 KB takes a tenth of that.

import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { parseJson } from '../api/core/json.ts';
import type { KubeObject } from './objects.ts';

/** Compressed text as a one-byte string: it is kept in the heap without a buffer's cost. */
export type Packed = string;

/** What is a dictionary at most; with an object it fits in the window. */
const DICTIONARY_BYTES = 6 * 1024;
// A small state is set up for each object: the defaults would cost more than the compression itself.
const SETTINGS = { level: constants.Z_BEST_SPEED, memLevel: 5, windowBits: 14 };

export class Packer {
  readonly #dictionary: Buffer;

  /** Texts of typical objects. */
  constructor(samples: readonly string[]) {
    const bytes = Buffer.from(samples.join(''));
    this.#dictionary = bytes.subarray(Math.max(bytes.length - DICTIONARY_BYTES, 0));
  }

  pack(text: string): Packed {
    return deflateRawSync(text, { ...SETTINGS, dictionary: this.#dictionary }).toString('latin1');
  }

  /** The object, and the length of its text. */
  unpack(packed: Packed): { object: KubeObject; characters: number } {
    const bytes = Buffer.from(packed, 'latin1');
    const { windowBits } = SETTINGS;
    const text = inflateRawSync(bytes, { windowBits, dictionary: this.#dictionary }).toString();
    return { object: parseJson(text) as unknown as KubeObject, characters: text.length };
  }
}
