// Kubeconfig files: which cluster and user a context names, with errors that name file and field. Several files count as
// one; of equal names the first counts. Plug-ins (exec, auth providers) are run by the official client library.

import { InputError } from '../component/errors.ts';
import { fieldError, type Manifest, parseDocuments, readBytes } from '../component/manifests.ts';
import type { CredentialPlugin, PluginCredentials } from './credential-plugin.ts';
import { type Content, Entry, findEntry } from './kubeconfig-entry.ts';

export type Cluster = {
  readonly server: URL;
  readonly certificateAuthority?: Content;
  readonly serverName?: string;
  readonly skipVerification?: boolean;
};

export type User = {
  readonly certificate?: Content;
  readonly key?: Content;
  readonly token?: string;
  readonly tokenFile?: string;
  /** `user:password`. */
  readonly basic?: string;
  /** Headers of who to act as. */
  readonly impersonation?: Readonly<Record<string, string>>;
  /** Runs a plug-in, or takes what it gave before while that is valid. */
  readonly plugin?: () => Promise<PluginCredentials>;
  /** What the plug-in gave is not valid any more. */
  readonly forget?: () => void;
};

export type ContextChoice = {
  readonly files: readonly string[];
  /** Files that do not exist are left out. */
  readonly optional: boolean;
  /** In place of the current one. */
  readonly context: string | undefined;
};

/** What a context names; undefined if there is no file. Throws InputError. */
export async function chooseContext(
  choice: ContextChoice,
): Promise<{ cluster: Cluster; user: User; namespace: string | undefined } | undefined> {
  const configs = (await Promise.all(choice.files.map((file) => readConfig(file, choice.optional)))).flat();
  const first = configs[0];
  if (first === undefined) return undefined;
  const name = choice.context ?? currentContext(configs);
  if (name === undefined) throw fieldError(first, 'current-context', 'required, or name a context with --context');
  const context = findEntry(configs, { list: 'contexts', member: 'context', name });
  if (context === undefined) throw fieldError(first, 'contexts', `there is no context ${JSON.stringify(name)}`);
  const clusterName = context.text('cluster');
  if (clusterName === undefined) throw context.error('cluster', 'required');
  const cluster = findEntry(configs, { list: 'clusters', member: 'cluster', name: clusterName });
  if (cluster === undefined) throw context.error('cluster', `there is no cluster ${JSON.stringify(clusterName)}`);
  const userName = context.text('user');
  const user =
    userName === undefined ? undefined : findEntry(configs, { list: 'users', member: 'user', name: userName });
  if (userName !== undefined && user === undefined) {
    throw context.error('user', `there is no user ${JSON.stringify(userName)}`);
  }
  return {
    cluster: readCluster(cluster),
    user: user === undefined ? {} : readUser(user),
    namespace: context.text('namespace'),
  };
}

async function readConfig(file: string, optional: boolean): Promise<Manifest[]> {
  try {
    return (await parseDocuments(await readBytes(file), file)).slice(0, 1);
  } catch (error) {
    if (optional && error instanceof InputError && error.message === 'no such file or folder') return [];
    throw error;
  }
}

function currentContext(configs: readonly Manifest[]): string | undefined {
  for (const config of configs) {
    const name = new Entry(config, '', config.object).text('current-context');
    if (name !== undefined) return name;
  }
  return undefined;
}

function readCluster(entry: Entry): Cluster {
  const server = entry.text('server');
  if (server === undefined) throw entry.error('server', 'required');
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw entry.error('server', `expected a URL such as https://10.0.0.1:6443, got ${JSON.stringify(server)}`);
  }
  if (entry.text('proxy-url') !== undefined) throw entry.error('proxy-url', 'proxies are not supported');
  const certificateAuthority = entry.content('certificate-authority');
  const serverName = entry.text('tls-server-name');
  return {
    server: url,
    skipVerification: entry.flag('insecure-skip-tls-verify'),
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(serverName === undefined ? {} : { serverName }),
  };
}

function readUser(entry: Entry): User {
  const certificate = entry.content('client-certificate');
  const key = entry.content('client-key');
  if ((certificate === undefined) !== (key === undefined)) {
    throw certificate === undefined
      ? entry.error('client-certificate', 'required with client-key')
      : entry.error('client-key', 'required with client-certificate');
  }
  const token = entry.line('token');
  const tokenFile = entry.path('tokenFile');
  const username = entry.text('username');
  const as = entry.line('as');
  for (const member of ['as-groups', 'as-uid', 'as-user-extra']) {
    if (entry.has(member)) throw entry.error(member, 'not supported: only a user can be acted as');
  }
  const exec = entry.part('exec');
  if (entry.has('exec') && exec.text('command') === undefined) throw exec.error('command', 'required');
  const plugin = entry.has('exec') || entry.has('auth-provider') ? pluginOf(entry) : {};
  return {
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(token === undefined ? {} : { token }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(username === undefined ? {} : { basic: `${username}:${entry.text('password') ?? ''}` }),
    ...(as === undefined ? {} : { impersonation: { 'impersonate-user': as } }),
    ...plugin,
  };
}

function pluginOf(entry: Entry): Pick<User, 'plugin' | 'forget'> {
  let loaded: Promise<CredentialPlugin> | undefined;
  return {
    plugin: async () => {
      loaded ??= import('./credential-plugin.ts').then((module) => new module.CredentialPlugin(entry.value));
      return await (await loaded).credentials();
    },
    forget: () => {
      loaded = undefined;
    },
  };
}
