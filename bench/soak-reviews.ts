// Memory of the module and of the process over a million reviews of different pods, good and bad.
// `node bench/soak-reviews.ts [reviews]`; fails when the module's memory grows after the first tenth.

import { effectiveGates } from '../api/gates.ts';
import { Policies } from '../evaluator/policies.ts';
import { mutants, reviewOf, richObjects, richPod } from '../test/fuzz/review-subjects.ts';

export type ReviewMemory = { memoryBytes: number; heapBytes: number; residentBytes: number };

const encoder = new TextEncoder();
const NOW = Date.parse('2026-11-30T12:00:00Z');

/** Policies that hold the objects which the reviews meet. */
export async function soakPolicies(): Promise<Policies> {
  const policies = await Policies.load();
  policies.configure({ gates: effectiveGates(new Map()), systemNamespace: 'kruise-system' });
  for (const object of richObjects()) policies.apply(encoder.encode(JSON.stringify(object)));
  return policies;
}

/** Reviews of a pod and of its mutants, some cut short, one of 1 MiB. */
function bodies(): Uint8Array[] {
  const whole = encoder.encode(JSON.stringify(reviewOf(richPod())));
  const large = encoder.encode(JSON.stringify(reviewOf({ ...richPod(), padding: 'x'.repeat(1 << 20) })));
  const damaged = [...mutants(reviewOf(richPod()))].map((mutant) => encoder.encode(JSON.stringify(mutant)));
  const cut = damaged.filter((_, i) => i % 10 === 0).map((body) => body.subarray(0, body.length >> 1));
  return [large, ...damaged, ...cut, ...Array<Uint8Array>(500).fill(whole)];
}

function memoryOf(policies: Policies): ReviewMemory {
  const { heapUsed, rss } = process.memoryUsage();
  return { memoryBytes: policies.size.memoryBytes, heapBytes: heapUsed, residentBytes: rss };
}

/** Answers so many reviews; the memory after a tenth of them and at the end. Throws when the module traps. */
export function soakReviews(policies: Policies, reviews: number): { tenth: ReviewMemory; end: ReviewMemory } {
  const all = bodies();
  let tenth = memoryOf(policies);
  for (let i = 1; i <= reviews; i++) {
    const answer = policies.review('/mutate-pod', all[i % all.length] ?? new Uint8Array(), NOW + i);
    if (answer.length === 0 || policies.traps > 0) throw new Error(`review ${i} was not answered`);
    if (i === Math.ceil(reviews / 10)) tenth = memoryOf(policies);
  }
  return { tenth, end: memoryOf(policies) };
}

async function main(reviews: number): Promise<void> {
  const policies = await soakPolicies();
  const start = performance.now();
  const { tenth, end } = soakReviews(policies, reviews);
  const micros = ((performance.now() - start) * 1000) / reviews;
  console.log(`${reviews} reviews, ${micros.toFixed(1)} us each`);
  for (const [when, memory] of Object.entries({ 'after a tenth': tenth, 'at the end': end })) {
    const { memoryBytes, heapBytes, residentBytes } = memory;
    console.log(`${when}: module ${memoryBytes} bytes, heap ${heapBytes}, resident ${residentBytes}`);
  }
  const growth = end.memoryBytes / tenth.memoryBytes;
  console.log(`memory of the module at the end / after a tenth: ${growth.toFixed(3)}`);
  if (growth > 1) process.exitCode = 1;
}

if (import.meta.main) await main(Number(process.argv[2] ?? 1_000_000));
