// The API server of a bed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Credentials } from './certificates.ts';
import { Client } from './client.ts';
import { reservePort } from './port.ts';
import { Process, untilReady } from './process.ts';

export type ApiServerOptions = {
  folder: string;
  path: string;
  etcd: string;
  credentials: Credentials;
};

const START_LIMIT_MS = 120_000;
const TRIES = 3;

/** Records of every request, without bodies: what each webhook did stands in their annotations. */
const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    verbs: [create, update, patch, delete]
  - level: None
`;

export class ApiServer {
  readonly process: Process;
  readonly client: Client;

  private constructor(process: Process, client: Client) {
    this.process = process;
    this.client = client;
  }

  /** Starts one on a port of its own, and resolves when it is ready. */
  static async start(options: ApiServerOptions): Promise<ApiServer> {
    for (let tries = 1; ; tries++) {
      const port = await reservePort();
      const process = Process.start({
        folder: options.folder,
        name: 'kube-apiserver',
        path: options.path,
        arguments: flagsOf(options, port),
      });
      const server = new ApiServer(process, new Client(port, options.credentials));
      try {
        await untilReady(process, START_LIMIT_MS, () => server.#isReady());
        return server;
      } catch (error) {
        server.client.close();
        // Somebody may have asked for this very port by its number.
        if (tries === TRIES || !process.isEnded || !process.lastWords.includes('address already in use')) throw error;
      }
    }
  }

  get port(): number {
    return this.client.port;
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

function flagsOf({ folder, etcd }: ApiServerOptions, port: number): string[] {
  const file = (name: string) => join(folder, name);
  writeFileSync(file('audit.yaml'), AUDIT_POLICY);
  const flags = {
    'etcd-servers': etcd,
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1',
    // There are no others to be found, and loopback addresses are no endpoints.
    'endpoint-reconciler-type': 'none',
    'secure-port': String(port),
    'cert-dir': folder,
    'tls-cert-file': file('apiserver.crt'),
    'tls-private-key-file': file('apiserver.key'),
    'client-ca-file': file('ca.crt'),
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': file('accounts.pub'),
    'service-account-signing-key-file': file('accounts.key'),
    'service-cluster-ip-range': '10.96.0.0/16',
    'authorization-mode': 'RBAC',
    'allow-privileged': 'true',
    'audit-policy-file': file('audit.yaml'),
    'audit-log-path': auditFile(folder),
    'audit-log-mode': 'blocking',
  };
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}
