// What the certificate Secret holds, under the names that the system that we replace and cert-manager gave its members
// (operations.md 8.3 and 8.4).

import type { JsonObject } from '../../api/core/json.ts';
import type { KubeObject } from '../objects.ts';
import { readableBundle } from './bundle.ts';

/** PEM texts; a member that the Secret lacks is empty. */
export type CertificateContents = {
  /** Certificates of the authorities to trust; the first is the one that `authorityKey` belongs to. */
  readonly authorities: string;
  readonly authorityKey: string;
  readonly certificate: string;
  readonly key: string;
};

const OWN: Readonly<Record<keyof CertificateContents, readonly string[]>> = {
  authorityKey: ['ca-key.pem'],
  authorities: ['ca-cert.pem'],
  key: ['tls.key', 'key.pem'],
  certificate: ['tls.crt', 'cert.pem'],
};
const EXTERNAL: Readonly<Record<keyof CertificateContents, readonly string[]>> = {
  authorityKey: ['ca.key'],
  authorities: ['ca.crt'],
  key: ['tls.key'],
  certificate: ['tls.crt'],
};

/** The contents of our own Secret, or of one that somebody else keeps. What is no base64 reads as garbage, not as an error. */
export function readContents(secret: KubeObject, isExternal: boolean): CertificateContents {
  const names = isExternal ? EXTERNAL : OWN;
  const data = typeof secret.data === 'object' && secret.data !== null ? (secret.data as Record<string, unknown>) : {};
  const textOf = (member: keyof CertificateContents): string => {
    const value = names[member].map((name) => data[name]).find((text) => typeof text === 'string' && text !== '');
    return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
  };
  return {
    authorities: readableBundle(textOf('authorities')),
    authorityKey: textOf('authorityKey'),
    certificate: textOf('certificate'),
    key: textOf('key'),
  };
}

/** The `data` of our own Secret: every text under all its names. */
export function writeContents(contents: CertificateContents): JsonObject {
  const members = Object.entries(OWN) as [keyof CertificateContents, readonly string[]][];
  const rows = members.flatMap(([member, names]) => names.map((name) => [name, encode(contents[member])] as const));
  return Object.fromEntries(rows);
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
