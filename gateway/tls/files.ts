// Certificate files in a folder: their names, reading them, and writing them so that no reader ever sees half a file.

import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyPair } from '../../kube/certificates/issue.ts';
import type { CertificateContents } from '../../kube/certificates/secret.ts';

export const SERVER_CERTIFICATE = 'tls.crt';
export const SERVER_KEY = 'tls.key';
export const AUTHORITY_CERTIFICATE = 'ca-cert.pem';
export const AUTHORITY_KEY = 'ca-key.pem';

// Compatibility: the system that we replace keeps the same pair under two names; Secrets of cert-manager have `ca.crt`.
const NAMES: Readonly<Record<string, readonly string[]>> = {
  [SERVER_KEY]: [SERVER_KEY, 'key.pem'],
  [SERVER_CERTIFICATE]: [SERVER_CERTIFICATE, 'cert.pem'],
  [AUTHORITY_KEY]: [AUTHORITY_KEY],
  [AUTHORITY_CERTIFICATE]: [AUTHORITY_CERTIFICATE, 'ca.crt'],
};

/**
 * What the files of a folder hold that shows the contents of a Secret, by name (operations.md 8.3.4): a key that the Secret
 * lacks has no file.
 */
export function fileTexts(contents: CertificateContents): ReadonlyMap<string, string | undefined> {
  const { authorities, authorityKey, certificate, key } = contents;
  return new Map([
    ['ca-key.pem', authorityKey === '' ? undefined : authorityKey],
    ['ca-cert.pem', authorities],
    ['key.pem', key],
    ['tls.key', key],
    ['cert.pem', certificate],
    ['tls.crt', certificate],
  ]);
}

/** The text of a file of the folder; undefined when it does not exist. */
export async function readText(folder: string, name: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A pair of the folder; undefined when one of its files is missing. */
export async function readPair(folder: string, certificate: string, key: string): Promise<KeyPair | undefined> {
  const [certificateText, keyText] = await Promise.all([readText(folder, certificate), readText(folder, key)]);
  if (certificateText === undefined || keyText === undefined) return undefined;
  return { certificate: certificateText, key: keyText };
}

/** Writes a pair under all its names, readable by the owner alone. The folder is made if need be. */
export async function writePair(folder: string, pair: KeyPair, certificate: string, key: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of NAMES[key] ?? [key]) await replaceFile(join(folder, name), pair.key);
  for (const name of NAMES[certificate] ?? [certificate]) await replaceFile(join(folder, name), pair.certificate);
}

async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    await file.close();
    await rename(draft, path);
  } catch (error) {
    await file.close();
    await rm(draft, { force: true });
    throw error;
  }
}
