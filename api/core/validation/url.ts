// Whether a text can be read as a URL or a reference relative to one, with the reasons in the words of Go's library.
import { quote } from '../field-error.ts';

/** Why the text is no URL, e.g. `parse "/%zz": invalid URL escape "%zz"`; undefined if it can be read as one. */
export function urlFault(text: string): string | undefined {
  const reason = fault(text);
  return reason === undefined ? undefined : `parse ${quote(text)}: ${reason}`;
}

function fault(text: string): string | undefined {
  if (hasControl(text)) return 'net/url: invalid control character in URL';
  const named = text.split('#', 1)[0] ?? '';
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(named)?.[0];
  if (scheme === undefined) {
    if (named.startsWith(':')) return 'missing protocol scheme';
    if (!named.startsWith('/') && firstSegment(named).includes(':')) {
      return 'first path segment in URL cannot contain colon';
    }
  }
  const broken = /%(?![0-9A-Fa-f]{2})/.exec(text.split('?', 1)[0] ?? '');
  return broken === null ? undefined : `invalid URL escape ${quote(text.slice(broken.index, broken.index + 3))}`;
}

function firstSegment(path: string): string {
  return path.split(/[/?]/, 1)[0] ?? '';
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
