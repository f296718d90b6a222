// JSON texts that are valid and look like nothing a serializer writes: blanks anywhere, characters escaped at random,
// numbers in every form and size.

import fc from 'fast-check';

const blank = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant(' '.repeat(20)) },
);

const digits = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 30 }) },
);

const whole = fc.oneof(
  fc.constant('0'),
  fc.tuple(fc.constantFrom(...'123456789'), fc.oneof(fc.constant(''), digits)).map((parts) => parts.join('')),
);

export const oddNumber: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '-'),
    whole,
    fc.oneof(
      fc.constant(''),
      digits.map((text) => `.${text}`),
    ),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits).map((x) => x.join('')),
      },
    ),
  )
  .map((parts) => parts.join(''));

/** One UTF-16 unit as an escape, its digits in either case. */
function escapeUnit(unit: number, isCapital: boolean): string {
  const hex = unit.toString(16).padStart(4, '0');
  return `\\u${isCapital ? hex.toUpperCase() : hex}`;
}

const wellFormed = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 });

const character = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).filter(isPlain) },
  { weight: 2, arbitrary: wellFormed.filter(isPlain) },
  { weight: 1, arbitrary: fc.constantFrom('\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t') },
  { weight: 1, arbitrary: fc.constantFrom('<', '>', '&', '/', '~', '\u2028', '\u2029', '\x7f', '\ufeff', '\uffff') },
  {
    weight: 2,
    arbitrary: fc
      .tuple(wellFormed, fc.boolean())
      .map(([text, isCapital]) =>
        Array.from({ length: text.length }, (_, i) => escapeUnit(text.charCodeAt(i), isCapital)).join(''),
      ),
  },
);

function isPlain(text: string): boolean {
  return ![...text].some((one) => one < ' ' || one === '"' || one === '\\');
}

/** The inside of a JSON string. */
export const oddInside: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.array(character, { maxLength: 6 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.array(character, { maxLength: 60 }).map((parts) => parts.join('')) },
);

function listOf(parts: readonly string[], open: string, close: string): string {
  return open + parts.join(',') + close;
}

function spaced(item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(blank, item, blank).map((parts) => parts.join(''));
}

/** Keys are unique by what they mean. */
function objectOf(value: fc.Arbitrary<string>, key: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .uniqueArray(fc.tuple(key, blank, spaced(value), blank), {
      selector: ([name]) => JSON.parse(`"${name}"`) as string,
      maxLength: 6,
    })
    .chain((members) =>
      blank.map((inside) =>
        members.length === 0
          ? `{${inside}}`
          : listOf(
              members.map(([name, before, text, behind]) => `${inside}"${name}"${before}:${text}${behind}`),
              '{',
              '}',
            ),
      ),
    );
}

/** A value of at most `depth` levels, without blanks around it. */
export function oddValue(depth: number, key: fc.Arbitrary<string> = oddInside): fc.Arbitrary<string> {
  const scalar = fc.oneof(
    fc.constantFrom('null', 'true', 'false'),
    oddNumber,
    oddInside.map((text) => `"${text}"`),
  );
  if (depth === 0) return scalar;
  const inner = oddValue(depth - 1, key);
  const array = fc.oneof(
    blank.map((inside) => `[${inside}]`),
    fc.array(spaced(inner), { minLength: 1, maxLength: 5 }).map((items) => listOf(items, '[', ']')),
  );
  return fc.oneof(
    { weight: 2, arbitrary: scalar },
    { weight: 2, arbitrary: array },
    { weight: 3, arbitrary: objectOf(inner, key) },
  );
}

/** A text: a value with blanks around it. */
export const oddText: fc.Arbitrary<string> = spaced(oddValue(3));

/** All numbers of a JSON text, as written. */
export function numbersOf(text: string): string[] {
  return (text.match(/"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/gsu) ?? []).filter((token) => !token.startsWith('"'));
}
