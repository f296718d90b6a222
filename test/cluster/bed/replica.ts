// A gateway in this process that looks after its own certificates and webhook configurations in a bed, and a balancer in front
// of several, as a Service would be.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { JsonObject } from '../../../api/core/json.ts';
import { effectiveGates } from '../../../api/gates.ts';
import { currentPath } from '../../../api/webhooks.ts';
import { Health } from '../../../component/health.ts';
import { createLogger } from '../../../component/logger.ts';
import { WebhookConfigurations } from '../../../gateway/configurations/configurations.ts';
import { watchTriggers } from '../../../gateway/configurations/triggers.ts';
import type { Evaluator } from '../../../gateway/evaluation.ts';
import { LIMITS } from '../../../gateway/limits.ts';
import { Counters } from '../../../gateway/metrics/counters.ts';
import { acknowledging } from '../../../gateway/scope/acknowledging.ts';
import { Scope } from '../../../gateway/scope/scope.ts';
import { Widening } from '../../../gateway/scope/widen.ts';
import { AdmissionServer } from '../../../gateway/server.ts';
import { renewBefore } from '../../../kube/certificates/plan.ts';
import { ServingCertificates } from '../../../kube/certificates/serving.ts';
import type { Client } from '../../../kube/client.ts';
import { holdWebhooks } from '../../support/policy-module.ts';

export const SECRET = { namespace: 'kruise-system', name: 'kruise-webhook-certs' };

export type ReplicaOptions = {
  readonly client: Client;
  /** Where the API server calls: the balancer. */
  readonly port: number;
  readonly now: () => number;
  readonly gates?: Record<string, boolean>;
  readonly isExternal?: boolean;
  /** With it, `--scope demand`: the policies of the cluster. */
  readonly policies?: () => readonly JsonObject[];
};

export class Replica {
  readonly certificates: ServingCertificates;
  readonly configurations: WebhookConfigurations;
  readonly hold: (objects: readonly JsonObject[]) => void;
  /** Requests that were answered, by path. */
  readonly asked: Map<string, number>;
  readonly port: number;
  readonly #server: AdmissionServer;
  readonly #ending = new AbortController();
  readonly #runs: Promise<unknown>[] = [];
  readonly #client: Client;

  private constructor(
    parts: Pick<Replica, 'certificates' | 'configurations' | 'hold' | 'asked' | 'port'>,
    server: AdmissionServer,
    client: Client,
  ) {
    this.certificates = parts.certificates;
    this.configurations = parts.configurations;
    this.hold = parts.hold;
    this.asked = parts.asked;
    this.port = parts.port;
    this.#server = server;
    this.#client = client;
  }

  /** Makes its certificate and listens; configurations are left as they are. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const { client, port, now, isExternal = false, policies } = options;
    const logger = createLogger('replica', 'error');
    const gates = effectiveGates(new Map(Object.entries(options.gates ?? {})));
    const webhooks = await holdWebhooks(options.gates ?? {});
    const { evaluator, asked } = counting(webhooks);
    const certificates: ServingCertificates = new ServingCertificates({
      client,
      secret: SECRET,
      names: ['127.0.0.1', 'localhost'],
      isExternal,
      renewBeforeMs: renewBefore(undefined),
      trustedSince: (bundle) => configurations.trustedSince(bundle),
      now,
      logger,
    });
    const served = new Set(webhooks.paths());
    const configurations = new WebhookConfigurations({
      client,
      certificates,
      isExternal,
      address: { host: `127.0.0.1:${port}` },
      isServed: (path) => served.has(path) || served.has(currentPath(path)),
      exemptNamespaces: ['kruise-system', 'kube-system'],
      ...(policies === undefined ? {} : { scope: new Scope({ gates, policies, isCurrent: () => true, now }) }),
      now,
      monotonic: () => performance.now(),
      random: Math.random,
      logger,
    });
    await certificates.sync();
    const widening = new Widening({ client, gates, stamp: () => crypto.randomUUID() });
    const server = new AdmissionServer({
      evaluator: policies === undefined ? evaluator : acknowledging(evaluator, widening),
      isReady: () => true,
      health: new Health(),
      counters: new Counters(webhooks.paths().length),
      logger,
      limits: LIMITS,
      secrets: certificates.secrets ?? {},
      callers: [],
      denied: () => undefined,
      monotonic: () => performance.now(),
      now: () => Date.now(),
    });
    certificates.onRenew((secrets) => server.renew(secrets));
    const own = await server.listen('127.0.0.1', 0, false);
    const hold = (objects: readonly JsonObject[]) => {
      for (const object of objects) webhooks.apply(object);
    };
    return new Replica({ certificates, configurations, hold, asked, port: own }, server, client);
  }

  /** Passes from now on, at once when something changes. */
  run(): void {
    const options = {
      client: this.#client,
      secret: SECRET,
      wake: () => this.configurations.wake(),
      logger: createLogger('replica', 'error'),
      random: Math.random,
      monotonic: () => performance.now(),
    };
    this.#runs.push(this.configurations.run(this.#ending.signal), watchTriggers(options, this.#ending.signal));
  }

  async close(): Promise<void> {
    this.#ending.abort(new Error('the test is over'));
    await Promise.all(this.#runs);
    await this.#server.close(1000);
  }
}

function counting(webhooks: Evaluator): { evaluator: Evaluator; asked: Map<string, number> } {
  const asked = new Map<string, number>();
  const evaluator: Evaluator = {
    paths: () => webhooks.paths(),
    answer: (path, body, nowMs, leftMs) => {
      asked.set(path, (asked.get(path) ?? 0) + 1);
      return webhooks.answer(path, body, nowMs, leftMs);
    },
    apply: (object) => webhooks.apply(object),
    remove: (reference) => webhooks.remove(reference),
  };
  return { evaluator, asked };
}

/** Hands connections to one target after the other. */
export class Balancer {
  readonly #server: Server;
  readonly #sockets = new Map<Socket, Socket>();
  targets: readonly number[] = [];
  #next = 0;

  private constructor() {
    this.#server = createServer((socket) => this.#forward(socket));
  }

  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends all connections, as a proxy does that is told of other targets: whoever calls next makes a new handshake. */
  async cut(): Promise<void> {
    const closed = [...this.#sockets.keys()].map((socket) => once(socket, 'close'));
    for (const [socket, target] of this.#sockets) {
      target.unpipe(socket);
      socket.end();
    }
    await Promise.all(closed);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  #forward(socket: Socket): void {
    const port = this.targets[this.#next++ % Math.max(1, this.targets.length)];
    if (port === undefined) {
      socket.destroy();
      return;
    }
    const target = connect(port, '127.0.0.1');
    this.#sockets.set(socket, target);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      target.destroy();
    });
    target.on('close', () => socket.destroy());
    socket.on('error', () => target.destroy());
    target.on('error', () => socket.destroy());
    socket.pipe(target).pipe(socket);
  }
}
