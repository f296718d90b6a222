// Answers a request whose body is not wanted, then closes the connection. What still comes in is read and dropped for
// a while: closing at once would reset the connection, and the peer might never see the answer.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from './connections.ts';

/** Sends a whole answer and ends the connection once the request is over, at the latest at `deadline`. */
export function answerAndClose(
  { request, response, connection }: { request: IncomingMessage; response: ServerResponse; connection: Connection },
  answer: { status: number; headers: readonly string[]; body: Uint8Array },
  deadline: number,
): void {
  response.shouldKeepAlive = false;
  response.writeHead(answer.status, [...answer.headers]);
  if (request.complete) {
    response.end(answer.body);
    return;
  }
  response.write(answer.body);
  connection.reading = { deadline, expire: () => request.socket.destroy() };
  request.on('end', () => response.end());
  request.resume();
}
