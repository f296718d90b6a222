// Base64 (RFC 4648, with padding), twenty-four bytes at a time.

import { Text } from './text';
import { Writer } from './writer';

export function writeBase64(bytes: Text, out: Writer): void {
  const groups = (bytes.length + 2) / 3;
  let to = out.reserve((groups << 2) + 16);
  const start = bytes.start;
  let done = 0;
  // Two vectors a turn share what the digits are made with. A vector reads four bytes more than it uses.
  for (; done + 28 <= bytes.length; done += 24) {
    v128.store(to, encode12(v128.load(start + done)));
    v128.store(to, encode12(v128.load(start + done, 12)), 16);
    to += 32;
  }
  for (; done + 16 <= bytes.length; done += 12) {
    v128.store(to, encode12(v128.load(start + done)));
    to += 16;
  }
  for (; done < bytes.length; done += 3) {
    const left = bytes.length - done;
    const a = <u32>load<u8>(start + done);
    const b = left > 1 ? <u32>load<u8>(start + done, 1) : 0;
    const c = left > 2 ? <u32>load<u8>(start + done, 2) : 0;
    const bits = (a << 16) | (b << 8) | c;
    store<u8>(to, digit(bits >> 18));
    store<u8>(to, digit((bits >> 12) & 63), 1);
    store<u8>(to, left > 1 ? digit((bits >> 6) & 63) : 0x3d, 2);
    store<u8>(to, left > 2 ? digit(bits & 63) : 0x3d, 3);
    to += 4;
  }
  out.length += groups << 2;
}

/** Sixteen digits of the first twelve bytes. */
function encode12(bytes: v128): v128 {
  // Every four lanes get the three bytes b a c b of a group, so that both halves of 16 bits hold two digits.
  const spread = v128.shuffle<u8>(bytes, bytes, 1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
  const first = v128.and(i32x4.shr_u(spread, 10), i32x4.splat(0x0000003f));
  const second = v128.and(i32x4.shl(spread, 4), i32x4.splat(0x00003f00));
  const third = v128.and(i32x4.shr_u(spread, 6), i32x4.splat(0x003f0000));
  const fourth = v128.and(i32x4.shl(spread, 8), i32x4.splat(0x3f000000));
  const digits = v128.or(v128.or(first, second), v128.or(third, fourth));
  // A-Z: +65, a-z: +71, 0-9: -4, +: -19, /: -16.
  const low = i8x16.sub_sat_u(digits, i8x16.splat(51));
  const row = v128.or(low, v128.and(i8x16.gt_s(i8x16.splat(26), digits), i8x16.splat(13)));
  const offsets = i8x16(71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 65, 0, 0);
  return i8x16.add(digits, v128.swizzle(offsets, row));
}

function digit(value: u32): u8 {
  if (value < 26) {
    return <u8>(0x41 + value);
  }
  if (value < 52) {
    return <u8>(0x47 + value);
  }
  if (value < 62) {
    return <u8>(value - 4);
  }
  return value == 62 ? 0x2b : 0x2f;
}
