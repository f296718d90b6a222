// Compares two JSON texts byte by byte, but for the values of one volatile member.
import { type Difference, truth } from './difference.ts';
import { Placeholders } from './placeholders.ts';

/**
 * Compares annotation-like JSON texts. Every member called `name` on any level may differ as its expected value says:
 * a placeholder is filled in, null stays null, anything else is free. All other bytes bind.
 */
export function compareJsonText(
  place: { pointer: string; name: string },
  expected: string,
  got: unknown,
  placeholders: Placeholders,
): Difference[] {
  if (typeof got !== 'string') return truth(place.pointer, expected, got);
  const [wanted, found] = [membersCalled(place.name, expected), membersCalled(place.name, got)];
  let text = '';
  let end = 0;
  found.forEach((member, index) => {
    const value = wanted[index];
    const isFree = value !== undefined && isAcceptable(value.text, member.text, placeholders);
    text += got.slice(end, member.start) + (isFree ? value.text : member.text);
    end = member.start + member.text.length;
  });
  return truth(place.pointer, expected, text + got.slice(end));
}

function isAcceptable(expected: string, got: string, placeholders: Placeholders): boolean {
  if (expected === 'null') return got === 'null';
  return !Placeholders.has(expected) || placeholders.matches(expected, got);
}

type Member = { start: number; text: string };

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** The values of all members called `name` that are scalars, with their places in the text. */
function membersCalled(name: string, text: string): Member[] {
  const tokens = [...text.matchAll(TOKEN)];
  return tokens.flatMap((token, index) => {
    const [key, colon] = [tokens[index - 2], tokens[index - 1]];
    const isValue = key?.[0] === JSON.stringify(name) && colon?.[0] === ':';
    return isValue && !/^[{[]/.test(token[0]) ? [{ start: token.index, text: token[0] }] : [];
  });
}
