// Credential plug-ins of kubeconfigs (exec, auth providers), run by the official client library. A file of its own: it is
// loaded by those who have plug-ins, and of the library only what they need.

import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { JsonObject } from '../api/core/json.ts';
import type { TlsOptions } from './connection.ts';

export type PluginCredentials = { readonly headers: Readonly<Record<string, string>>; readonly tls: TlsOptions };

/** Of a user in a kubeconfig. What a plug-in gave is kept while it is valid; a new one of these begins anew. */
export class CredentialPlugin {
  readonly #config = new KubeConfig();

  constructor(user: JsonObject) {
    const name = 'plugin';
    this.#config.loadFromOptions({
      clusters: [{ name, server: 'https://localhost' }],
      users: [{ name, exec: user.exec, authProvider: user['auth-provider'] }],
      contexts: [{ name, cluster: name, user: name }],
      currentContext: name,
    });
  }

  /** Rejects with what the plug-in printed. */
  async credentials(): Promise<PluginCredentials> {
    const given: { headers?: Record<string, string>; cert?: string; key?: string } = {};
    await this.#config.applyToHTTPSOptions(given);
    const tls = given.cert !== undefined && given.key !== undefined ? { cert: given.cert, key: given.key } : {};
    return { headers: given.headers ?? {}, tls };
  }
}
