// Lets the kinds' own rules look at objects of a live cluster. The rules are plain functions that cannot wait: they run on
// what is known, and note what is not; that is fetched, and they run again.

import { isObject, type Json } from '../api/core/json.ts';
import { findKind } from '../api/kinds/index.ts';
import type { ValidationContext } from '../api/kinds/kind.ts';
import { StatusError } from '../component/errors.ts';
import type { ListQuestion, LiveCluster } from './live-cluster.ts';
import type { Question } from './policies.ts';

/** Rounds of questions that a decision may take, and questions in each. */
const ROUNDS_MOST = 4;
const QUESTIONS_MOST = 128;

/** Kinds whose objects, as far as rules look at them, come by themselves. */
const MIRRORED: ReadonlySet<string> = new Set([
  'SidecarSet',
  'PodUnavailableBudget',
  'WorkloadSpread',
  'PersistentPodState',
  'PodProbeMarker',
]);

/** Runs `decide` until it asks for nothing more. Throws StatusError when what it asks for cannot be found out. */
export async function decideLive<T>(
  decide: (context: ValidationContext) => T,
  context: ValidationContext,
  cluster: LiveCluster,
  signal: AbortSignal,
): Promise<T> {
  const questions = new KindQuestions(context);
  for (let round = 0; round <= ROUNDS_MOST; round++) {
    const decision = decide(questions.context);
    if (questions.isAnswered) return decision;
    await questions.fetch(cluster, signal);
  }
  throw new StatusError(500, 'InternalError', `the rules of the kind asked more than ${ROUNDS_MOST} times for objects`);
}

/** A first run: undefined when the decision asks for something. */
export function decideAtOnce<T>(decide: (context: ValidationContext) => T, context: ValidationContext): T | undefined {
  const questions = new KindQuestions(context);
  const decision = decide(questions.context);
  return questions.isAnswered ? decision : undefined;
}

class KindQuestions {
  readonly context: ValidationContext;
  private readonly known = new Map<string, Json>();
  private readonly missing = new Map<string, Question | ListQuestion>();

  constructor(context: ValidationContext) {
    this.context = {
      ...context,
      object: (group, kind, namespace, name) => {
        if (MIRRORED.has(kind)) return context.object(group, kind, namespace, name);
        const found = this.ask({ get: { ...identity(group, kind, namespace), name } });
        return isObject(found) ? found : undefined;
      },
      objects: (group, kind, namespace) => {
        if (MIRRORED.has(kind)) return context.objects(group, kind, namespace);
        const found = this.ask({ list: identity(group, kind, namespace) });
        return Array.isArray(found) ? found.filter(isObject) : [];
      },
    };
  }

  get isAnswered(): boolean {
    return this.missing.size === 0;
  }

  async fetch(cluster: LiveCluster, signal: AbortSignal): Promise<void> {
    const asked = [...this.missing];
    this.missing.clear();
    if (asked.length > QUESTIONS_MOST) {
      const message = `the object names ${asked.length} others, more than the ${QUESTIONS_MOST} that are looked up`;
      throw new StatusError(422, 'Invalid', message);
    }
    const answers = await Promise.all(asked.map(([, question]) => cluster.answer(question, signal)));
    signal.throwIfAborted();
    for (const [i, [key]] of asked.entries()) {
      const answer = answers[i];
      if (answer === undefined || 'error' in answer) {
        throw new StatusError(500, 'InternalError', `cannot look up ${key}: ${answer?.error ?? 'no answer'}`);
      }
      this.known.set(key, answer.answer);
    }
  }

  private ask(question: Question | ListQuestion): Json {
    const key = JSON.stringify(question);
    const known = this.known.get(key);
    if (known === undefined) this.missing.set(key, question);
    return known ?? null;
  }
}

function identity(group: string, kind: string, namespace: string) {
  // Every kind of Kubernetes' own that rules look at is served in v1.
  const version = findKind(group, kind)?.storage ?? 'v1';
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { apiVersion, kind, ...(namespace === '' ? {} : { namespace }) };
}
