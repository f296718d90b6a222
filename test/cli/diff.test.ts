// Unified diffs: format, and that they lead from one text to the other, checked with the system's own diff and patch.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../cli/diff.ts';

const names = { before: 'a', after: 'b' };
const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');

describe('unifiedDiff', () => {
  it('is empty for equal texts', () => {
    expect(unifiedDiff('a\n', 'a\n', names)).toBe('');
  });

  it('shows three lines of context and joins hunks that touch', () => {
    const before = lines('1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', '14', '15', '16');
    const after = before.replace('2\n3', '2\nx\n3').replace('7\n', '').replace('16\n', '17\n');
    expect(unifiedDiff(before, after, names)).toBe(
      lines(
        '--- a',
        '+++ b',
        '@@ -1,10 +1,10 @@',
        ...[' 1', ' 2', '+x', ' 3', ' 4', ' 5', ' 6', '-7', ' 8', ' 9', ' 10'],
        '@@ -13,4 +13,4 @@',
        ...[' 13', ' 14', ' 15', '-16', '+17'],
      ),
    );
  });

  it('says where the last line has no line feed', () => {
    expect(unifiedDiff('a\nb', 'a\nc\n', names)).toContain('-b\n\\ No newline at end of file\n+c\n');
  });

  it('shows an added or removed text from line 0', () => {
    expect(unifiedDiff('', 'a\n', names)).toBe(lines('--- a', '+++ b', '@@ -0,0 +1 @@', '+a'));
    expect(unifiedDiff('a\nb\n', '', names)).toBe(lines('--- a', '+++ b', '@@ -1,2 +0,0 @@', '-a', '-b'));
  });

  it('stays quick on texts without a common line', () => {
    const text = (word: string): string => lines(...Array.from({ length: 20_000 }, (_, line) => `${word}${line}`));
    expect(unifiedDiff(text('a'), text('b'), names).split('\n')).toHaveLength(40_004);
  });

  it('has as few changed lines as the longest common subsequence allows (property)', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = unifiedDiff(lines(...before), lines(...after), names)
          .split('\n')
          .slice(3);
        const changed = diff.filter((line) => /^[-+]/.test(line)).length;
        expect(changed).toBe(before.length + after.length - 2 * commonLength(before, after));
      }),
    );
  });

  it.skipIf(spawnSync('patch', ['--version']).status !== 0)(
    'is accepted by patch(1) and leads to the other text (property)',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'diff-'));
      const text = fc
        .array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 40 })
        .map((all) => lines(...all));
      try {
        fc.assert(
          fc.property(text, text, (before, after) => {
            const file = join(folder, 'text');
            writeFileSync(file, before);
            const diff = unifiedDiff(before, after, names);
            if (diff === '') return;
            const patch = spawnSync('patch', ['--silent', file], { input: diff });
            expect(patch.status).toBe(0);
            expect(readFileSync(file, 'utf8')).toBe(after);
          }),
          { numRuns: 60 },
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});

function commonLength(before: readonly string[], after: readonly string[]): number {
  let row = new Array<number>(after.length + 1).fill(0);
  for (const line of before) {
    const next = [0];
    after.forEach((other, at) => {
      next.push(line === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    });
    row = next;
  }
  return row.at(-1) ?? 0;
}
