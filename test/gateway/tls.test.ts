// Who gets through the TLS handshake (fault F28).

import { constants } from 'node:crypto';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { issueAuthority, type KeyPair } from '../../kube/certificates/issue.ts';
import { issueClient } from './support/client-certificate.ts';
import { eventually } from './support/eventually.ts';
import { Peer, request, responseOf, review } from './support/peer.ts';
import { contextOf, testSecrets } from './support/secrets.ts';
import { startServer, type TestServer } from './support/server.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function start(change: Parameters<typeof startServer>[0] = {}): Promise<TestServer> {
  const server = await startServer(change);
  open.push(server);
  return server;
}

/** True if a review gets an answer over a connection made like this. */
async function isServed(server: TestServer, options: ConnectionOptions): Promise<boolean> {
  try {
    const peer = await Peer.tls(server.port, options);
    open.push(peer);
    return responseOf(await peer.send(request(review('u'))).answer()).uid === 'u';
  } catch {
    return false;
  }
}

test('TLS 1.2 and 1.3 with HTTP/1.1, named or not, are served', async () => {
  const server = await start();
  expect(await isServed(server, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })).toBe(true);
  expect(await isServed(server, { minVersion: 'TLSv1.3' })).toBe(true);
  expect(await isServed(server, { ALPNProtocols: [] })).toBe(true);
  expect(await isServed(server, { ALPNProtocols: ['h2', 'http/1.1'] })).toBe(true);
});

test.each<[string, ConnectionOptions]>([
  ['TLS 1.0', { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }],
  ['TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
  ['HTTP/2 alone', { ALPNProtocols: ['h2'] }],
  ['ciphers without forward secrecy', { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256:AES256-SHA' }],
])('%s is refused in the handshake and counted', async (_name, options) => {
  const server = await start();
  expect(await isServed(server, options)).toBe(false);
  await eventually(() => expect(server.refused('handshake_failed')).toBe(1));
  expect(server.evaluator.bodies).toEqual([]);
});

test('plain HTTP on the TLS port is closed without a word', async () => {
  const server = await start();
  const peer = await Peer.plain(server.port);
  expect(await peer.send(request(review('plain'))).closed).not.toContain('HTTP/1.1 200');
  expect(server.refused('plain_http')).toBe(1);
  expect(server.evaluator.bodies).toEqual([]);
});

test('a peer cannot renegotiate', async () => {
  const server = await start();
  const peer = await Peer.tls(server.port, {
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.2',
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
  });
  open.push(peer);
  const failed = new Promise<boolean>((resolve) => {
    (peer.socket as TLSSocket).renegotiate({ rejectUnauthorized: false }, (error) => resolve(error !== null));
    void peer.closed.then(() => resolve(true));
  });
  expect(await failed).toBe(true);
});

test('the certificate that is served is vouched for by the authority, for its names only', async () => {
  const server = await start();
  const { authority } = await testSecrets();
  const trusting = { ca: authority.certificate, rejectUnauthorized: true };
  expect(await isServed(server, { ...trusting, servername: 'localhost' })).toBe(true);
  expect(await isServed(server, { ...trusting, servername: 'example.com' })).toBe(false);
});

test('another certificate is used for new connections without a restart, and open ones go on', async () => {
  const server = await start();
  const old = await Peer.tls(server.port);
  open.push(old);
  const authority = await issueAuthority('other', Date.now());
  const { issueServer } = await import('../../kube/certificates/issue.ts');
  server.server.renew(contextOf(await issueServer(authority, ['localhost'], Date.now())));
  expect(await isServed(server, { ca: authority.certificate, rejectUnauthorized: true, servername: 'localhost' })).toBe(
    true,
  );
  expect(responseOf(await old.send(request(review('old'))).answer()).uid).toBe('old');
});

async function startWithClientCa(callers: string[]): Promise<{ server: TestServer; authority: KeyPair }> {
  const authority = await issueAuthority('client authority', Date.now());
  const secrets = { ...contextOf((await testSecrets()).server), ca: authority.certificate };
  return { server: await start({ secrets, callers }), authority };
}

test('with a client CA only its certificates are served', async () => {
  const { server, authority } = await startWithClientCa([]);
  const other = await issueAuthority('client authority', Date.now());
  const [good, wrong] = [await issueClient(authority, 'kube-apiserver'), await issueClient(other, 'kube-apiserver')];
  const expired = await issueClient(authority, 'kube-apiserver', Date.now() - 400 * 86_400_000);
  expect(await isServed(server, contextOf(good))).toBe(true);
  expect(await isServed(server, { ...contextOf(good), maxVersion: 'TLSv1.2' })).toBe(true);
  for (const options of [{}, contextOf(wrong), contextOf(expired)]) {
    expect(await isServed(server, options)).toBe(false);
    expect(await isServed(server, { ...options, maxVersion: 'TLSv1.2' })).toBe(false);
  }
  expect(server.evaluator.bodies).toHaveLength(2);
  expect(server.refused('client_certificate') + server.refused('client_name')).toBeGreaterThan(0);
});

test('with allowed names the common name must be one of them, and the log says who it was', async () => {
  const { server, authority } = await startWithClientCa(['kube-apiserver', 'sluice-test']);
  expect(await isServed(server, contextOf(await issueClient(authority, 'sluice-test')))).toBe(true);
  expect(await isServed(server, contextOf(await issueClient(authority, 'intruder')))).toBe(false);
  expect(await isServed(server, contextOf(await issueClient(authority, 'kube-apiserver2')))).toBe(false);
  expect(server.refused('client_name')).toBe(2);
  expect(server.log.join('')).toContain('"peer":"intruder"');
  expect(server.evaluator.bodies).toHaveLength(1);
});
