// Durations as Go and Kubernetes write them (`10s`, `1m30s`, `250ms`), to and from milliseconds.

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const WHOLE = /^(?:\d+(?:\.\d*)?(?:ns|us|µs|μs|ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d*)?)(ns|us|µs|μs|ms|s|m|h)/g;

/** Milliseconds of a duration that is not negative, or undefined if the text is none. `0` needs no unit. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (text.length > 64 || !WHOLE.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, amount, unit] of text.matchAll(PART)) milliseconds += Number(amount) * (UNITS.get(unit ?? '') ?? 0);
  return milliseconds;
}
