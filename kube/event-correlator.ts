// Which events are sent, and as which: the memory that makes equal events one with a count and holds floods back. The
// rules are those of Kubernetes' own components, so that `kubectl get events` reads as ever.

import { createHash } from 'node:crypto';
import { TokenBucket } from './flow-control.ts';

/** What stands on the server for a key. */
export type SentEvent = { readonly name: string; readonly count: number; readonly firstTimestamp: string };

/** An event's identity without its message: source, object, type and reason. */
export type EventTopic = { readonly source: string; readonly object: string; readonly kind: string };

/** From one source about one object: so many at once, then one in five minutes. */
const BURST = 25;
const REFILL_QPS = 1 / 300;
/** Alike but for their message: from this many different ones on, each within ten minutes of the last, they are combined. */
const MOST_MESSAGES = 10;
const ALIKE_MS = 600_000;
/** Objects, topics and events that are remembered. */
const MOST_REMEMBERED = 4096;

const COMBINED = '(combined from similar events): ';

type Alike = { readonly messages: Set<string>; readonly at: number };

export class EventCorrelator {
  readonly #monotonic: () => number;
  readonly #buckets = new Recent<TokenBucket>();
  readonly #alike = new Recent<Alike>();
  readonly #sent = new Recent<SentEvent>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** The message to send and the key under which events count as the same; undefined for one that is held back. */
  admit({ source, object, kind }: EventTopic, message: string): { key: string; message: string } | undefined {
    const topic = digestOf([source, object, kind]);
    const known = this.#alike.get(topic);
    const now = this.#monotonic();
    const isRecent = known !== undefined && now - known.at <= ALIKE_MS;
    const messages = isRecent ? known.messages : new Set<string>();
    const digest = digestOf([topic, message]);
    if (messages.size < MOST_MESSAGES) messages.add(digest);
    this.#alike.set(topic, { messages, at: now });
    if (!this.#mayRecord(digestOf([source, object]))) return undefined;
    // Combined events are one, whatever their messages.
    return messages.has(digest) ? { key: digest, message } : { key: topic, message: COMBINED + message };
  }

  /** What was sent last under a key. */
  sent(key: string): SentEvent | undefined {
    return this.#sent.get(key);
  }

  remember(key: string, event: SentEvent): void {
    this.#sent.set(key, event);
  }

  #mayRecord(key: string): boolean {
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) bucket = new TokenBucket({ qps: REFILL_QPS, burst: BURST, monotonic: this.#monotonic });
    this.#buckets.set(key, bucket);
    return bucket.take(0) !== undefined;
  }
}

// Thousands are remembered, and messages may be long.
function digestOf(parts: readonly string[]): string {
  return createHash('sha1').update(JSON.stringify(parts)).digest('base64');
}

/** A bounded map that forgets what was not used for the longest time. */
class Recent<Value> {
  readonly #values = new Map<string, Value>();

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const oldest = this.#values.size > MOST_REMEMBERED ? this.#values.keys().next().value : undefined;
    if (oldest !== undefined) this.#values.delete(oldest);
  }
}
