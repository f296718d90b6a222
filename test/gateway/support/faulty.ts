// The real evaluator with a module that has faults to order (assembly/direct/faulty.ts), and reviews that order them.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Policies } from '../../../evaluator/policies.ts';
import { Webhooks } from '../../../evaluator/webhooks.ts';
import type { EvaluatorLoader } from '../../../gateway/evaluation.ts';

const root = new URL('../../..', import.meta.url);

/** Lengths of reviews that have a fault. */
export const FAULTS = { 'a loop without end': 1001, 'a trap': 1002, 'memory without end': 1003 } as const;

/** Builds the module unless it is newer than its sources. */
export async function buildFaulty(): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/build.ts', 'faulty'], { cwd: root });
}

export async function loadFaulty(): Promise<Policies> {
  return Policies.load(Uint8Array.from(await readFile(new URL('dist/faulty.wasm', root))));
}

/** For a gateway: see Surroundings.evaluatorModule. */
export const loadEvaluator: EvaluatorLoader = async (options) => new Webhooks(await loadFaulty(), options);

/** A review of a pod labelled `app: web`, of exactly so many bytes, with a text to look for. */
export function reviewOf(uid: string, bytes: number, text = ''): string {
  const write = (padding: string): string =>
    JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid,
        namespace: 'shop',
        operation: 'CREATE',
        resource: { group: '', version: 'v1', resource: 'pods' },
        options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions' },
        object: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p', namespace: 'shop', labels: { app: 'web' }, annotations: { text, padding } },
          spec: { containers: [{ name: 'main', image: 'main:1' }] },
        },
      },
    });
  return write('p'.repeat(bytes - write('').length));
}
