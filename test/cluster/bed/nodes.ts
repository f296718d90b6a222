// Everything that a bed with nodes has besides its control plane: networks, a registry with images, the nodes themselves
// and what makes Services work. It is prepared while the API server starts, and joined to it then.
import type { BedCredentials } from './certificates.ts';
import { makeGroups } from './cgroups.ts';
import type { Client } from './client.ts';
import { standIns } from './images.ts';
import { Network } from './network.ts';
import { DNS_ADDRESS, Node } from './node.ts';
import { Process } from './process.ts';
import { Registry, startRegistry } from './registry.ts';

const PROXY = new URL('service-proxy.ts', import.meta.url).pathname;

/** Volume claims get folders of this machine. */
const STORAGE_CLASS = {
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'kubernetes.io/host-path',
};

/** Nobody serves it: where a name is looked up, that fails at once. */
const DNS = {
  metadata: { name: 'kube-dns' },
  spec: { clusterIP: DNS_ADDRESS, ports: [{ name: 'dns', protocol: 'UDP', port: 53 }] },
};

export class Nodes {
  readonly registry: Registry;
  readonly all: readonly Node[];
  readonly #folder: string;
  readonly #network: Network;
  /** Registry and proxy. */
  readonly #services: Process[];

  private constructor(folder: string, network: Network, parts: { registry: Process; all: readonly Node[] }) {
    this.#folder = folder;
    this.#network = network;
    this.registry = Registry.of(folder);
    this.#services = [parts.registry];
    this.all = parts.all;
  }

  /** The network of a bed with this many nodes, `node-1` and so on, and the groups of its processes. */
  static startNetwork(folder: string, count: number): Promise<Network> {
    const names = Array.from({ length: count }, (_none, index) => `node-${index + 1}`);
    makeGroups(folder, names);
    return Network.start(folder, names);
  }

  /** Starts what needs no API server: the registry with its images, and the container runtimes. */
  static async prepare(folder: string, network: Network, kubelet: string): Promise<Nodes> {
    const registry = await startRegistry(folder, network);
    const { url } = Registry.of(folder);
    const runtimes = network.nodes.map((node) => Node.start({ folder, node, registry: url, kubelet }));
    const [all] = await Promise.all([Promise.all(runtimes), Registry.of(folder).push(standIns())]);
    return new Nodes(folder, network, { registry, all });
  }

  /** Starts the kubelets and the proxy, and resolves when every node is ready. */
  async join(client: Client, credentials: BedCredentials): Promise<void> {
    this.#services.push(this.#startProxy(client.server));
    const joined = this.all.map((node) => {
      const own = credentials.nodes.get(node.name);
      if (own === undefined) throw new Error(`${node.name} has no certificate`);
      return node.join(client, own);
    });
    await Promise.all(joined);
    await client.must(client.send('POST', '/apis/storage.k8s.io/v1/storageclasses', STORAGE_CLASS));
    await client.must(client.send('POST', '/api/v1/namespaces/kube-system/services', DNS));
  }

  /** In the order in which they end. */
  get programs(): Process[] {
    return [...this.all.flatMap(({ programs }) => programs), ...this.#services, this.#network.controlPlane.process];
  }

  #startProxy(server: string): Process {
    const { controlPlane, nodes } = this.#network;
    const networks = [controlPlane, ...nodes.map(({ place }) => place)].map(({ network }) => network);
    return Process.start({
      ...{ folder: this.#folder, name: 'service-proxy', path: process.execPath },
      arguments: [PROXY, this.#folder, server, ...networks],
    });
  }
}
