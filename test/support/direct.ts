// Calls the functions of dist/direct.wasm that work on texts (assembly/direct/object.ts).

import { readFileSync } from 'node:fs';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

type Function = (...lengths: number[]) => number;

/** One instance of the module for direct tests; every call starts with an empty arena. */
export class Direct {
  readonly #memory: WebAssembly.Memory;
  readonly #exports: WebAssembly.Exports;

  constructor(file: string | URL = new URL('../../dist/direct.wasm', import.meta.url)) {
    const module = new WebAssembly.Module(readFileSync(file));
    this.#exports = new WebAssembly.Instance(module).exports;
    this.#memory = this.#exports.memory as WebAssembly.Memory;
  }

  /** What a function gives for these texts, as the module gives it. */
  call(name: string, ...texts: readonly string[]): number {
    return this.#function(name)(...this.#write(texts));
  }

  /** The text that a function gives, and whether it is an error (a negative length, see assembly/direct/object.ts). */
  answer(name: string, ...texts: readonly string[]): { text: string; isError: boolean } {
    return this.#read(this.call(name, ...texts));
  }

  /** As `answer`, for a function of plain numbers. */
  answerToNumbers(name: string, ...numbers: readonly number[]): { text: string; isError: boolean } {
    this.#write([]);
    return this.#read(this.#function(name)(...numbers));
  }

  /** Turns of loops that the last call took. */
  get steps(): number {
    return this.#function('objectSteps')();
  }

  #function(name: string): Function {
    const value = this.#exports[name];
    if (typeof value !== 'function') throw new Error(`dist/direct.wasm has no function ${name}; build it again`);
    return value as Function;
  }

  #write(texts: readonly string[]): number[] {
    const pieces = texts.map((text) => encoder.encode(text));
    const lengths = pieces.map((piece) => piece.length);
    let at = this.#function('objectRoom')(lengths.reduce((sum, length) => sum + length, 0));
    for (const piece of pieces) {
      new Uint8Array(this.#memory.buffer).set(piece, at);
      at += piece.length;
    }
    return lengths;
  }

  #read(length: number): { text: string; isError: boolean } {
    const isError = length < 0;
    const start = this.#function('objectResult')();
    const bytes = new Uint8Array(this.#memory.buffer, start, isError ? -1 - length : length);
    return { text: decoder.decode(bytes), isError };
  }
}
