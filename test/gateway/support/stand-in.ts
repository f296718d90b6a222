// An evaluator that answers at once and does what a test tells it to, in the body of the review:
// `{"request":{"uid":"u","test":{"blockMs":50}}}`. Its answers name the objects that it knows.

import { threadId } from 'node:worker_threads';
import type { JsonObject } from '../../../api/core/json.ts';
import { InputError } from '../../../component/errors.ts';
import type { Answer, Evaluator, EvaluatorLoader } from '../../../gateway/evaluation.ts';
import { objectKey, referenceOf } from '../../../gateway/objects/change.ts';

type Wish = {
  blockMs?: number;
  fail?: boolean;
  deny?: boolean;
  hang?: boolean;
  exit?: boolean;
  answerBytes?: number;
  thread?: boolean;
};

const DENIAL = {
  event: 'DeletionProtection',
  kind: 'Namespace',
  namespace: '',
  name: 'shop',
  username: 'jane',
} as const;

export class StandIn implements Evaluator {
  readonly objects = new Map<string, JsonObject>();
  /** Bodies that were evaluated. */
  readonly bodies: string[] = [];
  readonly figures = { traps: 0 };

  paths(): readonly string[] {
    return ['/mutate-pod', '/validate-pod', '/convert'];
  }

  answer(_path: string, body: Uint8Array): Answer {
    const text = Buffer.from(body).toString();
    this.bodies.push(text);
    const request = (JSON.parse(text) as { request: { uid?: string; test?: Wish } }).request;
    const wish = request.test ?? {};
    if (wish.fail === true) throw new TypeError(`secret of ${text}`);
    if (wish.exit === true) process.exit(1);
    block(wish.hang === true ? Number.POSITIVE_INFINITY : (wish.blockMs ?? 0));
    const allowed = wish.deny !== true;
    const names = [...this.objects.values()].map(nameOf).sort().join();
    const told = wish.thread === true ? String(threadId) : names;
    const message = wish.answerBytes === undefined ? told : 'm'.repeat(wish.answerBytes);
    const status = { code: allowed ? 200 : 403, message };
    const response = { uid: request.uid ?? '', allowed, status };
    const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response };
    return { status: 200, body: Buffer.from(JSON.stringify(review)), denial: allowed ? undefined : DENIAL };
  }

  apply(object: JsonObject): void {
    const spec = object.spec as JsonObject | undefined;
    if (spec?.wrong !== undefined) throw new InputError('must not be there', { field: 'spec.wrong' });
    if (spec?.bare !== undefined) throw new InputError('spec.bare: must not be there');
    block(Number(spec?.blockMs ?? 0));
    this.objects.set(objectKey(referenceOf(object)), object);
  }

  remove(reference: { apiVersion: string; kind: string; namespace?: string; name: string }): void {
    this.objects.delete(objectKey(reference));
  }
}

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

function nameOf(object: JsonObject): string {
  const generation = (object.spec as JsonObject | undefined)?.generation;
  return `${(object.metadata as JsonObject).name}${generation === undefined ? '' : `@${generation}`}`;
}

/** For threads and child processes, which cannot be handed an object. */
export const loadEvaluator: EvaluatorLoader = async () => new StandIn();
