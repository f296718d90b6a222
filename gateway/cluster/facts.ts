// Answers what decisions ask about a cluster by reading it, with bounds on all of it: policies ask for one object or for a
// count, rules of kinds also for short lists.

import type { JsonObject } from '../../api/core/json.ts';
import type { ListQuestion } from '../../evaluator/live-cluster.ts';
import { isVolatile } from '../../evaluator/live-review.ts';
import type { FactAnswer, Question } from '../../evaluator/policies.ts';
import type { Client } from '../../kube/client.ts';
import type { Discovery } from '../../kube/discovery.ts';
import { controllerOf, type KubeObject, withoutManagedFields } from '../../kube/objects.ts';
import type { Resource } from '../../kube/resource.ts';
import { isAbsent, messageOf } from './failures.ts';

/** Objects in a page, and pages that are looked through until a count or a list is given up. */
const PAGE = 250;
const PAGES_MOST = 40;
/** A read that others may wait for too ends by itself. */
const READ_MS = 8_000;
/** ReplicaSets whose Deployment is remembered, and for how long: they do not change hands. */
const OWNERS_MOST = 2048;
const OWNER_MS = 60_000;

type Count = Extract<Question, { count: unknown }>['count'];

/** How the objects of a count are found: what the API server leaves out, and what is left to be looked at. */
const CONDITIONS: Readonly<Record<Count['where'], Condition>> = {
  active: {
    fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed',
    metadataOnly: true,
    counts: isLive,
  },
  bound: {
    metadataOnly: false,
    counts: (claim) => isLive(claim) && (claim.status as JsonObject | undefined)?.phase === 'Bound',
  },
  live: { metadataOnly: true, counts: isLive },
};
type Condition = { fieldSelector?: string; metadataOnly: boolean; counts(object: KubeObject): boolean };

export type FactOptions = {
  readonly client: Pick<Client, 'get' | 'list'>;
  readonly discovery: Pick<Discovery, 'find'>;
  readonly monotonic: () => number;
  /** Told of every question that was put to the API server. */
  readonly asked: (outcome: 'answered' | 'failed') => void;
};

export class Facts {
  readonly #client: FactOptions['client'];
  readonly #discovery: Pick<Discovery, 'find'>;
  readonly #monotonic: () => number;
  readonly #underWay = new Map<string, Promise<FactAnswer>>();
  readonly #owners = new Map<string, { until: number; answer: FactAnswer }>();
  readonly #asked: (outcome: 'answered' | 'failed') => void;

  constructor(options: FactOptions) {
    this.#client = options.client;
    this.#discovery = options.discovery;
    this.#monotonic = options.monotonic;
    this.#asked = options.asked;
  }

  /** Never rejects. Pods and budgets are read anew for everybody who asks; of others one read serves all who ask meanwhile. */
  answer(question: Question | ListQuestion): Promise<FactAnswer> {
    if ('get' in question && isVolatile(question.get.kind)) return this.#read(question);
    const key = JSON.stringify(question);
    const owner = this.#owners.get(key);
    if (owner !== undefined && owner.until > this.#monotonic()) return Promise.resolve(owner.answer);
    const present = this.#underWay.get(key);
    if (present !== undefined) return present;
    const answer = this.#read(question).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, answer);
    return answer;
  }

  async #read(question: Question | ListQuestion): Promise<FactAnswer> {
    try {
      const answer = await this.#ask(question);
      this.#asked('answered');
      return answer;
    } catch (error) {
      this.#asked('failed');
      return { error: messageOf(error) };
    }
  }

  async #ask(question: Question | ListQuestion): Promise<FactAnswer> {
    if ('get' in question) return this.#get(question);
    return { answer: 'count' in question ? await this.#count(question.count) : await this.#list(question) };
  }

  async #get(question: Extract<Question, { get: unknown }>): Promise<FactAnswer> {
    const { apiVersion, kind, namespace, name } = question.get;
    const resource = await this.#discovery.find(apiVersion, kind);
    if (resource === undefined) return { answer: null };
    try {
      const object = await this.#client.get(resource, { namespace, name }, { timeoutMs: READ_MS });
      const answer = { answer: jsonOf(object) };
      if (kind === 'ReplicaSet' && controllerOf(object) !== undefined) this.#remember(JSON.stringify(question), answer);
      return answer;
    } catch (error) {
      if (isAbsent(error)) return { answer: null };
      throw error;
    }
  }

  #remember(key: string, answer: FactAnswer): void {
    this.#owners.delete(key);
    this.#owners.set(key, { until: this.#monotonic() + OWNER_MS, answer });
    for (const [oldest] of this.#owners) if (this.#owners.size > OWNERS_MOST) this.#owners.delete(oldest);
  }

  async #count({ apiVersion, kind, namespace, where, limit }: Count): Promise<{ count: number; names: string[] }> {
    const { counts, ...selection } = CONDITIONS[where];
    const names: string[] = [];
    for await (const object of this.#each({ apiVersion, kind, namespace }, selection)) {
      if (!counts(object)) continue;
      names.push(object.metadata.name);
      if (names.length >= limit) break;
    }
    return { count: names.length, names };
  }

  async #list({ list }: ListQuestion): Promise<JsonObject[]> {
    const objects: JsonObject[] = [];
    for await (const object of this.#each(list, {})) objects.push(jsonOf(object));
    return objects;
  }

  async *#each(
    { apiVersion, kind, namespace }: { apiVersion: string; kind: string; namespace?: string | undefined },
    selection: { fieldSelector?: string; metadataOnly?: boolean },
  ): AsyncGenerator<KubeObject> {
    const resource = await this.#discovery.find(apiVersion, kind);
    if (resource === undefined) return;
    yield* this.#pages(resource, { ...selection, namespace });
  }

  async *#pages(
    resource: Resource,
    selection: { fieldSelector?: string; metadataOnly?: boolean; namespace: string | undefined },
  ): AsyncGenerator<KubeObject> {
    let next: string | undefined;
    for (let page = 0; page < PAGES_MOST; page++) {
      const options = { ...selection, limit: PAGE, continue: next, timeoutMs: READ_MS };
      const { items, metadata } = await this.#client.list(resource, options);
      yield* items;
      next = metadata.continue;
      if (next === undefined || next === '') return;
    }
    throw new Error(`there are more than ${PAGE * PAGES_MOST} ${resource.plural}`);
  }
}

function isLive({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

function jsonOf(object: KubeObject): JsonObject {
  return withoutManagedFields(object) as unknown as JsonObject;
}
