// Texts as paths of HTTP probes, and what Go's own library (net/url of Go 1.26) says about them.
import { expect, test } from 'vitest';
import { urlFault } from '../../../../api/core/validation/url.ts';

const recorded: [string, string | null][] = [
  ['/healthz', null],
  ['healthz', null],
  ['http://x/y', null],
  ['/a%20b?x=%zz', null],
  ['/a#b', null],
  ['a:b%', null],
  ['/%zz', 'parse "/%zz": invalid URL escape "%zz"'],
  ['/%z', 'parse "/%z": invalid URL escape "%z"'],
  ['%', 'parse "%": invalid URL escape "%"'],
  ['/a\tb', 'parse "/a\\tb": net/url: invalid control character in URL'],
  [':a', 'parse ":a": missing protocol scheme'],
  ['1a:b', 'parse "1a:b": first path segment in URL cannot contain colon'],
  ['/a#%zz', 'parse "/a#%zz": invalid URL escape "%zz"'],
  ['a:b', null],
  ['/é', null],
  ['/a b', null],
  ['', null],
];

test.each(recorded)('%j', (text, fault) => {
  expect(urlFault(text)).toBe(fault ?? undefined);
});
