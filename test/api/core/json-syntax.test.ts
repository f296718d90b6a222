// JSON texts and what Go's own decoder (encoding/json of Go 1.26) says about them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../../api/core/json.ts';
import { jsonSyntaxFault } from '../../../api/core/json-syntax.ts';

const recorded: [string, string][] = [
  ['nonsense', "invalid character 'o' in literal null (expecting 'u')"],
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['{"a"', 'unexpected end of JSON input'],
  ['{"a":', 'unexpected end of JSON input'],
  ['{"a":1', 'unexpected end of JSON input'],
  ['{"a":1,', 'unexpected end of JSON input'],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['[1', 'unexpected end of JSON input'],
  ['[1,', 'unexpected end of JSON input'],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ['tru', "invalid character ' ' in literal true (expecting 'e')"],
  ['nul', "invalid character ' ' in literal null (expecting 'l')"],
  ['falsy', "invalid character 'y' in literal false (expecting 'e')"],
  ['trux', "invalid character 'x' in literal true (expecting 'e')"],
  ['-', "invalid character ' ' in numeric literal"],
  ['-x', "invalid character 'x' in numeric literal"],
  ['01', "invalid character '1' after top-level value"],
  ['1.', "invalid character ' ' after decimal point in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1e', "invalid character ' ' in exponent of numeric literal"],
  ['1e+', "invalid character ' ' in exponent of numeric literal"],
  ['1ex', "invalid character 'x' in exponent of numeric literal"],
  ['"a', 'unexpected end of JSON input'],
  ['"\\', "invalid character ' ' in string escape code"],
  ['"\\q"', "invalid character 'q' in string escape code"],
  ['"\\u12', "invalid character ' ' in \\u hexadecimal character escape"],
  ['"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"],
  ['"a\u0001"', "invalid character '\\x01' in string literal"],
  ['{"a":1}x', "invalid character 'x' after top-level value"],
  ['1 2', "invalid character '2' after top-level value"],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
  ['é', "invalid character 'Ã' looking for beginning of value"],
  [' ', "invalid character 'Â' looking for beginning of value"],
  ['[}', "invalid character '}' looking for beginning of value"],
  ['{]', "invalid character ']' looking for beginning of object key string"],
  ['"', 'unexpected end of JSON input'],
  ['{"a":[{"b":tru}]}', "invalid character '}' in literal true (expecting 'e')"],
];

test.each(recorded)('%j is refused as Go refuses it', (text, fault) => {
  expect(jsonSyntaxFault(text)).toBe(fault);
});

test('what is JSON is not refused', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(jsonSyntaxFault(text)).toBeUndefined();
    }),
  );
});

test('what the platform refuses is refused, and nothing else', () => {
  const pieces = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"', '\\', '1', '-', '.', 'e', 'true', ' ', '\n');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (some) => {
      const text = some.join('');
      expect(jsonSyntaxFault(text) === undefined).toBe(isJson(text));
    }),
    { numRuns: 2000 },
  );
});

test('nesting is read as deep as the platform reads it here', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  expect(jsonSyntaxFault(nested(1000))).toBeUndefined();
  expect(parseJson(nested(1000))).toHaveLength(1);
  expect(jsonSyntaxFault(nested(1001))).toBe('exceeded max depth');
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
