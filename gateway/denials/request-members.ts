// Finds the members of a review's request without reading the objects in it, which are most of it: many pods are refused in a
// drain, again and again.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, COLON, COMMA] = [0x7b, 0x7d, 0x5b, 0x5d, 0x3a, 0x2c];

/** The values of members by name, as JSON text that is decoded when it is asked for. */
export class RequestMembers {
  readonly #body: Buffer;
  readonly #spans: ReadonlyMap<string, Span>;

  private constructor(body: Buffer, spans: ReadonlyMap<string, Span>) {
    this.#body = body;
    this.#spans = spans;
  }

  /** Of a review that has been decided, so it is strict JSON. Names that are written with escapes are not found. */
  static of({ buffer, byteOffset, length }: Uint8Array): RequestMembers {
    const body = Buffer.from(buffer, byteOffset, length);
    const request = membersOf(body, 0, 'request').get('request');
    return new RequestMembers(body, request === undefined ? new Map() : membersOf(body, request.from));
  }

  /** Undefined when there is no such member. */
  get(name: string): unknown {
    const span = this.#spans.get(name);
    return span === undefined ? undefined : JSON.parse(this.#body.toString('utf8', span.from, span.to));
  }
}

type Span = { from: number; to: number };

/**
 * Of the object that starts here, or after blanks; none if it is no object. Of two of one name the last counts. Does not look
 * into the member `last`, nor behind it.
 */
function membersOf(body: Buffer, from: number, last?: string): Map<string, Span> {
  const spans = new Map<string, Span>();
  let at = skipBlanks(body, from);
  if (body[at] !== OPEN_OBJECT) return spans;
  at = skipBlanks(body, at + 1);
  while (body[at] === QUOTE) {
    const end = skipString(body, at);
    const name = body.toString('latin1', at + 1, end - 1);
    at = skipBlanks(body, end);
    if (body[at] !== COLON) return spans;
    const value = skipBlanks(body, at + 1);
    if (name === last) return spans.set(name, { from: value, to: body.length });
    at = skipValue(body, value);
    spans.set(name, { from: value, to: at });
    at = skipBlanks(body, at);
    if (body[at] === COMMA) at = skipBlanks(body, at + 1);
  }
  return spans;
}

function skipBlanks(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && (body[at] ?? 0) <= BLANK) at++;
  return at;
}

function skipString(body: Buffer, from: number): number {
  let at = from + 1;
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function skipValue(body: Buffer, from: number): number {
  const first = body[from];
  if (first === QUOTE) return skipString(body, from);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipNested(body, from);
  let at = from;
  while (at < body.length && body[at] !== COMMA && body[at] !== CLOSE_OBJECT) at++;
  return at;
}

/** Nearly all that is read is read here: bench/delete-cpu.ts. */
function skipNested(body: Buffer, from: number): number {
  const end = body.length;
  let at = from;
  for (let depth = 0; at < end; ) {
    let byte = body[at++];
    if (byte === QUOTE) {
      for (byte = body[at++]; byte !== QUOTE && at < end; byte = body[at++]) if (byte === BACKSLASH) at++;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --depth === 0) return at;
  }
  return end;
}
