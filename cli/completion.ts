// `sluice completion`: scripts for bash, zsh and fish, generated from the command tree and the services' flag tables.

import type { Command, Option } from 'commander';
import { InputError } from '../component/errors.ts';
import type { FlagTable } from '../component/flags.ts';
import { EXIT, type Host, SERVICES } from './host.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A flag as completion sees it. */
type FlagRow = {
  /** `--output`, `-o`. */
  names: readonly string[];
  summary: string;
  value: 'none' | 'files' | 'text' | readonly string[];
};

const HELP: FlagRow = { names: ['--help', '-h'], summary: 'Show help.', value: 'none' };

type CommandRow = {
  name: string;
  summary: string;
  flags: readonly FlagRow[];
  words: readonly string[];
  /** Its arguments are files. */
  takesFiles: boolean;
};

/** Prints the script of a shell. Throws InputError for a shell that it has none for. */
export async function runCompletion(host: Host, program: Command, shell: string): Promise<number> {
  const known = SHELLS.find((name) => name === shell);
  if (known === undefined) {
    throw new InputError(`expected one of ${SHELLS.join(', ')}, got ${JSON.stringify(shell)}`, { field: 'SHELL' });
  }
  const tables = await Promise.all(SERVICES.map(async (name) => [name, await host.services[name].flags()] as const));
  host.stdout.write(completionScript(commandRows(program, new Map<string, FlagTable>(tables)), known));
  return EXIT.allowed;
}

function commandRows(program: Command, services: ReadonlyMap<string, FlagTable>): CommandRow[] {
  const names = program.commands.map((command) => command.name());
  const rows = program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    flags: [...command.options.map(flagRow), ...serviceRows(services.get(command.name()))],
    words: command.name() === 'completion' ? SHELLS : [],
    takesFiles: command.registeredArguments.some((argument) => valueKind(argument.name()) === 'files'),
  }));
  const help = { name: 'help', summary: 'Show the help of a command.', flags: [], words: names, takesFiles: false };
  return [...rows, help];
}

function flagRow(option: Option): FlagRow {
  const names = [option.long, option.short].filter((name) => name !== undefined && name !== null);
  const value = option.argChoices ?? (option.required ? valueKind(option.flags) : 'none');
  return { names, summary: option.description, value };
}

function serviceRows(table: FlagTable | undefined): FlagRow[] {
  if (table === undefined) return [HELP];
  return Object.entries(table).map(([name, { placeholder, summary }]) => ({
    names: [`--${name}`],
    summary,
    value:
      placeholder === ''
        ? 'none'
        : /^[a-z]+(?:\|[a-z]+)+$/.test(placeholder)
          ? placeholder.split('|')
          : valueKind(placeholder),
  }));
}

function valueKind(placeholder: string): 'files' | 'text' {
  return /FILE|DIR/.test(placeholder) ? 'files' : 'text';
}

function completionScript(rows: readonly CommandRow[], shell: Shell): string {
  if (shell === 'bash') return bashScript(rows);
  return shell === 'zsh' ? zshScript(rows) : fishScript(rows);
}

function bashScript(rows: readonly CommandRow[]): string {
  const values = rows.flatMap(({ name, flags }) => flags.flatMap((flag) => bashValue(name, flag)));
  const words = rows.map((row) => {
    const all = [...row.words, ...row.flags.flatMap(({ names }) => names)].join(' ');
    const files = row.takesFiles ? '[[ $word == -* ]] || return; ' : '';
    return `    ${row.name}) ${files}words='${all}' ;;`;
  });
  return `# bash completion for sluice; load with: source <(sluice completion bash)
_sluice() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${rows.map(({ name }) => name).join('|')}) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  # bash takes --flag=value apart at the equals sign
  if [[ $word == '=' ]]; then
    word=''
  elif [[ $before == '=' ]]; then
    before=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case "$command $before" in
${values.join('\n')}
  esac
  case $command in
    '') words='${rows.map(({ name }) => name).join(' ')} --help' ;;
${words.join('\n')}
  esac
  compopt +o default 2>/dev/null
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _sluice sluice
`;
}

// File names are left to readline: an empty reply falls back to it.
function bashValue(command: string, { names, value }: FlagRow): string[] {
  if (value === 'none') return [];
  const pattern = names.map((name) => `'${command} ${name}'`).join('|');
  if (value === 'files') return [`    ${pattern}) return ;;`];
  const quiet = 'compopt +o default 2>/dev/null';
  if (value === 'text') return [`    ${pattern}) ${quiet}; return ;;`];
  return [`    ${pattern}) ${quiet}; COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$word")); return ;;`];
}

function zshScript(rows: readonly CommandRow[]): string {
  const commands = rows.map(({ name, summary }) => `    '${zshText(`${name}:${summary}`)}'`);
  const cases = rows.map(({ name, flags, words, takesFiles }) => {
    const specs = flags.map((flag) => ` \\\n        ${zshFlag(flag)}`).join('');
    const word = words.length === 0 ? '' : ` \\\n        '1:word:(${words.join(' ')})'`;
    const argument = takesFiles ? ` \\\n        '*:file:_files'` : word;
    return `      ${name})\n      _arguments -s${specs}${argument}\n      ;;`;
  });
  return `#compdef sluice
# zsh completion for sluice; put it into a folder of $fpath as _sluice
_sluice() {
  local state line
  local -a commands
  commands=(
${commands.join('\n')}
  )
  _arguments -C '(-h --help)'{-h,--help}'[Show help.]' '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $line[1] in
${cases.join('\n')}
      esac
      ;;
  esac
}
compdef _sluice sluice
`;
}

function zshFlag({ names, summary, value }: FlagRow): string {
  const text = `[${zshText(summary).replaceAll('[', '\\[').replaceAll(']', '\\]')}]`;
  const action =
    value === 'none'
      ? ''
      : value === 'files'
        ? ':file:_files'
        : value === 'text'
          ? ':value: '
          : `:value:(${value.join(' ')})`;
  // A value may stand behind `=`, in the same word (-ofile) or in the next one.
  const specs = names.map((name) => (value === 'none' ? name : `${name}${name.startsWith('--') ? '=' : '+'}`));
  return specs.length === 1 ? `'*${specs[0]}${text}${action}'` : `'*'{${specs.join(',')}}'${text}${action}'`;
}

function zshText(text: string): string {
  return text.replaceAll("'", "'\\''");
}

function fishScript(rows: readonly CommandRow[]): string {
  const names = rows.map(({ name }) => name).join(' ');
  const lines = rows.flatMap(({ name, summary, flags, words, takesFiles }) => [
    `complete -c sluice -n "not __fish_seen_subcommand_from ${names}" -a ${name} -d ${fishText(summary)}`,
    ...words.map((word) => `complete -c sluice -n "__fish_seen_subcommand_from ${name}" -a ${word}`),
    ...(takesFiles ? [`complete -c sluice -n "__fish_seen_subcommand_from ${name}" -F`] : []),
    ...flags.map((flag) => `complete -c sluice -n "__fish_seen_subcommand_from ${name}"${fishFlag(flag)}`),
  ]);
  return `# fish completion for sluice; put it into ~/.config/fish/completions/sluice.fish
complete -c sluice -f
${lines.join('\n')}
`;
}

function fishFlag({ names, summary, value }: FlagRow): string {
  const flags = names.map((name) => (name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`)).join('');
  const action =
    value === 'none'
      ? ''
      : value === 'files'
        ? ' -r -F'
        : value === 'text'
          ? ' -x'
          : ` -x -a ${fishText(value.join(' '))}`;
  return `${flags}${action} -d ${fishText(summary)}`;
}

function fishText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
