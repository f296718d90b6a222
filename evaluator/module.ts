// One instance of policy.wasm and the calls of its contract (docs/reference/abi.md). Knows memory, no objects.

/** The exports of policy.wasm. */
type Exports = {
  readonly memory: WebAssembly.Memory;
  abi(): number;
  room(length: number): number;
  result(): number;
  resultLength(): number;
  configure(length: number): number;
  apply(length: number): number;
  remove(length: number): number;
  review(webhook: number, length: number, now: number): number;
  effects(): number;
  effectsLength(): number;
  denial(): number;
  denialLength(): number;
  fact(length: number): number;
  explain(length: number, now: number): number;
  checkJson(length: number): number;
  checkPattern(length: number): number;
  matchPattern(length: number): number;
  checkExpression(length: number, isMemory: number): number;
  available(length: number): number;
  objects(): number;
  objectBytes(): number;
};

/** What a call came to; `refused` leaves the reason in the result. */
export const STATUS = { done: 0, ignored: 1, refused: 2, asks: 3 } as const;

/** The module speaks this version of the contract. */
const ABI = 1;

export class Module {
  readonly exports: Exports;
  private memory: Uint8Array;
  /** The same, for texts. */
  private texts: Buffer;

  private constructor(exports: Exports) {
    this.exports = exports;
    this.memory = new Uint8Array(exports.memory.buffer);
    this.texts = Buffer.from(exports.memory.buffer);
  }

  /** A new instance. Throws when it is no module of this contract. */
  static instantiate(compiled: WebAssembly.Module): Module {
    const exports = new WebAssembly.Instance(compiled, {}).exports as unknown as Exports;
    if (typeof exports.abi !== 'function' || exports.abi() !== ABI) {
      throw new Error(`policy.wasm does not speak version ${ABI} of the contract`);
    }
    return new Module(exports);
  }

  /** Bytes of linear memory. */
  get size(): number {
    return this.exports.memory.buffer.byteLength;
  }

  /** Writes the input of the next call, piece behind piece; its length, or -1 when it is longer than the module reads. */
  write(...pieces: Uint8Array[]): number {
    let length = 0;
    for (const piece of pieces) length += piece.length;
    let place = this.exports.room(length) >>> 0;
    if (place === 0) return -1;
    this.look();
    for (const piece of pieces) {
      this.memory.set(piece, place);
      place += piece.length;
    }
    return length;
  }

  /** As `write`; what is no character is written as U+FFFD. */
  writeText(input: string): number {
    const length = Buffer.byteLength(input);
    const place = this.exports.room(length) >>> 0;
    if (place === 0) return -1;
    this.look();
    this.texts.write(input, place, length);
    return length;
  }

  /** The result of the last call, in the module's memory: valid until the next call. */
  result(): Uint8Array {
    const start = this.exports.result() >>> 0;
    this.look();
    return this.memory.subarray(start, start + this.exports.resultLength());
  }

  /** What the last review asks the host to write, as JSON text; empty when there is nothing. */
  effectsText(): string {
    return this.textAt(this.exports.effects(), this.exports.effectsLength());
  }

  /** What is to be counted and logged of the last review, as JSON text; empty when there is nothing. */
  denialText(): string {
    return this.textAt(this.exports.denial(), this.exports.denialLength());
  }

  resultText(): string {
    return this.textAt(this.exports.result(), this.exports.resultLength());
  }

  private textAt(address: number, length: number): string {
    if (length === 0) return '';
    const start = address >>> 0;
    this.look();
    return this.texts.toString('utf8', start, start + length);
  }

  /** Memory that grows gets a new buffer. */
  private look(): void {
    const { buffer } = this.exports.memory;
    if (this.memory.buffer === buffer) return;
    this.memory = new Uint8Array(buffer);
    this.texts = Buffer.from(buffer);
  }
}
