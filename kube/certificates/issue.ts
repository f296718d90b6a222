// Issues certificates: an authority of our own and server certificates signed by it. ECDSA P-256 throughout.

import { createPrivateKey, createPublicKey, KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Extension } from '@peculiar/x509';
import { installReflection } from './reflection.ts';

/** A certificate and its private key (PKCS#8), both PEM. */
export type KeyPair = { certificate: string; key: string };

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
/** Peers' clocks may be behind ours. */
const BACKDATE_MS = 3_600_000;
const AUTHORITY_DAYS = 3650;
const SERVER_DAYS = 90;

async function library() {
  installReflection();
  return import('@peculiar/x509');
}

/** A new authority that may sign server certificates and nothing below. */
export async function issueAuthority(commonName: string, nowMs: number): Promise<KeyPair> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...times(nowMs, AUTHORITY_DAYS),
    serialNumber: serialNumber(),
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: privatePem(keys.privateKey) };
}

/** A server certificate for DNS names and IP addresses, the first of which is its common name. */
export async function issueServer(authority: KeyPair, names: readonly string[], nowMs: number): Promise<KeyPair> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const issuer = new x509.X509Certificate(authority.certificate);
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
    ...times(nowMs, SERVER_DAYS),
    serialNumber: serialNumber(),
    subject: [{ CN: [names[0] ?? 'localhost'] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await createPrivateKey(authority.key).toCryptoKey(ALGORITHM, false, ['sign']),
    signingAlgorithm: ALGORITHM,
    extensions,
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: privatePem(keys.privateKey) };
}

/** True if the pair is an authority that `issueServer` can sign with. */
export function isAuthority(pair: KeyPair): boolean {
  try {
    const certificate = new X509Certificate(pair.certificate);
    const key = createPrivateKey(pair.key);
    const curve = createPublicKey(key).asymmetricKeyDetails?.namedCurve;
    return certificate.ca && curve === 'prime256v1' && certificate.checkPrivateKey(key);
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

function times(nowMs: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(nowMs - BACKDATE_MS), notAfter: new Date(nowMs + days * DAY_MS) };
}

// Positive and of 20 octets at most, as RFC 5280 asks.
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes.toString('hex');
}

function privatePem(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}
