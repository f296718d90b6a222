// Edits chosen at random that fit a document, and what they mean: the document as plain values, edited likewise.

import fc from 'fast-check';
import type { Json, JsonObject } from '../../api/core/json.ts';
import type { Edit } from '../support/module.ts';
import { oddValue } from './odd-json.ts';

/** Few names, so that edits often meet; those that a JSON pointer or a string must escape among them. */
const NAMES = [
  'a',
  'b',
  'c',
  '',
  '~',
  '/',
  'a/b',
  '~1',
  '~01',
  'm~n',
  '0',
  '-',
  'é',
  '\u{1f600}',
  '"',
  '\\',
  '\n',
  ' ',
];

const key = fc.constantFrom(...NAMES).map((name) => JSON.stringify(name).slice(1, -1));

/** The text of an array or object to be edited. */
export const oddDocument: fc.Arbitrary<string> = oddValue(3, key).filter((text) => /^[[{]/u.test(text));

/** Numbers from which an edit is chosen, once it is known what the document holds. */
export type Choice = { target: number; kind: number; place: number; name: string; value: Json };

export const choices: fc.Arbitrary<Choice[]> = fc.array(
  fc.record({
    target: fc.nat(),
    kind: fc.nat(),
    place: fc.nat(),
    name: fc.constantFrom(...NAMES),
    // As JSON.stringify writes it: without -0 and without numbers that become infinite.
    value: oddValue(1, key).map((text) => JSON.parse(JSON.stringify(JSON.parse(text))) as Json),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Turns choices into edits and does them on the plain document. */
export function editPlain(document: Json, chosen: readonly Choice[]): Edit[] {
  return chosen.map((choice) => {
    const targets = containers(document, []);
    const target = targets[choice.target % targets.length];
    if (target === undefined) throw new Error('the document is neither array nor object');
    const edit = Array.isArray(target.value)
      ? editArray(target.value, choice, target.at)
      : editObject(target.value, choice, target.at);
    return edit;
  });
}

type Target = { at: (string | number)[]; value: Json[] | JsonObject };

function containers(value: Json, at: (string | number)[]): Target[] {
  if (Array.isArray(value)) {
    return [{ at, value }, ...value.flatMap((item, i) => containers(item, [...at, i]))];
  }
  if (typeof value !== 'object' || value === null) return [];
  return [{ at, value }, ...Object.entries(value).flatMap(([name, inner]) => containers(inner, [...at, name]))];
}

function editArray(array: Json[], { kind, place, value }: Choice, at: (string | number)[]): Edit {
  const copy = structuredClone(value);
  const index = array.length === 0 ? 0 : place % array.length;
  switch (array.length === 0 ? kind % 2 : kind % 4) {
    case 0:
      array.push(copy);
      return { at, do: 'append', value };
    case 1: {
      const before = place % (array.length + 1);
      array.splice(before, 0, copy);
      return { at, do: 'insert', index: before, value };
    }
    case 2:
      array[index] = copy;
      return { at, do: 'replace', index, value };
    default:
      array.splice(index, 1);
      return { at, do: 'drop', index };
  }
}

function editObject(object: JsonObject, { kind, place, name, value }: Choice, at: (string | number)[]): Edit {
  const names = Object.keys(object);
  const present = names[place % names.length];
  if (present !== undefined && kind % 3 === 0) {
    delete object[present];
    return { at, do: 'remove', name: present };
  }
  const chosen = present !== undefined && kind % 3 === 1 ? present : name;
  object[chosen] = structuredClone(value);
  return { at, do: 'put', name: chosen, value };
}
