// The certificate of a gateway that serves a cluster, with the authorities by which the API server trusts it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import type { ServingCertificates } from '../../kube/certificates/serving.ts';
import type { Secrets } from '../mode.ts';
import { type CertificateOptions, Certificates, readClientCa } from '../tls/certificates.ts';
import { AUTHORITY_CERTIFICATE } from '../tls/files.ts';
import type { MirroredFiles } from '../tls/mirrored-files.ts';

/** A certificate with the authorities that callers have to trust. */
export type ServedCertificate = Secrets & {
  sync(): Promise<string>;
  fault(): string | undefined;
  /** What does not keep it from being served, but should be put right; undefined if nothing is. */
  readonly notice: string | undefined;
  readonly expiryMs: number | undefined;
  close(): Promise<void>;
};

export type SecretCertificateOptions = {
  /** Authorities that vouch for callers, read once. */
  readonly clientCaFile: string | undefined;
  /** Where the contents of the Secret are shown besides, if anywhere. */
  readonly files: MirroredFiles | undefined;
};

/** One that is kept in a Secret, which all gateways share. */
export class SecretCertificate implements ServedCertificate {
  readonly #certificates: ServingCertificates;
  readonly #authorities: string | undefined;
  readonly #files: MirroredFiles | undefined;

  private constructor(
    certificates: ServingCertificates,
    authorities: string | undefined,
    files: MirroredFiles | undefined,
  ) {
    this.#certificates = certificates;
    this.#authorities = authorities;
    this.#files = files;
  }

  /** Throws InputError naming the client CA file when that cannot be used. */
  static async open(
    certificates: ServingCertificates,
    { clientCaFile, files }: SecretCertificateOptions,
  ): Promise<SecretCertificate> {
    const authorities = clientCaFile === undefined ? undefined : await readClientCa(clientCaFile);
    return new SecretCertificate(certificates, authorities, files);
  }

  async sync(): Promise<string> {
    const bundle = await this.#certificates.sync();
    const { contents } = this.#certificates;
    if (contents !== undefined) await this.#files?.write(contents);
    return bundle;
  }

  get notice(): string | undefined {
    return this.#files?.fault;
  }

  fault(): string | undefined {
    return this.#certificates.fault();
  }

  get expiryMs(): number | undefined {
    return this.#certificates.expiryMs;
  }

  get secrets(): SecureContextOptions {
    return { ...this.#certificates.secrets, ...(this.#authorities === undefined ? {} : { ca: this.#authorities }) };
  }

  watch(listener: (secrets: SecureContextOptions) => void): void {
    this.#certificates.onRenew(() => listener(this.secrets));
  }

  async close(): Promise<void> {}
}

/** One that is kept in a folder. */
export class FolderCertificate implements ServedCertificate {
  readonly #certificates: Certificates;
  readonly #folder: string;

  private constructor(certificates: Certificates, folder: string) {
    this.#certificates = certificates;
    this.#folder = folder;
  }

  static async open(options: CertificateOptions): Promise<FolderCertificate> {
    return new FolderCertificate(await Certificates.open(options), options.folder);
  }

  sync(): Promise<string> {
    return readFile(join(this.#folder, AUTHORITY_CERTIFICATE), 'utf8');
  }

  fault(): string | undefined {
    return this.#certificates.fault();
  }

  get notice(): undefined {
    return undefined;
  }

  get expiryMs(): number {
    return this.#certificates.expiryMs;
  }

  get secrets(): SecureContextOptions {
    return this.#certificates.secrets;
  }

  watch(listener: (secrets: SecureContextOptions) => void): void {
    this.#certificates.watch(listener);
  }

  close(): Promise<void> {
    return this.#certificates.close();
  }
}
