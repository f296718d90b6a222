// Renders a flag table for people: the text of --help and the table of the reference page.

import type { Flag, FlagTable } from './flags.ts';

/** Help in the order of the table, names first, wrapped at 100 columns. */
export function flagHelp(table: FlagTable): string {
  const rows = Object.entries(table).map(([name, flag]) => ({
    name: `  --${name} ${flag.placeholder}`.trimEnd(),
    flag,
  }));
  const width = Math.max(...rows.map((row) => row.name.length)) + 2;
  const lines = rows.flatMap(({ name, flag }) => {
    const text = wrap(`${flag.summary}${origin(flag)}`, 100 - width);
    return text.map((line, i) => `${(i === 0 ? name : '').padEnd(width)}${line}`);
  });
  return `${lines.join('\n')}\n`;
}

/** The same rows as a Markdown table. */
export function flagReference(table: FlagTable): string {
  const rows = Object.entries(table).map(([name, flag]) => {
    const value = flag.placeholder === '' ? '' : ` ${flag.placeholder.replaceAll('|', '\\|')}`;
    const variable = flag.environment === undefined ? '' : `\`${flag.environment}\``;
    const standard = flag.default === undefined ? '' : `\`${flag.default}\``;
    return `| \`--${name}${value}\` | ${standard} | ${variable} | ${flag.summary.replaceAll('|', '\\|')} |`;
  });
  return ['| Flag | Default | Environment | Meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function origin(flag: Flag<unknown>): string {
  const parts: string[] = [];
  if (flag.default !== undefined) parts.push(`default ${flag.default}`);
  if (flag.environment !== undefined) parts.push(`env ${flag.environment}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines[lines.length - 1] ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
