// Text from outside made safe to show: what a terminal or a log reader would act on is written as an escape.

// Controls, invisible format characters (direction overrides, zero-width marks), line and paragraph separators, lone
// surrogates.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const UNSAFE_IN_BLOCK = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** The text on one line: control and invisible characters become `\n`, `\t`, `\r`, `\uXXXX` or `\u{XXXXX}`. */
export function printable(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** As `printable`, but line feeds and tabs stay: for text of several lines. */
export function printableBlock(text: string): string {
  return text.replace(UNSAFE_IN_BLOCK, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return SHORT.get(character) ?? (code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`);
}
