// From apiVersion and kind, as owner references and targets name them, to the resource whose URL is asked. Kubernetes' own
// kinds and ours are known; of others the API server is asked, and its answers are kept for a while.

import { kinds } from '../api/kinds/index.ts';
import { StatusError } from '../component/errors.ts';
import type { Client } from './client.ts';
import * as known from './resource.ts';
import { apiVersionOf, type Resource, resourceOf } from './resource.ts';

/** How long what the API server serves, and what it does not, is taken for true. */
const SERVED_MS = 10 * 60_000;
const ABSENT_MS = 30_000;
/** Versions that are remembered. */
const VERSIONS_MOST = 256;

const OWN: readonly Resource[] = [
  ...Object.values(known).filter((one): one is Resource => typeof one === 'object'),
  ...kinds.flatMap((kind) => kind.versions.map((version) => resourceOf(kind, version))),
];
const BY_NAME: ReadonlyMap<string, Resource> = new Map(OWN.map((one) => [`${apiVersionOf(one)} ${one.kind}`, one]));

type Version = { readonly until: number; readonly resources: Promise<ReadonlyMap<string, Resource>> };

export class Discovery {
  readonly #client: Pick<Client, 'resources'>;
  readonly #monotonic: () => number;
  readonly #versions = new Map<string, Version>();

  constructor(client: Pick<Client, 'resources'>, monotonic: () => number) {
    this.#client = client;
    this.#monotonic = monotonic;
  }

  /** The resource; undefined when the API server has no such kind. Rejects with the client's errors. */
  async find(apiVersion: string, kind: string): Promise<Resource | undefined> {
    return BY_NAME.get(`${apiVersion} ${kind}`) ?? (await this.#version(apiVersion)).get(kind);
  }

  #version(apiVersion: string): Promise<ReadonlyMap<string, Resource>> {
    const now = this.#monotonic();
    const kept = this.#versions.get(apiVersion);
    if (kept !== undefined && kept.until > now) return kept.resources;
    const resources = this.#ask(apiVersion);
    this.#versions.delete(apiVersion);
    this.#versions.set(apiVersion, { until: now + SERVED_MS, resources });
    for (const [oldest] of this.#versions) if (this.#versions.size > VERSIONS_MOST) this.#versions.delete(oldest);
    // Several may ask at once; what failed is asked again by the next, what is absent a little later.
    resources.then(
      ({ size }) => size === 0 && this.#versions.set(apiVersion, { until: this.#monotonic() + ABSENT_MS, resources }),
      () => this.#versions.delete(apiVersion),
    );
    return resources;
  }

  async #ask(apiVersion: string): Promise<ReadonlyMap<string, Resource>> {
    try {
      const slash = apiVersion.indexOf('/');
      const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
      const served = await this.#client.resources(apiVersion);
      return new Map(
        served
          .filter(({ name }) => !name.includes('/'))
          .map(({ name, kind, namespaced }) => [kind, { group, version, plural: name, kind, namespaced }]),
      );
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return new Map();
      throw error;
    }
  }
}
