// How one request is answered, whoever read it from its connection.

import type { Answer } from './answer-form.ts';
import type { Connection } from './connections.ts';

/** One of the two is called, once. */
export type Reply = {
  readonly connection: Connection;
  /** Sends an answer. The connection takes its next request then, unless it `closes`. */
  send(answer: Answer, closes: boolean): void;
  /**
   * Sends an answer to a request of which no more is wanted, and closes the connection. What still comes in is read and
   * dropped until `deadline`: closing at once would reset the connection, and the peer might never see the answer.
   */
  sendAndClose(answer: Answer, deadline: number): void;
};
