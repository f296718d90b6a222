// The floor: a Node HTTPS server that reads the body and answers the constant given in base64.

import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueAuthority, issueServer } from '../../kube/certificates/issue.ts';

const answer = Buffer.from(process.argv[2] ?? '', 'base64');
const authority = await issueAuthority('floor', Date.now());
const { certificate, key } = await issueServer(authority, ['localhost', '127.0.0.1'], Date.now());
const headers = { 'Content-Type': 'application/json', 'Content-Length': String(answer.length) };

const server = createServer({ cert: certificate, key, ALPNProtocols: ['http/1.1'] }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    Buffer.concat(chunks);
    response.writeHead(200, headers);
    response.end(answer);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => console.log(`floor listens on ${(server.address() as AddressInfo).port}`));
process.on('SIGTERM', () => process.exit(0));
