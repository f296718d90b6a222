// Certificates of authorities, one after the other in PEM, as API servers read them: one that they cannot read makes them
// refuse the whole bundle, or not trust what they should.

import { X509Certificate } from 'node:crypto';

/** Curves that Go's TLS knows, by the names that OpenSSL gives them. */
const CURVES: readonly (string | undefined)[] = ['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1'];
const LEAST_RSA_BITS = 1024;

/** The certificates of a bundle in their order, without what callers cannot read. */
export function certificatesOf(bundle: string): X509Certificate[] {
  return blocksOf(bundle).flatMap((block) => read(block) ?? []);
}

/** A certificate as a block of a bundle. */
export function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString().trim()}\n`;
}

/** The bundle as it is if callers can read all of it, else what they can read. */
export function readableBundle(bundle: string): string {
  const certificates = certificatesOf(bundle);
  return certificates.length === blocksOf(bundle).length ? bundle : certificates.map(pemOf).join('');
}

/** Is the certificate's key of a type that API servers can check signatures with? */
export function isKnownToCallers({ publicKey }: X509Certificate): boolean {
  const { asymmetricKeyType, asymmetricKeyDetails: { namedCurve, modulusLength = 0 } = {} } = publicKey;
  if (asymmetricKeyType === 'rsa') return modulusLength >= LEAST_RSA_BITS;
  return asymmetricKeyType === 'ed25519' || (asymmetricKeyType === 'ec' && CURVES.includes(namedCurve));
}

function blocksOf(bundle: string): readonly string[] {
  return bundle.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
}

function read(block: string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(block);
    return isKnownToCallers(certificate) ? certificate : undefined;
  } catch {
    // It vouches for nothing.
    return undefined;
  }
}
