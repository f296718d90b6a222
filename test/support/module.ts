// Calls the functions of dist/direct.wasm that work on JSON bytes (assembly/direct/json.ts). A trap is thrown as
// WebAssembly.RuntimeError.

import { readFileSync } from 'node:fs';
import type { Json } from '../../api/core/json.ts';

export type Verdict = { accepted: true } | { accepted: false; fault: string; offset: number };

/** One edit of a document; `at` leads to the array or object that is edited. */
export type Edit = { at: (string | number)[] } & (
  | { do: 'put'; name: string; value: Json }
  | { do: 'remove'; name: string }
  | { do: 'append'; value: Json }
  | { do: 'insert' | 'replace'; index: number; value: Json }
  | { do: 'drop'; index: number }
);

type Exports = {
  memory: WebAssembly.Memory;
  room(length: number): number;
  result(): number;
  resultLength(): number;
  steps(): number;
  faultOffset(): number;
  accepts(length: number): number;
  rewrite(length: number): number;
  base64(length: number): number;
  quoted(length: number, html: number): number;
  edit(length: number): number;
  integer(length: number, otherwise: bigint): bigint;
  same(length: number): number;
  merge(length: number): number;
};

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const file = new URL('../../dist/direct.wasm', import.meta.url);
let compiled: WebAssembly.Module | undefined;

export function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? encoder.encode(text) : text;
}

/** One instance; every call begins with an empty arena. */
export class JsonModule {
  readonly #exports: Exports;

  constructor() {
    compiled ??= new WebAssembly.Module(readFileSync(file));
    this.#exports = new WebAssembly.Instance(compiled).exports as unknown as Exports;
  }

  /** Bytes of the instance's memory. */
  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Turns of loops that the last call took. */
  get steps(): number {
    return this.#exports.steps();
  }

  scan(text: string | Uint8Array): Verdict {
    if (this.#exports.accepts(this.#write(text)) !== 0) return { accepted: true };
    return { accepted: false, fault: this.#read(), offset: this.#exports.faultOffset() };
  }

  /** The text scanned, taken apart and written anew. */
  rewrite(text: string | Uint8Array): string {
    const length = this.#exports.rewrite(this.#write(text));
    if (length < 0) throw new Error(`refused: ${this.#read()}`);
    return this.#read();
  }

  base64(bytes: Uint8Array): string {
    this.#exports.base64(this.#write(bytes));
    return this.#read();
  }

  /** A JSON string, with (`html`) or without the escapes that Go's encoding/json adds for HTML. */
  quoted(text: string, html: boolean): string {
    this.#exports.quoted(this.#write(text), html ? 1 : 0);
    return this.#read();
  }

  /** The patch that the edits make of a document (JSON text), and the edited document. */
  edit(document: string, edits: readonly Edit[]): { patch: string; document: string } {
    const length = this.#exports.edit(this.#write(`{"document":${document},"edits":${JSON.stringify(edits)}}`));
    if (length < 0) throw new Error('the document was refused');
    const [patch, edited] = this.#read().split('\0');
    if (patch === undefined || edited === undefined) throw new Error('no patch was written');
    return { patch, document: edited };
  }

  integer(text: string, otherwise: bigint): bigint {
    return this.#exports.integer(this.#write(text), otherwise);
  }

  /** Are two JSON texts the same value? */
  same(a: string, b: string): boolean {
    return this.#exports.same(this.#write(`[${a},${b}]`)) !== 0;
  }

  /**
   * The strategic merge of a pod with a patch, and the RFC 6902 patch to it of an object in which the pod is the member
   * `original`. Throws the fault.
   */
  merge(original: Json, patch: Json): { merged: Json; operations: Json[] } {
    const length = this.#exports.merge(this.#write(JSON.stringify({ original, patch })));
    if (length < 0) throw new Error(this.#read());
    const [operations = '', merged = ''] = this.#read().split('\0');
    return { merged: JSON.parse(merged) as Json, operations: JSON.parse(operations) as Json[] };
  }

  #write(text: string | Uint8Array): number {
    const bytes = bytesOf(text);
    const place = this.#exports.room(bytes.length);
    new Uint8Array(this.#exports.memory.buffer, place, bytes.length).set(bytes);
    return bytes.length;
  }

  #read(): string {
    const { memory, result, resultLength } = this.#exports;
    return decoder.decode(new Uint8Array(memory.buffer, result(), resultLength()));
  }
}
