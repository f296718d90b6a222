// The completion script for zsh.

import type { CommandRow, FlagRow, WordRow } from './rows.ts';

export function zshScript(rows: readonly CommandRow[]): string {
  return `#compdef sluice
# zsh completion for sluice; put it into a folder of $fpath as _sluice
_sluice() {
  local state line
${block(rows, '', '  ')}
}
compdef _sluice sluice
`;
}

/** What is completed behind a command; behind its own commands, what they have. */
function block(rows: readonly CommandRow[], path: string, indent: string): string {
  const row = rows.find((one) => one.path === path);
  if (row === undefined) throw new Error(`no command ${path}`);
  const { flags, commands, words, takesFiles } = row;
  const specs = flags.map(flagSpec);
  if (commands.length === 0) {
    if (takesFiles) specs.push("'*:file:_files'");
    else if (words.length > 0) specs.push(`'1:word:(${words.join(' ')})'`);
    return `${indent}_arguments -s${specs.map((spec) => ` \\\n${indent}  ${spec}`).join('')}`;
  }
  const inner = `${indent}      `;
  const cases = commands.map(({ word }) => {
    return `${indent}    ${word})\n${block(rows, path === '' ? word : `${path} ${word}`, inner)}\n${inner};;`;
  });
  specs.push(`'1:command:((${commands.map(commandSpec).join(' ')}))'`, "'*::argument:->argument'");
  return `${indent}_arguments -s -C${specs.map((spec) => ` \\\n${indent}  ${spec}`).join('')}
${indent}if [[ $state == argument ]]; then
${indent}  state=''
${indent}  case $line[1] in
${cases.join('\n')}
${indent}  esac
${indent}fi`;
}

function commandSpec({ word, summary }: WordRow): string {
  return `${word}\\:"${quoted(summary.replaceAll(/["\\$`]/g, '\\$&'))}"`;
}

function flagSpec({ names, summary, value }: FlagRow): string {
  const text = `[${quoted(summary).replaceAll('[', '\\[').replaceAll(']', '\\]')}]`;
  // A value may stand behind `=`, in the same word (-ofile) or in the next one.
  const specs = names.map((name) => (value === 'none' ? name : `${name}${name.startsWith('--') ? '=' : '+'}`));
  const action = actionOf(value);
  return specs.length === 1 ? `'*${specs[0]}${text}${action}'` : `'*'{${specs.join(',')}}'${text}${action}'`;
}

function actionOf(value: FlagRow['value']): string {
  if (value === 'none') return '';
  if (value === 'files') return ':file:_files';
  return value === 'text' ? ':value: ' : `:value:(${value.join(' ')})`;
}

function quoted(text: string): string {
  return text.replaceAll("'", "'\\''");
}
