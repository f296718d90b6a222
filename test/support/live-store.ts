// Stands in for an API server that live reviews read and write: one store, whose answers come some turns of the event loop
// later, in any order, and which can be told to fail.
import type { JsonObject } from '../../api/core/json.ts';
import { parseApiVersion } from '../../api/kinds/kind.ts';
import { readAnswer } from '../../evaluator/fact.ts';
import type { ListQuestion, LiveCluster, Written } from '../../evaluator/live-cluster.ts';
import { Objects } from '../../evaluator/objects.ts';
import type { Effect, FactAnswer, Question } from '../../evaluator/policies.ts';
import { referenceTo } from './policy-module.ts';

export class LiveStore implements LiveCluster {
  readonly objects = new Objects();
  /** Statuses that were written, and tries that met newer objects. */
  writes = 0;
  conflicts = 0;
  questions: (Question | ListQuestion)[] = [];
  /** Turns of the event loop before the next answer. */
  turns: () => number = () => 1;
  /** Called before a write is carried out; what it gives is the outcome instead. */
  beforeWrite: (effect: Effect) => Written | undefined | Promise<Written | undefined> = () => undefined;
  /** Called after it was carried out, in the same way: the answer is lost on the way. */
  afterWrite: (effect: Effect) => Written | undefined = () => undefined;
  /** Called before a question is answered. */
  beforeAnswer: (question: Question | ListQuestion) => FactAnswer | undefined | Promise<FactAnswer | undefined> = () =>
    undefined;
  #version = 1000;

  /** Adds or replaces an object, with a resourceVersion of its own; returns it as stored. */
  put(object: JsonObject): JsonObject {
    const metadata = { ...(object.metadata as JsonObject), resourceVersion: String(++this.#version) };
    const stored = { ...object, metadata };
    this.objects.put(referenceTo(stored), stored);
    return stored;
  }

  delete(object: JsonObject): void {
    this.objects.delete(referenceTo(object));
  }

  async answer(question: Question | ListQuestion): Promise<FactAnswer> {
    this.questions.push(question);
    await this.#later();
    const instead = await this.beforeAnswer(question);
    if (instead !== undefined) return instead;
    if (!('list' in question)) return readAnswer(this.objects.answer(question));
    const { apiVersion, kind, namespace = '' } = question.list;
    return { answer: [...this.objects.list(parseApiVersion(apiVersion).group, kind, namespace)] };
  }

  async write(effect: Effect): Promise<Written> {
    await this.#later();
    const instead = await this.beforeWrite(effect);
    if (instead !== undefined) return instead;
    const { apiVersion, kind, namespace = '', name, uid, resourceVersion, status } = effect;
    const object = this.objects.find(parseApiVersion(apiVersion).group, kind, namespace, name);
    const metadata = object?.metadata as JsonObject | undefined;
    if (object === undefined || metadata?.uid !== uid || metadata?.resourceVersion !== resourceVersion) {
      this.conflicts++;
      await this.#later();
      return {
        outcome: 'conflict',
        object: this.objects.find(parseApiVersion(apiVersion).group, kind, namespace, name) ?? null,
      };
    }
    this.writes++;
    const stored = this.put({ ...object, status });
    const lost = this.afterWrite(effect);
    await this.#later();
    return lost ?? { outcome: 'done', object: stored };
  }

  async #later(): Promise<void> {
    for (let turn = this.turns(); turn > 0; turn--) await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
