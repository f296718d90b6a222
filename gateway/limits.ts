// Every limit of the gateway in one place. Tests hand in shorter times; programs use these.

export type Limits = {
  /** Bytes of request line and headers; more is 431. */
  headerBytes: number;
  /** Bytes of a body; exactly this many are read, one more is 413. */
  bodyBytes: number;
  /** Bytes of all bodies that are being read together; above it new ones are refused. */
  bufferedBytes: number;
  /** Connections of one listener; the next one is closed at once. */
  connections: number;
  /** Connections without a finished TLS handshake; the oldest is closed for a new one. */
  handshakes: number;
  /** Requests whose headers are read and that have no answer yet. */
  requestsInFlight: number;
  handshakeMs: number;
  /** From the first byte of a request to the end of its headers. */
  headersMs: number;
  /** From the end of the headers to the end of the body. */
  bodyMs: number;
  /** For the peer to take an answer. */
  answerMs: number;
  /** A connection without a request in flight. The API server gives one up after 90 s, and must be the first to. */
  idleMs: number;
  /** How long a refused body is read and dropped so that the peer sees the answer. */
  lingerMs: number;
  /** The part of the caller's timeout after which an answer is not worth making any more. */
  timeoutShare: number;
  /** The caller's timeout when its URL has none: the default of webhook configurations. */
  timeoutMs: number;
  /** Between two looks at the requests being read; every fifth look covers all connections. */
  tickMs: number;
};

export const LIMITS: Readonly<Limits> = Object.freeze({
  headerBytes: 16 * 1024,
  bodyBytes: 7 * 1024 * 1024,
  bufferedBytes: 64 * 1024 * 1024,
  connections: 4096,
  handshakes: 512,
  requestsInFlight: 1024,
  handshakeMs: 10_000,
  headersMs: 10_000,
  bodyMs: 15_000,
  answerMs: 15_000,
  idleMs: 120_000,
  lingerMs: 2_000,
  timeoutShare: 0.8,
  timeoutMs: 10_000,
  tickMs: 100,
});
