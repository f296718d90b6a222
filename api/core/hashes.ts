// Hashes in the alphabet of generated names, as Kubernetes and its workloads write them (sidecarset 2 and 8.1,
// admission-overview 10.5, 10.6).
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

/**
 * The hash of bytes that the platform writes into annotations: FNV-1a 32 bit over the list of their decimal values, in the
 * form in which Go prints it (admission-overview 10.6).
 */
export function deepHash(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  const text = `([]uint8)[${bytes.join(' ')}]`;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function fnv1(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash, 0x01000193) ^ byte;
  return hash >>> 0;
}
