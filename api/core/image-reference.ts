// Image references in full: which registry, repository and tag or digest a text means (images 2). What the default of a
// pull policy needs of them is in images.ts.
import { component, digestLengths, domainLabel, tagSyntax } from './images.ts';

/** An image without its tag, in familiar form (`nginx`, `reg.io/a/b`), and its tag or digest. */
export type ImageReference = { name: string; tag: string };

const DEFAULT_REGISTRY = 'docker.io';
const DEFAULT_PATH = 'library/';
const NAME_LENGTH = 255;
const MALFORMED = 'invalid reference format';

const pathSyntax = new RegExp(`^${component}(?:/${component})*$`);
const registrySyntax = new RegExp(`^${domainLabel}(?:\\.${domainLabel})*(?::[0-9]+)?$`);
const digestSyntax = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}$/;

/** What the text refers to: without tag and digest `latest`, with a digest the digest. A text says why it is none. */
export function normalizeImage(text: string): ImageReference | string {
  if (/^[a-f0-9]{64}$/.test(text)) {
    return `invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`;
  }
  const { registry, rest } = splitRegistry(text);
  const untagged = before(rest, ':');
  if (untagged !== untagged.toLowerCase()) return `${MALFORMED}: repository name must be lowercase`;
  const named = before(rest, '@');
  const path = before(named, ':');
  const tag = path.length === named.length ? undefined : named.slice(path.length + 1);
  const digest = named.length === rest.length ? undefined : rest.slice(named.length + 1);
  const name = `${registry}/${path}`;
  const isRegistry = registrySyntax.test(registry) && pathSyntax.test(path);
  if (!isRegistry && !pathSyntax.test(name)) return MALFORMED;
  if (tag !== undefined && !tagSyntax.test(tag)) return MALFORMED;
  if (digest !== undefined && !digestSyntax.test(digest)) return MALFORMED;
  if (name.length > NAME_LENGTH) return `repository name must not be more than ${NAME_LENGTH} characters`;
  const fault = digest === undefined ? undefined : digestFault(digest);
  return fault ?? { name: familiar(registry, path), tag: digest ?? tag ?? 'latest' };
}

/**
 * Do both texts mean the same image? Without tag and digest it is the latest; where both have a digest, tags do not count.
 * A text that is no reference is only the same as itself.
 */
export function isSameImage(a: string, b: string): boolean {
  if (a === b) return true;
  const left = partsOf(a);
  const right = partsOf(b);
  if (left === undefined || right === undefined || left.name !== right.name) return false;
  return left.digest !== '' && right.digest !== '' ? left.digest === right.digest : left.tag === right.tag;
}

/** Is the image given by its digest? */
export function hasDigest(image: string): boolean {
  return (partsOf(image)?.digest ?? '') !== '';
}

type Parts = { name: string; tag: string; digest: string };

function partsOf(text: string): Parts | undefined {
  const reference = normalizeImage(text);
  if (typeof reference === 'string') return undefined;
  const named = before(text, '@');
  if (named === text) return { ...reference, digest: '' };
  const path = named.slice(named.lastIndexOf('/') + 1);
  return { name: reference.name, tag: path.slice(before(path, ':').length + 1), digest: reference.tag };
}

// A first part without dot and colon is no registry but the first part of a path on the default registry.
function splitRegistry(text: string): { registry: string; rest: string } {
  const first = before(text, '/');
  const isRegistry = first.length < text.length && (/[.:]/.test(first) || first === 'localhost');
  const registry = isRegistry && first !== 'index.docker.io' ? first : DEFAULT_REGISTRY;
  const rest = isRegistry ? text.slice(first.length + 1) : text;
  return { registry, rest: registry === DEFAULT_REGISTRY && !rest.includes('/') ? DEFAULT_PATH + rest : rest };
}

function familiar(registry: string, path: string): string {
  if (registry !== DEFAULT_REGISTRY) return `${registry}/${path}`;
  const short = path.startsWith(DEFAULT_PATH) ? path.slice(DEFAULT_PATH.length) : path;
  return short.includes('/') ? path : short;
}

function digestFault(digest: string): string | undefined {
  const algorithm = before(digest, ':');
  const hex = digest.slice(algorithm.length + 1);
  if (algorithm !== algorithm.toLowerCase()) return 'invalid checksum digest format';
  const length = digestLengths.get(algorithm);
  if (length === undefined) return 'unsupported digest algorithm';
  if (hex.length !== length) return 'invalid checksum digest length';
  return hex === hex.toLowerCase() ? undefined : 'invalid checksum digest format';
}

/** The text in front of the first such character; all of it if there is none. */
function before(text: string, character: string): string {
  const at = text.indexOf(character);
  return at < 0 ? text : text.slice(0, at);
}
