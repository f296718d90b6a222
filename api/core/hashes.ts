// Hashes in the alphabet of generated names, as Kubernetes and its workloads write them (sidecarset 2 and 8.1,
// admission-overview 10.5).
import { sha256Hex } from './sha256.ts';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Maps every character to the alphabet that avoids vowels and look-alikes; not reversible. */
export function safeEncode(text: string): string {
  let safe = '';
  for (let i = 0; i < text.length; i++) safe += alphabet[text.charCodeAt(i) % alphabet.length];
  return safe;
}

/** SHA-256 of the UTF-8 bytes as 64 characters of the safe alphabet. */
export function contentHash(text: string): string {
  return safeEncode(sha256Hex(text));
}

/**
 * Hash of a ControllerRevision: FNV-1 32 bit over the UTF-8 bytes of its data and the decimal collision count (left out
 * if undefined), printed in decimal and mapped to the safe alphabet.
 */
export function revisionHash(data: string, collisionCount: number | undefined): string {
  const text = collisionCount === undefined ? data : `${data}${collisionCount}`;
  return safeEncode(String(fnv1(new TextEncoder().encode(text))));
}

/** Name of a ControllerRevision: the parent's name, cut to 223 bytes, and the hash. */
export function revisionName(parentName: string, hash: string): string {
  return `${parentName.slice(0, 223)}-${hash}`;
}

function fnv1(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash, 0x01000193) ^ byte;
  return hash >>> 0;
}
