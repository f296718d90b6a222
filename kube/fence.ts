// Nothing is written by a process that has lost its lead without knowing it yet, such as one that slept: each request that
// writes is held back unless the process may act at that very moment.

import { ConnectionError } from '../component/errors.ts';
import type { Connection } from './connection.ts';
import { type HttpAnswer, type HttpRequest, nameOf, Transport } from './transport.ts';

export class FencedTransport extends Transport {
  readonly #mayWrite: () => boolean;

  constructor(connection: Connection, mayWrite: () => boolean) {
    super(connection);
    this.#mayWrite = mayWrite;
  }

  /** As without fence; writes reject with ConnectionError, not sent, while they may not be. */
  override async send(
    request: HttpRequest,
    signal: AbortSignal,
    kind: 'request' | 'stream' = 'request',
  ): Promise<HttpAnswer> {
    if (request.method !== 'GET' && !this.#mayWrite()) {
      throw new ConnectionError(`${nameOf(request)}: this process does not lead`, { sent: false });
    }
    return await super.send(request, signal, kind);
  }
}
