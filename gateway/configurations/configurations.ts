// Keeps the API server calling this gateway: certificates, then the two webhook configurations, then the conversion of our
// CRDs (operations.md 9.1), once a minute and whenever one of them changes. Every replica does it; nothing is written that
// says the same.

import type { JsonObject } from '../../api/core/json.ts';
import { kinds } from '../../api/kinds/index.ts';
import type { WebhookEntry } from '../../api/webhooks.ts';
import { StatusError } from '../../component/errors.ts';
import type { Logger } from '../../component/logger.ts';
import { Trouble } from '../../component/trouble.ts';
import type { Client } from '../../kube/client.ts';
import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  type Resource,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../kube/resource.ts';
import { pause } from '../../kube/waiting.ts';
import type { Address } from './address.ts';
import { definitionFaults, planDefinition } from './definitions.ts';
import { entriesOf } from './entries.ts';
import { configurationFaults } from './external.ts';
import { type ConfigurationSettings, planConfiguration, SCOPE_CONDITION } from './plan.ts';

export type WebhookConfigurationOptions = {
  readonly client: Pick<Client, 'get' | 'update'>;
  /** Brings the certificates up to date and tells which authorities callers have to trust (PEM). */
  readonly certificates: { sync(): Promise<string> };
  /** Somebody else keeps the configurations up: they are only checked (`EnableExternalCerts`). */
  readonly isExternal: boolean;
  /** The Service that leads here, or `host:port` outside of a cluster. */
  readonly address:
    | { readonly service: { readonly namespace: string; readonly name: string } }
    | { readonly host: string };
  /** The paths that are answered; all entries of others are taken out. */
  readonly isServed: (path: string) => boolean;
  readonly exemptNamespaces: readonly string[];
  /** With `--scope demand`: see `Scope`. */
  readonly scope?: { expressionOf: ConfigurationSettings['scopeOf'] };
  /** Told why a pass failed, once for each reason that is not that of the pass before. */
  readonly onProblem?: (message: string) => void;
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly logger: Logger;
  readonly times?: Partial<WebhookConfigurationTimes>;
};

/** All in milliseconds. */
export type WebhookConfigurationTimes = {
  /** Between passes when nothing happens. */
  resyncMs: number;
  /** Changes closer than this are one. */
  settleMs: number;
  /** The wait after a failure, doubled with each one in a row up to the greatest. */
  leastRetryMs: number;
  mostRetryMs: number;
};

/** What a pass found and did. */
export type Pass = {
  /** Objects that were written. */
  readonly written: readonly string[];
  /** Entries that others made narrower than they should be; they stay so. */
  readonly narrowed: readonly string[];
};

const TIMES: WebhookConfigurationTimes = { resyncMs: 60_000, settleMs: 200, leastRetryMs: 250, mostRetryMs: 30_000 };
const ATTEMPTS = 5;

/** The name of one of the two configurations. */
export function configurationName(type: WebhookEntry['type']): string {
  return `kruise-${type}-webhook-configuration`;
}

const CONFIGURATIONS: readonly (readonly [Resource, string])[] = [
  [MUTATING_WEBHOOK_CONFIGURATIONS, configurationName('mutating')],
  [VALIDATING_WEBHOOK_CONFIGURATIONS, configurationName('validating')],
];

/** The CRDs that may be converted here, by name. */
export const DEFINITION_NAMES: readonly string[] = kinds
  .filter(({ versions }) => versions.length > 1)
  .map(({ plural, group }) => `${plural}.${group}`);

export class WebhookConfigurations {
  readonly #options: WebhookConfigurationOptions;
  readonly #times: WebhookConfigurationTimes;
  #turn: Promise<unknown> = Promise.resolve();
  #bundle: string | undefined;
  #trustedSinceMs: number | undefined;
  #isInitialised = false;
  #problem: string | undefined = 'not reconciled yet';
  #woken = Promise.withResolvers<void>();
  #takesConditions = true;
  readonly #figures = { passes: 0, failures: 0, writes: 0, narrowed: 0 };

  constructor(options: WebhookConfigurationOptions) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
  }

  /**
   * One pass. Rejects with what went wrong, naming each object, after all others were brought up to date. Passes run one after
   * the other.
   */
  reconcile(): Promise<Pass> {
    return this.#inTurn(async () => {
      try {
        const pass = await this.#pass();
        this.#isInitialised = true;
        this.#problem = undefined;
        this.#figures.passes++;
        return pass;
      } catch (error) {
        const message = messageOf(error);
        if (message !== this.#problem) this.#options.onProblem?.(message);
        this.#problem = message;
        this.#figures.failures++;
        this.#trustedSinceMs = undefined;
        throw error;
      }
    });
  }

  /** Passes until `signal` ends it: at once, whenever `wake` is called, and once a minute. Resolves then; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { logger, random, monotonic } = this.#options;
    const trouble = new Trouble({
      ...{ logger, monotonic, level: 'error' },
      begins: 'webhook configurations not reconciled',
      ends: 'webhook configurations are reconciled again',
    });
    const { resyncMs, settleMs, leastRetryMs, mostRetryMs } = this.#times;
    let failures = 0;
    while (!signal.aborted) {
      this.#woken = Promise.withResolvers();
      let waitMs = resyncMs;
      try {
        await this.reconcile();
        failures = 0;
        trouble.end();
      } catch (error) {
        const delayMs = Math.min(leastRetryMs * 2 ** Math.min(failures++, 20), mostRetryMs);
        waitMs = delayMs * (0.5 + random() / 2);
        trouble.begin(messageOf(error));
      }
      const isWoken = await this.#waitFor(waitMs, signal);
      // Who writes must not write in turns with somebody else; who only looks may look at once.
      if (isWoken) await pause(failures === 0 || this.#options.isExternal ? settleMs : waitMs, signal);
    }
  }

  /** Something changed that a pass looks at. */
  wake(): void {
    this.#woken.resolve();
  }

  /** Since when all callers are known to trust this bundle; undefined while some may not. */
  trustedSince(bundle: string): number | undefined {
    return bundle === this.#bundle ? this.#trustedSinceMs : undefined;
  }

  /** A readiness check: the API server calls nobody before the first pass is done. */
  fault(): string | undefined {
    return this.#isInitialised ? undefined : this.#problem;
  }

  /** Why the last pass failed; undefined if it did not. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get figures(): Readonly<{ passes: number; failures: number; writes: number; narrowed: number }> {
    return this.#figures;
  }

  async #pass(): Promise<Pass> {
    const report: Report = { written: [], errors: [] };
    const bundle = await this.#syncCertificates(report);
    if (this.#options.isExternal) {
      await this.#check(base64(bundle), report);
      throwAll(report.errors);
      return { written: [], narrowed: [] };
    }
    const { narrowed, moved } = await this.#writeConfigurations(bundle, report);
    const before = report.written.length;
    await this.#writeDefinitions(this.#addressOf(bundle), report);
    this.#figures.narrowed = narrowed.length;
    throwAll(report.errors);
    if (moved || report.written.length > before) this.#trustedSinceMs = undefined;
    this.#trustedSinceMs ??= this.#options.now();
    return { written: report.written, narrowed };
  }

  /** What callers have to trust. While the certificate cannot be looked after, that is what it was. */
  async #syncCertificates(report: Report): Promise<string> {
    let bundle = this.#bundle;
    try {
      bundle = await this.#options.certificates.sync();
    } catch (error) {
      if (bundle === undefined) throw error;
      report.errors.push(error instanceof Error ? error : new Error(String(error)));
    }
    if (bundle !== this.#bundle) this.#trustedSinceMs = undefined;
    this.#bundle = bundle;
    return bundle;
  }

  async #writeConfigurations(bundle: string, report: Report): Promise<{ narrowed: string[]; moved: boolean }> {
    const { isServed, exemptNamespaces, scope } = this.#options;
    const narrowed: string[] = [];
    let moved = false;
    for (const [resource, name] of CONFIGURATIONS) {
      await this.#revise(
        resource,
        { name },
        (live) => {
          const plan = planConfiguration(live, {
            address: this.#addressOf(bundle),
            isServed,
            exemptNamespaces,
            scopeOf: (entry, present) => (this.#takesConditions ? scope?.expressionOf(entry, present) : undefined),
          });
          narrowed.push(...plan.narrowed);
          moved ||= plan.changed.length > 0;
          return plan.update === undefined ? undefined : { object: plan.update, about: plan.changed };
        },
        report,
      );
    }
    return { narrowed: [...new Set(narrowed)], moved };
  }

  async #writeDefinitions(address: Address, report: Report): Promise<void> {
    for (const name of DEFINITION_NAMES) {
      await this.#revise(
        CUSTOM_RESOURCE_DEFINITIONS,
        { name },
        (live) => {
          const object = planDefinition(live, address);
          return object === undefined ? undefined : { object, about: ['conversion'] };
        },
        report,
      );
    }
  }

  /** Reads, decides and writes, again when somebody else wrote in between. A CRD that is not there is left out. */
  async #revise(
    resource: Resource,
    reference: ObjectReference,
    plan: (live: KubeObject) => { object: JsonObject; about: readonly string[] } | undefined,
    report: Report,
  ): Promise<void> {
    const { client, logger } = this.#options;
    const object = `${resource.kind} ${reference.name}`;
    for (let attempt = 1; ; attempt++) {
      try {
        const live = await client.get(resource, reference);
        const wanted = plan(live);
        if (wanted === undefined) return;
        const stored = await client.update(resource, wanted.object);
        this.#figures.writes++;
        this.#noticeDropped(wanted.object, stored);
        logger.info({ object, changed: wanted.about }, 'webhook configuration written');
        report.written.push(object);
        return;
      } catch (error) {
        const code = error instanceof StatusError ? error.code : 0;
        if (code === 404 && resource === CUSTOM_RESOURCE_DEFINITIONS) return;
        if (code === 409 && attempt < ATTEMPTS) continue;
        report.errors.push(named(error, object));
        return;
      }
    }
  }

  /** API servers before 1.28 drop match conditions: then webhooks stay as wide as they are. */
  #noticeDropped(wanted: JsonObject, stored: KubeObject): void {
    const has = (webhooks: unknown) => JSON.stringify(entriesOf(webhooks)).includes(SCOPE_CONDITION);
    if (!this.#takesConditions || !has(wanted.webhooks) || has(stored.webhooks)) return;
    this.#takesConditions = false;
    this.#options.logger.warn({}, 'the API server knows no match conditions; --scope demand has no effect');
  }

  async #check(caBundle: string, { errors }: Report): Promise<void> {
    const { client, isServed } = this.#options;
    const check = async (resource: Resource, name: string, faultsOf: (live: KubeObject) => readonly string[]) => {
      const object = `${resource.kind} ${name}`;
      try {
        const faults = faultsOf(await client.get(resource, { name }));
        errors.push(...faults.map((fault) => new Error(`${object}: ${fault}`)));
      } catch (error) {
        const isAbsent = error instanceof StatusError && error.code === 404;
        if (!isAbsent || resource !== CUSTOM_RESOURCE_DEFINITIONS) errors.push(named(error, object));
      }
    };
    for (const [resource, name] of CONFIGURATIONS) {
      await check(resource, name, (live) => configurationFaults(live, isServed, caBundle));
    }
    // Another authority comes to one object after the other. Creations wait for the configurations; CRDs, of which there are
    // many, may follow.
    if (errors.length === 0) await this.#trusted();
    for (const name of DEFINITION_NAMES) {
      await check(CUSTOM_RESOURCE_DEFINITIONS, name, (live) => definitionFaults(live, caBundle));
    }
  }

  /** What waited for that can be served now. */
  async #trusted(): Promise<void> {
    if (this.#trustedSinceMs !== undefined) return;
    this.#trustedSinceMs = this.#options.now();
    await this.#options.certificates.sync();
  }

  #addressOf(bundle: string): Address {
    return { ...this.#options.address, caBundle: base64(bundle) };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Resolves to true if it was woken. */
  async #waitFor(timeMs: number, signal: AbortSignal): Promise<boolean> {
    const ended = new AbortController();
    const both = AbortSignal.any([signal, ended.signal]);
    const timer = pause(timeMs, both).then(() => false);
    const result = await Promise.race([timer, this.#woken.promise.then(() => true)]);
    ended.abort();
    return result;
  }
}

function named(error: unknown, object: string): Error {
  const message = `${object}: ${messageOf(error)}`;
  if (error instanceof StatusError) return new StatusError(error.code, error.reason, message, { cause: error });
  return new Error(message, { cause: error });
}

/** What a pass has done so far, and what went wrong in it. */
type Report = { written: string[]; errors: Error[] };

function throwAll(errors: readonly Error[]): void {
  const [first] = errors;
  if (first === undefined) return;
  throw errors.length === 1 ? first : new AggregateError(errors, errors.map(messageOf).join('; '));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
