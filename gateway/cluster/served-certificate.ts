// The certificate of a gateway that serves a cluster, with the authorities by which the API server trusts it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import type { ServingCertificates } from '../../kube/certificates/serving.ts';
import type { Secrets } from '../mode.ts';
import { type CertificateOptions, Certificates, readClientCa } from '../tls/certificates.ts';
import { AUTHORITY_CERTIFICATE } from '../tls/files.ts';

/** A certificate with the authorities that callers have to trust. */
export type ServedCertificate = Secrets & {
  sync(): Promise<string>;
  fault(): string | undefined;
  readonly expiryMs: number | undefined;
  close(): Promise<void>;
};

/** One that is kept in a Secret, which all gateways share. */
export class SecretCertificate implements ServedCertificate {
  readonly #certificates: ServingCertificates;
  readonly #authorities: string | undefined;

  private constructor(certificates: ServingCertificates, authorities: string | undefined) {
    this.#certificates = certificates;
    this.#authorities = authorities;
  }

  /** `clientCaFile`: authorities that vouch for callers, read once. Throws InputError naming it. */
  static async open(certificates: ServingCertificates, clientCaFile: string | undefined): Promise<SecretCertificate> {
    return new SecretCertificate(
      certificates,
      clientCaFile === undefined ? undefined : await readClientCa(clientCaFile),
    );
  }

  sync(): Promise<string> {
    return this.#certificates.sync();
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
