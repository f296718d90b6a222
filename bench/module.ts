// The module itself: size, time to instantiate, operations of a patch, microseconds of a review and of its parts.
// Budgets: under 300 KB, under 5 ms, at most 10 operations.

import { readFile } from 'node:fs/promises';
import { parseJson } from '../api/core/json.ts';
import { effectiveGates } from '../api/gates.ts';
import { Policies } from '../evaluator/policies.ts';
import { Webhooks } from '../evaluator/webhooks.ts';
import { shopBody, shopSets } from './support/shop.ts';
import { reviewBody, sidecarSet } from './support/subject.ts';

const ROUNDS = 100;
const REVIEWS = 2_000;
const bytes = await readFile(new URL('../dist/policy.wasm', import.meta.url));
console.log(`policy.wasm: ${(bytes.length / 1000).toFixed(1)} KB (budget 300)`);

const compiled = await WebAssembly.compile(bytes);
const began = performance.now();
const policies = Policies.of(compiled);
console.log(`instantiation: ${(performance.now() - began).toFixed(2)} ms (budget 5)`);

const settings = { gates: effectiveGates(new Map()), systemNamespace: 'kruise-system' };
new Webhooks(policies, settings).apply(sidecarSet('logs', { app: 'web' }));
const body = reviewBody();
const review = (): Uint8Array => policies.review('/mutate-pod', body, Date.now());
const { response } = JSON.parse(Buffer.from(review()).toString()) as { response: { patch: string } };
const operations = parseJson(Buffer.from(response.patch, 'base64').toString()) as unknown[];
console.log(`operations of the patch: ${operations.length} (budget 10)`);

const text = body.toString();
const least = (work: () => unknown): number => {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    for (let i = 0; i < REVIEWS; i++) work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / REVIEWS;
  });
  return Math.min(...times);
};
const whole = least(review);
const scan = least(() => policies.checkJson(body));
const platform = least(() => JSON.parse(text));
console.log(`review of ${body.length} bytes: ${whole.toFixed(1)} us CPU, of which reading ${scan.toFixed(1)} us`);
const shop = Policies.of(compiled);
const shopWebhooks = new Webhooks(shop, settings);
for (const set of shopSets()) shopWebhooks.apply(set);
const pod = shopBody();
const three = least(() => shop.review('/mutate-pod', pod, Date.now()));
console.log(`review of ${pod.length} bytes with three sets of two containers: ${three.toFixed(1)} us CPU`);
console.log(`reading / JSON.parse: ${(scan / platform).toFixed(2)} (JSON.parse ${platform.toFixed(1)} us)`);
