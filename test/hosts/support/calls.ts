// Calls of the module in the words of examples/hosts: a line for each, and what a host must write for it, as Node's own
// evaluator has it.
import type { JsonObject } from '../../../api/core/json.ts';
import { effectiveGates } from '../../../api/gates.ts';
import { commitTo } from '../../../evaluator/commit.ts';
import { factOf } from '../../../evaluator/fact.ts';
import { Module, STATUS } from '../../../evaluator/module.ts';
import { Objects } from '../../../evaluator/objects.ts';
import { type Effect, Policies, type Question, ROUNDS_MOST } from '../../../evaluator/policies.ts';
import { SYSTEM_NAMESPACE } from '../../support/builders/cluster.ts';
import { referenceTo } from '../../support/policy-module.ts';

/** One line for a host, and all that it must write for it. */
export type Call = { line: string; answer: Buffer };

/** Attempts that a decision may take before its effects are written. */
const ATTEMPTS = 5;

export class Recorder {
  readonly calls: Call[] = [];
  private readonly module: Module;
  private readonly cluster = new Objects();
  private held: JsonObject[] = [];

  constructor(compiled: WebAssembly.Module, gates: Record<string, boolean>) {
    this.module = Module.instantiate(compiled);
    const all = Object.fromEntries(effectiveGates(new Map(Object.entries(gates))));
    this.record('configure', JSON.stringify({ gates: all, systemNamespace: SYSTEM_NAMESPACE }));
  }

  /** Makes the module hold exactly these objects. */
  hold(objects: readonly JsonObject[]): void {
    for (const object of this.held) {
      this.record('remove', JSON.stringify(object));
      this.cluster.delete(referenceTo(object));
    }
    this.held = [...objects];
    for (const object of objects) {
      this.record('apply', JSON.stringify(object));
      this.cluster.put(referenceTo(object), object);
    }
  }

  /** The whole decision: questions answered, effects written, as a host of a cluster does. */
  review(path: string, body: string, now: number): Buffer {
    const webhook = Policies.paths.indexOf(path);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const facts: string[] = [];
      let status = this.record(`review ${webhook} ${now}`, body);
      for (let round = 0; round < ROUNDS_MOST && status === STATUS.asks; round++) {
        for (const question of JSON.parse(this.module.resultText()) as Question[]) {
          facts.push(Buffer.concat(factOf(question, this.cluster.answer(question))).toString());
        }
        for (const fact of facts) this.record('fact', fact);
        status = this.record(`review ${webhook} ${now}`, body);
      }
      const answer = Buffer.from(this.module.result());
      const effects = this.module.effectsText();
      if (effects === '') return answer;
      const apply = (object: JsonObject) => this.record('apply', JSON.stringify(object));
      if (commitTo(this.cluster, JSON.parse(effects) as Effect[], apply) === 'done') return answer;
    }
    throw new Error(`${path}: no decision came to an end`);
  }

  /** Makes the call, and notes it with what it gave. */
  record(words: string, input: string): number {
    const { exports } = this.module;
    const [name = '', webhook, now] = words.split(' ');
    const length = this.module.writeText(input);
    const calls: Record<string, () => number> = {
      configure: () => exports.configure(length),
      apply: () => exports.apply(length),
      remove: () => exports.remove(length),
      fact: () => exports.fact(length),
      review: () => exports.review(Number(webhook), length, Number(now)),
      checkJson: () => exports.checkJson(length),
      available: () => exports.available(length),
    };
    const call = calls[name];
    if (call === undefined) throw new Error(`${name} is no call that hosts make`);
    const status = call();
    this.calls.push({ line: `${words} ${input}`, answer: answerOf(status, this.module) });
    return status;
  }
}

/** What a host writes instead of an answer when its instance has trapped. */
export const TRAPPED: Buffer = Buffer.from('trap 0 0\n\n');

function answerOf(status: number, module: Module): Buffer {
  const result = Buffer.from(module.result());
  const effects = Buffer.from(module.effectsText());
  return Buffer.concat([
    Buffer.from(`${status} ${result.length} ${effects.length}\n`),
    result,
    effects,
    Buffer.from('\n'),
  ]);
}
