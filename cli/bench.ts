// `sluice bench`: what a review costs, with this policy module and with another one, side by side.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../api/core/json.ts';
import { InputError } from '../component/errors.ts';
import { describing } from '../component/file-faults.ts';
import { itemsOf, readDocuments, readManifests } from '../component/manifests.ts';
import { firstPath } from './admission.ts';
import { EXIT, type Host } from './host.ts';
import { giveBack, type Observed, observedCluster } from './observed.ts';
import { type ColorMode, colorsFor, showWarning, table } from './output.ts';
import { renderJson } from './render.ts';
import { requestOf } from './requests.ts';
import { requireOneReader } from './state.ts';

export type BenchOptions = {
  filename: readonly string[];
  objects: readonly string[];
  module?: string;
  count: number;
  path?: string;
  namespace?: string;
  featureGates: string;
  systemNamespace: string;
  now?: number;
  output: 'table' | 'json';
  color: ColorMode;
};

/** Reviews in a row with one module, before the other one has its turn. */
const TURN = 50;
/** Reviews before anything is measured, as a part of those that are. */
const WARM_UP = 0.2;

/** A module that is measured. */
type Subject = {
  name: string;
  cluster: Observed;
  exchanges: readonly Exchange[];
  microseconds: number[];
  heapBytes: number[];
};
type Exchange = { path: string; body: Uint8Array };

type Figures = {
  module: string;
  reviews: number;
  p50: number;
  p90: number;
  p99: number;
  max: number;
  mean: number;
  /** JavaScript's heap that a review takes, before any of it is collected. */
  heapBytes: number;
  /** The memory of the module, with all objects. */
  moduleBytes: number;
};

/** Exits with 0; what the reviews are answered does not matter. Throws InputError. */
export async function runBench(host: Host, options: BenchOptions): Promise<number> {
  requireOneReader(options);
  const colors = colorsFor(host.stderr, options.color, host.environment);
  const modules = [
    await readModule(host.policyModule),
    ...(options.module === undefined ? [] : [await readModule(options.module)]),
  ];
  const subjects: Subject[] = [];
  const inputs = await readInputs(host, options);
  for (const module of modules) subjects.push(await subjectOf(host, module, inputs, options));
  compareAnswers(subjects, inputs.nowMs, (text) => showWarning(host, text, colors));
  const warmUp = Math.ceil(options.count * WARM_UP);
  measure(host, subjects, { count: warmUp, nowMs: inputs.nowMs });
  for (const subject of subjects) {
    subject.microseconds.length = 0;
    subject.heapBytes.length = 0;
  }
  measure(host, subjects, { count: options.count, nowMs: inputs.nowMs });
  host.stdout.write(textOf(subjects.map(figuresOf), options.output));
  return EXIT.allowed;
}

type ModuleFile = { name: string; bytes: Uint8Array<ArrayBuffer> };

async function readModule(file: string | URL): Promise<ModuleFile> {
  const bytes = await describing(String(file), () => readFile(file));
  await WebAssembly.compile(bytes).catch((error: Error) => {
    throw new InputError(`expected a policy module: ${error.message}`, { file: String(file) }, { cause: error });
  });
  const digest = createHash('sha256').update(bytes).digest('hex');
  return { name: `sha256:${digest.slice(0, 12)}`, bytes: Uint8Array.from(bytes) };
}

type Inputs = Awaited<ReturnType<typeof readInputs>>;

async function readInputs(host: Host, { filename, objects, now }: BenchOptions) {
  const documents = (await readDocuments(filename, { stdin: host.stdin })).flatMap((document) => itemsOf(document));
  if (documents.length === 0) throw new InputError('holds no object', { file: filename.join(', ') });
  return { documents, objects: await readManifests(objects, { stdin: host.stdin }), nowMs: now ?? host.now() };
}

async function subjectOf(host: Host, module: ModuleFile, inputs: Inputs, options: BenchOptions): Promise<Subject> {
  const { featureGates, systemNamespace } = options;
  const cluster = await observedCluster(host, { featureGates, systemNamespace, module: module.bytes }, inputs.objects);
  const { state } = cluster;
  const exchanges = inputs.documents.map((document): Exchange => {
    const { nowMs } = inputs;
    const { namespace, path } = options;
    const storedObject = state.find;
    const request = requestOf(document, { namespace, operation: 'CREATE', nowMs, path, storedObject });
    for (const owner of request.implied) state.imply(owner);
    const served = path ?? firstPath(state.admission, request.review);
    if (served === undefined || !state.admission.paths().includes(served)) {
      throw new InputError(`${request.subject}: no webhook answers this review`, { file: document.file });
    }
    return { path: served, body: Buffer.from(JSON.stringify(request.review)) };
  });
  return { name: module.name, cluster, exchanges, microseconds: [], heapBytes: [] };
}

function compareAnswers([first, second]: readonly Subject[], nowMs: number, warn: (text: string) => void): void {
  if (first === undefined || second === undefined) return;
  const answersOf = ({ cluster, exchanges }: Subject): string[] =>
    exchanges.map(({ path, body }) => {
      const answer = new TextDecoder().decode(cluster.state.admission.answer(path, body, nowMs).body);
      giveBack(cluster);
      return answer;
    });
  const other = answersOf(second);
  const differing = answersOf(first).filter((answer, index) => answer !== other[index]).length;
  if (differing > 0) warn(`the modules answer ${differing} of ${other.length} reviews differently`);
}

// In turns: what else the machine does meanwhile falls on both.
function measure(host: Host, subjects: readonly Subject[], { count, nowMs }: { count: number; nowMs: number }): void {
  for (let done = 0; done < count; done += TURN) {
    for (const subject of subjects) {
      for (let i = done; i < Math.min(done + TURN, count); i++) measureOne(host, subject, i, nowMs);
    }
  }
}

function measureOne(host: Host, subject: Subject, index: number, nowMs: number): void {
  const { cluster, exchanges } = subject;
  const exchange = exchanges[index % exchanges.length];
  if (exchange === undefined) return;
  const { admission } = cluster.state;
  const heap = host.heapBytes();
  const start = host.monotonic();
  admission.answer(exchange.path, exchange.body, nowMs);
  const took = host.monotonic() - start;
  const grown = host.heapBytes() - heap;
  subject.microseconds.push(took * 1000);
  // Less than before: garbage was collected meanwhile.
  if (grown >= 0) subject.heapBytes.push(grown);
  giveBack(cluster);
}

function figuresOf({ name, cluster, microseconds, heapBytes }: Subject): Figures {
  const sorted = Float64Array.from(microseconds).sort();
  const at = (share: number): number => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
  return {
    module: name,
    reviews: sorted.length,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    max: at(1),
    mean: sum(sorted) / Math.max(sorted.length, 1),
    heapBytes: Math.round(sum(heapBytes) / Math.max(heapBytes.length, 1)),
    moduleBytes: cluster.state.admission.figures.memoryBytes,
  };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function textOf(figures: readonly Figures[], output: BenchOptions['output']): string {
  const [first, second] = figures;
  const ratio = first === undefined || second === undefined || first.p50 === 0 ? undefined : second.p50 / first.p50;
  if (output === 'json') {
    const rows = figures.map((one): JsonObject => ({ ...one }));
    return `${renderJson({ modules: rows, ...(ratio === undefined ? {} : { ratio }) }, 2)}\n`;
  }
  const rows = figures.map((one) => [
    one.module,
    String(one.reviews),
    ...[one.p50, one.p90, one.p99, one.max, one.mean].map((value) => value.toFixed(1)),
    String(one.heapBytes),
    `${(one.moduleBytes / (1 << 20)).toFixed(1)}Mi`,
  ]);
  const titles = [
    'MODULE',
    'REVIEWS',
    'P50-US',
    'P90-US',
    'P99-US',
    'MAX-US',
    'MEAN-US',
    'HEAP-BYTES',
    'MODULE-MEMORY',
  ];
  const below = ratio === undefined ? '' : `second to first: ${ratio.toFixed(2)} (medians)\n`;
  return `${table(titles, rows)}${below}`;
}
