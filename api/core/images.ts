// Image references `name[:tag][@digest]`, as far as the default of the pull policy needs them (sidecarset 3).

/** Syntax of one part of a repository's path, of one label of a registry's name, of a tag; digits of each digest. */
export const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
export const domainLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const domain = `(?:${domainLabel}(?:\\.${domainLabel})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const repository = new RegExp(`^(?:${domain}/)?${component}(?:/${component})*$`);
export const tagSyntax = /^\w[\w.-]{0,127}$/;
export const digestLengths: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
]);

/**
 * The tag of an image: as written, `latest` if there is neither tag nor digest, '' if there is only a digest; undefined
 * for text that is no image reference.
 */
export function imageTag(image: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(image)) return undefined;
  const at = image.indexOf('@');
  const digest = at < 0 ? undefined : image.slice(at + 1);
  const named = at < 0 ? image : image.slice(0, at);
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  const tag = colon < 0 ? undefined : named.slice(colon + 1);
  const name = colon < 0 ? named : named.slice(0, colon);
  if (!repository.test(withDomain(name)) || name.length > 255) return undefined;
  if (tag !== undefined && !tagSyntax.test(tag)) return undefined;
  if (digest !== undefined && !isDigest(digest)) return undefined;
  return tag ?? (digest === undefined ? 'latest' : '');
}

/** The pull policy that Kubernetes fills in: `Always` for the tag `latest`, else `IfNotPresent`. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}

// A first part without dot, port or upper case is no registry but the first part of a path on the default registry.
function withDomain(name: string): string {
  const first = name.slice(0, Math.max(0, name.indexOf('/')));
  const isRegistry = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  return first !== '' && isRegistry ? name : `docker.io/${name}`;
}

function isDigest(digest: string): boolean {
  const colon = digest.indexOf(':');
  const length = digestLengths.get(digest.slice(0, colon));
  return length !== undefined && digest.length - colon - 1 === length && /^[a-f0-9]+$/.test(digest.slice(colon + 1));
}
