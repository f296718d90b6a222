// The reading thread: reads the files it is given, sends their objects, and ends. Loaded anywhere else it does nothing.

import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { InputError } from '../../component/errors.ts';
import { type ReaderInput, type ReaderReport, readObjectsHere } from './read.ts';

/** Where the thread starts. */
export const READER_ENTRY: URL = new URL(import.meta.url);

const input = workerData as ReaderInput | null;
if (!isMainThread && input?.sluiceObjectReader === true) parentPort?.postMessage(await report(input.files));

async function report(files: readonly string[]): Promise<ReaderReport> {
  try {
    return { objects: await readObjectsHere(files) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { message, file, line, column, field } = error;
    const place = Object.entries({ file, line, column, field }).filter(([, value]) => value !== undefined);
    return { message, place: Object.fromEntries(place) };
  }
}
