// The counters of the hot path: plain numbers in memory that threads share. Each thread writes its own and no other's;
// who is scraped adds them up.

import { REFUSALS, type Refusal } from './rows.ts';

/** Upper bounds of the latency histogram, in seconds. */
export const LATENCY_BOUNDS: readonly number[] = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
/** Codes that are counted apart; all others count as the last, 0. */
export const CODES: readonly number[] = [200, 400, 403, 404, 405, 408, 409, 413, 415, 422, 431, 500, 503, 505, 0];
export const VERDICTS = ['allowed', 'denied'] as const;
/** Latency counts of a path: one more than bounds, for what is above the last. */
export const BUCKETS = LATENCY_BOUNDS.length + 1;

const REFUSAL_INDEX: ReadonlyMap<string, number> = new Map(REFUSALS.map((reason, index) => [reason, index]));
const GROWING = ['requests', 'reviews', 'latencies', 'seconds', 'refusals', 'panics', 'traps', 'handedOver'] as const;
const PRESENT = ['inFlight', 'connections'] as const;
type Part = (typeof GROWING)[number] | (typeof PRESENT)[number];

/** Sizes of the parts; by path they are ordered path, (verdict,) code or bucket. */
function sizes(paths: number): Record<Part, number> {
  return {
    requests: paths * CODES.length,
    reviews: paths * VERDICTS.length * CODES.length,
    latencies: paths * BUCKETS,
    seconds: paths,
    refusals: REFUSALS.length,
    panics: 1,
    traps: 1,
    handedOver: 1,
    inFlight: paths,
    connections: 1,
  };
}

export class Counters {
  /** What a thread that only reads needs besides the number of paths. */
  readonly memory: SharedArrayBuffer;
  readonly requests: Float64Array;
  readonly reviews: Float64Array;
  readonly latencies: Float64Array;
  readonly seconds: Float64Array;
  readonly refusals: Float64Array;
  readonly panics: Float64Array;
  readonly traps: Float64Array;
  readonly handedOver: Float64Array;
  readonly inFlight: Float64Array;
  readonly connections: Float64Array;

  /** Counters at zero, or a view of those that live in `memory`. */
  constructor(paths: number, memory?: SharedArrayBuffer) {
    const size = sizes(paths);
    const total = Object.values(size).reduce((sum, cells) => sum + cells, 0);
    this.memory = memory ?? new SharedArrayBuffer(8 * total);
    let offset = 0;
    const part = (name: Part): Float64Array => {
      const cells = new Float64Array(this.memory, offset, size[name]);
      offset += 8 * size[name];
      return cells;
    };
    this.requests = part('requests');
    this.reviews = part('reviews');
    this.latencies = part('latencies');
    this.seconds = part('seconds');
    this.refusals = part('refusals');
    this.panics = part('panics');
    this.traps = part('traps');
    this.handedOver = part('handedOver');
    this.inFlight = part('inFlight');
    this.connections = part('connections');
  }

  /** A request of a path got an answer with this HTTP status. */
  answered(path: number, status: number, seconds: number): void {
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS.length && seconds > (LATENCY_BOUNDS[bucket] as number)) bucket++;
    add(this.requests, path * CODES.length + codeIndex(status), 1);
    add(this.latencies, path * BUCKETS + bucket, 1);
    add(this.seconds, path, seconds);
  }

  /** An evaluator gave this verdict; `code` is the one inside the answer. */
  reviewed(path: number, allowed: boolean, code: number): void {
    add(this.reviews, (path * VERDICTS.length + (allowed ? 0 : 1)) * CODES.length + codeIndex(code), 1);
  }

  refused(reason: Refusal): void {
    add(this.refusals, REFUSAL_INDEX.get(reason) as number, 1);
  }

  panicked(): void {
    add(this.panics, 0, 1);
  }

  /** A connection is read by Node.js' parser from now on. */
  wasHandedOver(): void {
    add(this.handedOver, 0, 1);
  }

  /** Requests of a path that have no answer yet: one more or one less. */
  inFlightChanged(path: number, by: 1 | -1): void {
    add(this.inFlight, path, by);
  }

  /** Takes over the counts of a thread that has ended, so that no sum ever falls. */
  absorb(ended: Counters): void {
    for (const name of GROWING) addAll(this[name], ended[name]);
  }

  /** The sums over threads. */
  static sum(paths: number, all: readonly Counters[]): Counters {
    const total = new Counters(paths);
    for (const counters of all) for (const name of [...GROWING, ...PRESENT]) addAll(total[name], counters[name]);
    return total;
  }
}

function codeIndex(code: number): number {
  const index = CODES.indexOf(code);
  return index < 0 ? CODES.length - 1 : index;
}

function add(cells: Float64Array, index: number, amount: number): void {
  cells[index] = (cells[index] as number) + amount;
}

function addAll(into: Float64Array, from: Float64Array): void {
  for (let i = 0; i < into.length; i++) add(into, i, from[i] as number);
}
