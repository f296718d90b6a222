// Holds back the word that a policy may be created or changed until its pods are sent (`--scope demand`).

import { isObject, type JsonObject, parseJson } from '../../api/core/json.ts';
import { webhookEntries } from '../../api/webhooks.ts';
import { tryAgain } from '../../evaluator/refusal.ts';
import type { Answer, Evaluator } from '../evaluation.ts';
import type { Widening } from './widen.ts';

/** Kinds by which pods are decided, by their resources. */
const POLICIES: readonly string[] = [
  'sidecarsets',
  'workloadspreads',
  'podunavailablebudgets',
  'persistentpodstates',
  'podprobemarkers',
];
const PATHS: ReadonlySet<string> = new Set(
  webhookEntries
    .filter(({ type, resource }) => type === 'validating' && POLICIES.includes(resource))
    .map(({ path }) => path),
);

/** An evaluator that answers as this one does, but allows policies only when they are provided for. */
export function acknowledging(evaluator: Evaluator, widening: Pick<Widening, 'widen'>): Evaluator {
  return {
    paths: () => evaluator.paths(),
    answer: (path, body, nowMs, leftMs) => {
      const answer = evaluator.answer(path, body, nowMs, leftMs);
      if (!PATHS.has(path)) return answer;
      if (answer instanceof Promise) return answer.then((one) => acknowledged(one, body, leftMs, widening));
      return acknowledged({ status: answer.status, body: answer.body.slice() }, body, leftMs, widening);
    },
    apply: (object) => evaluator.apply(object),
    remove: (reference, resourceVersion) => evaluator.remove(reference, resourceVersion),
    restored: () => evaluator.restored?.(),
    get figures() {
      return evaluator.figures ?? { traps: 0 };
    },
  };
}

async function acknowledged(
  answer: Answer,
  body: Uint8Array,
  leftMs: number,
  widening: Pick<Widening, 'widen'>,
): Promise<Answer> {
  const change = answer.status === 200 && isAllowed(answer.body) ? changeOf(body) : undefined;
  if (change === undefined) return answer;
  try {
    await widening.widen(change.object, change.old, AbortSignal.timeout(Math.max(1, Math.floor(leftMs))));
    return answer;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { status: 200, body: tryAgain(body, `its pods could not be put in the scope of the webhooks: ${why}`) };
  }
}

/** The policy that a request creates or changes; undefined when it stores none. */
function changeOf(body: Uint8Array): { object: JsonObject; old: JsonObject | undefined } | undefined {
  const { request } = read(body);
  if (!isObject(request) || request.dryRun === true || !isObject(request.object)) return undefined;
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return undefined;
  // An object that is created may not name its namespace.
  const namespace = typeof request.namespace === 'string' ? { namespace: request.namespace } : {};
  const within = (object: JsonObject): JsonObject => {
    const metadata = isObject(object.metadata) ? object.metadata : {};
    return { ...object, metadata: { ...metadata, ...namespace } };
  };
  return { object: within(request.object), old: isObject(request.oldObject) ? within(request.oldObject) : undefined };
}

function isAllowed(body: Uint8Array): boolean {
  const { response } = read(body);
  return isObject(response) && response.allowed === true;
}

function read(body: Uint8Array): JsonObject {
  const value = parseJson(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'));
  return isObject(value) ? value : {};
}
