// Recognises the start of a request as API servers write them, and of none other: one request line, headers from a short
// list, each in one way. What is not recognised is no error, it is left to Node.js' parser; so whatever is read here has
// one meaning only, and the parser of Node.js gives it the same (docs/decisions/0013).

export type PlainHead = {
  url: string;
  /** Bytes of the body, at least 1. */
  bodyLength: number;
  /** Bytes of the head with the empty line behind it. */
  size: number;
};

/** A head is no longer than this; those of API servers have some 250 bytes. */
const HEAD_MOST = 2048;

/** What a header tells. `other`: nothing that matters here. */
type Meaning = 'length' | 'type' | 'host' | 'connection' | 'other';

/** Names as clients of Kubernetes write them, and in small letters. */
const HEADERS: ReadonlyMap<string, Meaning> = new Map(
  (
    [
      ['Host', 'host'],
      ['User-Agent', 'other'],
      ['Content-Length', 'length'],
      ['Content-Type', 'type'],
      ['Accept', 'other'],
      ['Accept-Encoding', 'other'],
      ['Accept-Language', 'other'],
      ['Authorization', 'other'],
      ['Traceparent', 'other'],
      ['Tracestate', 'other'],
      ['Baggage', 'other'],
      ['Sec-Fetch-Mode', 'other'],
      ['Connection', 'connection'],
    ] as const
  ).flatMap(([name, meaning]) => [[name, meaning] as const, [name.toLowerCase(), meaning] as const]),
);

const START = 'POST /';
const LINES_CUT = /^(?:[ -~]+\r\n)*[ -~]*\r?$/;
const LINES = /^(?:[ -~]+\r\n)+$/;
const REQUEST_LINE = /^POST (\/[!-~]*) HTTP\/1\.1$/;
const LENGTH = /^[1-9][0-9]{0,8}$/;

/** The head that these bytes start with: `cut` when more of it has to come, undefined when it is written in any other way. */
export function plainHead(bytes: Buffer): PlainHead | 'cut' | undefined {
  const text = bytes.toString('latin1', 0, HEAD_MOST);
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return isCut(text) ? 'cut' : undefined;
  if (!LINES.test(text.slice(0, end + 2))) return undefined;
  const first = text.indexOf('\r\n');
  const url = REQUEST_LINE.exec(text.slice(0, first))?.[1];
  const bodyLength = url === undefined ? 0 : bodyLengthOf(text, first + 2, end);
  return url === undefined || bodyLength === 0 ? undefined : { url, bodyLength, size: end + 4 };
}

function isCut(text: string): boolean {
  return text.length < HEAD_MOST && START.startsWith(text.slice(0, START.length)) && LINES_CUT.test(text);
}

/** The length that the headers from `start` to `end` declare; 0 when any of them is not as expected. */
function bodyLengthOf(text: string, start: number, end: number): number {
  let length = 0;
  let hosts = 0;
  let types = 0;
  for (let at = start; at < end; ) {
    const next = text.indexOf('\r\n', at);
    const colon = text.indexOf(': ', at);
    if (colon < 0 || colon > next) return 0;
    const meaning = HEADERS.get(text.slice(at, colon));
    if (meaning === undefined) return 0;
    if (meaning !== 'other') {
      const value = text.slice(colon + 2, next);
      if (meaning === 'host') hosts++;
      else if (meaning === 'length' && length === 0 && LENGTH.test(value)) length = Number(value);
      else if (meaning === 'type' && value === 'application/json') types++;
      else if (meaning !== 'connection' || value !== 'keep-alive') return 0;
    }
    at = next + 2;
  }
  return hosts === 1 && types === 1 ? length : 0;
}
