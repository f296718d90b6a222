// Where the API server is and how to be known there: from a kubeconfig, or from what every pod is given.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConnectionError, InputError } from '../component/errors.ts';
import type { Environment } from '../component/flags.ts';
import { type Cluster, chooseContext, type User } from './kubeconfig.ts';

export type TlsOptions = {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
};

/** What a request needs: headers, and the TLS options of the connection that it goes over. */
export type Credentials = { readonly headers: Readonly<Record<string, string>>; readonly tls: TlsOptions };

export type Connection = {
  readonly server: URL;
  /** The namespace of the pod or of the kubeconfig's context. */
  readonly namespace: string | undefined;
  /** Read anew from their files when they are older than a minute. Rejects with ConnectionError or the signal's reason. */
  credentials(signal: AbortSignal): Promise<Credentials>;
  /** The server refused these. True if the next ones may be others: they are read anew, at most every five seconds. */
  renew(refused: Credentials): boolean;
};

export type ConnectionOptions = {
  /** A file in place of all other sources. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly environment: Environment;
  /** Milliseconds of a clock that never steps. */
  readonly monotonic: () => number;
  /** Where a pod finds its token, CA and namespace. */
  readonly podFolder?: string;
};

const POD_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Tokens of pods are replaced when a fifth of their life is left, which is minutes. */
const CREDENTIALS_LAST_MS = 60_000;
const RENEWAL_INTERVAL_MS = 5_000;

/**
 * The first that there is: the kubeconfig that was named, the pod's ServiceAccount, the files of $KUBECONFIG,
 * ~/.kube/config. Throws InputError naming file and field.
 */
export async function readConnection(options: ConnectionOptions): Promise<Connection> {
  const { kubeconfig, context, environment, podFolder = POD_FOLDER } = options;
  if (kubeconfig === undefined || kubeconfig === '') {
    const pod = await podConnection(environment, podFolder);
    if (pod !== undefined) return new FileConnection(pod, options.monotonic);
  }
  const { files, optional } = kubeconfigFiles(kubeconfig, environment);
  const found = await chooseContext({ files, optional, context });
  if (found === undefined) {
    if (!optional) throw new InputError('expected a kubeconfig, and nothing is in it', { file: files.join(', ') });
    throw new InputError(
      'there is no cluster to connect to: no --kubeconfig, no ServiceAccount, and no file at $KUBECONFIG or ~/.kube/config',
    );
  }
  return new FileConnection(found, options.monotonic);
}

function kubeconfigFiles(named: string | undefined, environment: Environment): { files: string[]; optional: boolean } {
  if (named !== undefined && named !== '') return { files: [named], optional: false };
  const listed = (environment.KUBECONFIG ?? '').split(':').filter((file) => file !== '');
  if (listed.length > 0) return { files: listed, optional: true };
  const home = environment.HOME ?? '';
  return { files: home === '' ? [] : [join(home, '.kube', 'config')], optional: true };
}

async function podConnection(environment: Environment, folder: string): Promise<Source | undefined> {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = environment;
  const tokenFile = join(folder, 'token');
  if (host === '' || port === '' || !(await exists(tokenFile))) return undefined;
  const namespaceFile = join(folder, 'namespace');
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (!URL.canParse(server) || !/^\d+$/.test(port)) {
    throw new InputError(
      `$KUBERNETES_SERVICE_HOST and $KUBERNETES_SERVICE_PORT: expected a host and a port, got ${JSON.stringify(host)} and ${JSON.stringify(port)}`,
    );
  }
  return {
    cluster: {
      server: new URL(server),
      certificateAuthority: { file: join(folder, 'ca.crt') },
    },
    user: { tokenFile },
    namespace: (await exists(namespaceFile)) ? (await readFile(namespaceFile, 'utf8')).trim() : undefined,
  };
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

type Source = { readonly cluster: Cluster; readonly user: User; readonly namespace: string | undefined };

/** Credentials from files, texts and plug-ins, kept for a while. */
class FileConnection implements Connection {
  readonly server: URL;
  readonly namespace: string | undefined;
  readonly #source: Source;
  readonly #monotonic: () => number;
  #current: Promise<Credentials> | undefined;
  #readAt = 0;
  #last: Credentials | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(source: Source, monotonic: () => number) {
    this.server = source.cluster.server;
    this.namespace = source.namespace;
    this.#source = source;
    this.#monotonic = monotonic;
  }

  credentials(signal: AbortSignal): Promise<Credentials> {
    const isFresh = this.#monotonic() - this.#readAt < CREDENTIALS_LAST_MS;
    return abortable(this.#current !== undefined && isFresh ? this.#current : this.#read(), signal);
  }

  renew(refused: Credentials): boolean {
    if (this.#last !== refused) return true;
    const now = this.#monotonic();
    if (now - this.#renewedAt < RENEWAL_INTERVAL_MS) return false;
    this.#renewedAt = now;
    this.#last = undefined;
    this.#source.user.forget?.();
    this.#current = undefined;
    return true;
  }

  // A file may be missing for a moment while it is replaced: what was read before is good for another while.
  #read(): Promise<Credentials> {
    const previous = this.#last;
    const reading = readCredentials(this.#source).then(
      (credentials) => {
        this.#last = credentials;
        return credentials;
      },
      (error: unknown) => {
        if (previous !== undefined) return previous;
        if (this.#current === reading) this.#current = undefined;
        throw new ConnectionError(`credentials: ${(error as Error).message}`, { sent: false, cause: error });
      },
    );
    this.#current = reading;
    this.#readAt = this.#monotonic();
    return reading;
  }
}

async function readCredentials({ cluster, user }: Source): Promise<Credentials> {
  const headers: Record<string, string> = {};
  const tls: { -readonly [Member in keyof TlsOptions]: TlsOptions[Member] } = {};
  if (cluster.certificateAuthority !== undefined) tls.ca = await read(cluster.certificateAuthority);
  if (cluster.serverName !== undefined) tls.servername = cluster.serverName;
  if (cluster.skipVerification === true) tls.rejectUnauthorized = false;
  if (user.certificate !== undefined && user.key !== undefined) {
    tls.cert = await read(user.certificate);
    tls.key = await read(user.key);
  }
  // As kubectl has it: a token in a file counts more than one beside it, both more than a password.
  if (user.basic !== undefined) headers.authorization = `Basic ${Buffer.from(user.basic).toString('base64')}`;
  if (user.token !== undefined) headers.authorization = `Bearer ${user.token}`;
  if (user.tokenFile !== undefined) {
    headers.authorization = `Bearer ${(await readFile(user.tokenFile, 'utf8')).trim()}`;
  }
  const fromPlugin = await user.plugin?.();
  Object.assign(headers, fromPlugin?.headers, user.impersonation);
  return { headers, tls: { ...tls, ...fromPlugin?.tls } };
}

async function read(source: { file: string } | { data: Buffer }): Promise<Buffer> {
  return 'data' in source ? source.data : await readFile(source.file);
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
