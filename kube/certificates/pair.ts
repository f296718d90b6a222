// Whether a certificate and a key can be served together.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { KeyPair } from './issue.ts';

/** A pair that was checked; `certificate` is the first of the chain. */
export type ServingPair = KeyPair & { leaf: X509Certificate };

/** Checks a pair. Throws an Error that says what is wrong and quotes no key material. */
export function checkPair(pair: KeyPair): ServingPair {
  if (pair.certificate.trim() === '') throw new Error('the certificate file is empty');
  if (pair.key.trim() === '') throw new Error('the key file is empty');
  const leaf = attempt('the certificate cannot be read', () => new X509Certificate(pair.certificate));
  const key = attempt('the key cannot be read', () => createPrivateKey(pair.key));
  if (!leaf.checkPrivateKey(key)) throw new Error('the key does not belong to the certificate');
  attempt('the certificate chain cannot be used', () => createSecureContext({ cert: pair.certificate, key: pair.key }));
  return { ...pair, leaf };
}

/** Checks the certificates of a client CA file. Throws an Error that says what is wrong. */
export function checkAuthorities(text: string): string {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('the client CA file holds no certificate');
  for (const block of blocks) attempt('a client CA certificate cannot be read', () => new X509Certificate(block));
  return text;
}

/** Why a certificate cannot be trusted at a time, undefined if it can. */
export function timeFault(leaf: X509Certificate, nowMs: number): string | undefined {
  if (nowMs > leaf.validToDate.getTime()) return `the serving certificate expired on ${leaf.validToDate.toISOString()}`;
  if (nowMs < leaf.validFromDate.getTime()) {
    return `the serving certificate is not valid before ${leaf.validFromDate.toISOString()}`;
  }
  return undefined;
}

function attempt<T>(failure: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Error(failure, { cause: error });
  }
}
