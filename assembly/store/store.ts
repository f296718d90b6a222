// The policy objects kept between reviews: put, taken out and found by kind, namespace and name.

import { hashBytes, Text } from '../json/text';
import { View } from '../json/view';
import { copySize, copyTo } from './copy';
import { give, take } from './heap';
import { unindex } from './index';
import { Entry, HEAD_BYTES, Stored } from './stored';
import { Table } from './table';

/** No kind has a greater number. */
const KINDS_MOST: i32 = 16;

/** Number of objects. */
export function storeCount(): u32 {
  return entries().count;
}

/**
 * Keeps the object that was scanned last: its text and nodes are copied. An older object of the same key goes.
 * Null when the memory has no more room: then the older object is still there.
 */
export function put(kind: Stored, namespace: Text, name: Text, root: View): Entry | null {
  const hash = keyHash(kind, namespace, name);
  const size = <usize>HEAD_BYTES + copySize(root);
  if (!entries().makeRoom()) {
    return null;
  }
  const block = take(size);
  if (block == 0) {
    return null;
  }
  removeByHash(kind, namespace, name, hash);
  const entry = changetype<Entry>(block);
  entry.hash = hash;
  entry.kind = kind;
  entry.size = <u32>size;
  entry.links = 0;
  entry.seen = 0;
  entry.root = copyTo(block + HEAD_BYTES, root);
  entry.prepared = View.none();
  entry.preparedSize = 0;
  entry.isPrepared = false;
  entries().add(entry);
  count(kind, 1);
  return entry;
}

/** Keeps beside an object the document that was scanned last, unless the memory has no more room. */
export function prepare(entry: Entry, root: View): void {
  const size = copySize(root);
  const block = take(size);
  if (block != 0) {
    entry.prepared = copyTo(block, root);
    entry.preparedSize = <u32>size;
  }
}

/** Is there any object of the kind? Where there is none, its policy need not look at a review. */
export function hasKind(kind: Stored): bool {
  return load<u32>(countOf(kind)) > 0;
}

/** Takes an object out; false when it is not there. */
export function remove(kind: Stored, namespace: Text, name: Text): bool {
  return removeByHash(kind, namespace, name, keyHash(kind, namespace, name));
}

/** The object, or `none`. */
export function find(kind: Stored, namespace: Text, name: Text): View {
  const entry = hasKind(kind) ? lookup(kind, namespace, name, keyHash(kind, namespace, name)) : null;
  return entry === null ? View.none() : entry.root;
}

/** What `eachEntry` calls. */
export abstract class Visitor {
  abstract visit(entry: Entry): void;
}

/** Visits all objects, in no order. */
export function eachEntry(visitor: Visitor): void {
  const table = entries();
  for (let i: u32 = 0; i < table.bucketCount; i++) {
    for (let at = table.firstAt(i); at != 0; at = changetype<Entry>(at).next) {
      visitor.visit(changetype<Entry>(at));
    }
  }
}

function removeByHash(kind: Stored, namespace: Text, name: Text, hash: u32): bool {
  const entry = lookup(kind, namespace, name, hash);
  if (entry === null) {
    return false;
  }
  unindex(entry);
  entries().remove(entry);
  count(kind, -1);
  if (entry.preparedSize > 0) {
    give(changetype<usize>(entry.prepared), entry.preparedSize);
  }
  give(changetype<usize>(entry), entry.size);
  return true;
}

function lookup(kind: Stored, namespace: Text, name: Text, hash: u32): Entry | null {
  let at = entries().first(hash);
  while (at != 0) {
    const entry = changetype<Entry>(at);
    if (entry.hash == hash && entry.kind == kind) {
      const metadata = entry.root.get('metadata');
      if (metadata.get('name').text().equals(name) && metadata.get('namespace').text().equals(namespace)) {
        return entry;
      }
    }
    at = entry.next;
  }
  return null;
}

function keyHash(kind: Stored, namespace: Text, name: Text): u32 {
  const space = hashBytes(namespace.start, namespace.length, 2166136261 ^ <u32>kind);
  return hashBytes(name.start, name.length, space * 16777619);
}

function entries(): Table {
  return changetype<Table>(memory.data(offsetof<Table>()));
}

function count(kind: Stored, change: i32): void {
  store<u32>(countOf(kind), load<u32>(countOf(kind)) + change);
}

/** The place of the number of objects of a kind. */
function countOf(kind: Stored): usize {
  return memory.data(KINDS_MOST << 2) + ((<usize>kind) << 2);
}
