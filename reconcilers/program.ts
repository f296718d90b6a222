// The controllers' program: mirrors run in every process, controllers in the one that leads.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { EXIT } from '../component/exit-code.ts';
import type { Environment } from '../component/flags.ts';
import { readGates } from '../component/gates.ts';
import { Health } from '../component/health.ts';
import { listening } from '../component/listening.ts';
import { createLogger, type Logger } from '../component/logger.ts';
import { Metrics } from '../component/metrics.ts';
import { onTermination, type SignalSource, type Termination } from '../component/signals.ts';
import { openStatusPort } from '../component/status-port.ts';
import { Trouble } from '../component/trouble.ts';
import { Policies } from '../evaluator/policies.ts';
import { Client } from '../kube/client.ts';
import { CLIENT_METRICS } from '../kube/client-metrics.ts';
import { type Connection, readConnection } from '../kube/connection.ts';
import { Discovery } from '../kube/discovery.ts';
import { eventOf } from '../kube/event-rows.ts';
import { type EventRecorder, Events } from '../kube/events.ts';
import { FencedTransport } from '../kube/fence.ts';
import { type ElectionEnd, LeaderElection } from '../kube/leader-election.ts';
import { Mirrors, mirrorName } from '../kube/mirrors.ts';
import type { Resource } from '../kube/resource.ts';
import type { ClientOptions } from '../kube/sender.ts';
import { pause, untilAborted } from '../kube/waiting.ts';
import packageFile from '../package.json' with { type: 'json' };
import { EVENTS } from './events.ts';
import { logLevelOf, type ReconcilersFlags, readAddress, readResync } from './flags.ts';
import { controllers, type Settings } from './index.ts';
import { liveReads } from './live-reads.ts';
import type { Controller } from './loop/controller.ts';
import { ListedKinds } from './loop/listed-kinds.ts';
import { Loop } from './loop/loop.ts';
import { exposeControllers } from './loop/metrics.ts';
import { Reconciler } from './loop/reconciler.ts';
import { PROGRAM_METRICS } from './metrics.ts';
import { readable } from './readable.ts';

export type Surroundings = {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  signals: SignalSource;
  /** Unix time in milliseconds. */
  now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  monotonic: () => number;
  random: () => number;
};

const USER_AGENT = 'kruise-manager';
/** A request with all its tries. */
const REQUEST_MS = 30_000;
/** What runs when the program is told to stop may take this long. */
const FINISH_MS = 30_000;

type Running = {
  readonly mirrors: Mirrors;
  readonly listed: ListedKinds;
  readonly reconcilers: readonly Started[];
  readonly events: Events;
};
type Started = { readonly controller: Controller<unknown>; readonly reconciler: Reconciler };

export class Program {
  readonly #flags: ReconcilersFlags;
  readonly #environment: Environment;
  readonly #world: Surroundings;
  readonly #logger: Logger;
  readonly #settings: Omit<Settings, 'serverVersion' | 'policies'>;
  readonly #health = new Health();
  readonly #metrics = new Metrics('reconcilers', packageFile.version);
  readonly #counted = this.#metrics.counter(CLIENT_METRICS.requests);
  #election: LeaderElection | undefined;
  #leadsAlone = false;

  constructor(flags: ReconcilersFlags, environment: Environment, world: Surroundings) {
    this.#flags = flags;
    this.#environment = environment;
    this.#world = world;
    this.#logger = createLogger('reconcilers', logLevelOf(flags));
    const systemNamespace = environment.POD_NAMESPACE || 'kruise-system';
    this.#settings = { gates: readGates(flags['feature-gates'], environment), systemNamespace };
  }

  /** Runs until a signal ends it. Resolves to the exit code: 1 when the lease was lost or a second signal came. */
  async run(): Promise<number> {
    const termination = onTermination(this.#world.signals);
    const stops: (() => Promise<void>)[] = [];
    try {
      const { kubeconfig } = this.#flags;
      const { monotonic } = this.#world;
      const connection = await readConnection({ kubeconfig, environment: this.#environment, monotonic });
      const client = new Client(connection, this.#clientOptions());
      stops.push(() => client.close());
      this.#exposeLead();
      await this.#openPorts(stops);
      const end = await this.#runFor(connection, client, termination, stops);
      return end === 'lost' || termination.forced.aborted ? EXIT.failed : EXIT.done;
    } finally {
      termination.dispose();
      for (const stop of stops.reverse()) await stop();
    }
  }

  async #runFor(
    connection: Connection,
    client: Client,
    termination: Termination,
    stops: (() => Promise<void>)[],
  ): Promise<ElectionEnd> {
    const { requested } = termination;
    const serverVersion = await this.#serverVersion(client, requested);
    if (serverVersion === undefined) return 'stopped';
    const settings = { ...this.#settings, serverVersion, policies: await Policies.load() };
    const running = this.#build(connection, client, settings, stops);
    const ending = new AbortController();
    const { mirrors, listed, events } = running;
    const background = [mirrors, listed, events].map((one) => one.run(ending.signal));
    stops.push(async () => {
      ending.abort();
      await Promise.all(background);
    });
    return await this.#elect(client, running, termination);
  }

  // Without it nothing can be built; the API server may come later than this program.
  async #serverVersion(client: Client, stop: AbortSignal): Promise<string | undefined> {
    this.#health.addReadiness('api-server', () =>
      version === undefined ? 'the API server has not answered yet' : undefined,
    );
    let version: string | undefined;
    const { monotonic } = this.#world;
    const trouble = new Trouble({
      ...{ logger: this.#logger, monotonic },
      begins: 'the API server does not answer',
      ends: 'the API server answers',
    });
    while (!stop.aborted && version === undefined) {
      try {
        version = (await client.version({ signal: stop })).gitVersion;
        trouble.end();
      } catch (error) {
        if (stop.aborted) return undefined;
        trouble.begin(error instanceof Error ? error.message : String(error));
        await pause(1000 + 1000 * this.#world.random(), stop);
      }
    }
    return version;
  }

  #build(connection: Connection, client: Client, settings: Settings, stops: (() => Promise<void>)[]): Running {
    const { now, monotonic, random } = this.#world;
    const made = controllers.flatMap((make) => make(settings) ?? []);
    const { namespace } = this.#flags;
    const wanted = made.flatMap(({ watches }) => watches);
    // Whoever saw something may tell it, leading or not.
    const events = new Events({ client, now, monotonic, random, logger: this.#logger });
    const recorder = events.recorder({ component: USER_AGENT });
    const mirrors = new Mirrors(wanted, {
      client,
      namespace,
      logger: this.#logger,
      random,
      monotonic,
      onProblem: this.#tellProblems(recorder),
      read: readable,
      onLeftOut: (regarding, message) => recorder.record(eventOf(EVENTS.invalidObject, regarding, message)),
    });
    mirrors.expose(this.#metrics);
    for (const mirror of mirrors.all) {
      this.#health.addReadiness(`mirror-${mirrorName(mirror)}`, () => (mirror.absent ? undefined : mirror.problem));
    }
    const writing = new Client(connection, this.#clientOptions(), new FencedTransport(connection, () => this.#leads));
    stops.push(() => writing.close());
    this.#metrics.add(PROGRAM_METRICS.eventsDropped, () => [{ labels: {}, value: events.dropped }]);
    const discovery = new Discovery(client, monotonic);
    const readLive = liveReads(client, discovery);
    const listed = new ListedKinds({
      mirrors,
      discovery,
      systemNamespace: settings.systemNamespace,
      mirror: { client, logger: this.#logger, random, monotonic, onProblem: this.#tellProblems(recorder) },
      events: recorder,
      logger: this.#logger,
    });
    const reconcilers = made.map((controller) => {
      const own = writing.as(`${USER_AGENT}/${controller.name}`);
      const reconciler = new Reconciler({
        controller,
        workers: this.#workersOf(controller),
        mirrors,
        client: own,
        events: events.recorder({ component: controller.name }),
        readLive,
        queue: this.#queueOptions(),
        expectationTimeoutMs: this.#flags['expectation-timeout'],
        now,
        logger: this.#logger,
      });
      return { controller, reconciler };
    });
    exposeControllers(
      this.#metrics,
      reconcilers.map(({ reconciler }) => reconciler),
    );
    return { mirrors, listed, reconcilers, events };
  }

  async #elect(client: Client, running: Running, termination: Termination): Promise<ElectionEnd> {
    const { requested, forced } = termination;
    if (!this.#flags['enable-leader-election']) {
      this.#leadsAlone = true;
      await this.#lead(running, requested, forced);
      return 'stopped';
    }
    const { now, monotonic, random } = this.#world;
    const recorder = running.events.recorder({ component: USER_AGENT });
    const election = new LeaderElection({
      client: client.as(`${USER_AGENT}/leader-election`),
      lease: {
        namespace: this.#flags['leader-election-namespace'] ?? this.#settings.systemNamespace,
        name: this.#flags['leader-election-id'] ?? 'kruise-manager',
      },
      identity: `${hostname()}_${randomUUID()}`,
      leaseMs: this.#flags['leader-election-lease-duration'],
      renewMs: this.#flags['leader-election-renew-deadline'],
      retryMs: this.#flags['leader-election-retry-period'],
      now,
      monotonic,
      random,
      logger: this.#logger,
      onEvent: (regarding, message) => recorder.record(eventOf(EVENTS.leading, regarding, message)),
    });
    this.#election = election;
    this.#health.addReadiness('leader-election', () => election.problem);
    return await election.run(requested, (lost) => this.#lead(running, requested, AbortSignal.any([lost, forced])));
  }

  // `abandon` may come at any time; after `stop` there is some time left for what runs.
  async #lead({ mirrors, listed, reconcilers }: Running, stop: AbortSignal, abandon: AbortSignal): Promise<void> {
    const loop = new Loop({
      mirrors,
      listed,
      controllers: reconcilers,
      syncTimeoutMs: this.#flags['controller-cache-sync-timeout'],
      resyncMs: readResync(this.#flags['sync-period']),
      random: this.#world.random,
      logger: this.#logger,
    });
    const late = new AbortController();
    const finished = new AbortController();
    const broken = AbortSignal.any([abandon, late.signal]);
    const limit = untilAborted(AbortSignal.any([stop, finished.signal]))
      .then(() => pause(FINISH_MS, finished.signal))
      .then(() => late.abort(new Error('what was under way took too long to finish')));
    await loop.run(AbortSignal.any([stop, abandon]), broken);
    finished.abort();
    await limit;
  }

  // What does not work is told once, by who leads, where operators look: at the lease in the namespace of the program.
  #tellProblems(recorder: EventRecorder): (resource: Resource, reason: string) => void {
    return ({ plural, group }, reason) => {
      const regarding = this.#election?.lease;
      if (regarding === undefined || !this.#leads) return;
      const message = `${group === '' ? plural : `${plural}.${group}`} cannot be followed: ${reason}`;
      recorder.record(eventOf(EVENTS.mirrorFailed, regarding, message));
    };
  }

  get #leads(): boolean {
    return this.#leadsAlone || this.#election?.isLeading === true;
  }

  #exposeLead(): void {
    const value = () => (this.#leads ? 1 : 0);
    const name = this.#flags['leader-election-id'] ?? '';
    this.#metrics.add(PROGRAM_METRICS.master, () => [{ labels: { name }, value: value() }]);
    this.#metrics.add(PROGRAM_METRICS.leader, () => [{ labels: {}, value: value() }]);
  }

  async #openPorts(stops: (() => Promise<void>)[]): Promise<void> {
    for (const name of ['health-probe-addr', 'metrics-addr'] as const) {
      const address = readAddress(this.#flags[name], name);
      if (address === undefined) continue;
      const parts = name === 'metrics-addr' ? { metrics: this.#metrics } : { health: this.#health };
      const port = await listening({ ...address, flag: name, hostFlag: name }, () =>
        openStatusPort(address.host, address.port, parts),
      );
      stops.push(() => port.close());
      this.#logger.info({ [name]: `${address.host}:${port.port}` }, 'listening');
    }
  }

  #clientOptions(): ClientOptions {
    const { monotonic, random } = this.#world;
    const qps = this.#flags['rest-config-qps'] || 20;
    const burst = this.#flags['rest-config-burst'] || 30;
    const counted = this.#counted;
    return {
      userAgent: USER_AGENT,
      qps,
      burst,
      timeoutMs: REQUEST_MS,
      random,
      monotonic,
      logger: this.#logger,
      counted,
    };
  }

  #queueOptions() {
    return {
      baseDelayMs: this.#flags['rate-limiter-base-delay'],
      maxDelayMs: this.#flags['rate-limiter-max-delay'],
      qps: this.#flags['rate-limiter-qps'],
      bucketSize: this.#flags['rate-limiter-bucket-size'],
      monotonic: this.#world.monotonic,
    };
  }

  #workersOf({ workers }: Controller<unknown>): number {
    const { flag } = workers;
    if (flag === undefined) return workers.default;
    const value = (this.#flags as Readonly<Record<string, unknown>>)[flag];
    if (typeof value !== 'number') throw new Error(`no flag is called --${flag}`);
    return value;
  }
}
