// The completion script for bash.

import type { CommandRow, FlagRow } from './rows.ts';

export function bashScript(rows: readonly CommandRow[]): string {
  const paths = rows.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`]));
  const withValue = rows.flatMap(({ path, flags }) =>
    flags.flatMap((flag) => (flag.value === 'none' ? [] : [flagPattern(path, flag)])),
  );
  return `# bash completion for sluice; load with: source <(sluice completion bash)
_sluice() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    # the value of a flag is no command; bash takes --flag=value apart at the equals sign
    [[ \${COMP_WORDS[i-1]} == '=' ]] && continue
    case "$command \${COMP_WORDS[i-1]}" in
      ${withValue.join('|\\\n      ')}) continue ;;
    esac
    case "\${command:+$command }\${COMP_WORDS[i]}" in
      ${paths.join('|')}) command="\${command:+$command }\${COMP_WORDS[i]}" ;;
    esac
  done
  if [[ $word == '=' ]]; then
    word=''
  elif [[ $before == '=' ]]; then
    before=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case "$command $before" in
${rows.flatMap(({ path, flags }) => flags.flatMap((flag) => values(path, flag))).join('\n')}
  esac
  case $command in
${rows.map(words).join('\n')}
  esac
  compopt +o default 2>/dev/null
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _sluice sluice
`;
}

function words(row: CommandRow): string {
  const commands = row.commands.map(({ word }) => word);
  const all = [...commands, ...row.words, ...row.flags.flatMap(({ names }) => names)].join(' ');
  const files = row.takesFiles ? '[[ $word == -* ]] || return; ' : '';
  return `    '${row.path}') ${files}words='${all}' ;;`;
}

// File names are left to readline: an empty reply falls back to it.
function values(path: string, flag: FlagRow): string[] {
  const { value } = flag;
  if (value === 'none') return [];
  const pattern = flagPattern(path, flag);
  if (value === 'files') return [`    ${pattern}) return ;;`];
  const quiet = 'compopt +o default 2>/dev/null';
  if (value === 'text') return [`    ${pattern}) ${quiet}; return ;;`];
  return [`    ${pattern}) ${quiet}; COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$word")); return ;;`];
}

function flagPattern(path: string, { names }: FlagRow): string {
  return names.map((name) => `'${path} ${name}'`).join('|');
}
