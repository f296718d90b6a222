// What completion knows of each command: read off the command tree, so that none of it can be forgotten.

import type { Command, Option } from 'commander';
import type { FlagTable } from '../../component/flags.ts';
import { commandsOf } from '../command-walk.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A flag as completion sees it. */
export type FlagRow = {
  /** `--output`, `-o`. */
  names: readonly string[];
  summary: string;
  value: 'none' | 'files' | 'text' | readonly string[];
};

export type WordRow = { word: string; summary: string };

export type CommandRow = {
  /** The words that lead to it: `explain drain`; empty for the program itself. */
  path: string;
  flags: readonly FlagRow[];
  /** Its own commands. */
  commands: readonly WordRow[];
  /** What its first argument may be. */
  words: readonly string[];
  /** Its arguments are files. */
  takesFiles: boolean;
};

/** The program and all its commands; the flags of services are in tables of their own. */
export function completionRows(program: Command, services: ReadonlyMap<string, FlagTable>): CommandRow[] {
  return [{ path: '', command: program }, ...commandsOf(program)].map(({ path, command }) => {
    const table = services.get(path);
    const help = command.createHelp();
    const args = command.registeredArguments;
    return {
      path,
      flags: table === undefined ? help.visibleOptions(command).map(flagRow) : serviceRows(table),
      commands: help.visibleCommands(command).map((one) => ({ word: one.name(), summary: summaryOf(one) })),
      words: args.flatMap((one) => one.argChoices ?? (one.name() === 'COMMAND' ? namesOf(program) : [])),
      takesFiles: args.some((one) => valueKind(one.name()) === 'files'),
    };
  });
}

function namesOf(program: Command): string[] {
  return program.commands.map((command) => command.name());
}

function summaryOf(command: Command): string {
  return command.summary() || command.description();
}

function flagRow(option: Option): FlagRow {
  const names = [option.long, option.short].filter((name) => name !== undefined && name !== null);
  const value = option.argChoices ?? (option.required ? valueKind(option.flags) : 'none');
  return { names, summary: option.description, value };
}

function serviceRows(table: FlagTable): FlagRow[] {
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
