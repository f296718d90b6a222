// Draws that any replica repeats for the same review: the seed is the review's uid.

import { Text } from '../json/text';
import { Writer } from '../json/writer';

/** What Kubernetes makes random names from. */
const LETTERS: string = 'bcdfghjklmnpqrstvwxz2456789';

/** A number from 0 to below `bound`; draws for different purposes are independent. */
export function draw(purpose: Text, uid: Text, bound: u32): i32 {
  let mixed = purpose.hash(uid.hash());
  mixed ^= mixed >> 16;
  mixed *= 0x7feb352d;
  mixed ^= mixed >> 15;
  mixed *= 0x846ca68b;
  mixed ^= mixed >> 16;
  return <i32>((<u64>mixed * bound) >> 32);
}

/** Appends so many random letters and digits. */
export function writeRandom(count: i32, uid: Text, out: Writer): void {
  for (let i = 0; i < count; i++) {
    const purpose = new Writer(16);
    purpose.ascii('letter ');
    purpose.integer(i);
    out.byte(<u8>LETTERS.charCodeAt(draw(purpose.toText(), uid, LETTERS.length)));
  }
}
