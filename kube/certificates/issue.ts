// Issues certificates: an authority of our own and server certificates signed by it. Keys are ECDSA P-256, but for an
// authority that the system that we replace should be able to take over.

import { createPrivateKey, KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Extension } from '@peculiar/x509';
import { installReflection } from './reflection.ts';

/** A certificate and its private key, both PEM. */
export type KeyPair = { certificate: string; key: string };

/** Of the key of an authority. */
export type KeyType = 'EC' | 'RSA';

const ALGORITHMS = {
  EC: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  RSA: {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  },
} as const;
const DAY_MS = 86_400_000;
/** How long before its making a certificate is valid from: peers' clocks may be behind ours. */
export const BACKDATE_MS = 3_600_000;
export const AUTHORITY_LIFE_MS = 3650 * DAY_MS;
const SERVER_LIFE_MS = 90 * DAY_MS;

async function library() {
  installReflection();
  return import('@peculiar/x509');
}

/** A new authority that may sign server certificates and nothing below. It lives ten years; an RSA key is PKCS#1. */
export async function issueAuthority(commonName: string, nowMs: number, keyType: KeyType = 'EC'): Promise<KeyPair> {
  const x509 = await library();
  const signingAlgorithm = ALGORITHMS[keyType];
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(nowMs + AUTHORITY_LIFE_MS),
    serialNumber: serialNumber(),
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: privatePem(keys.privateKey) };
}

/**
 * A server certificate for DNS names and IP addresses, the first of which is its common name. It does not outlive its
 * authority, which is the first certificate of `authority`.
 */
export async function issueServer(
  authority: KeyPair,
  names: readonly string[],
  nowMs: number,
  lifeMs: number = SERVER_LIFE_MS,
): Promise<KeyPair> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(ALGORITHMS.EC, true, ['sign', 'verify']);
  const issuer = new x509.X509Certificate(new X509Certificate(authority.certificate).toString());
  const authorityKey = createPrivateKey(authority.key);
  const signingAlgorithm = ALGORITHMS[authorityKey.asymmetricKeyType === 'rsa' ? 'RSA' : 'EC'];
  const alternatives = names.map((name) => ({
    type: isIP(name) === 0 ? ('dns' as const) : ('ip' as const),
    value: name,
  }));
  const extensions: Extension[] = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(alternatives),
    await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ];
  const certificate = await x509.X509CertificateGenerator.create({
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(Math.min(nowMs + lifeMs, issuer.notAfter.getTime())),
    serialNumber: serialNumber(),
    subject: [{ CN: [names[0] ?? 'localhost'] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: authorityKey.toCryptoKey(signingAlgorithm, false, ['sign']),
    signingAlgorithm,
    extensions,
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: privatePem(keys.privateKey) };
}

/** True if the first certificate of the pair is an authority that `issueServer` can sign with. */
export function isAuthority(pair: KeyPair): boolean {
  try {
    const certificate = new X509Certificate(pair.certificate);
    const key = createPrivateKey(pair.key);
    const isKnown = key.asymmetricKeyType === 'rsa' || key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
    return certificate.ca && isKnown && certificate.checkPrivateKey(key);
  } catch {
    // Unreadable is an answer too: it is no authority.
    return false;
  }
}

/** The time after which a certificate should be replaced: two thirds of its life. */
export function renewalTime(certificate: X509Certificate): number {
  const from = certificate.validFromDate.getTime();
  return from + ((certificate.validToDate.getTime() - from) * 2) / 3;
}

// Positive and of 20 octets at most, as RFC 5280 asks.
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes.toString('hex');
}

function privatePem(key: webcrypto.CryptoKey): string {
  const object = KeyObject.from(key);
  return object.export({ type: object.asymmetricKeyType === 'rsa' ? 'pkcs1' : 'pkcs8', format: 'pem' }).toString();
}
