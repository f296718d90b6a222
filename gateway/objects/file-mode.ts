// A gateway that decides by files: objects and certificate come from folders that are watched.

import type { Health } from '../../component/health.ts';
import type { Logger } from '../../component/logger.ts';
import type { Metrics } from '../../component/metrics.ts';
import { reclaimAll } from '../../evaluator/reclaim.ts';
import type { Evaluator } from '../evaluation.ts';
import { METRICS } from '../metrics/rows.ts';
import type { ChangeTaker, Mode, Secrets } from '../mode.ts';
import { type CertificateOptions, Certificates } from '../tls/certificates.ts';
import { applyChange, difference, type ObjectChange } from './change.ts';
import { FileSource } from './source.ts';

/** Loading more objects leaves tens of megabytes behind, which V8 would keep: answering reviews hardly makes garbage. */
const GARBAGE_OBJECTS = 1000;

export type FileModeOptions = {
  paths: readonly string[];
  certificates: Omit<CertificateOptions, 'count'>;
  logger: Logger;
  settleMs: number;
  pollMs: number;
};

export class FileMode implements Mode {
  readonly live = undefined;
  readonly widening = undefined;
  readonly cluster = undefined;
  readonly events = undefined;
  readonly loadsFirst = true;
  readonly #options: FileModeOptions;
  #source: FileSource | undefined;
  #certificates: Certificates | undefined;
  #count: { objects(result: string): void; certificates(result: string): void } = {
    objects: () => undefined,
    certificates: () => undefined,
  };

  constructor(options: FileModeOptions) {
    this.#options = options;
  }

  expose(health: Health, metrics: Metrics): void {
    this.#count = {
      objects: metrics.counter(METRICS.objectReloads),
      certificates: metrics.counter(METRICS.certificateReloads),
    };
    health.addReadiness('objects', () => (this.#source?.isLoaded ? undefined : 'the objects are not loaded yet'));
    health.addReadiness('certificate', () => this.#certificates?.fault());
    metrics.add(METRICS.objects, () => countByKind(this.#source));
    metrics.add(METRICS.objectsCurrent, () => [{ labels: {}, value: this.#source?.error === undefined ? 1 : 0 }]);
    metrics.add(METRICS.certificateExpiry, () => {
      return this.#certificates === undefined ? [] : [{ labels: {}, value: this.#certificates.expiryMs / 1000 }];
    });
  }

  async openCertificate(): Promise<Secrets> {
    const count = (result: 'success' | 'error') => this.#count.certificates(result);
    this.#certificates = await Certificates.open({ ...this.#options.certificates, count });
    return this.#certificates;
  }

  async open(evaluator: Evaluator, servers: () => ChangeTaker | undefined, stop: AbortSignal): Promise<void> {
    const { paths, logger, settleMs, pollMs } = this.#options;
    this.#source = new FileSource({
      paths,
      apply: (change, before) => {
        applyChange(evaluator, change, before);
        servers()?.change(change);
      },
      logger,
      count: (result) => this.#count.objects(result),
      settleMs,
      pollMs,
    });
    await this.#source.load(stop);
    if (this.#source.objects.size > GARBAGE_OBJECTS) reclaimAll();
  }

  snapshot(): readonly ObjectChange[] {
    return [difference(new Map(), this.#source?.objects ?? new Map())];
  }

  async serving(): Promise<void> {
    this.#source?.watch();
  }

  uninitialised(): undefined {
    return undefined;
  }

  get notice(): string {
    return `certificates in ${this.#options.certificates.folder}`;
  }

  async close(): Promise<void> {
    await this.#source?.close();
    await this.#certificates?.close();
  }
}

function countByKind(source: FileSource | undefined) {
  const counts = new Map<string, number>();
  for (const { reference } of source?.objects.values() ?? []) {
    counts.set(reference.kind, (counts.get(reference.kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, value]) => ({ labels: { kind }, value }));
}
