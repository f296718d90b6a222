// The API server of a bed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Credentials } from './certificates.ts';
import { Client } from './client.ts';
import type { Network } from './network.ts';
import { reservePort } from './port.ts';
import { Process, untilReady } from './process.ts';

export type ApiServerOptions = {
  folder: string;
  path: string;
  etcd: string;
  credentials: Credentials;
  /** Where it runs in a bed with nodes; without it, on this machine itself. */
  network?: Network | undefined;
};

/** What it listens on. */
type Endpoint = { address: string; port: number };

const START_LIMIT_MS = 120_000;
const TRIES = 3;
const USUAL_PORT = 6443;

/** Cluster IPs of Services. */
const SERVICE_RANGE = '10.96.0.0/16';

/**
 * Records of every write, and of all that an installation's own accounts ask, without bodies: what each webhook did and
 * which rule allowed it stand in their annotations.
 */
const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    verbs: [create, update, patch, delete]
  - level: Metadata
    userGroups: [system:serviceaccounts:kruise-system]
  - level: None
`;

export class ApiServer {
  readonly client: Client;
  readonly #start: () => Process;
  #process: Process;

  private constructor(start: () => Process, client: Client) {
    this.client = client;
    this.#start = start;
    this.#process = start();
  }

  get process(): Process {
    return this.#process;
  }

  /** Ends it without warning: connections break, and nobody listens until `startAgain`. */
  kill(): Promise<void> {
    return this.#process.end();
  }

  /** Starts it again at its address, and resolves when it is ready. */
  async startAgain(): Promise<void> {
    this.#process = this.#start();
    await untilReady(this.#process, START_LIMIT_MS, () => this.#isReady());
  }

  /** Starts one, and resolves when it is ready. */
  static async start(options: ApiServerOptions): Promise<ApiServer> {
    for (let tries = 1; ; tries++) {
      const server = await ApiServer.#startOnce(options);
      try {
        await untilReady(server.process, START_LIMIT_MS, () => server.#isReady());
        return server;
      } catch (error) {
        server.client.close();
        // Somebody may have asked for this very port by its number.
        const isTaken = server.process.isEnded && server.process.lastWords.includes('address already in use');
        if (tries === TRIES || !isTaken) throw error;
      }
    }
  }

  // In a place of its own it has the usual port; on this machine one that nobody has.
  static async #startOnce({ network, ...options }: ApiServerOptions): Promise<ApiServer> {
    const address = network?.address ?? '127.0.0.1';
    const port = network === undefined ? await reservePort() : USUAL_PORT;
    const given = {
      ...commonFlags(options, { address, port }),
      ...(network === undefined ? ALONE : withNodes(options)),
    };
    const program = {
      name: 'kube-apiserver',
      path: options.path,
      arguments: Object.entries(given).map(([name, value]) => `--${name}=${value}`),
    };
    const start = () =>
      network === undefined ? Process.start({ folder: options.folder, ...program }) : network.controlPlane.run(program);
    return new ApiServer(start, new Client(`https://${address}:${port}`, options.credentials));
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await this.client.get('/readyz')).status === 200;
    } catch {
      // Not listening yet; whoever waits has a limit.
      return false;
    }
  }
}

/** The file that the API server appends its audit records to, one JSON object a line. */
export function auditFile(folder: string): string {
  return join(folder, 'audit.log');
}

function commonFlags({ folder, etcd }: ApiServerOptions, { address, port }: Endpoint): Record<string, string> {
  const file = (name: string) => join(folder, name);
  writeFileSync(file('audit.yaml'), AUDIT_POLICY);
  return {
    'etcd-servers': etcd,
    'bind-address': address,
    'advertise-address': address,
    'secure-port': String(port),
    'cert-dir': folder,
    'tls-cert-file': file('apiserver.crt'),
    'tls-private-key-file': file('apiserver.key'),
    'client-ca-file': file('ca.crt'),
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': file('accounts.pub'),
    'service-account-signing-key-file': file('accounts.key'),
    'service-cluster-ip-range': SERVICE_RANGE,
    'allow-privileged': 'true',
    'audit-policy-file': file('audit.yaml'),
    'audit-log-path': auditFile(folder),
    'audit-log-mode': 'blocking',
  };
}

/** Without nodes: there are no others to be found, and loopback addresses are no endpoints. */
const ALONE = { 'endpoint-reconciler-type': 'none', 'authorization-mode': 'RBAC' };

function withNodes({ folder }: ApiServerOptions): Record<string, string> {
  return {
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'kubelet-certificate-authority': join(folder, 'ca.crt'),
    'kubelet-client-certificate': join(folder, 'admin.crt'),
    'kubelet-client-key': join(folder, 'admin.key'),
    'kubelet-preferred-address-types': 'InternalIP',
  };
}
