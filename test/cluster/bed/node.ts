// A node of a bed: a real kubelet and a container runtime of its own, in a place of their own.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../../api/core/json.ts';
import type { Credentials } from './certificates.ts';
import { nodeGroup } from './cgroups.ts';
import type { Client } from './client.ts';
import { runtimeSocket, startContainerd } from './containerd.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import type { NodePlace } from './network.ts';
import { type Process, untilReady } from './process.ts';

const READY_LIMIT_MS = 120_000;
/** Where pods look names up. */
export const DNS_ADDRESS = '10.96.0.10';

export type NodeOptions = {
  /** Of the bed. */
  folder: string;
  node: NodePlace;
  registry: string;
  kubelet: string;
};

export class Node {
  readonly name: string;
  readonly address: string;
  readonly containerd: Process;
  readonly #options: NodeOptions;
  #kubelet: Process | undefined;

  private constructor(options: NodeOptions, containerd: Process) {
    this.name = options.node.name;
    this.address = options.node.address;
    this.containerd = containerd;
    this.#options = options;
  }

  /** Starts the container runtime; there is no node before its kubelet runs. */
  static async start(options: NodeOptions): Promise<Node> {
    const { folder, node, registry } = options;
    const own = join(folder, node.name);
    mkdirSync(own, { recursive: true });
    return new Node(options, await startContainerd({ folder: own, node, registry }));
  }

  /** The socket of the container runtime (CRI). */
  get socket(): string {
    return runtimeSocket(this.#folder);
  }

  /** Starts the kubelet, which registers the node, and resolves when the API server says that the node is ready. */
  async join(client: Client, credentials: Credentials): Promise<void> {
    const { node, kubelet } = this.#options;
    const config = join(this.#folder, 'kubelet.json');
    writeFileSync(config, JSON.stringify(this.#configuration()));
    const kubeconfig = join(this.#folder, 'kubeconfig');
    writeKubeconfig(kubeconfig, client.server, credentials);
    const flags = {
      config,
      kubeconfig,
      'root-dir': join(this.#folder, 'kubelet'),
      'hostname-override': node.name,
      'node-ip': node.address,
      'node-labels': `topology.kubernetes.io/zone=${node.name.replace('node', 'zone')}`,
    };
    const running = node.place.run({
      name: `kubelet-${node.name}`,
      path: kubelet,
      arguments: Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    });
    this.#kubelet = running;
    await untilReady(running, READY_LIMIT_MS, async () =>
      isReady((await client.get(`/api/v1/nodes/${node.name}`)).body),
    );
  }

  /** In the order in which they end. */
  get programs(): Process[] {
    const rest = [this.containerd, this.#options.node.place.process];
    return this.#kubelet === undefined ? rest : [this.#kubelet, ...rest];
  }

  get #folder(): string {
    return join(this.#options.folder, this.name);
  }

  #configuration(): JsonObject {
    const { folder, node } = this.#options;
    return {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      address: node.address,
      healthzPort: 0,
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: false },
        x509: { clientCAFile: join(folder, 'ca.crt') },
      },
      authorization: { mode: 'AlwaysAllow' },
      tlsCertFile: join(folder, `${node.name}.crt`),
      tlsPrivateKeyFile: join(folder, `${node.name}.key`),
      containerRuntimeEndpoint: `unix://${this.socket}`,
      cgroupDriver: 'cgroupfs',
      cgroupRoot: nodeGroup(folder, node.name),
      failCgroupV1: false,
      failSwapOn: false,
      enforceNodeAllocatable: [],
      makeIPTablesUtilChains: false,
      // Measures file systems that all nodes share.
      localStorageCapacityIsolation: false,
      evictionHard: { 'memory.available': '50Mi' },
      imageGCHighThresholdPercent: 100,
      clusterDNS: [DNS_ADDRESS],
      clusterDomain: 'cluster.local',
      resolvConf: '',
      podLogsDir: join(this.#folder, 'pod-logs'),
      volumePluginDir: join(this.#folder, 'volume-plugins'),
      serializeImagePulls: false,
      registryPullQPS: 0,
      eventRecordQPS: 0,
      kubeAPIQPS: 200,
      kubeAPIBurst: 400,
    };
  }
}

function isReady({ status }: JsonObject): boolean {
  const conditions = isObject(status) && Array.isArray(status.conditions) ? status.conditions.filter(isObject) : [];
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
