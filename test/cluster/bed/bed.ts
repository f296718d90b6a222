// A control plane without nodes, of real programs: etcd, an API server and, if wanted, the controllers. Everything of it
// lies in one folder and ends with it.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../api/core/json.ts';
import { processInput } from '../../../component/flags.ts';
import { ApiServer } from './apiserver.ts';
import { type Credentials, writeCertificates } from './certificates.ts';
import type { Client } from './client.ts';
import { Etcd } from './etcd.ts';
import { clearFolder, clearLeftovers, makeOwnFolder } from './folders.ts';
import { Process } from './process.ts';
import { type FoundPrograms, findPrograms, type ProgramName } from './programs.ts';

export type BedOptions = {
  /** Runs the controllers of Kubernetes too: Deployments make pods, deleted namespaces go. */
  controllers?: boolean;
  /** Folder for it, empty and made for the purpose; without one, a folder that goes with this process. */
  folder?: string;
};

/** How a command ended. */
export type Outcome = { code: number; stdout: string; stderr: string };

const COMMAND_LIMIT_MS = 60_000;

export class Bed {
  readonly folder: string;
  readonly etcd: Etcd;
  readonly apiServer: ApiServer;
  readonly #controllers: Process | undefined;
  readonly #kubectl: string;
  readonly #endWithProcess: () => void;

  private constructor(parts: Parts) {
    this.folder = parts.folder;
    this.etcd = parts.etcd;
    this.apiServer = parts.apiServer;
    this.#controllers = parts.controllers;
    this.#kubectl = parts.kubectl;
    this.#endWithProcess = () => clearFolder(this.folder);
  }

  /**
   * Starts one, after it has cleared away what killed runs left. Resolves when the API server is ready. Throws if a
   * program is missing; see `missingPrograms`.
   */
  static async start({ controllers = false, folder: given }: BedOptions = {}): Promise<Bed> {
    const found = await findPrograms(processInput().environment);
    clearLeftovers();
    const folder = given ?? makeOwnFolder();
    const clear = () => clearFolder(folder);
    process.once('exit', clear);
    try {
      const credentials = await writeCertificates(folder, Date.now());
      const etcd = await Etcd.start(folder, pathOf(found, 'etcd'));
      const path = pathOf(found, 'kube-apiserver');
      const apiServer = await ApiServer.start({
        folder,
        path,
        etcd: etcd.address,
        credentials,
      });
      writeKubeconfig(folder, apiServer.port, credentials);
      const bed = new Bed({
        folder,
        etcd,
        apiServer,
        controllers: controllers ? startControllers(folder, pathOf(found, 'kube-controller-manager')) : undefined,
        kubectl: pathOf(found, 'kubectl'),
      });
      process.once('exit', bed.#endWithProcess);
      return bed;
    } catch (error) {
      clear();
      throw error;
    } finally {
      process.off('exit', clear);
    }
  }

  get client(): Client {
    return this.apiServer.client;
  }

  get kubeconfig(): string {
    return kubeconfigOf(this.folder);
  }

  /** Runs kubectl as an administrator; `input` is its standard input. Resolves whatever its exit code is. */
  kubectl(given: readonly string[], input = ''): Promise<Outcome> {
    const env = { KUBECONFIG: this.kubeconfig, HOME: this.folder, PATH: '/usr/bin:/bin' };
    return new Promise((resolve, reject) => {
      const child = execFile(this.#kubectl, given, { env, timeout: COMMAND_LIMIT_MS }, (error, stdout, stderr) => {
        if (error !== null && typeof error.code !== 'number') reject(error);
        else resolve({ code: Number(error?.code ?? 0), stdout, stderr });
      });
      // It may refuse its arguments before it reads.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
  }

  /** Creates a namespace in which pods can be created. */
  async createNamespace(name: string, labels: JsonObject = {}): Promise<void> {
    await this.client.must(this.client.send('POST', '/api/v1/namespaces', { metadata: { name, labels } }));
    // Pods need it; a controller makes it, where there are controllers.
    const path = `/api/v1/namespaces/${name}/serviceaccounts`;
    const { status, body } = await this.client.send('POST', path, { metadata: { name: 'default' } });
    if (status !== 201 && status !== 409) throw new Error(`${path}: ${String(body.message)}`);
  }

  /** Lets this process end while the bed stays. */
  release(): void {
    process.off('exit', this.#endWithProcess);
    for (const program of this.#programs) program.release();
    this.client.close();
  }

  /** Ends all of it and removes its folder. */
  async close(): Promise<void> {
    process.off('exit', this.#endWithProcess);
    this.client.close();
    for (const program of this.#programs) await program.end();
    clearFolder(this.folder);
  }

  /** In the order in which they end. */
  get #programs(): Process[] {
    const rest = [this.apiServer.process, this.etcd.process];
    return this.#controllers === undefined ? rest : [this.#controllers, ...rest];
  }
}

type Parts = {
  folder: string;
  etcd: Etcd;
  apiServer: ApiServer;
  controllers: Process | undefined;
  kubectl: string;
};

/** The configuration of kubectl for a bed. */
export function kubeconfigOf(folder: string): string {
  return join(folder, 'kubeconfig');
}

function startControllers(folder: string, path: string): Process {
  const flags = {
    kubeconfig: kubeconfigOf(folder),
    'service-account-private-key-file': join(folder, 'accounts.key'),
    'root-ca-file': join(folder, 'ca.crt'),
    'leader-elect': 'false',
    'secure-port': '0',
    'kube-api-qps': '200',
    'kube-api-burst': '400',
  };
  const given = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  return Process.start({ folder, name: 'kube-controller-manager', path, arguments: given });
}

function pathOf(found: FoundPrograms, name: ProgramName): string {
  const path = found.get(name)?.path;
  if (path === undefined) throw new Error(`${name} is missing; "npm run cluster:setup" builds it`);
  return path;
}

function writeKubeconfig(folder: string, port: number, { ca, certificate, key }: Credentials): void {
  const data = (text: string) => Buffer.from(text).toString('base64');
  const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': data(ca) };
  const user = { 'client-certificate-data': data(certificate), 'client-key-data': data(key) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bed', cluster }],
    users: [{ name: 'admin', user }],
    contexts: [{ name: 'bed', context: { cluster: 'bed', user: 'admin' } }],
    'current-context': 'bed',
  };
  writeFileSync(kubeconfigOf(folder), JSON.stringify(config), { mode: 0o600 });
}
