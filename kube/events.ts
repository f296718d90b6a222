// Events for `kubectl get events`: recorded at once, sent one after the other in the background. Equal ones become one with
// a count, many alike become one that says so, and an object that causes very many is cut off for a while.

import type { JsonObject } from '../api/core/json.ts';
import { ConnectionError, StatusError } from '../component/errors.ts';
import type { Logger } from '../component/logger.ts';
import type { Client } from './client.ts';
import { EventCorrelator } from './event-correlator.ts';
import type { KubeObject } from './objects.ts';
import { EVENTS } from './resource.ts';
import { pause } from './waiting.ts';

export type EventType = 'Normal' | 'Warning';
/** Something that happened to an object; `reason` is one CamelCase word, `message` is for people. */
export type RecordedEvent = {
  readonly regarding: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;
  readonly eventType: EventType;
  readonly reason: string;
  readonly message: string;
};

/** Records for one component. Never waits and never throws. */
export type EventRecorder = { record(event: RecordedEvent): void };
/** Who saw it: the controller, and the node where that matters. */
export type EventSource = { readonly component: string; readonly host?: string };

export type EventsOptions = {
  readonly client: Client;
  /** Unix time in milliseconds, for what people read. */
  readonly now: () => number;
  /** Milliseconds of a clock that never steps, for all limits. */
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly logger: Logger;
};

/** Events that wait to be sent; more are dropped. */
const MOST_WAITING = 1000;
/** Longer messages are cut: what a container or a webhook printed may be of any length. */
const MOST_MESSAGE = 1024;
const MOST_TRIES = 12;
const RETRY_MS = 5_000;
/** How long what waits at the end may take. */
const LAST_WORDS_MS = 2_000;

type Waiting = { readonly source: EventSource; readonly event: RecordedEvent; readonly at: number };

export class Events {
  readonly #options: EventsOptions;
  readonly #correlator: EventCorrelator;
  readonly #waiting: Waiting[] = [];
  #wake: () => void = () => undefined;
  #dropped = 0;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.monotonic);
  }

  /** Events that were not sent: too many of them, or the server did not take them. */
  get dropped(): number {
    return this.#dropped;
  }

  recorder(source: EventSource): EventRecorder {
    return { record: (event) => this.#record(source, event) };
  }

  /** Sends until the signal is aborted, and then, for two seconds at most, what was recorded before. */
  async run(signal: AbortSignal): Promise<void> {
    const ends = new AbortController();
    const onAbort = () => {
      setTimeout(() => ends.abort(new Error('events are over')), LAST_WORDS_MS).unref();
      this.#wake();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) await this.#send(next, ends.signal);
      else if (signal.aborted) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #record(source: EventSource, event: RecordedEvent): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped++;
      return;
    }
    this.#waiting.push({ source, event, at: this.#options.now() });
    this.#wake();
  }
  async #send({ source, event, at }: Waiting, signal: AbortSignal): Promise<void> {
    const topic = { source: JSON.stringify(source), object: uidOf(event), kind: `${event.eventType}/${event.reason}` };
    const message =
      event.message.length > MOST_MESSAGE ? `${event.message.slice(0, MOST_MESSAGE - 3)}...` : event.message;
    const admitted = this.#correlator.admit(topic, message);
    if (admitted === undefined) return;
    for (let tries = 1; ; tries++) {
      try {
        await this.#write(admitted, { source, event, at }, signal);
        return;
      } catch (error) {
        if (tries === MOST_TRIES || !mayPass(error) || signal.aborted) {
          this.#dropped++;
          this.#options.logger.warn({ reason: event.reason, error: String(error) }, 'an event could not be recorded');
          return;
        }
      }
      // Aborted or not, the next try tells.
      await pause(RETRY_MS, signal);
    }
  }

  async #write(
    { key, message }: { key: string; message: string },
    { source, event, at }: Waiting,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, random } = this.#options;
    const { name, namespace = 'default' } = event.regarding.metadata;
    const known = this.#correlator.sent(key);
    const lastTimestamp = timestampOf(at);
    if (known !== undefined) {
      const count = known.count + 1;
      try {
        const patch = { count, lastTimestamp, message };
        await client.patch(EVENTS, { namespace, name: known.name }, patch, { patchType: 'strategic', signal });
        this.#correlator.remember(key, { ...known, count });
        return;
      } catch (error) {
        // The server forgets events after an hour.
        if (!(error instanceof StatusError && error.code === 404)) throw error;
      }
    }
    // Names as Kubernetes' own components make them, from nanoseconds; two programs may share a millisecond.
    const nanoseconds = BigInt(at) * 1_000_000n + BigInt(Math.floor(random() * 1_000_000));
    const sent = { name: `${name.slice(0, 230)}.${nanoseconds.toString(16)}`, count: 1, firstTimestamp: lastTimestamp };
    await client.create(EVENTS, objectOf({ ...event, message }, source, { ...sent, namespace }), { signal });
    this.#correlator.remember(key, sent);
  }
}

function objectOf(
  { regarding, eventType, reason, message }: RecordedEvent,
  { component, host = '' }: EventSource,
  { name, namespace, firstTimestamp }: { name: string; namespace: string; firstTimestamp: string },
): JsonObject {
  const { apiVersion, kind, metadata } = regarding;
  const { uid, resourceVersion } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: {
      apiVersion,
      kind,
      name: metadata.name,
      uid,
      resourceVersion,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    },
    type: eventType,
    reason,
    message,
    source: { component, ...(host === '' ? {} : { host }) },
    reportingComponent: component,
    reportingInstance: host,
    firstTimestamp,
    lastTimestamp: firstTimestamp,
    count: 1,
  };
}

function uidOf({ regarding: { kind, metadata } }: RecordedEvent): string {
  return `${kind}/${metadata.namespace ?? ''}/${metadata.name}/${metadata.uid}`;
}

function timestampOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function mayPass(error: unknown): boolean {
  if (error instanceof StatusError) return error.code === 429 || error.code >= 500;
  return error instanceof ConnectionError;
}
