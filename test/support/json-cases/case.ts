// One row of the tables of JSON texts: what a reader must say of it.

/** The words of assembly/json/fault.ts, by a short name. */
export const FAULTS = {
  unexpected: 'a character stands where JSON does not allow it',
  end: 'the JSON text ends too early',
  depth: 'arrays and objects are nested more than 512 deep',
  twice: 'this key stands twice in its object',
  utf8: 'the text is not valid UTF-8',
  escape: 'a backslash is not followed by a JSON escape',
  surrogate: 'an escaped surrogate stands without its other half',
  control: 'a string holds a control character that is not escaped',
  number: 'a number is not written as JSON demands',
  trailing: 'bytes follow behind the JSON value',
  tooLong: 'the text is longer than 7 MiB',
} as const;

export type FaultName = keyof typeof FAULTS;

export type JsonCase = {
  name: string;
  bytes: Uint8Array;
  accepted: boolean;
  /** Why it is refused, where a row tells it. */
  fault?: FaultName;
  /** Byte offset of the fault, where a row tells it; of a key twice: where its second value begins. */
  at?: number;
};

const encoder = new TextEncoder();

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? encoder.encode(text) : text;
}

/** Bytes given as characters U+0000 to U+00FF. */
export function raw(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export function accepted(name: string, text: string | Uint8Array): JsonCase {
  return { name, bytes: bytesOf(text), accepted: true };
}

export function refused(name: string, text: string | Uint8Array, fault?: FaultName, at?: number): JsonCase {
  const why = { ...(fault === undefined ? {} : { fault }), ...(at === undefined ? {} : { at }) };
  return { name, bytes: bytesOf(text), accepted: false, ...why };
}

/** The same verdict is expected of a value wherever it stands: alone, in an array, in an object, between blanks. */
export function everywhere(cases: readonly JsonCase[]): JsonCase[] {
  const frames = [
    ['', ''],
    ['[', ']'],
    ['[0,', ',"z"]'],
    ['{"k":', '}'],
    ['{"a":[],"k": ', ' ,"z":{}}'],
    [' \t\r\n', '\n \r\t'],
  ] as const;
  return cases.flatMap((one) =>
    frames.map(([before, after]) => ({
      ...one,
      name: before === '' ? one.name : `${one.name}, as ${before.trim()}…${after.trim()}`,
      bytes: joined(encoder.encode(before), one.bytes, encoder.encode(after)),
      ...(one.at === undefined ? {} : { at: one.at + before.length }),
    })),
  );
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
