// One way in which an answer differs from the expected one, and how a list of them is printed.

/** `pointer` leads to the place, from the expectation on; the two values are already text. */
export type Difference = { pointer: string; expected: string; got: string };

const SHOWN = 8;
const LONGEST = 240;

/** No difference if both are the same value (compared as JSON), else one. */
export function truth(pointer: string, expected: unknown, got: unknown): Difference[] {
  const [wanted, found] = [print(expected), print(got)];
  return wanted === found ? [] : [{ pointer, expected: wanted, got: found }];
}

/** A value in one line, `nothing` if absent. */
export function print(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** The differences under a title, cut to what a person reads. */
export function formatDifferences(title: string, differences: readonly Difference[]): string {
  const lines = differences.slice(0, SHOWN).flatMap(({ pointer, expected, got }) => {
    const [wanted, found] = shorten(expected, got);
    return [`  at ${pointer === '' ? 'the root' : pointer}`, `    expected ${wanted}`, `    got      ${found}`];
  });
  if (differences.length > SHOWN) lines.push(`  and ${differences.length - SHOWN} more`);
  return [title, ...lines].join('\n');
}

/** Long texts are cut around the first character in which they differ. */
function shorten(expected: string, got: string): [string, string] {
  if (expected.length <= LONGEST && got.length <= LONGEST) return [expected, got];
  let same = 0;
  while (same < expected.length && expected[same] === got[same]) same += 1;
  const from = Math.max(0, same - LONGEST / 3);
  return [cut(expected, from), cut(got, from)];
}

function cut(text: string, from: number): string {
  const part = text.slice(from, from + LONGEST);
  return `${from > 0 ? '…' : ''}${part}${from + LONGEST < text.length ? '…' : ''}`;
}
