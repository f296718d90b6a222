// Which places of a JSON document changed, by the rules that decide whether a pod can be updated in place
// (inplace-update 2.1).
import { diff } from './diff.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import type { Operation } from './patch.ts';

/** One change. The path is a JSON pointer. */
export type Change = Pick<Operation, 'op' | 'path'>;

/** The changes from one value to the other; none if they are equal. */
export function changesOf(before: Json, after: Json): Change[] {
  const changes: Change[] = [];
  compare('', before, after, changes);
  return changes;
}

function compare(path: string, before: Json, after: Json, changes: Change[]): void {
  if (isObject(before) && isObject(after)) {
    compareObjects(path, before, after, changes);
  } else if (Array.isArray(before) && Array.isArray(after)) {
    if (isSimple(before) && isSimple(after)) appendScript(path, before, after, changes);
    else compareByIndex(path, before, after, changes);
  } else if (before === null && after !== null) {
    changes.push({ op: 'add', path });
  } else {
    appendScript(path, before, after, changes);
  }
}

function compareObjects(path: string, before: JsonObject, after: JsonObject, changes: Change[]): void {
  for (const key of Object.keys(after)) {
    const child = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (Object.hasOwn(before, key)) compare(child, before[key] as Json, after[key] as Json, changes);
    else changes.push({ op: 'add', path: child });
  }
  for (const key of Object.keys(before)) {
    if (Object.hasOwn(after, key)) continue;
    changes.push({ op: 'remove', path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}` });
  }
}

function compareByIndex(path: string, before: Json[], after: Json[], changes: Change[]): void {
  for (let i = before.length - 1; i >= after.length; i--) changes.push({ op: 'remove', path: `${path}/${i}` });
  for (let i = before.length; i < after.length; i++) changes.push({ op: 'add', path: `${path}/${i}` });
  const common = Math.min(before.length, after.length);
  for (let i = 0; i < common; i++) compare(`${path}/${i}`, before[i] as Json, after[i] as Json, changes);
}

function appendScript(path: string, before: Json, after: Json, changes: Change[]): void {
  for (const operation of diff(before, after)) changes.push({ op: operation.op, path: path + operation.path });
}

// Elements are scalars, or the first that is an object has no members with members; the others are not looked at.
function isSimple(list: Json[]): boolean {
  if (list.some(Array.isArray)) return false;
  const first = list.find(isObject);
  return first === undefined || Object.values(first).every((value) => !isObject(value) && !Array.isArray(value));
}
