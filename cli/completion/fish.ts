// The completion script for fish.

import type { CommandRow, FlagRow } from './rows.ts';

export function fishScript(rows: readonly CommandRow[]): string {
  return `# fish completion for sluice; put it into ~/.config/fish/completions/sluice.fish
complete -c sluice -f
${rows.flatMap(linesOf).join('\n')}
`;
}

function linesOf(row: CommandRow): string[] {
  const line = `complete -c sluice -n "${conditionOf(row)}"`;
  return [
    ...row.commands.map(({ word, summary }) => `${line} -a ${word} -d ${quoted(summary)}`),
    ...row.words.map((word) => `${line} -a ${word}`),
    ...(row.takesFiles ? [`${line} -F`] : []),
    ...row.flags.map((flag) => `${line}${flagSpec(flag)}`),
  ];
}

/** All words that lead to it were seen, and none that leads further. */
function conditionOf({ path, commands }: CommandRow): string {
  const seen = path === '' ? [] : path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const further = commands.map(({ word }) => word).join(' ');
  return [...seen, ...(further === '' ? [] : [`not __fish_seen_subcommand_from ${further}`])].join('; and ');
}

function flagSpec({ names, summary, value }: FlagRow): string {
  const flags = names.map((name) => (name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`)).join('');
  return `${flags}${actionOf(value)} -d ${quoted(summary)}`;
}

function actionOf(value: FlagRow['value']): string {
  if (value === 'none') return '';
  if (value === 'files') return ' -r -F';
  return value === 'text' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
