// Whether a text can be read as a URL or a reference relative to one, with the reasons in the words of Go's library.
import { quote } from '../field-error.ts';

/**
 * Why the text is no URL, e.g. `parse "/%zz": invalid URL escape "%zz"`; undefined if it can be read as one. Hosts are not
 * looked at.
 */
export function urlFault(text: string): string | undefined {
  const [url = '', ...rest] = text.split('#');
  const reason = faultBefore(url);
  if (reason !== undefined) return `parse ${quote(url)}: ${reason}`;
  const escaped = escapeFault(rest.join('#'));
  return escaped === undefined ? undefined : `parse ${quote(text)}: ${escaped}`;
}

// Of what stands before the fragment.
function faultBefore(url: string): string | undefined {
  if (hasControl(url)) return 'net/url: invalid control character in URL';
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(url)?.[0];
  if (scheme === undefined && url.startsWith(':')) return 'missing protocol scheme';
  const path = url.slice(scheme?.length ?? 0).split('?', 1)[0] ?? '';
  // Behind a scheme, what does not start with a slash is not looked into.
  if (!path.startsWith('/') && scheme !== undefined) return undefined;
  if (!path.startsWith('/') && firstSegment(path).includes(':')) {
    return 'first path segment in URL cannot contain colon';
  }
  return escapeFault(path);
}

function escapeFault(text: string): string | undefined {
  const broken = /%(?![0-9A-Fa-f]{2})/.exec(text);
  return broken === null ? undefined : `invalid URL escape ${quote(text.slice(broken.index, broken.index + 3))}`;
}

function firstSegment(path: string): string {
  return path.split('/', 1)[0] ?? '';
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
