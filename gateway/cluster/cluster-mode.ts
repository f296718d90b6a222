// A gateway that serves a cluster: its policy objects are those of the cluster, its certificate and the webhook
// configurations are kept up there.

import type { Gates } from '../../api/gates.ts';
import { currentPath } from '../../api/webhooks.ts';
import type { Health } from '../../component/health.ts';
import type { Logger } from '../../component/logger.ts';
import type { Metrics } from '../../component/metrics.ts';
import type { LiveOptions } from '../../evaluator/live-reviews.ts';
import { renewBefore } from '../../kube/certificates/plan.ts';
import { ServingCertificates } from '../../kube/certificates/serving.ts';
import type { Client } from '../../kube/client.ts';
import { type EventRow, eventOf } from '../../kube/event-rows.ts';
import { type EventRecorder, Events } from '../../kube/events.ts';
import { exposeMirrors } from '../../kube/mirrors.ts';
import { pause } from '../../kube/waiting.ts';
import { WebhookConfigurations } from '../configurations/configurations.ts';
import { watchTriggers } from '../configurations/triggers.ts';
import type { Evaluator } from '../evaluation.ts';
import { EVENTS } from '../events.ts';
import type { Installation } from '../flags.ts';
import { METRICS } from '../metrics/rows.ts';
import type { ChangeTaker, Mode, Secrets } from '../mode.ts';
import { Scope } from '../scope/scope.ts';
import type { Widening } from '../scope/widen.ts';
import type { CertificateOptions } from '../tls/certificates.ts';
import { MirroredFiles } from '../tls/mirrored-files.ts';
import { applyClusterChange, type ClusterChange } from './change.ts';
import { type Clocks, type ClusterSettings, type Count, liveOptions, openClient, openWidening } from './connect.ts';
import { messageOf } from './failures.ts';
import { policyResources } from './policy-resources.ts';
import { FolderCertificate, SecretCertificate, type ServedCertificate } from './served-certificate.ts';
import { ClusterSource } from './source.ts';

export type ClusterModeOptions = {
  readonly settings: ClusterSettings;
  readonly installation: Installation;
  readonly gates: Gates;
  /** Of a certificate that is kept in a folder, and the authorities of callers. */
  readonly certificates: Omit<CertificateOptions, 'count'>;
  /** The folder that gets a copy of a certificate that is kept in a Secret, if any. */
  readonly copies: string | undefined;
  readonly count: Count;
  readonly now: () => number;
  readonly clocks: Clocks;
  readonly logger: Logger;
};

/** Between tries to bring the certificate up while the API server cannot be reached. */
const RETRY_MS = 1000;
const COMPONENT = 'sluice-gateway';
const SYSTEM_NAMESPACES = ['kube-system'];

export class ClusterMode implements Mode {
  readonly live: LiveOptions;
  readonly widening: Widening | undefined;
  readonly cluster: ClusterSettings;
  readonly loadsFirst = false;
  readonly events: EventRecorder;
  readonly #options: ClusterModeOptions;
  readonly #client: Client;
  readonly #events: Events;
  readonly #ending = new AbortController();
  readonly #runs: Promise<unknown>[] = [];
  #certificate: ServedCertificate | undefined;
  readonly #source: ClusterSource;
  #apply: (change: ClusterChange) => void = () => undefined;
  #configurations: WebhookConfigurations | undefined;
  #paths: readonly string[] = [];
  #certificateReload: (result: 'success' | 'error') => void = () => undefined;
  /** Why the first certificate is still waited for. */
  #waitingFor = 'there is no certificate yet';
  #hasCertificate = false;

  private constructor(options: ClusterModeOptions, client: Client) {
    const { settings, count, now, clocks, logger } = options;
    const { monotonic, random } = clocks;
    this.#options = options;
    this.#client = client;
    this.cluster = settings;
    this.live = liveOptions(client, settings, clocks, count);
    this.widening = openWidening(client, settings);
    this.#events = new Events({ client, now, monotonic, random, logger });
    // Compatibility: the component that is looked for in events about budgets.
    this.events = this.#events.recorder({ component: 'pub-controller' });
    this.#source = new ClusterSource({
      client,
      resources: policyResources(options.installation.systemNamespace),
      apply: (change) => this.#apply(change),
      events: this.#events.recorder({ component: COMPONENT }),
      onProblem: (message) => this.#tellProblem(EVENTS.mirrorFailed, message),
      logger,
      random,
      monotonic,
    });
  }

  /** Reads how to connect; the API server need not be there yet. Throws InputError naming file and field. */
  static async open(options: ClusterModeOptions): Promise<ClusterMode> {
    return new ClusterMode(options, await openClient(options.settings, options.clocks, options.logger));
  }

  expose(health: Health, metrics: Metrics): void {
    this.#certificateReload = metrics.counter(METRICS.certificateReloads);
    for (const { name } of this.#source.states()) {
      const state = () => this.#source.states().find((one) => one.name === name);
      // Also objects that only this gateway could convert, which nobody calls yet: they are read as they are stored.
      health.addReadiness(name, () => state()?.missing);
      health.addNotice(name, () => state()?.degraded ?? state()?.detour);
    }
    health.addReadiness('certificate', () => (this.#hasCertificate ? this.#certificate?.fault() : this.#waitingFor));
    health.addReadiness('webhook-configurations', () => this.#configurationsFault());
    health.addNotice('certificate', () => this.#certificate?.notice);
    health.addNotice('webhook-configurations', () => this.#configurations?.problem);
    this.#exposeConfigurations(metrics);
    exposeMirrors(metrics, () => this.#source.mirrors);
    metrics.add(METRICS.refusedObjects, () => [{ labels: {}, value: this.#source.refused }]);
    metrics.add(METRICS.certificateExpiry, () => {
      const expiryMs = this.#certificate?.expiryMs;
      return expiryMs === undefined ? [] : [{ labels: {}, value: expiryMs / 1000 }];
    });
  }

  #exposeConfigurations(metrics: Metrics): void {
    const figures = () => this.#configurations?.figures ?? { passes: 0, failures: 0, writes: 0, narrowed: 0 };
    metrics.add(METRICS.configurationPasses, () => [
      { labels: { result: 'success' }, value: figures().passes },
      { labels: { result: 'error' }, value: figures().failures },
    ]);
    metrics.add(METRICS.configurationWrites, () => [{ labels: {}, value: figures().writes }]);
    metrics.add(METRICS.narrowedEntries, () => [{ labels: {}, value: figures().narrowed }]);
  }

  async openCertificate(stop: AbortSignal): Promise<Secrets> {
    const { installation, certificates } = this.#options;
    this.#certificate = installation.keepsCertificateInFolder
      ? await FolderCertificate.open({ ...certificates, count: this.#certificateReload })
      : await SecretCertificate.open(this.#servingCertificates(), {
          clientCaFile: certificates.clientCaFile,
          files: this.#files(),
        });
    await this.#firstCertificate(this.#certificate, stop);
    this.#hasCertificate = true;
    return this.#certificate;
  }

  #files(): MirroredFiles | undefined {
    const { copies: folder, now, logger } = this.#options;
    return folder === undefined ? undefined : new MirroredFiles({ folder, now, logger });
  }

  uninitialised(): string | undefined {
    if (!this.#hasCertificate) return this.#waitingFor;
    return this.#configurationsFault();
  }

  #configurationsFault(): string | undefined {
    return this.#configurations === undefined ? 'not reconciled yet' : this.#configurations.fault();
  }

  #servingCertificates(): ServingCertificates {
    const { installation, gates, now, logger } = this.#options;
    const { systemNamespace: namespace, secret: name, serverNames: names } = installation;
    return new ServingCertificates({
      client: this.#client,
      secret: { namespace, name },
      names,
      isExternal: gates.get('EnableExternalCerts') === true,
      renewBeforeMs: renewBefore(installation.renewBefore),
      trustedSince: (bundle) => this.#configurations?.trustedSince(bundle),
      now,
      logger,
    });
  }

  async #firstCertificate(certificate: ServedCertificate, stop: AbortSignal): Promise<void> {
    for (let last = ''; ; ) {
      stop.throwIfAborted();
      try {
        await certificate.sync();
        if (last !== '') this.#options.logger.info({}, 'there is a serving certificate');
        return;
      } catch (error) {
        const message = messageOf(error);
        if (message !== last) this.#options.logger.error({ error: message }, 'there is no serving certificate yet');
        last = message;
        this.#waitingFor = `there is no certificate yet: ${message}`;
      }
      await pause(RETRY_MS, stop);
    }
  }

  async open(evaluator: Evaluator, servers: () => ChangeTaker | undefined): Promise<void> {
    this.#paths = evaluator.paths();
    this.#apply = (change) => {
      applyClusterChange(evaluator, change);
      servers()?.change(change);
    };
    this.#runs.push(this.#source.run(this.#ending.signal), this.#events.run(this.#ending.signal));
  }

  snapshot(): readonly ClusterChange[] {
    return this.#source.snapshot();
  }

  async serving(port: number, stop: AbortSignal): Promise<void> {
    const { installation, gates, now, clocks, logger } = this.#options;
    const { host, systemNamespace: namespace, service: name } = installation;
    const served = new Set(this.#paths);
    this.#configurations = new WebhookConfigurations({
      client: this.#client,
      certificates: { sync: () => this.#certificate?.sync() ?? Promise.reject(new Error('there is no certificate')) },
      isExternal: gates.get('EnableExternalCerts') === true,
      address:
        host === undefined
          ? { service: { namespace, name } }
          : { host: `${bracketed(host.address)}:${host.port ?? port}` },
      isServed: (path) => served.has(path) || served.has(currentPath(path)),
      exemptNamespaces: [...SYSTEM_NAMESPACES, namespace],
      ...this.#scope(),
      onProblem: (message) => this.#tellProblem(EVENTS.configurationFailed, message),
      now,
      ...clocks,
      logger,
    });
    this.#runs.push(this.#configurations.run(this.#ending.signal), this.#watchTriggers(this.#configurations));
    await this.#source.whenLoaded(stop);
  }

  /** Where operators look: at the Service of all replicas, in their namespace. */
  #tellProblem(row: EventRow, message: string): void {
    const { systemNamespace: namespace, service: name } = this.#options.installation;
    const regarding = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace, name, uid: '', resourceVersion: '' },
    };
    this.#events.recorder({ component: COMPONENT }).record(eventOf(row, regarding, message));
  }

  #watchTriggers(configurations: WebhookConfigurations): Promise<void> {
    const { installation, clocks, logger } = this.#options;
    const { systemNamespace: namespace, secret: name, keepsCertificateInFolder } = installation;
    const options = {
      client: this.#client,
      secret: keepsCertificateInFolder ? undefined : { namespace, name },
      wake: () => configurations.wake(),
      logger,
      ...clocks,
    };
    return watchTriggers(options, this.#ending.signal);
  }

  #scope(): { scope?: Scope } {
    const { settings, now } = this.#options;
    const { scopeGates: gates } = settings;
    if (gates === undefined) return {};
    const isCurrent = () =>
      this.#source.states().every(({ missing, degraded }) => missing === undefined && degraded === undefined);
    const policies = () => this.#source.snapshot().flatMap((change) => ('set' in change ? [change.set] : []));
    return { scope: new Scope({ gates, policies, isCurrent, now }) };
  }

  get notice(): string {
    const { systemNamespace, secret, keepsCertificateInFolder } = this.#options.installation;
    const { folder } = this.#options.certificates;
    return `certificates in ${keepsCertificateInFolder ? folder : `Secret ${systemNamespace}/${secret}`}`;
  }

  async close(): Promise<void> {
    this.#ending.abort(new Error('the gateway ends'));
    await this.#certificate?.close();
    await Promise.all(this.#runs);
    await this.#client.close();
  }
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
