// Rules for file paths and IP addresses in pods.
import type { TextRule } from './names.ts';
import { wording } from './wording.ts';

/** No step of the path goes up. */
export const noBacksteps: TextRule = (text) => (text.split('/').includes('..') ? [wording.noBacksteps] : []);

/** A relative path that stays below its root. */
export const descendingPath: TextRule = (text) => {
  const details = noBacksteps(text);
  return text.startsWith('/') ? [wording.relativePath, ...details] : details;
};

/** A descending path whose first step does not start with `..`, which is reserved for the kubelet. */
export const unreservedPath: TextRule = (text) => {
  const details = descendingPath(text);
  return text.startsWith('..') && !text.startsWith('../') ? [...details, wording.notDotDot] : details;
};

/** An absolute path. */
export const absolutePath: TextRule = (text) => (text.startsWith('/') ? [] : [wording.absolutePath]);

/** An IPv4 or IPv6 address without zone; leading zeros in IPv4 are let pass, as Kubernetes does. */
export const ipAddress: TextRule = (text) => (isIPv4(text) || isIPv6(text) ? [] : [wording.ipAddress]);

function isIPv4(text: string): boolean {
  return /^\d{1,20}(\.\d{1,20}){3}$/.test(text) && text.split('.').every((part) => Number(part) <= 255);
}

function isIPv6(text: string): boolean {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return false;
  const groups = groupsOf(head, tail === undefined);
  if (tail === undefined) return groups === 8;
  const rest = groupsOf(tail, true);
  return groups >= 0 && rest >= 0 && groups + rest < 8;
}

// How many 16-bit groups the text has; -1 if it is malformed. Only the end of an address may be written as IPv4.
function groupsOf(text: string, isEnd: boolean): number {
  if (text === '') return 0;
  const parts = text.split(':');
  const last = parts.at(-1) ?? '';
  const hasIPv4 = isEnd && isIPv4(last);
  const plain = hasIPv4 ? parts.slice(0, -1) : parts;
  if (!plain.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part))) return -1;
  return plain.length + (hasIPv4 ? 2 : 0);
}
