// The allocator of a review (the compiler's `stub` runtime is replaced by this file, see scripts/asc/transform.mjs).
// Memory is handed out by moving a pointer through segments and taken back all at once by `__reset`, but for what `__keep`
// holds; a segment once grown stays. Beside it the counter of steps, which every loop of the module pays into.

import { AL_MASK, OBJECT, OBJECT_OVERHEAD, BLOCK_OVERHEAD, BLOCK } from "./common";

/** A segment starts with the address of the next one and its own end. */
// @ts-ignore: decorator
@inline const SEGMENT_HEAD: usize = 16;
// @ts-ignore: decorator
@inline const SEGMENT_LEAST: usize = 1 << 20;
/** So many bytes behind every block may be read, and for the block given out last written: vectors go beyond a text. */
// @ts-ignore: decorator
@inline const BEHIND: usize = 32;
/** Fewer bytes are copied sooner than the engine's own copy is called. */
// @ts-ignore: decorator
@inline const COPY_CALLED: usize = 256;
/** Room for the nodes of the longest body: a larger segment is made only for what needs it. */
// @ts-ignore: decorator
@inline const SEGMENT_ENOUGH: usize = 72 << 20;
/** No review may take more bytes than this (a body of 7 MiB, its nodes at worst, and the answer). */
// @ts-ignore: decorator
@inline const ARENA_MOST: usize = 256 << 20;

// @ts-ignore: decorator
@lazy let first: usize = firstSegment();
// @ts-ignore: decorator
@lazy let segment: usize = first;
// @ts-ignore: decorator
@lazy let offset: usize = first + SEGMENT_HEAD + AL_MASK + 1 - BLOCK_OVERHEAD;
// @ts-ignore: decorator
@lazy let limit: usize = load<usize>(first, 4);
// @ts-ignore: decorator
@lazy let keptSegment: usize = first;
// @ts-ignore: decorator
@lazy let keptOffset: usize = offset;
// @ts-ignore: decorator
@lazy let grown: usize = 0;
// @ts-ignore: decorator
@lazy let steps: i32 = i32.MAX_VALUE;
// @ts-ignore: decorator
@lazy let most: usize = ARENA_MOST;

function firstSegment(): usize {
  let start = (__heap_base + AL_MASK) & ~AL_MASK;
  let end = (<usize>memory.size() << 16) - BEHIND;
  store<usize>(start, 0);
  store<usize>(start, end, 4);
  return start;
}

// @ts-ignore: decorator
@inline function begin(at: usize): usize {
  return at + SEGMENT_HEAD + AL_MASK + 1 - BLOCK_OVERHEAD;
}

/** Moves on to a segment that has `size` bytes: an old one, the last one grown, or a new one. */
function nextSegment(size: usize): void {
  let next = load<usize>(segment);
  while (next != 0) {
    segment = next;
    offset = begin(next);
    limit = load<usize>(next, 4);
    if (offset + size <= limit) return;
    next = load<usize>(next);
  }
  // Bodies that are each a little longer than all before must not leave a trail of segments: where nothing lies
  // behind the last one it grows in place, and a new one is twice as large.
  let inPlace = limit + BEHIND == <usize>memory.size() << 16;
  let bytes = inPlace ? offset + size - limit : max(size, min((limit - segment) << 1, SEGMENT_ENOUGH));
  bytes = max(SEGMENT_LEAST, (bytes + BEHIND + 0x1ffff) & ~0xffff);
  grown += bytes;
  if (grown > most) unreachable();
  let pages = memory.grow(<i32>(bytes >>> 16));
  if (pages < 0) unreachable();
  if (inPlace) {
    limit += bytes;
    store<usize>(segment, limit, 4);
    return;
  }
  next = <usize>pages << 16;
  store<usize>(next, 0);
  store<usize>(next, next + bytes - BEHIND, 4);
  store<usize>(segment, next);
  segment = next;
  offset = begin(next);
  limit = next + bytes - BEHIND;
}

// @ts-ignore: decorator
@inline function computeSize(size: usize): usize {
  return ((size + BLOCK_OVERHEAD + AL_MASK) & ~AL_MASK) - BLOCK_OVERHEAD;
}

// @ts-ignore: decorator
@unsafe @global
export function __alloc(size: usize): usize {
  let payload = computeSize(size);
  if (payload > limit - offset - BLOCK_OVERHEAD || size > ARENA_MOST) {
    if (size > ARENA_MOST) unreachable();
    nextSegment(payload + BLOCK_OVERHEAD);
  }
  let ptr = offset + BLOCK_OVERHEAD;
  changetype<BLOCK>(offset).mmInfo = payload;
  offset = ptr + payload;
  return ptr;
}

// @ts-ignore: decorator
@unsafe @global
export function __realloc(ptr: usize, size: usize): usize {
  let block = changetype<BLOCK>(ptr - BLOCK_OVERHEAD);
  let actual = block.mmInfo;
  let payload = computeSize(size);
  if (ptr + actual == offset && ptr + payload <= limit) {
    offset = ptr + payload;
    block.mmInfo = payload;
    return ptr;
  }
  if (payload <= actual) return ptr;
  let moved = __alloc(max(payload, actual << 1));
  if (actual > COPY_CALLED) memory.copy(moved, ptr, actual);
  else for (let at: usize = 0; at < actual; at += 16) v128.store(moved + at, v128.load(ptr + at));
  return moved;
}

// @ts-ignore: decorator
@unsafe @global
export function __free(ptr: usize): void {
  let block = changetype<BLOCK>(ptr - BLOCK_OVERHEAD);
  if (ptr + block.mmInfo == offset) offset = changetype<usize>(block);
}

// @ts-ignore: decorator
@unsafe @global
export function __reset(): void {
  segment = keptSegment;
  offset = keptOffset;
  limit = load<usize>(segment, 4);
}

/** Lets what was handed out up to now outlive resets, until `__keepNothing`. */
// @ts-ignore: decorator
@global
export function __keep(): void {
  keptSegment = segment;
  keptOffset = offset;
}

/** The next reset takes everything back. */
// @ts-ignore: decorator
@global
export function __keepNothing(): void {
  keptSegment = first;
  keptOffset = begin(first);
}

// @ts-ignore: decorator
@unsafe @global
export function __new(size: usize, id: u32): usize {
  let ptr = __alloc(OBJECT_OVERHEAD + size);
  let object = changetype<OBJECT>(ptr - BLOCK_OVERHEAD);
  object.gcInfo = 0;
  object.gcInfo2 = 0;
  object.rtId = id;
  object.rtSize = <u32>size;
  return ptr + OBJECT_OVERHEAD;
}

// @ts-ignore: decorator
@unsafe @global
export function __renew(oldPtr: usize, size: usize): usize {
  let newPtr = __realloc(oldPtr - OBJECT_OVERHEAD, OBJECT_OVERHEAD + size);
  changetype<OBJECT>(newPtr - BLOCK_OVERHEAD).rtSize = <u32>size;
  return newPtr + OBJECT_OVERHEAD;
}

// @ts-ignore: decorator
@global @unsafe
export function __link(parentPtr: usize, childPtr: usize, expectMultiple: bool): void {}

// @ts-ignore: decorator
@global @unsafe
export function __pin(ptr: usize): usize {
  return ptr;
}

// @ts-ignore: decorator
@global @unsafe
export function __unpin(ptr: usize): void {}

// @ts-ignore: decorator
@global @unsafe
function __visit(ptr: usize, cookie: u32): void {}

// @ts-ignore: decorator
@global @unsafe
export function __collect(): void {}

/** Counts one turn of a loop; the module stops when a call has used up what it was given. */
// @ts-ignore: decorator
@global @inline
export function __step(): void {
  if (--steps < 0) unreachable();
}

/** Gives the call that begins its steps, and the memory that it may grow to. */
// @ts-ignore: decorator
@global
export function __allow(count: i32, bytes: usize = ARENA_MOST): void {
  steps = count;
  most = min(bytes, ARENA_MOST);
}

/** Gives the running call some more. */
// @ts-ignore: decorator
@global
export function __grant(count: i32): void {
  steps = <i32>min<i64>(<i64>steps + count, i32.MAX_VALUE);
}

/** Bytes that the running call may still take. */
// @ts-ignore: decorator
@global
export function __room(): usize {
  let left = limit - offset;
  for (let next = load<usize>(segment); next != 0; next = load<usize>(next)) left += load<usize>(next, 4) - next;
  return left + most - min(most, grown);
}

/** Steps that the running call has left. */
// @ts-ignore: decorator
@global
export function __left(): i32 {
  return steps;
}
