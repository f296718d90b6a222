// Memory of the store over millions of changes: objects of changing sizes come and go under 3,000 names.
// `node bench/soak-store.ts [changes]`, ten million by default; fails when memory grows after the first tenth.

import { readFile } from 'node:fs/promises';
import { Module, STATUS } from '../evaluator/module.ts';

export type StoreMemory = { objects: number; objectBytes: number; memoryBytes: number };

const NAMES = 3000;
const encoder = new TextEncoder();

/** A sequence that looks random and is always the same. */
function* numbers(): Generator<number, never> {
  let state = 0x9e3779b9;
  while (true) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 0;
  }
}

/** Objects of every kind that is kept, in several versions of very different sizes. */
function versionsOf(i: number): Uint8Array[] {
  return [0, 1, 2, 3].map((version) => {
    const metadata = { name: `object-${i}`, annotations: { filler: 'x'.repeat((i * 37 + version * 911) % 3000) } };
    const kind = i % 3;
    const object =
      kind === 0
        ? {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'SidecarSet',
            metadata,
            spec: {
              selector: { matchLabels: { app: `app-${i % 100}`, [`label-${version}`]: `${i}` } },
              containers: Array.from({ length: 1 + ((i + version) % 5) }, (_, j) => ({ name: `c${j}`, image: 'i' })),
            },
          }
        : kind === 1
          ? { apiVersion: 'v1', kind: 'Namespace', metadata }
          : {
              apiVersion: 'apps/v1',
              kind: 'ControllerRevision',
              metadata: {
                ...metadata,
                namespace: 'kruise-system',
                labels: { 'kruise.io/sidecarset-name': `s${i % 50}` },
              },
              data: { spec: { volumes: Array.from({ length: version * 10 }, (_, j) => ({ name: `v${j}` })) } },
            };
    return encoder.encode(JSON.stringify(object));
  });
}

function memoryOf({ exports, size }: Module): StoreMemory {
  return { objects: exports.objects(), objectBytes: exports.objectBytes(), memoryBytes: size };
}

/** Makes the changes; the memory after a tenth of them, at the end, and when all objects are gone again. */
export function soakStore(
  module: Module,
  changes: number,
): { tenth: StoreMemory; end: StoreMemory; empty: StoreMemory } {
  const pool = Array.from({ length: NAMES }, (_, i) => versionsOf(i));
  const random = numbers();
  let tenth = memoryOf(module);
  for (let change = 1; change <= changes; change++) {
    const number = random.next().value;
    const versions = pool[number % NAMES] ?? [];
    const input = versions[(number >>> 12) % versions.length] ?? new Uint8Array();
    const length = module.write(input);
    // Two of three changes apply: about two thirds of the names are there at any time.
    const isRemoval = (number >>> 20) % 3 === 0;
    const status = isRemoval ? module.exports.remove(length) : module.exports.apply(length);
    if (status === STATUS.refused) throw new Error(module.resultText());
    if (change === Math.ceil(changes / 10)) tenth = memoryOf(module);
  }
  const end = memoryOf(module);
  for (const [version] of pool) module.exports.remove(module.write(version ?? new Uint8Array()));
  return { tenth, end, empty: memoryOf(module) };
}

async function main(changes: number): Promise<void> {
  const module = Module.instantiate(
    await WebAssembly.compile(await readFile(new URL('../dist/policy.wasm', import.meta.url))),
  );
  const start = performance.now();
  const { tenth, end, empty } = soakStore(module, changes);
  const micros = ((performance.now() - start) * 1000) / changes;
  console.log(`${changes} changes, ${micros.toFixed(2)} us each`);
  for (const [when, memory] of Object.entries({ 'after a tenth': tenth, 'at the end': end, 'all removed': empty })) {
    console.log(
      `${when}: ${memory.objects} objects, ${memory.objectBytes} bytes of objects, ${memory.memoryBytes} of memory`,
    );
  }
  const growth = end.memoryBytes / tenth.memoryBytes;
  console.log(`memory at the end / after a tenth: ${growth.toFixed(3)}`);
  if (growth > 1.05 || empty.objects !== 0) process.exitCode = 1;
}

if (import.meta.main) await main(Number(process.argv[2] ?? 10_000_000));
