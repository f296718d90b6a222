// The serving certificate: made on the first start, renewed before its end, and taken over from the folder whenever it
// changes there. Whatever happens to the files, the last good pair stays in use.

import { X509Certificate } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { InputError } from '../../component/errors.ts';
import { faultWithin, IS_NO_FILE } from '../../component/file-faults.ts';
import type { Logger } from '../../component/logger.ts';
import { isAuthority, issueAuthority, issueServer, type KeyPair, renewalTime } from '../../kube/certificates/issue.ts';
import { checkAuthorities, checkPair, type ServingPair, timeFault } from '../../kube/certificates/pair.ts';
import { FolderWatch } from '../watch.ts';
import * as files from './files.ts';
import { exclusively } from './lock.ts';

export type CertificateOptions = {
  folder: string;
  /** DNS names and IP addresses that a certificate of our own must hold. */
  names: readonly string[];
  clientCaFile: string | undefined;
  now: () => number;
  logger: Logger;
  /** Told of every take-over (`success`) and of every change that could not be taken over (`error`). */
  count: (result: 'success' | 'error') => void;
  settleMs: number;
  pollMs: number;
};

const AUTHORITY_NAME = 'sluice-webhook-ca';
const RETRY_MS = 60_000;

export class Certificates {
  readonly #options: CertificateOptions;
  #pair: ServingPair;
  #clientCa: string | undefined;
  /** True if the folder holds our own authority: then the certificate is ours to renew. */
  readonly #isOurs: boolean;
  #lastError = '';
  #retryAt = 0;
  #listener: (secrets: SecureContextOptions) => void = () => undefined;
  #watch: FolderWatch | undefined;

  private constructor(options: CertificateOptions, pair: ServingPair, clientCa: string | undefined, isOurs: boolean) {
    this.#options = options;
    this.#pair = pair;
    this.#clientCa = clientCa;
    this.#isOurs = isOurs;
  }

  /**
   * Reads the folder, making authority and certificate where there is none. A folder with a certificate but without
   * `ca-key.pem` is somebody else's: it is never written. Throws InputError when that one cannot be used.
   */
  static async open(options: CertificateOptions): Promise<Certificates> {
    const { folder, clientCaFile } = options;
    const clientCa = clientCaFile === undefined ? undefined : await readClientCa(clientCaFile);
    try {
      // In this order: who makes the files writes the authority first.
      const isOurs = (await isBare(folder)) || (await files.readText(folder, files.AUTHORITY_KEY)) !== undefined;
      const pair = isOurs ? await ensureOurs(options) : await readServing(folder);
      return new Certificates(options, pair, clientCa, isOurs);
    } catch (error) {
      throw faultWithin(error, folder);
    }
  }

  /** Watches the files; `listener` is told of each new set of secrets. */
  watch(listener: (secrets: SecureContextOptions) => void): void {
    const { logger, settleMs, pollMs, clientCaFile, folder } = this.#options;
    this.#listener = listener;
    this.#watch = new FolderWatch({
      folders: () => [
        ...foldersOf(folder, files.SERVER_CERTIFICATE),
        ...(clientCaFile === undefined ? [] : foldersOf(dirname(clientCaFile), basename(clientCaFile))),
      ],
      changed: () => this.#refresh(),
      settleMs,
      pollMs,
      unwatchable: (path, error) => logger.debug({ path, error: error.message }, 'folder is polled, not watched'),
    });
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }

  /** What a TLS server needs. */
  get secrets(): SecureContextOptions {
    const { certificate, key } = this.#pair;
    return { cert: certificate, key, ...(this.#clientCa === undefined ? {} : { ca: this.#clientCa }) };
  }

  /** When the certificate in use expires, in milliseconds since 1970. */
  get expiryMs(): number {
    return this.#pair.leaf.validToDate.getTime();
  }

  /** A health check: why the certificate in use cannot be trusted now. */
  fault(): string | undefined {
    return timeFault(this.#pair.leaf, this.#options.now());
  }

  async #refresh(): Promise<void> {
    const { now, folder, clientCaFile, logger, count } = this.#options;
    try {
      if (this.#isOurs && now() >= Math.max(renewalTime(this.#pair.leaf), this.#retryAt)) {
        this.#retryAt = now() + RETRY_MS;
        await ensureOurs(this.#options);
      }
      const pair = await readServing(folder);
      const clientCa = clientCaFile === undefined ? undefined : await readClientCa(clientCaFile);
      const fault = timeFault(pair.leaf, now());
      if (fault !== undefined && this.fault() === undefined) throw new Error(fault);
      if (this.#lastError !== '') logger.info({ folder }, 'the certificate files can be used again');
      this.#lastError = '';
      if (pair.certificate === this.#pair.certificate && pair.key === this.#pair.key && clientCa === this.#clientCa)
        return;
      this.#pair = pair;
      this.#clientCa = clientCa;
      this.#listener(this.secrets);
      count('success');
      logger.info({ expires: pair.leaf.validToDate.toISOString() }, 'certificate reloaded');
    } catch (error) {
      // The poll comes by here again and again; the same fault is told once.
      const message = messageOf(error);
      if (message === this.#lastError) return;
      this.#lastError = message;
      count('error');
      logger.error({ error: message, folder }, 'certificate not reloaded, the last good one stays');
    }
  }
}

async function isBare(folder: string): Promise<boolean> {
  const texts = [files.SERVER_CERTIFICATE, files.SERVER_KEY].map((name) => files.readText(folder, name));
  return (await Promise.all(texts)).every((text) => text === undefined);
}

async function readServing(folder: string): Promise<ServingPair> {
  const pair = await files.readPair(folder, files.SERVER_CERTIFICATE, files.SERVER_KEY);
  if (pair === undefined) throw new Error(`${files.SERVER_CERTIFICATE} or ${files.SERVER_KEY} is missing`);
  return checkPair(pair);
}

/** The authorities of callers. Throws InputError naming the file. */
export async function readClientCa(file: string): Promise<string> {
  try {
    const found = await stat(file);
    if (!found.isFile() && !found.isDirectory()) throw new InputError(IS_NO_FILE, { file });
    return checkAuthorities(await readFile(file, 'utf8'));
  } catch (error) {
    throw faultWithin(error, file);
  }
}

/** The pair of the folder if it will do for some time yet, else a new one of the same authority, if that will do. */
async function ensureOurs(options: CertificateOptions): Promise<ServingPair> {
  const present = await usableNow(options);
  if (present !== undefined) return present;
  // Another gateway that shares the folder may just be making them too: then what it made is there afterwards.
  return exclusively(options.folder, async () => (await usableNow(options)) ?? (await issueOurs(options)));
}

/** What the folder has, if nothing of it needs to be made or renewed. */
async function usableNow({ folder, names, now }: CertificateOptions): Promise<ServingPair | undefined> {
  const authority = await files.readPair(folder, files.AUTHORITY_CERTIFICATE, files.AUTHORITY_KEY);
  const present = await files.readPair(folder, files.SERVER_CERTIFICATE, files.SERVER_KEY);
  if (authority === undefined || present === undefined || !isLasting(authority, now())) return undefined;
  return usablePair(present, authority, names, now());
}

async function issueOurs(options: CertificateOptions): Promise<ServingPair> {
  const { folder, names, now, logger } = options;
  const authority = await ensureAuthority(options);
  const issued = checkPair(await issueServer(authority, names, now()));
  await files.writePair(folder, issued, files.SERVER_CERTIFICATE, files.SERVER_KEY);
  logger.info({ folder, expires: issued.leaf.validToDate.toISOString() }, 'certificate issued');
  return issued;
}

async function ensureAuthority({ folder, now, logger }: CertificateOptions): Promise<KeyPair> {
  const present = await files.readPair(folder, files.AUTHORITY_CERTIFICATE, files.AUTHORITY_KEY);
  if (present !== undefined && isLasting(present, now())) return present;
  const issued = await issueAuthority(AUTHORITY_NAME, now());
  // Callers that trust the file keep trusting what the old authority signed until they have seen the new one.
  const bundle =
    present !== undefined && isAuthority(present)
      ? { ...issued, certificate: issued.certificate + firstCertificate(present.certificate) }
      : issued;
  await files.writePair(folder, bundle, files.AUTHORITY_CERTIFICATE, files.AUTHORITY_KEY);
  logger.info({ folder }, 'certificate authority issued');
  return issued;
}

/** Is it an authority that need not be renewed yet? */
function isLasting(authority: KeyPair, now: number): boolean {
  return isAuthority(authority) && now < renewalTime(new X509Certificate(authority.certificate));
}

function usablePair(pair: KeyPair, authority: KeyPair, names: readonly string[], now: number): ServingPair | undefined {
  try {
    const checked = checkPair(pair);
    const { leaf } = checked;
    const isSigned = leaf.verify(new X509Certificate(authority.certificate).publicKey);
    const hasNames = names.every((name) => (leaf.checkHost(name) ?? leaf.checkIP(name)) !== undefined);
    const isTimely = timeFault(leaf, now) === undefined && now < renewalTime(leaf);
    return isSigned && hasNames && isTimely ? checked : undefined;
  } catch {
    // A torn pair of our own is simply replaced.
    return undefined;
  }
}

function firstCertificate(bundle: string): string {
  return `${new X509Certificate(bundle).toString().trim()}\n`;
}

// A mounted Secret is a chain of links: the folder they end in changes as well as the one they start from.
function foldersOf(folder: string, name: string): string[] {
  try {
    return [folder, dirname(realpathSync(`${folder}/${name}`))];
  } catch {
    // What is missing now is found by the poll.
    return [folder];
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code, path } = error as NodeJS.ErrnoException;
  return path === undefined ? error.message : `${path}: ${code}`;
}
