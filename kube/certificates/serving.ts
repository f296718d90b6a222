// The certificates of an installation, kept in a Secret that all replicas share. Who writes first wins, as the API server
// sees it; the others take over what was written. Whatever happens to the Secret, the last good certificate stays in use.

import type { JsonObject } from '../../api/core/json.ts';
import { StatusError } from '../../component/errors.ts';
import type { Logger } from '../../component/logger.ts';
import type { Client } from '../client.ts';
import type { KubeObject, ObjectReference } from '../objects.ts';
import { apiVersionOf, SECRETS } from '../resource.ts';
import { certificatesOf } from './bundle.ts';
import { makeContents } from './make.ts';
import { checkPair, type ServingPair, timeFault } from './pair.ts';
import { planCertificates } from './plan.ts';
import { type CertificateContents, readContents, writeContents } from './secret.ts';

export type ServingOptions = {
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly secret: Required<ObjectReference>;
  /** Names and addresses of the certificate, first the one by which the API server calls. */
  readonly names: readonly string[];
  /** Somebody else, such as cert-manager, keeps the Secret: it is only read (`EnableExternalCerts`). */
  readonly isExternal: boolean;
  /** See `renewBefore`. */
  readonly renewBeforeMs: number;
  /** Since when all callers are known to trust this bundle of authorities; undefined while some may not. */
  readonly trustedSince: (bundle: string) => number | undefined;
  readonly now: () => number;
  readonly logger: Logger;
};

/** What a TLS server needs, PEM. */
export type ServingSecrets = { readonly cert: string; readonly key: string };

/** How often a write is tried that others come before; each time the new state is judged anew. */
const ATTEMPTS = 5;

export class ServingCertificates {
  readonly #options: ServingOptions;
  readonly #listeners = new Set<(secrets: ServingSecrets) => void>();
  #contents: CertificateContents | undefined;
  #pair: ServingPair | undefined;

  constructor(options: ServingOptions) {
    this.#options = options;
  }

  /**
   * Brings the Secret and what is served to where they should be now, and resolves to the authorities that callers have to
   * trust (PEM). Rejects with the API server's error, or an Error that says what is wrong with a Secret of somebody else.
   */
  async sync(): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#sync();
      } catch (error) {
        if (attempt === ATTEMPTS || !(error instanceof StatusError) || error.code !== 409) throw error;
      }
    }
  }

  /** Undefined before the first `sync` that succeeded. */
  get secrets(): ServingSecrets | undefined {
    return this.#pair === undefined ? undefined : { cert: this.#pair.certificate, key: this.#pair.key };
  }

  /** All that belongs to the certificate in use; undefined before there is one. */
  get contents(): CertificateContents | undefined {
    return this.#contents;
  }

  /** When the certificate in use expires, in milliseconds since 1970. */
  get expiryMs(): number | undefined {
    return this.#pair?.leaf.validToDate.getTime();
  }

  /** A health check: why there is no certificate in use that callers can trust now. */
  fault(): string | undefined {
    if (this.#pair === undefined) return 'there is no serving certificate yet';
    return timeFault(this.#pair.leaf, this.#options.now());
  }

  /** Tells of every certificate that comes into use from now on. The returned function ends that. */
  onRenew(listener: (secrets: ServingSecrets) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #sync(): Promise<string> {
    const { isExternal, secret: reference } = this.#options;
    const secret = await this.#read();
    const stored = secret === undefined ? undefined : readContents(secret, isExternal);
    if (isExternal) {
      if (stored === undefined) throw new Error(`Secret ${reference.namespace}/${reference.name}: not found`);
      return this.#adopt(stored);
    }
    const { names, renewBeforeMs, trustedSince, now, logger } = this.#options;
    const settings = { subject: names[0] ?? '', renewBeforeMs, names };
    const trustedSinceMs = stored === undefined ? undefined : trustedSince(stored.authorities);
    const plan = planCertificates({ stored, served: this.#contents, trustedSinceMs }, settings, now());
    const made = await makeContents(plan, stored, settings, now());
    if (made === undefined) return this.#adopt(stored);
    await this.#write(secret, made);
    logger.info({ object: `${reference.namespace}/${reference.name}`, plan: plan.type }, 'certificate Secret written');
    return this.#adopt(made);
  }

  /**
   * A certificate of another authority is taken over when callers trust that one: cert-manager tells them after it has changed
   * the Secret.
   */
  #isTooEarly({ authorities }: CertificateContents): boolean {
    const isOther = this.#contents !== undefined && this.#contents.authorities !== authorities;
    return isOther && this.fault() === undefined && this.#options.trustedSince(authorities) === undefined;
  }

  async #read(): Promise<KubeObject | undefined> {
    try {
      return await this.#options.client.get(SECRETS, this.#options.secret);
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  }

  async #write(before: KubeObject | undefined, contents: CertificateContents): Promise<void> {
    const { client, secret } = this.#options;
    const data = writeContents(contents);
    if (before !== undefined) {
      const present = before as unknown as JsonObject;
      await client.update(SECRETS, { ...present, data: { ...(present.data as JsonObject | undefined), ...data } });
      return;
    }
    const { namespace, name } = secret;
    const head = { apiVersion: apiVersionOf(SECRETS), kind: SECRETS.kind, type: 'Opaque' };
    await client.create(SECRETS, { ...head, metadata: { namespace: namespace ?? '', name }, data });
  }

  #adopt(contents: CertificateContents | undefined): string {
    if (contents === undefined) throw new Error('there are no certificates');
    const pair = checkPair(contents);
    if (this.#options.isExternal) {
      this.#checkExternal(contents, pair);
      if (this.#isTooEarly(contents)) return contents.authorities;
    }
    const isNew = pair.certificate !== this.#pair?.certificate || pair.key !== this.#pair.key;
    this.#contents = contents;
    if (!isNew) return contents.authorities;
    this.#pair = pair;
    this.#options.logger.info({ expires: pair.leaf.validToDate.toISOString() }, 'certificate in use');
    for (const listener of this.#listeners) listener({ cert: pair.certificate, key: pair.key });
    return contents.authorities;
  }

  #checkExternal({ authorities }: CertificateContents, { leaf }: ServingPair): void {
    const { secret, now } = this.#options;
    if (certificatesOf(authorities).length === 0) {
      throw new Error(`Secret ${secret.namespace}/${secret.name}: ca.crt: expected certificates, got none`);
    }
    const fault = timeFault(leaf, now());
    if (fault !== undefined && this.fault() === undefined) throw new Error(fault);
  }
}
