// Writes the body of an answer so that the connection can take the next request at any time.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Content } from './answer-form.ts';

/**
 * Ends the answer with this body. A long one goes out in pieces, each once the one before is sent: as long as a socket
 * holds more than its mark, Node.js pauses the parser at the next request but not the connection below, and what comes in
 * then is a parse error to it. A caller sends its next request as soon as it has the answer, which may be sooner than
 * the socket knows that.
 */
export function endWhole(response: ServerResponse, content: Content, socket: Socket): void {
  writeFrom(0, { response, content, most: socket.writableHighWaterMark >> 1 });
}

type Writing = { response: ServerResponse; content: Content; most: number };

function writeFrom(start: number, writing: Writing): void {
  const { response, content, most } = writing;
  const next = start + most;
  if (next >= content.length) {
    response.end(content.slice(start), 'latin1');
    return;
  }
  response.write(content.slice(start, next), 'latin1', (error) => {
    if (!error) writeFrom(next, writing);
  });
}
