// Memory of the store: blocks of size classes taken from chunks of the module's memory, with a list of free blocks a
// class. A block given back serves the next one of its class, so millions of changes do not make the store grow.

/** Four classes a doubling, from 32 bytes to 32 MiB. */
const CLASSES: i32 = 81;
const CHUNK: usize = 1 << 18;
/** Bytes behind every block that may be read: vectors go beyond a text. */
const BEHIND: usize = 32;

let chunk: usize = 0;
let chunkEnd: usize = 0;
let used: usize = 0;

/** Heads of the lists of free blocks. */
function free(sizeClass: i32): usize {
  return memory.data(CLASSES * 4) + ((<usize>sizeClass) << 2);
}

/** Bytes of all blocks in use. */
export function storeBytes(): usize {
  return used;
}

/** A block of at least this many bytes, aligned to 16; 0 when the memory has no more room. */
export function take(size: usize): usize {
  const sizeClass = classOf(size);
  const bytes = bytesOf(sizeClass);
  const list = free(sizeClass);
  const block = load<usize>(list);
  if (block != 0) {
    store<usize>(list, load<usize>(block));
    used += bytes;
    return block;
  }
  if (chunkEnd - chunk < bytes) {
    const wanted = max(CHUNK, (bytes + BEHIND + 0xffff) & ~0xffff);
    const page = memory.grow(<i32>(wanted >>> 16));
    if (page < 0) {
      return 0;
    }
    chunk = (<usize>page) << 16;
    chunkEnd = chunk + wanted - BEHIND;
  }
  used += bytes;
  chunk += bytes;
  return chunk - bytes;
}

/** Gives a block back; `size` is what it was taken for. */
export function give(block: usize, size: usize): void {
  const sizeClass = classOf(size);
  const list = free(sizeClass);
  store<usize>(block, load<usize>(list));
  store<usize>(list, block);
  used -= bytesOf(sizeClass);
}

/** The smallest class whose blocks hold so many bytes. */
function classOf(size: usize): i32 {
  if (size <= 32) {
    return 0;
  }
  const above = <u32>(size - 1);
  const doubling = 31 - clz(above);
  return ((doubling - 5) << 2) + <i32>((above >> (doubling - 2)) & 3) + 1;
}

function bytesOf(sizeClass: i32): usize {
  if (sizeClass == 0) {
    return 32;
  }
  const doubling = 5 + ((sizeClass - 1) >> 2);
  return (((<usize>1) << doubling) + ((<usize>((sizeClass - 1) & 3) + 1) << (doubling - 2)) + 15) & ~15;
}
