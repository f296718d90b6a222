// The hash by which kubelets and the node daemon know a container (inplace-update.md 6.3).

import { Text } from '../json/text';
import { Writer } from '../json/writer';

/** FNV-1a of 32 bits over the bytes of a text, as Go prints them. */
export function deepHash(text: Text): i64 {
  const out = new Writer(text.length * 4 + 16);
  out.ascii('([]uint8)[');
  for (let i = 0; i < text.length; i++) {
    if (i > 0) {
      out.byte(0x20);
    }
    out.integer(text.byteAt(i));
  }
  out.byte(0x5d);
  const printed = out.toText();
  let hash: u32 = 2166136261;
  for (let i = 0; i < printed.length; i++) {
    hash = (hash ^ printed.byteAt(i)) * 16777619;
  }
  return <i64>hash;
}
