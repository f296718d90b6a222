// What a suite says that the cluster answers when a decision asks, in place of its objects: lookups that fail, counts of
// objects that nobody wants to write down. Questions and answers are those of docs/reference/abi.md.

import { isObject, type JsonObject } from '../../api/core/json.ts';
import { parseApiVersion } from '../../api/kinds/kind.ts';
import { kindOfJson, type Manifest } from '../../component/manifests.ts';
import type { FactAnswer, Question } from '../../evaluator/policies.ts';
import type { Fields } from './fields.ts';

type Count = { count: number; names: string[] };

export type SuiteFact = {
  /** Where it stands. */
  manifest: Manifest;
  path: string;
  asks: 'get' | 'count';
  /** Members of the questions that it answers; those that are left out may be anything. */
  members: Readonly<Record<string, string | number>>;
  answer: FactAnswer;
};

/** The facts of a suite or case; what is wrong goes to the faults. */
export function readFacts(fields: Fields): SuiteFact[] {
  return fields.parts('facts').map(readFact);
}

function readFact(fields: Fields): SuiteFact {
  const [hasGet, hasCount] = [fields.json('get') !== undefined, fields.json('count') !== undefined];
  if (hasGet === hasCount) fields.fault('', 'expected one question, "get" or "count"');
  const isGet = hasGet || !hasCount;
  const members = isGet ? readGet(fields.part('get')) : readCount(fields.part('count'));
  const answer = readAnswer(fields, isGet);
  fields.end();
  return { manifest: fields.manifest, path: fields.path, asks: isGet ? 'get' : 'count', members, answer };
}

function readGet(get: Fields | undefined): SuiteFact['members'] {
  const members = readTexts(get, ['apiVersion', 'kind', 'namespace', 'name']);
  get?.end();
  return members;
}

function readCount(count: Fields | undefined): SuiteFact['members'] {
  const members = readTexts(count, ['apiVersion', 'kind', 'namespace']);
  const where = count?.oneOf('where', ['active', 'bound', 'live']);
  const limit = count?.count('limit');
  count?.end();
  return { ...members, ...(where !== undefined && { where }), ...(limit !== undefined && { limit }) };
}

function readTexts(fields: Fields | undefined, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = fields?.text(name);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

function readAnswer(fields: Fields, isGet: boolean): FactAnswer {
  // Null is an answer: there is no such object.
  const isAnswered = Object.hasOwn(fields.object, 'answer');
  const given = fields.json('answer');
  if (isAnswered === (fields.json('error') !== undefined)) fields.fault('', 'expected either "answer" or "error"');
  if (!isAnswered) return { error: fields.json('error') === undefined ? '' : fields.requiredText('error') };
  if (!isGet) return { answer: readCounted(fields) };
  if (given === undefined || isObject(given)) return { answer: given ?? null };
  fields.fault('answer', `expected an object, or null for none, got ${kindOfJson(given)}`);
  return { answer: null };
}

function readCounted(fields: Fields): Count {
  const answer = fields.part('answer');
  const count = answer?.count('count');
  const names = answer?.texts('names') ?? [];
  if (fields.json('answer') === undefined) fields.fault('answer', 'expected an object with "count" and "names"');
  if (answer !== undefined && answer.json('count') === undefined) answer.fault('count', 'required');
  if (count !== undefined && names.length > count) answer?.fault('names', `expected at most ${count}, as counted`);
  answer?.end();
  return { count: count ?? 0, names: [...names] };
}

/** Answers as the facts of one case say. */
export class GivenFacts {
  private facts: readonly SuiteFact[] = [];
  private apply: (object: JsonObject) => void = () => undefined;
  private used = new Set<SuiteFact>();

  /** From now on the facts are these; `apply` adds an object to the cluster. */
  begin(facts: readonly SuiteFact[], apply: (object: JsonObject) => void): void {
    this.facts = facts;
    this.apply = apply;
    this.used = new Set();
  }

  /** Those that were asked for since. */
  get asked(): ReadonlySet<SuiteFact> {
    return this.used;
  }

  /** What the first fact says that fits; undefined if none does. */
  answer(question: Question): FactAnswer | undefined {
    const fact = this.facts.find((one) => fits(one, question));
    if (fact === undefined) return undefined;
    this.used.add(fact);
    if ('error' in fact.answer) return fact.answer;
    const { answer } = fact.answer;
    if ('count' in question) return { answer: cut(answer as Count, question.count.limit) };
    if (question.get.kind !== 'PodUnavailableBudget' || !isObject(answer)) return fact.answer;
    // A host applies a budget that it has read, and answers with what is applied.
    this.apply(answer);
    return undefined;
  }
}

function fits({ asks, members }: SuiteFact, question: Question): boolean {
  const asked = (question as Readonly<Record<string, JsonObject>>)[asks];
  if (asked === undefined) return false;
  return Object.entries(members).every(([name, value]) =>
    name === 'apiVersion'
      ? parseApiVersion(asked.apiVersion).group === parseApiVersion(value).group
      : (asked[name] ?? '') === value,
  );
}

/** A host stops counting at the limit. */
function cut({ count, names }: Count, limit: number): Count {
  return { count: Math.min(count, limit), names: names.slice(0, limit) };
}
