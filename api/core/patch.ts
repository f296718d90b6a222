// Applies JSON patches (RFC 6902) of the three operations that admission answers use: add, replace, remove. Making
// patches is left to diff.ts and to the policy module.

import { cloneJson, isObject, type Json, type JsonObject, setMember } from './json.ts';

/** One operation; `path` is a JSON pointer (RFC 6901). */
export type Operation = { op: 'add' | 'replace'; path: string; value: Json } | { op: 'remove'; path: string };

/** A patch that cannot be read or applied; `index` is the operation at fault, -1 for the patch as a whole. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly index: number;

  constructor(message: string, index: number) {
    super(index < 0 ? message : `operation ${index}: ${message}`);
    this.index = index;
  }
}

/** Reads a patch from JSON. Throws PatchError; members that an operation does not use are ignored (RFC 6902, 4). */
export function readPatch(patch: Json): Operation[] {
  if (!Array.isArray(patch)) throw new PatchError('a patch is a list of operations', -1);
  return patch.map(readOperation);
}

/** The document after all operations, which is a new one: document and patch stay as they are. Throws PatchError. */
export function applyPatch(document: Json, patch: readonly Operation[]): Json {
  const root: JsonObject = { '': cloneJson(document) };
  patch.forEach((operation, index) => {
    applyOperation(root, operation, index);
  });
  const result = root[''];
  if (result === undefined) throw new PatchError('the whole document is removed', patch.length - 1);
  return result;
}

/** The names and indices of a JSON pointer, without escapes; undefined if it is none. */
export function pointerSegments(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function readOperation(operation: Json, index: number): Operation {
  if (!isObject(operation)) throw new PatchError('an operation is an object', index);
  const { op, path, value } = operation;
  if (typeof path !== 'string') throw new PatchError('path: required text', index);
  if (op === 'remove') return { op, path };
  if (op !== 'add' && op !== 'replace') {
    throw new PatchError(`op: expected add, replace or remove, got ${JSON.stringify(op)}`, index);
  }
  if (value === undefined) throw new PatchError('value: required', index);
  return { op, path, value };
}

// The document hangs as member '' of a holder, so that the empty pointer needs no case of its own.
function applyOperation(root: JsonObject, operation: Operation, index: number): void {
  const segments = pointerSegments(operation.path);
  const quoted = JSON.stringify(operation.path);
  if (segments === undefined) throw new PatchError(`path ${quoted} is no JSON pointer`, index);
  let parent: Json = root;
  let last = '';
  for (const segment of segments) {
    const next: Json | undefined = memberOf(parent, last);
    if (next === undefined) throw new PatchError(`path ${quoted} leads nowhere`, index);
    parent = next;
    last = segment;
  }
  const done = Array.isArray(parent)
    ? changeElement(parent, last, operation)
    : isObject(parent) && changeMember(parent, last, operation);
  if (!done) throw new PatchError(`cannot ${operation.op} at ${quoted}: ${reason(parent, operation)}`, index);
}

function memberOf(parent: Json, segment: string): Json | undefined {
  if (Array.isArray(parent)) return parent[indexOf(segment, parent.length - 1)];
  return isObject(parent) && Object.hasOwn(parent, segment) ? parent[segment] : undefined;
}

function changeMember(parent: JsonObject, name: string, operation: Operation): boolean {
  if (operation.op !== 'add' && !Object.hasOwn(parent, name)) return false;
  if (operation.op === 'remove') delete parent[name];
  else setMember(parent, name, cloneJson(operation.value));
  return true;
}

function changeElement(parent: Json[], segment: string, operation: Operation): boolean {
  if (operation.op === 'add') {
    const at = segment === '-' ? parent.length : indexOf(segment, parent.length);
    if (at < 0) return false;
    parent.splice(at, 0, cloneJson(operation.value));
    return true;
  }
  const at = indexOf(segment, parent.length - 1);
  if (at < 0) return false;
  if (operation.op === 'remove') parent.splice(at, 1);
  else parent[at] = cloneJson(operation.value);
  return true;
}

function indexOf(segment: string, greatest: number): number {
  const index = /^(?:0|[1-9]\d{0,9})$/.test(segment) ? Number(segment) : -1;
  return index <= greatest ? index : -1;
}

function reason(parent: Json, operation: Operation): string {
  if (Array.isArray(parent)) return `the list has ${parent.length} elements`;
  if (isObject(parent)) return `there is no such member to ${operation.op}`;
  return 'it is inside a value that is neither object nor list';
}
