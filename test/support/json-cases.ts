// Texts that a reader of JSON must accept or refuse, by the rules of RFC 8259 and by the stricter ones of ours: UTF-8
// without a byte order mark, no lone surrogates, no key twice, at most 512 levels, at most 7 MiB.

import type { JsonCase } from './json-cases/case.ts';
import { numbers } from './json-cases/numbers.ts';
import { objects } from './json-cases/objects.ts';
import { strings } from './json-cases/strings.ts';
import { structure } from './json-cases/structure.ts';
import { utf8 } from './json-cases/utf8.ts';

export { FAULTS, type JsonCase } from './json-cases/case.ts';

export const JSON_CASES: Readonly<Record<string, readonly JsonCase[]>> = {
  structure,
  numbers,
  strings,
  'UTF-8': utf8,
  'keys and nesting': objects,
};
