// Client certificates for tests.

import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto';
import type { KeyPair } from '../../../kube/certificates/issue.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** A certificate of a client, valid for a year from `fromMs`. */
export async function issueClient(
  authority: KeyPair,
  commonName: string,
  fromMs = Date.now() - 1000,
): Promise<KeyPair> {
  const x509 = await import('@peculiar/x509');
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    notBefore: new Date(fromMs),
    notAfter: new Date(fromMs + 365 * DAY_MS),
    serialNumber: '0102030405',
    subject: [{ CN: [commonName] }],
    issuer: new x509.X509Certificate(authority.certificate).subjectName,
    publicKey: keys.publicKey,
    signingKey: await createPrivateKey(authority.key).toCryptoKey(ALGORITHM, false, ['sign']),
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { certificate: certificate.toString('pem'), key };
}
