// Certificates for tests, made once: an authority and a server certificate of it.

import type { SecureContextOptions } from 'node:tls';
import { issueAuthority, issueServer, type KeyPair } from '../../../kube/certificates/issue.ts';

const NAMES = ['localhost', '127.0.0.1'];

let made: Promise<{ authority: KeyPair; server: KeyPair }> | undefined;

/** An authority and a certificate for localhost. */
export function testSecrets(): Promise<{ authority: KeyPair; server: KeyPair }> {
  made ??= (async () => {
    const authority = await issueAuthority('test authority', Date.now());
    return { authority, server: await issueServer(authority, NAMES, Date.now()) };
  })();
  return made;
}

export function contextOf(pair: KeyPair): SecureContextOptions {
  return { cert: pair.certificate, key: pair.key };
}
