// What the command shows to people: colours, tables, errors. Data goes to standard output, everything else to standard
// error.

import picocolors from 'picocolors';
import type { InputError } from '../component/errors.ts';
import { printable, printableBlock } from '../component/printable.ts';
import type { Host, Sink } from './host.ts';

export type Colors = ReturnType<typeof picocolors.createColors>;
export type ColorMode = 'auto' | 'always' | 'never';

/** Colours for one stream: `auto` colours a terminal, unless NO_COLOR is set or TERM is `dumb`. */
export function colorsFor(sink: Sink, mode: ColorMode, environment: Host['environment']): Colors {
  const { NO_COLOR: off, TERM: terminal } = environment;
  const wanted = sink.isTerminal && (off === undefined || off === '') && terminal !== 'dumb';
  return picocolors.createColors(mode === 'always' || (mode === 'auto' && wanted));
}

/** Rows under titles, columns apart by three spaces, no space at the ends of lines. Cells are made safe to show. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [titles, ...rows].map((row) => row.map((cell) => printable(cell)));
  const widths = titles.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lines = all.map((row) => row.map((cell, column) => cell.padEnd((widths[column] ?? 0) + 3)).join(''));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** A diff with its lines coloured by sign. */
export function colorDiff(diff: string, colors: Colors): string {
  if (!colors.isColorSupported) return diff;
  return diff
    .split('\n')
    .map((line) => {
      if (/^(?:---|\+\+\+) /.test(line)) return colors.bold(line);
      if (line.startsWith('@@')) return colors.cyan(line);
      if (line.startsWith('+')) return colors.green(line);
      return line.startsWith('-') ? colors.red(line) : line;
    })
    .join('\n');
}

/** `error: file:line:column: field: message` on standard error. */
export function showInputError(host: Host, error: InputError, colors: Colors): void {
  host.stderr.write(`${colors.red('error:')} ${printableBlock(error.describe())}\n`);
}

/** `warning: ...` on standard error. */
export function showWarning(host: Host, text: string, colors: Colors): void {
  host.stderr.write(`${colors.yellow('warning:')} ${printable(text)}\n`);
}
