// Cuts a watch stream into its events: one JSON document a line. Bytes are only searched for line ends here; what a line
// says is read one line at a time.

import { isObject, type Json, parseJson } from '../api/core/json.ts';
import type { KubeObject } from './objects.ts';

/** An event of a watch. A bookmark's object has nothing but a resourceVersion, an error's is a Status. */
export type WatchEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
};

/** The stream holds something that no API server sends; nothing behind it can be trusted. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** The longest line that is taken, in bytes; the API server's objects end at a few MiB. */
const LONGEST_LINE = 64 * 1024 * 1024;
const LINE_END = 0x0a;

/** Puts chunks together and gives whole lines, without their ends; empty lines are left out. */
export class LineCutter {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** The lines that end in this chunk. They may be views of it. Throws FrameError for a line without end. */
  *push(chunk: Uint8Array): Iterable<Uint8Array> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
      const line = this.#finish(chunk.subarray(start, end));
      start = end + 1;
      if (line.length > 0) yield line;
    }
    const rest = chunk.subarray(start);
    if (rest.length === 0) return;
    this.#length += rest.length;
    if (this.#length > LONGEST_LINE) throw new FrameError(`an event of more than ${LONGEST_LINE} bytes`);
    this.#parts.push(rest);
  }

  /** True if the stream has ended in the middle of a line. */
  get unfinished(): boolean {
    return this.#length > 0;
  }

  #finish(last: Uint8Array): Uint8Array {
    if (this.#parts.length === 0) return last;
    const line = Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const TYPES: ReadonlySet<string> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']);

/** Reads one line. Throws FrameError saying what is wrong with it. */
export function readEvent(line: Uint8Array): WatchEvent {
  let event: Json;
  try {
    event = parseJson(UTF8.decode(line));
  } catch (error) {
    throw new FrameError('an event that is no JSON in UTF-8', { cause: error });
  }
  if (!isObject(event)) throw new FrameError('an event that is no object');
  const { type, object } = event;
  if (typeof type !== 'string' || !TYPES.has(type)) throw new FrameError('an event of an unknown type');
  if (!isObject(object)) throw new FrameError('an event without object');
  if (type !== 'ERROR') {
    const metadata = isObject(object.metadata) ? object.metadata : {};
    if (typeof metadata.resourceVersion !== 'string') throw new FrameError('an event without resourceVersion');
    if (type !== 'BOOKMARK' && typeof metadata.name !== 'string') throw new FrameError('an event without name');
  }
  return { type: type as WatchEvent['type'], object: object as unknown as KubeObject };
}

/** Orders two resourceVersions as their numbers are; undefined if one is no number. */
export function compareVersions(a: string, b: string): number | undefined {
  if (!DIGITS.test(a) || !DIGITS.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

const DIGITS = /^(?:0|[1-9]\d*)$/;
