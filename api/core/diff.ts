// The JSON patch (RFC 6902) that turns one value into another: add, remove and replace of what differs, nothing else;
// array elements are addressed by index.
import { equalJson, isObject, type Json, type JsonObject } from './json.ts';
import type { Operation } from './patch.ts';

// Arrays longer than this between their common ends are compared index by index.
const alignmentLimit = 4096;
// Where operations inside of one value are longer than so many characters, values aside, the value is replaced as a whole.
const operationsLimit = 256 * 1024;
// What an operation has besides path and value.
const operationLength = 32;

/** Operations to be applied in order. Empty if both are equal; numbers written differently (1 and 1.0) differ. */
export function diff(before: Json, after: Json): Operation[] {
  const patch = new Patch();
  compare('', before, after, patch);
  return patch.operations;
}

class Patch {
  readonly operations: Operation[] = [];
  // Characters of all operations so far, values aside.
  length = 0;

  add(operation: Operation): void {
    this.operations.push(operation);
    this.length += operationLength + operation.path.length;
  }

  /** Whether operations since then have become so long that replacing what they change is better. */
  isTooLong(since: { count: number; length: number }): boolean {
    return this.length - since.length > operationsLimit && this.operations.length - since.count > 1;
  }

  get mark(): { count: number; length: number } {
    return { count: this.operations.length, length: this.length };
  }

  replaceSince(since: { count: number; length: number }, path: string, value: Json): void {
    this.operations.length = since.count;
    this.length = since.length;
    this.add({ op: 'replace', path, value });
  }
}

function compare(path: string, before: Json, after: Json, patch: Patch): void {
  const since = patch.mark;
  let isDone = true;
  if (isObject(before) && isObject(after)) isDone = compareObjects(path, before, after, patch);
  else if (Array.isArray(before) && Array.isArray(after)) isDone = compareArrays(path, before, after, patch);
  else if (!equalJson(before, after)) patch.add({ op: 'replace', path, value: after });
  if (!isDone) patch.replaceSince(since, path, after);
}

// False, like that of arrays, as soon as the operations are too long.
function compareObjects(path: string, before: JsonObject, after: JsonObject, patch: Patch): boolean {
  const since = patch.mark;
  for (const key of Object.keys(before)) {
    const child = `${path}/${escapePointer(key)}`;
    if (Object.hasOwn(after, key)) compare(child, before[key] as Json, after[key] as Json, patch);
    else patch.add({ op: 'remove', path: child });
    if (patch.isTooLong(since)) return false;
  }
  for (const key of Object.keys(after)) {
    if (Object.hasOwn(before, key)) continue;
    patch.add({ op: 'add', path: `${path}/${escapePointer(key)}`, value: after[key] as Json });
    if (patch.isTooLong(since)) return false;
  }
  return true;
}

// Elements that stay are found first; between them, elements are changed in place, then removed or added.
function compareArrays(path: string, before: Json[], after: Json[], patch: Patch): boolean {
  const since = patch.mark;
  let i = 0;
  let j = 0;
  for (const [keptBefore, keptAfter] of keptElements(before, after)) {
    while (i < keptBefore && j < keptAfter) {
      compare(`${path}/${j}`, before[i] as Json, after[j] as Json, patch);
      i++;
      j++;
      if (patch.isTooLong(since)) return false;
    }
    for (; i < keptBefore; i++) patch.add({ op: 'remove', path: `${path}/${j}` });
    for (; j < keptAfter; j++) patch.add({ op: 'add', path: `${path}/${j}`, value: after[j] as Json });
    if (patch.isTooLong(since)) return false;
    i++;
    j++;
  }
  return true;
}

// Pairs of indices of equal elements, both rising: common ends, and between them a longest common subsequence. The last
// pair stands behind both arrays.
function* keptElements(before: Json[], after: Json[]): Generator<readonly [number, number]> {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && equalJson(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && equalJson(before.at(-1 - end), after.at(-1 - end))) end++;
  for (let k = 0; k < start; k++) yield [k, k];
  yield* commonSubsequence(before.slice(start, before.length - end), after.slice(start, after.length - end), start);
  for (let k = end; k >= 0; k--) yield [before.length - k, after.length - k];
}

function commonSubsequence(before: Json[], after: Json[], offset: number): (readonly [number, number])[] {
  // With equal lengths nothing was inserted as a rule: changing in place is shorter than moving.
  const size = before.length * after.length;
  if (size === 0 || size > alignmentLimit || before.length === after.length) return [];
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  const equal = before.map((element) => after.map((other) => equalJson(element, other)));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const longest = equal[i]?.[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      lengths[i * width + j] = longest;
    }
  }
  const kept: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (equal[i]?.[j]) kept.push([offset + i++, offset + j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return kept;
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
