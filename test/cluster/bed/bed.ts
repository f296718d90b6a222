// A cluster of real programs: etcd, an API server and, if wanted, the controllers and nodes. Everything of it lies in one
// folder and ends with it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { JsonObject } from '../../../api/core/json.ts';
import { processInput } from '../../../component/flags.ts';
import { ApiServer } from './apiserver.ts';
import { writeCertificates } from './certificates.ts';
import type { Client } from './client.ts';
import { startControllers, startScheduler } from './controllers.ts';
import { Etcd } from './etcd.ts';
import { clearFolder, clearLeftovers, makeOwnFolder } from './folders.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import type { Network } from './network.ts';
import type { Node } from './node.ts';
import { Nodes } from './nodes.ts';
import type { Process } from './process.ts';
import { type FoundPrograms, findPrograms, type ProgramName } from './programs.ts';
import { Registry } from './registry.ts';

export type BedOptions = {
  /** Runs the controllers of Kubernetes too: Deployments make pods, deleted namespaces go. A bed with nodes has them. */
  controllers?: boolean;
  /** How many nodes pods run on, `node-1` and so on; without any, pods stay pending. Needs root. */
  nodes?: number;
  /** Folder for it, empty and made for the purpose; without one, a folder that goes with this process. */
  folder?: string;
};

/** How a command ended. */
export type Outcome = { code: number; stdout: string; stderr: string };

const KUBECTL_LIMIT_MS = 60_000;
/** It may be told to wait for what it installs. */
const HELM_LIMIT_MS = 300_000;
const MOST_OUTPUT = 64 * 1024 * 1024;

export class Bed {
  readonly folder: string;
  readonly etcd: Etcd;
  readonly apiServer: ApiServer;
  readonly #parts: Parts;
  readonly #endWithProcess: () => void;

  private constructor(parts: Parts) {
    this.folder = parts.folder;
    this.etcd = parts.etcd;
    this.apiServer = parts.apiServer;
    this.#parts = parts;
    this.#endWithProcess = () => clearFolder(this.folder);
  }

  /**
   * Starts one, after it has cleared away what killed runs left. Resolves when the API server is ready, and all nodes are.
   * Throws if a program is missing; see `missingPrograms`.
   */
  static async start({ controllers = false, nodes: count = 0, folder: given }: BedOptions = {}): Promise<Bed> {
    const found = await findPrograms(processInput().environment);
    clearLeftovers();
    const folder = given ?? makeOwnFolder();
    const clear = () => clearFolder(folder);
    process.once('exit', clear);
    try {
      const network = count === 0 ? undefined : await Nodes.startNetwork(folder, count);
      const bed = new Bed(await startParts(folder, found, { controllers, network }));
      process.once('exit', bed.#endWithProcess);
      return bed;
    } catch (error) {
      clear();
      throw error;
    } finally {
      process.off('exit', clear);
    }
  }

  /** None, if it was started without. */
  get nodes(): readonly Node[] {
    return this.#parts.nodes?.all ?? [];
  }

  /** Where the images come from that its nodes run. Throws for a bed without nodes. */
  get registry(): Registry {
    return this.#parts.nodes?.registry ?? Registry.of(this.folder);
  }

  /** The network of a bed with nodes. */
  get network(): Network | undefined {
    return this.#parts.network;
  }

  get client(): Client {
    return this.apiServer.client;
  }

  get kubeconfig(): string {
    return kubeconfigOf(this.folder);
  }

  /** Runs kubectl as an administrator; `input` is its standard input. Resolves whatever its exit code is. */
  kubectl(given: readonly string[], input = ''): Promise<Outcome> {
    return this.#run('kubectl', given, { input, timeout: KUBECTL_LIMIT_MS });
  }

  /** Runs helm likewise. */
  helm(given: readonly string[], input = ''): Promise<Outcome> {
    return this.#run('helm', given, { input, timeout: HELM_LIMIT_MS });
  }

  #run(name: ProgramName, given: readonly string[], { input, timeout }: RunOptions): Promise<Outcome> {
    const env = { KUBECONFIG: this.kubeconfig, HOME: this.folder, PATH: '/usr/bin:/bin' };
    return new Promise((resolve, reject) => {
      const options = { env, timeout, maxBuffer: MOST_OUTPUT };
      const child = execFile(pathOf(this.#parts.found, name), given, options, (error, stdout, stderr) => {
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
    const { controllers, nodes } = this.#parts;
    return [...controllers, ...(nodes?.programs ?? []), this.apiServer.process, this.etcd.process];
  }
}

type Parts = {
  folder: string;
  found: FoundPrograms;
  etcd: Etcd;
  apiServer: ApiServer;
  controllers: readonly Process[];
  network: Network | undefined;
  nodes: Nodes | undefined;
};

type RunOptions = { input: string; timeout: number };

type Wanted = { controllers: boolean; network: Network | undefined };

async function startParts(folder: string, found: FoundPrograms, { controllers, network }: Wanted): Promise<Parts> {
  const places = network === undefined ? { nodes: [] } : { address: network.address, nodes: network.nodes };
  const credentials = await writeCertificates(folder, { nowMs: Date.now(), ...places });
  const startApiServer = async () => {
    const etcd = await Etcd.start(folder, pathOf(found, 'etcd'));
    const path = pathOf(found, 'kube-apiserver');
    const { admin } = credentials;
    return {
      etcd,
      apiServer: await ApiServer.start({ folder, path, etcd: etcd.address, credentials: admin, network }),
    };
  };
  const prepareNodes = async () => network && (await Nodes.prepare(folder, network, pathOf(found, 'kubelet')));
  const [{ etcd, apiServer }, nodes] = await Promise.all([startApiServer(), prepareNodes()]);
  const { client } = apiServer;
  const kubeconfig = kubeconfigOf(folder);
  writeKubeconfig(kubeconfig, client.server, credentials.admin);
  const options = (name: ProgramName) => ({ folder, path: pathOf(found, name), kubeconfig, network });
  const running: Process[] = [];
  if (controllers || nodes !== undefined) running.push(startControllers(options('kube-controller-manager')));
  if (nodes !== undefined) {
    running.push(startScheduler(options('kube-scheduler')));
    await nodes.join(client, credentials);
  }
  return { folder, found, etcd, apiServer, controllers: running, network, nodes };
}

/** The configuration of kubectl for a bed. */
export function kubeconfigOf(folder: string): string {
  return join(folder, 'kubeconfig');
}

function pathOf(found: FoundPrograms, name: ProgramName): string {
  const path = found.get(name)?.path;
  if (path === undefined) throw new Error(`${name} is missing; "npm run cluster:setup" builds it`);
  return path;
}
