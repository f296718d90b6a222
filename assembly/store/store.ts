// The policy objects kept between reviews: put, taken out and found by kind, namespace and name.

import { hashBytes, Text } from '../json/text';
import { View } from '../json/view';
import { copySize, copyTo } from './copy';
import { give, take } from './heap';
import { unindex } from './index';
import { Entry, HEAD_BYTES, Stored } from './stored';

let buckets: usize = 0;
let bucketCount: u32 = 0;
let entryCount: u32 = 0;

/** Number of objects. */
export function storeCount(): u32 {
  return entryCount;
}

/**
 * Keeps the object that was scanned last: its text and nodes are copied. An older object of the same key goes.
 * Null when the memory has no more room: then the older object is still there.
 */
export function put(kind: Stored, namespace: Text, name: Text, root: View): Entry | null {
  const hash = keyHash(kind, namespace, name);
  const size = <usize>HEAD_BYTES + copySize(root);
  if (entryCount >= bucketCount && !growTable()) {
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
  hang(entry);
  entryCount++;
  return entry;
}

/** Takes an object out; false when it is not there. */
export function remove(kind: Stored, namespace: Text, name: Text): bool {
  return removeByHash(kind, namespace, name, keyHash(kind, namespace, name));
}

/** The object, or `none`. */
export function find(kind: Stored, namespace: Text, name: Text): View {
  const entry = lookup(kind, namespace, name, keyHash(kind, namespace, name));
  return entry === null ? View.none() : entry.root;
}

/** What `eachEntry` calls. */
export abstract class Visitor {
  abstract visit(entry: Entry): void;
}

/** Visits all objects, in no order. */
export function eachEntry(visitor: Visitor): void {
  for (let i: u32 = 0; i < bucketCount; i++) {
    for (let at = load<usize>(buckets + ((<usize>i) << 2)); at != 0; at = changetype<Entry>(at).tableNext) {
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
  const bucket = bucketOf(hash);
  const address = changetype<usize>(entry);
  if (load<usize>(bucket) == address) {
    store<usize>(bucket, entry.tableNext);
  } else {
    let before = changetype<Entry>(load<usize>(bucket));
    while (before.tableNext != address) {
      before = changetype<Entry>(before.tableNext);
    }
    before.tableNext = entry.tableNext;
  }
  entryCount--;
  give(address, entry.size);
  return true;
}

function lookup(kind: Stored, namespace: Text, name: Text, hash: u32): Entry | null {
  if (bucketCount == 0) {
    return null;
  }
  let at = load<usize>(bucketOf(hash));
  while (at != 0) {
    const entry = changetype<Entry>(at);
    if (entry.hash == hash && entry.kind == kind) {
      const metadata = entry.root.get('metadata');
      if (metadata.get('name').text().equals(name) && metadata.get('namespace').text().equals(namespace)) {
        return entry;
      }
    }
    at = entry.tableNext;
  }
  return null;
}

function keyHash(kind: Stored, namespace: Text, name: Text): u32 {
  const space = hashBytes(namespace.start, namespace.length, 2166136261 ^ <u32>kind);
  return hashBytes(name.start, name.length, space * 16777619);
}

function bucketOf(hash: u32): usize {
  return buckets + ((<usize>((hash * 0x9e3779b1) >> (clz(bucketCount) + 1))) << 2);
}

function hang(entry: Entry): void {
  const bucket = bucketOf(entry.hash);
  entry.tableNext = load<usize>(bucket);
  store<usize>(bucket, changetype<usize>(entry));
}

function growTable(): bool {
  const count = max(bucketCount << 1, 256);
  const place = take((<usize>count) << 2);
  if (place == 0) {
    return false;
  }
  memory.fill(place, 0, (<usize>count) << 2);
  const old = buckets;
  const oldCount = bucketCount;
  buckets = place;
  bucketCount = count;
  for (let i: u32 = 0; i < oldCount; i++) {
    let at = load<usize>(old + ((<usize>i) << 2));
    while (at != 0) {
      const entry = changetype<Entry>(at);
      at = entry.tableNext;
      hang(entry);
    }
  }
  if (old != 0) {
    give(old, (<usize>oldCount) << 2);
  }
  return true;
}
