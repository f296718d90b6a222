// Buckets of blocks that are chained under a hash, in the store's memory: as many buckets as blocks, or up to twice as many.

import { give, take } from './heap';

/** The head of a block that can stand in a table. */
@unmanaged
export class Chained {
  next: usize;
  previous: usize;
  hash: u32;
}

/** Must lie in static memory: what a reset of the arena frees is no place for it. */
@unmanaged
export class Table {
  private buckets: usize;
  bucketCount: u32;
  /** Number of blocks. */
  count: u32;

  /** Sees to it that one more can be added; false when the memory has no more room. */
  makeRoom(): bool {
    return this.count < this.bucketCount || this.grow();
  }

  /** The first block of the bucket of a hash, or 0; others of the bucket may come before one of this hash. */
  first(hash: u32): usize {
    return this.bucketCount == 0 ? 0 : load<usize>(this.bucketOf(hash));
  }

  /** The first block of a bucket by its number, or 0. */
  firstAt(bucket: u32): usize {
    return load<usize>(this.buckets + ((<usize>bucket) << 2));
  }

  /** Needs room that was made before. */
  add(block: Chained): void {
    this.hang(block);
    this.count++;
  }

  remove(block: Chained): void {
    if (block.previous == 0) {
      store<usize>(this.bucketOf(block.hash), block.next);
    } else {
      changetype<Chained>(block.previous).next = block.next;
    }
    if (block.next != 0) {
      changetype<Chained>(block.next).previous = block.previous;
    }
    this.count--;
  }

  private bucketOf(hash: u32): usize {
    return this.buckets + ((<usize>((hash * 0x9e3779b1) >> (clz(this.bucketCount) + 1))) << 2);
  }

  private hang(block: Chained): void {
    const bucket = this.bucketOf(block.hash);
    const first = load<usize>(bucket);
    block.previous = 0;
    block.next = first;
    if (first != 0) {
      changetype<Chained>(first).previous = changetype<usize>(block);
    }
    store<usize>(bucket, changetype<usize>(block));
  }

  /** Twice as many buckets, each block hung anew. */
  private grow(): bool {
    const count = max(this.bucketCount << 1, 256);
    const place = take((<usize>count) << 2);
    if (place == 0) {
      return false;
    }
    memory.fill(place, 0, (<usize>count) << 2);
    const old = this.buckets;
    const oldCount = this.bucketCount;
    this.buckets = place;
    this.bucketCount = count;
    for (let i: u32 = 0; i < oldCount; i++) {
      let at = load<usize>(old + ((<usize>i) << 2));
      while (at != 0) {
        const block = changetype<Chained>(at);
        at = block.next;
        this.hang(block);
      }
    }
    if (old != 0) {
      give(old, (<usize>oldCount) << 2);
    }
    return true;
  }
}
