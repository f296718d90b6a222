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
  const most = socket.writableHighWaterMark >> 1;
  if (content.length <= most) end(response, content);
  else writeFrom(0, { response, content, most });
}

type Writing = { response: ServerResponse; content: Content; most: number };

function writeFrom(start: number, writing: Writing): void {
  const { response, content, most } = writing;
  const next = start + most;
  if (next >= content.length) {
    end(response, cut(content, start, content.length));
    return;
  }
  const written = (error?: Error | null) => {
    if (!error) writeFrom(next, writing);
  };
  const piece = cut(content, start, next);
  if (typeof piece === 'string') response.write(piece, 'latin1', written);
  else response.write(piece, written);
}

function cut(content: Content, start: number, end: number): Content {
  return typeof content === 'string' ? content.slice(start, end) : content.subarray(start, end);
}

/** A text goes out in one write with its head; bytes would be a second one. */
function end(response: ServerResponse, content: Content): void {
  if (typeof content === 'string') response.end(content, 'latin1');
  else response.end(content);
}
