// A running gateway: its parts, built and joined by hand, from the first port to the end of the drain.

import type { Gates } from '../api/gates.ts';
import { EXIT } from '../component/exit-code.ts';
import type { Environment } from '../component/flags.ts';
import { readGates } from '../component/gates.ts';
import { Health } from '../component/health.ts';
import { listening } from '../component/listening.ts';
import { createLogger, type Logger } from '../component/logger.ts';
import { Metrics } from '../component/metrics.ts';
import { onTermination, type SignalSource, type Termination } from '../component/signals.ts';
import { pause, untilAborted } from '../kube/waiting.ts';
import packageFile from '../package.json' with { type: 'json' };
import type { Count } from './cluster/connect.ts';
import { Denials } from './denials/denials.ts';
import { ProtectionLog } from './denials/protection-log.ts';
import type { Evaluator } from './evaluation.ts';
import {
  CERTIFICATE_FOLDER,
  type GatewayFlags,
  type Installation,
  readInstallation,
  readOnWriteFailure,
  readScope,
} from './flags.ts';
import type { Limits } from './limits.ts';
import { loadEvaluator } from './load-evaluator.ts';
import { Counters } from './metrics/counters.ts';
import { decisionCounter, exposeCounters } from './metrics/expose.ts';
import { METRICS } from './metrics/rows.ts';
import type { Mode, Secrets } from './mode.ts';
import { FileMode } from './objects/file-mode.ts';
import { openPorts } from './ports.ts';
import { AdmissionServer } from './server.ts';
import { SingleServer } from './workers/single.ts';
import type { Servers } from './workers/threads.ts';

/** What the gateway takes from the world around it. */
export type Surroundings = {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  signals: SignalSource;
  now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  monotonic: () => number;
  random: () => number;
  limits: Limits;
  /** URL of a module to decide with instead of the real evaluator; see `loadEvaluator`. */
  evaluatorModule: string | undefined;
  /** How often files are looked at besides their events. */
  pollMs: number;
  /** A thread that shows no life for so long is replaced. */
  hangMs: number;
};

/** File events closer than this are one change. */
const SETTLE_MS = 100;
/** Above the longest that a request may take; after it a drain ends by force. */
const CLOSE_MARGIN_MS = 2000;

export class Gateway {
  readonly #flags: GatewayFlags;
  readonly #environment: Environment;
  readonly #world: Surroundings;
  readonly #gates: Gates;
  readonly #scopeGates: Gates | undefined;
  readonly #installation: Installation;
  readonly #limits: Limits;
  readonly #logger: Logger;
  readonly #health = new Health();
  readonly #metrics = new Metrics('gateway', packageFile.version);
  /** One cell that threads read: 1 while this gateway is ready. */
  readonly #readiness = new Int32Array(new SharedArrayBuffer(4));
  #servers: Servers | undefined;
  #isStopping = false;
  #answersReviews = false;
  readonly #countDecision: Count;

  constructor(flags: GatewayFlags, environment: Environment, world: Surroundings) {
    this.#flags = flags;
    this.#environment = environment;
    this.#world = world;
    this.#gates = readGates(flags['feature-gates'], environment);
    this.#scopeGates = readScope(flags, this.#gates);
    this.#installation = readInstallation(environment);
    const { 'max-connections': connections, 'max-requests-in-flight': requestsInFlight } = flags;
    this.#limits = { ...world.limits, connections, requestsInFlight };
    this.#logger = createLogger('gateway', flags['log-level']);
    this.#countDecision = decisionCounter(this.#metrics);
  }

  async run(): Promise<number> {
    const termination = onTermination(this.#world.signals);
    const late = new AbortController();
    const end = AbortSignal.any([termination.requested, late.signal]);
    const stops: (() => Promise<void>)[] = [];
    try {
      await this.#start(stops, end, late);
      await untilAborted(end);
      return end.reason === late.signal.reason ? await this.#giveUp() : await this.#stop(termination);
    } catch (error) {
      if (!end.aborted || (this.#servers !== undefined && error !== end.reason)) throw error;
      if (end.reason === late.signal.reason) return await this.#giveUp();
      await this.#servers?.close(0);
      this.#logger.info({}, 'stopped before any review was answered');
      return EXIT.done;
    } finally {
      termination.dispose();
      for (const stop of stops.reverse()) await stop();
    }
  }

  async #start(stops: (() => Promise<void>)[], stop: AbortSignal, late: AbortController): Promise<void> {
    const { host, logger } = { host: this.#flags['bind-address'] ?? '', logger: this.#logger };
    const { 'health-port': health = 'off', 'metrics-port': metrics = 'off' } = this.#flags;
    const mode = await this.#openMode();
    stops.push(() => mode.close());
    void this.#limitInitialisation(mode, stop, late);
    stops.push(async () => late.abort());
    const { systemNamespace } = this.#installation;
    const options = { gates: this.#gates, systemNamespace, live: mode.live, widening: mode.widening };
    const evaluator = await loadEvaluator(options, this.#world.evaluatorModule);
    this.#addChecks(mode);
    mode.expose(this.#health, this.#metrics);
    const denials = new Denials(this.#metrics, this.#openProtectionLog(stops), mode.events);
    const ports = await openPorts({ host, health, metrics }, this.#health, this.#metrics);
    stops.push(() => ports.close());
    if (ports.health !== undefined) logger.info({ healthPort: ports.health }, 'health is served');
    if (ports.metrics !== undefined) logger.info({ metricsPort: ports.metrics }, 'metrics are served');
    await mode.open(evaluator, () => this.#servers, stop);
    const certificate = await mode.openCertificate(stop);
    this.#servers = await this.#listen({ evaluator, mode, denials, certificate, host });
    const { port } = this.#servers;
    if (!mode.loadsFirst)
      logger.info({ port }, 'connections are taken; reviews are answered once all objects are read');
    certificate.watch((secrets) => this.#servers?.renew(secrets));
    await mode.serving(port, stop);
    this.#servers.loaded();
    this.#answersReviews = true;
    this.#warnings();
    this.#announce(host, ports, mode);
  }

  async #openMode(): Promise<Mode> {
    const { now, monotonic, random, pollMs } = this.#world;
    const { objects, 'cert-dir': named, 'client-ca-file': clientCaFile } = this.#flags;
    const folder = named ?? CERTIFICATE_FOLDER;
    const times = { settleMs: SETTLE_MS, pollMs };
    const { serverNames: names } = this.#installation;
    const certificates = { folder, names, clientCaFile, now, logger: this.#logger, ...times };
    if (objects.length > 0) return new FileMode({ paths: objects, certificates, logger: this.#logger, ...times });
    const { ClusterMode } = await import('./cluster/cluster-mode.ts');
    return ClusterMode.open({
      settings: {
        kubeconfig: this.#flags.kubeconfig,
        environment: this.#environment,
        qps: this.#flags['rest-config-qps'],
        burst: this.#flags['rest-config-burst'],
        onWriteFailure: readOnWriteFailure(this.#flags),
        scopeGates: this.#scopeGates,
      },
      installation: this.#installation,
      gates: this.#gates,
      certificates,
      copies: named,
      count: this.#countDecision,
      now,
      clocks: { monotonic, random },
      logger: this.#logger,
    });
  }

  #openProtectionLog(stops: (() => Promise<void>)[]): ProtectionLog | undefined {
    const folder = this.#flags['protection-log-path'];
    if (folder === undefined) return undefined;
    const log = ProtectionLog.open(folder, this.#logger);
    stops.push(async () => log.close());
    return log;
  }

  /** Whoever restarts this process, and looks at why, is told; nothing that was wrong before the start heals it by waiting. */
  async #limitInitialisation(mode: Mode, stop: AbortSignal, late: AbortController): Promise<void> {
    const limitMs = this.#flags['webhook-initialize-timeout'];
    await pause(limitMs, stop);
    const reason = mode.uninitialised();
    if (stop.aborted || reason === undefined) return;
    this.#logger.error({ limitMs, reason }, 'not initialised within --webhook-initialize-timeout');
    late.abort(new Error('the gateway was not initialised in time'));
  }

  /** Nobody was sent here yet. */
  async #giveUp(): Promise<number> {
    this.#isStopping = true;
    await this.#servers?.close(0);
    return EXIT.failed;
  }

  #addChecks(mode: Mode): void {
    this.#health.addReadiness('shutdown', () => (this.#isStopping ? 'the gateway is shutting down' : undefined));
    this.#health.addReadiness('webhook-ready', () => {
      if ((this.#servers?.running ?? 0) === 0) return 'no server answers yet';
      return mode.uninitialised() ?? (this.#answersReviews ? undefined : 'reviews are not answered yet');
    });
  }

  async #listen({ evaluator, mode, denials, certificate, host }: ServedParts): Promise<Servers> {
    const { workers, 'allowed-names': callers } = this.#flags;
    const port = this.#flags.port === 'off' ? 0 : (this.#flags.port ?? 0);
    const paths = evaluator.paths();
    const parts = { evaluator, mode, denials, certificate, host };
    const servers = await listening({ host, port, flag: 'port', hostFlag: 'bind-address' }, () =>
      workers === 1 ? this.#listenHere(parts, port) : this.#listenInThreads(parts, port),
    );
    exposeCounters(this.#metrics, paths, () => servers.counters());
    this.#metrics.add(METRICS.workers, () => [{ labels: {}, value: servers.running }]);
    this.#logger.debug({ callers: callers.length, workers }, 'servers started');
    return servers;
  }

  #listenHere({ evaluator, denials, certificate, host }: ServedParts, port: number): Promise<Servers> {
    const counters = new Counters(evaluator.paths().length);
    let isLoaded = false;
    const server = new AdmissionServer({
      evaluator,
      isReady: () => isLoaded,
      health: this.#health,
      counters,
      logger: this.#logger,
      limits: this.#limits,
      secrets: certificate.secrets,
      callers: this.#flags['allowed-names'],
      denied: (denial) => denials.record(denial),
      monotonic: this.#world.monotonic,
      now: this.#world.now,
    });
    const loaded = () => {
      isLoaded = true;
    };
    return SingleServer.start(server, { counters, host, port, loaded });
  }

  async #listenInThreads(parts: ServedParts, port: number): Promise<Servers> {
    const { WorkerPool } = await import('./workers/pool.ts');
    const { evaluator, mode, denials, certificate, host } = parts;
    const restarted = this.#metrics.counter(METRICS.workerRestarts);
    return WorkerPool.start({
      count: this.#flags.workers,
      input: {
        host,
        port,
        gates: this.#gates,
        systemNamespace: this.#installation.systemNamespace,
        cluster: mode.cluster,
        callers: this.#flags['allowed-names'],
        limits: this.#limits,
        logLevel: this.#flags['log-level'],
        readiness: this.#readiness.buffer,
        evaluatorModule: this.#world.evaluatorModule,
      },
      paths: evaluator.paths().length,
      isLoaded: mode.loadsFirst,
      objects: () => mode.snapshot(),
      secrets: () => certificate.secrets,
      logger: this.#logger,
      restarted: () => restarted(),
      denied: (denial) => denials.record(denial),
      decided: this.#countDecision,
      monotonic: this.#world.monotonic,
      hangMs: this.#world.hangMs,
    });
  }

  #warnings(): void {
    if (this.#flags['client-ca-file'] === undefined) {
      this.#logger.warn({}, 'callers are not authenticated; --client-ca-file changes that');
    }
  }

  #announce(host: string, ports: { health: number | undefined; metrics: number | undefined }, mode: Mode): void {
    const at = (port: number | undefined) => `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const port = this.#servers?.port;
    Atomics.store(this.#readiness, 0, 1);
    this.#logger.info(
      { address: at(port), port, healthPort: ports.health, metricsPort: ports.metrics },
      'gateway listens',
    );
    const lines = [`gateway listens on https://${at(port)}`];
    if (ports.health !== undefined) lines.push(`health on http://${at(ports.health)}/readyz`);
    if (ports.metrics !== undefined) lines.push(`metrics on http://${at(ports.metrics)}/metrics`);
    lines.push(mode.notice);
    this.#world.stdout.write(`${lines.join('\n')}\n`);
  }

  /** Goes unready first, then serves on until everybody can know, then ends. */
  async #stop(termination: Termination): Promise<number> {
    const delayMs = this.#flags['drain-delay'];
    this.#isStopping = true;
    Atomics.store(this.#readiness, 0, 0);
    this.#servers?.drain();
    this.#logger.info({ delayMs }, 'draining; another signal ends at once');
    await pause(delayMs, termination.forced);
    if (!termination.forced.aborted) {
      const limitMs = this.#limits.bodyMs + this.#limits.answerMs + CLOSE_MARGIN_MS;
      await Promise.race([this.#servers?.close(limitMs), untilAborted(termination.forced)]);
    }
    if (!termination.forced.aborted) {
      this.#logger.info({}, 'stopped');
      return EXIT.done;
    }
    this.#logger.warn({}, 'stopped by a second signal');
    await this.#servers?.close(0);
    return EXIT.failed;
  }
}

type ServedParts = { evaluator: Evaluator; mode: Mode; denials: Denials; certificate: Secrets; host: string };
