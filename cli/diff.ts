// Unified diffs of two texts, line by line, as `diff -u` prints them.

const CONTEXT = 3;
/** Texts that differ by more lines than this are shown as one replaced block: the exact script would take too long. */
const MAX_EDITS = 1000;

type Line = { sign: ' ' | '-' | '+'; text: string };

/** The diff with both names in its header; '' if the texts are equal. */
export function unifiedDiff(before: string, after: string, names: { before: string; after: string }): string {
  if (before === after) return '';
  const script = editScript(linesOf(before), linesOf(after));
  const output = [`--- ${names.before}`, `+++ ${names.after}`];
  for (const [start, end] of hunks(script)) output.push(...hunk(script, start, end));
  return `${output.join('\n')}\n`;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop() ?? ''}\n\\ No newline at end of file`);
  return lines;
}

function editScript(before: readonly string[], after: readonly string[]): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const middle = shortestScript(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  return [...kept(before.slice(0, head)), ...middle, ...kept(before.slice(before.length - tail))];
}

function kept(lines: readonly string[]): Line[] {
  return lines.map((text) => ({ sign: ' ', text }));
}

// Myers' greedy algorithm: `reach[k]` is how far in `before` a path on diagonal k has come with the edits so far.
function shortestScript(before: readonly string[], after: readonly string[]): Line[] {
  const limit = Math.min(before.length + after.length, MAX_EDITS);
  let reach = new Map<number, number>([[1, 0]]);
  const rounds: Map<number, number>[] = [];
  for (let edits = 0; edits <= limit; edits++) {
    rounds.push(reach);
    const next = new Map<number, number>();
    for (let k = -edits; k <= edits; k += 2) {
      let x = step(reach, k, edits);
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x++;
      next.set(k, x);
      if (x >= before.length && x - k >= after.length) return trace(rounds, before, after);
    }
    reach = next;
  }
  return [...before.map(removed), ...after.map(added)];
}

function step(reach: ReadonlyMap<number, number>, k: number, edits: number): number {
  return isInsertion(reach, k, edits) ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
}

function isInsertion(reach: ReadonlyMap<number, number>, k: number, edits: number): boolean {
  return k === -edits || (k !== edits && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
}

function trace(rounds: readonly Map<number, number>[], before: readonly string[], after: readonly string[]): Line[] {
  const script: Line[] = [];
  let x = before.length;
  let y = after.length;
  for (let edits = rounds.length - 1; edits >= 0; edits--) {
    const reach = rounds[edits] ?? new Map<number, number>();
    const k = x - y;
    const insertion = isInsertion(reach, k, edits);
    const fromX = edits === 0 ? 0 : (reach.get(insertion ? k + 1 : k - 1) ?? 0);
    const fromY = edits === 0 ? 0 : fromX - (insertion ? k + 1 : k - 1);
    for (; x > fromX && y > fromY; x--, y--) script.push({ sign: ' ', text: before[x - 1] ?? '' });
    if (edits > 0) script.push(insertion ? added(after[--y] ?? '') : removed(before[--x] ?? ''));
  }
  return script.reverse();
}

function removed(text: string): Line {
  return { sign: '-', text };
}

function added(text: string): Line {
  return { sign: '+', text };
}

// Ranges of the script that are shown: changes with context, joined where the contexts touch.
function hunks(script: readonly Line[]): [number, number][] {
  const ranges: [number, number][] = [];
  script.forEach((line, at) => {
    if (line.sign === ' ') return;
    const start = Math.max(0, at - CONTEXT);
    const end = Math.min(script.length, at + 1 + CONTEXT);
    const last = ranges.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = end;
    else ranges.push([start, end]);
  });
  return ranges;
}

function hunk(script: readonly Line[], start: number, end: number): string[] {
  const shown = script.slice(start, end);
  const above = script.slice(0, start);
  const range = (sign: '-' | '+'): string => {
    const count = shown.filter((line) => line.sign === sign || line.sign === ' ').length;
    const first = above.filter((line) => line.sign === sign || line.sign === ' ').length + (count === 0 ? 0 : 1);
    return count === 1 ? `${first}` : `${first},${count}`;
  };
  return [`@@ -${range('-')} +${range('+')} @@`, ...shown.map((line) => `${line.sign}${line.text}`)];
}
