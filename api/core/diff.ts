// The JSON patch (RFC 6902) that turns one value into another: add, remove and replace of what differs, nothing else;
// array elements are addressed by index.
import { equalJson, isObject, type Json, type JsonObject } from './json.ts';
import type { Operation } from './patch.ts';

// Arrays longer than this between their common ends are compared index by index.
const alignmentLimit = 4096;

/** Operations to be applied in order. Empty if both are equal; numbers written differently (1 and 1.0) differ. */
export function diff(before: Json, after: Json): Operation[] {
  const operations: Operation[] = [];
  compare('', before, after, operations);
  return operations;
}

function compare(path: string, before: Json, after: Json, operations: Operation[]): void {
  if (isObject(before) && isObject(after)) compareObjects(path, before, after, operations);
  else if (Array.isArray(before) && Array.isArray(after)) compareArrays(path, before, after, operations);
  else if (!equalJson(before, after)) operations.push({ op: 'replace', path, value: after });
}

function compareObjects(path: string, before: JsonObject, after: JsonObject, operations: Operation[]): void {
  for (const key of Object.keys(before)) {
    const child = `${path}/${escapePointer(key)}`;
    if (Object.hasOwn(after, key)) compare(child, before[key] as Json, after[key] as Json, operations);
    else operations.push({ op: 'remove', path: child });
  }
  for (const key of Object.keys(after)) {
    if (Object.hasOwn(before, key)) continue;
    operations.push({ op: 'add', path: `${path}/${escapePointer(key)}`, value: after[key] as Json });
  }
}

// Elements that stay are found first; between them, elements are changed in place, then removed or added.
function compareArrays(path: string, before: Json[], after: Json[], operations: Operation[]): void {
  let i = 0;
  let j = 0;
  for (const [keptBefore, keptAfter] of [...keptElements(before, after), [before.length, after.length] as const]) {
    while (i < keptBefore && j < keptAfter) {
      compare(`${path}/${j}`, before[i] as Json, after[j] as Json, operations);
      i++;
      j++;
    }
    for (; i < keptBefore; i++) operations.push({ op: 'remove', path: `${path}/${j}` });
    for (; j < keptAfter; j++) operations.push({ op: 'add', path: `${path}/${j}`, value: after[j] as Json });
    i++;
    j++;
  }
}

// Pairs of indices of equal elements, both rising: common ends, and between them a longest common subsequence.
function keptElements(before: Json[], after: Json[]): (readonly [number, number])[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && equalJson(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && equalJson(before.at(-1 - end), after.at(-1 - end))) end++;
  const kept: (readonly [number, number])[] = [];
  for (let k = 0; k < start; k++) kept.push([k, k]);
  kept.push(
    ...commonSubsequence(before.slice(start, before.length - end), after.slice(start, after.length - end), start),
  );
  for (let k = end; k > 0; k--) kept.push([before.length - k, after.length - k]);
  return kept;
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
