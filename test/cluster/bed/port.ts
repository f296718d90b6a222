// A free port for a program that cannot be told to take any.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/**
 * A port of 127.0.0.1 that nobody is given for about a minute but who asks for it by number. A connection that the
 * server ends first stays in TIME-WAIT: the system hands out no such port, but lets a server listen on it.
 */
export async function reservePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, 'connection');
  const client = connect(port, '127.0.0.1');
  const [socket] = await accepted;
  const closed = Promise.all([once(client, 'close'), once(socket, 'close')]);
  client.on('end', () => client.end());
  client.resume();
  socket.end();
  socket.resume();
  await closed;
  server.close();
  await once(server, 'close');
  return port;
}
