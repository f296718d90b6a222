// Reads the objects of files. Large ones are read in a thread of their own: parsing would keep reviews waiting, and its
// garbage would stay in the heap of the thread that answers them.

import { type ResourceLimits, Worker } from 'node:worker_threads';
import { InputError, type InputPlace } from '../../component/errors.ts';
import { readManifests } from '../../component/manifests.ts';
import { type KeptObject, referenceOf } from './change.ts';

/** The objects of each file, in the order of the files. */
export type ReadObjects = readonly (readonly KeptObject[])[];

/** What the reading thread is started with, and what it sends back. */
export type ReaderInput = { sluiceObjectReader: true; files: readonly string[] };
export type ReaderReport = { objects: ReadObjects } | { message: string; place: InputPlace };

/** Above so many bytes a thread is worth its start. */
const THREAD_BYTES = 128 * 1024;

/** Reads files, given with their sizes. Throws InputError naming file, line and field. */
export async function readObjects(files: ReadonlyMap<string, number>): Promise<ReadObjects> {
  const names = [...files.keys()];
  const sizes = [...files.values()];
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) <= THREAD_BYTES) return readObjectsHere(names);
  const { READER_ENTRY } = await import('./reader-thread.ts');
  const workerData: ReaderInput = { sluiceObjectReader: true, files: names };
  const report = await new Promise<ReaderReport>((resolve, reject) => {
    const worker = new Worker(READER_ENTRY, { workerData, resourceLimits: memoryLimits(Math.max(...sizes)) });
    worker.on('message', resolve);
    worker.on('error', (error) =>
      reject(isOutOfMemory(error) ? new InputError('the objects take too much memory to read') : error),
    );
    worker.on('exit', () => reject(new Error('the reading thread ended without a result')));
  });
  if ('objects' in report) return report.objects;
  throw new InputError(report.message, report.place);
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Enough for the largest file. A heap without limits would be left to grow for long before it is cleaned. */
function memoryLimits(largestBytes: number): ResourceLimits {
  const mebibytes = largestBytes / (1024 * 1024);
  return { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: Math.ceil(96 + 100 * mebibytes) };
}

/** The same without a thread. */
export async function readObjectsHere(files: readonly string[]): Promise<ReadObjects> {
  const read: KeptObject[][] = [];
  for (const file of files) {
    // Only text is kept: manifests hold the whole document, to tell places that are hardly ever asked for.
    const manifests = await readManifests([file]);
    read.push(
      manifests.map(({ object, line }) => ({
        reference: referenceOf(object),
        text: JSON.stringify(object),
        file,
        line,
      })),
    );
  }
  return read;
}
