// An answer of the cluster on its way to the module (docs/reference/abi.md, `fact`): its JSON text, in pieces, so that what
// is long is not copied before it is written to the module's memory.

import { parseJson } from '../api/core/json.ts';
import type { FactAnswer, Question } from './policies.ts';

/** The answer as JSON text, for whoever has that already. */
export type FactText = { text: Uint8Array };

/** One behind the other they are what the module reads. */
export type Fact = readonly Uint8Array[];

const encoder = new TextEncoder();
const END = encoder.encode('}');
/** How the answers to questions begin that are asked again and again (remembered.ts). */
const heads = new WeakMap<Question, Uint8Array>();

/** An answer to a question as the module is given it. */
export function factOf(question: Question, answer: FactAnswer | FactText): Fact {
  if (!('text' in answer)) return [encoder.encode(JSON.stringify({ question, ...answer }))];
  return [headOf(question), answer.text, END];
}

function headOf(question: Question): Uint8Array {
  const known = heads.get(question);
  if (known !== undefined) return known;
  const head = encoder.encode(`{"question":${JSON.stringify(question)},"answer":`);
  heads.set(question, head);
  return head;
}

/** An answer as those are told of it who look into it. */
export function readAnswer(answer: FactAnswer | FactText): FactAnswer {
  return 'text' in answer ? { answer: parseJson(textOf(answer.text)) } : answer;
}

/** JSON text that is known to be UTF-8. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
