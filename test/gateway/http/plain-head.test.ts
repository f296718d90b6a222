// Which heads of requests the gateway reads by itself, and that Node.js' parser gives them the same meaning.

import { createServer } from 'node:http';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainHead } from '../../../gateway/http/plain-head.ts';

const HEADERS = [
  'Host: webhook.kruise-system.svc:443',
  'User-Agent: kube-apiserver-admission',
  'Content-Length: 12',
  'Accept: application/json, */*',
  'Content-Type: application/json',
  'Accept-Encoding: gzip',
];
const LINE = 'POST /mutate-pod?timeout=10s HTTP/1.1';

function head(lines: readonly string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function read(text: string): ReturnType<typeof plainHead> {
  return plainHead(Buffer.from(text, 'latin1'));
}

/** The usual request with one header in place of that of the same name, or more. */
function withHeader(header: string): string {
  const name = header.split(':')[0]?.toLowerCase();
  return head([LINE, ...HEADERS.filter((one) => one.split(':')[0]?.toLowerCase() !== name), header]);
}

const USUAL = head([LINE, ...HEADERS]);

test('the head of an API server’s request is read, whatever follows it', () => {
  const expected = { url: '/mutate-pod?timeout=10s', bodyLength: 12, size: USUAL.length };
  expect(read(USUAL)).toEqual(expected);
  expect(read(`${USUAL}{"a":"\r\n\r\n"}`)).toEqual(expected);
});

test.each([
  ['names in small letters', head([LINE, ...HEADERS.map((header) => header.toLowerCase())])],
  ['an agent that keeps its connection', head([LINE, ...HEADERS, 'Connection: keep-alive'])],
  ['a token', head([LINE, ...HEADERS, `Authorization: Bearer ${'a'.repeat(1500)}`])],
  ['a trace', head([LINE, ...HEADERS, 'Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'])],
  ['the longest length', withHeader('Content-Length: 999999999')],
])('so is one with %s', (_name, text) => {
  expect(read(text)).toMatchObject({ size: text.length });
});

test.each([
  ['a request line alone', `${LINE}\r\n\r\n`],
  ['another method', USUAL.replace('POST', 'PUT')],
  ['a method in small letters', USUAL.replace('POST', 'post')],
  ['another version', USUAL.replace('HTTP/1.1', 'HTTP/1.0')],
  ['a whole URL', USUAL.replace('/mutate-pod', 'https://localhost/mutate-pod')],
  ['two spaces before the URL', USUAL.replace('POST ', 'POST  ')],
  ['a space in the URL', USUAL.replace('?', ' ')],
  ['an empty line before it', `\r\n${USUAL}`],
  ['bare line feeds', USUAL.replaceAll('\r\n', '\n')],
  ['one bare line feed', USUAL.replace('gzip\r\n', 'gzip\n')],
  ['a bare carriage return', USUAL.replace('gzip', 'gz\rip')],
  ['a tab', USUAL.replace('gzip', 'gzip\t')],
  ['a letter beyond ASCII', USUAL.replace('gzip', 'gz\u00eep')],
  ['no length', head([LINE, ...HEADERS.filter((one) => !one.startsWith('Content-Length'))])],
  ['two lengths', head([LINE, ...HEADERS, 'Content-Length: 12'])],
  ['a length of nothing', withHeader('Content-Length: 0')],
  ['a length with a zero before it', withHeader('Content-Length: 012')],
  ['a signed length', withHeader('Content-Length: +12')],
  ['a length and a space', withHeader('Content-Length: 12 ')],
  ['a list of lengths', withHeader('Content-Length: 12, 12')],
  ['a length beyond any body', withHeader('Content-Length: 1000000000')],
  ['an empty length', withHeader('Content-Length: ')],
  ['chunks', head([LINE, ...HEADERS, 'Transfer-Encoding: chunked'])],
  ['chunks in place of a length', withHeader('Transfer-Encoding: chunked').replace('Content-Length: 12\r\n', '')],
  ['a connection that ends', head([LINE, ...HEADERS, 'Connection: close'])],
  ['an upgrade', head([LINE, ...HEADERS, 'Connection: Upgrade', 'Upgrade: h2c'])],
  ['a question before the body', head([LINE, ...HEADERS, 'Expect: 100-continue'])],
  ['trailers', head([LINE, ...HEADERS, 'Trailer: X-Sum'])],
  ['a coding', head([LINE, ...HEADERS, 'Content-Encoding: gzip'])],
  ['another type', withHeader('Content-Type: text/plain')],
  ['a type with a parameter', withHeader('Content-Type: application/json; charset=utf-8')],
  ['no type', head([LINE, ...HEADERS.filter((one) => !one.startsWith('Content-Type'))])],
  ['two types', head([LINE, ...HEADERS, 'Content-Type: application/json'])],
  ['no host', head([LINE, ...HEADERS.slice(1)])],
  ['two hosts', head([LINE, ...HEADERS, 'Host: other'])],
  ['a folded header', head([LINE, ...HEADERS, ' folded: 1'])],
  ['a space before the colon', withHeader('Content-Length : 12')],
  ['no space behind the colon', withHeader('Content-Length:12')],
  ['a name that nobody expects', head([LINE, ...HEADERS, 'X-Request-Id: 1'])],
  ['a line without a colon', head([LINE, ...HEADERS, 'Accept'])],
  ['a colon in a later line only', head([LINE, ...HEADERS, 'Accept', 'Host: a'])],
  ['a head that is too long', head([LINE, ...HEADERS, `Authorization: Bearer ${'a'.repeat(2048)}`])],
])('one with %s is left to the parser', (_name, text) => {
  expect(read(text)).toBeUndefined();
});

test('one that is not whole is waited for, as long as it can become one', () => {
  for (let size = 0; size < USUAL.length; size++) expect(read(USUAL.slice(0, size))).toBe('cut');
  for (const other of ['G', 'GET /', 'PO5', 'POST h', '\r', `${LINE}\r\nAccept: ${'a'.repeat(2048)}`]) {
    expect(read(other)).toBeUndefined();
  }
});

/** What Node.js makes of a request; `rest` is what it takes for the next one. */
type Parsed = { method: string | undefined; url: string | undefined; body: string; type: string | undefined };

/** All requests in the bytes, as Node.js reads them; `fault` when it refuses any. */
async function parse(text: string): Promise<{ requests: Parsed[]; fault: string | undefined }> {
  const requests: Parsed[] = [];
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method, url, headers } = request;
      requests.push({ method, url, body: Buffer.concat(pieces).toString('latin1'), type: headers['content-type'] });
      response.end();
      if (url === '/end') resolve(undefined);
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  server.emit('connection', socket);
  socket.push(Buffer.from(text, 'latin1'));
  const fault = await promise;
  socket.destroy();
  return { requests, fault };
}

/** Follows every request, so that it shows where the parser saw the end. */
const END = 'POST /end HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n';

const SPLICES = [
  ...['\r', '\n', '\r\n', ' ', '\t', ':', ',', ';', '\0', '\x7f', '\u00e9', '0', '1', '-', '+', 'x', '%0d%0a', '//'],
  ...[
    'Content-Length: 3\r\n',
    'content-length: 12\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Connection: keep-alive\r\n',
  ],
  ...[
    'Connection: close\r\n',
    'Host: b\r\n',
    'Accept: a: b\r\n',
    'Content-Type: application/json\r\n',
    'Expect: 100-continue\r\n',
  ],
  ...[
    'transfer-encoding: identity\r\n',
    ' HTTP/1.1\r\n',
    'Upgrade: h2c\r\n',
    'Accept-Encoding: \r\n',
    'Tracestate:  a\r\n',
  ],
];

const change = fc.record({
  at: fc.nat(USUAL.length),
  cut: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 40 })),
  splice: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...SPLICES) },
    fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 3 }),
  ),
});

/** Whole lines moved or doubled leave more heads readable than changes inside lines. */
const lines = fc.shuffledSubarray(
  [...HEADERS, ...HEADERS.map((header) => header.toLowerCase()), 'Connection: keep-alive'],
  {
    minLength: 3,
  },
);

test('whatever is read here, Node.js reads as the same request', { timeout: 60_000 }, async () => {
  let seen = 0;
  const heads = fc.oneof(
    fc
      .array(change, { minLength: 0, maxLength: 3 })
      .map((changes) =>
        changes.reduce((text, { at, cut, splice }) => text.slice(0, at) + splice + text.slice(at + cut), USUAL),
      ),
    lines.map((some) => head([LINE, ...some])),
    fc.tuple(fc.constantFrom(...HEADERS.keys()), fc.constantFrom(...SPLICES)).map(([index, splice]) => {
      const all = HEADERS.map((header) => `${header}\r\n`);
      all.splice(index, 0, splice);
      return `${LINE}\r\n${all.join('')}\r\n`;
    }),
  );
  await fc.assert(
    fc.asyncProperty(heads, async (text) => {
      const found = read(text);
      if (found === undefined || found === 'cut') return;
      seen++;
      const body = 'b'.repeat(Math.min(found.bodyLength, 100_000));
      if (body.length !== found.bodyLength) return;
      const { requests, fault } = await parse(`${text.slice(0, found.size)}${body}${END}`);
      expect({ text, fault, request: requests[0], next: requests[1]?.url }).toEqual({
        text,
        fault: undefined,
        request: { method: 'POST', url: found.url, body, type: 'application/json' },
        next: '/end',
      });
    }),
    { numRuns: 5000 },
  );
  // The property would hold of a reader that reads nothing.
  expect(seen).toBeGreaterThan(500);
});
