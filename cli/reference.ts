// The reference page of the command line, made from the command tree.

import type { Command, Option } from 'commander';
import { commandsOf, type FoundCommand } from './command-walk.ts';
import { isService } from './host.ts';

/** The whole page in Markdown: every command as its --help describes it. */
export function commandReference(program: Command): string {
  const commands = commandsOf(program).filter(({ path }) => path !== 'help');
  return [
    '# Command line',
    '',
    'How to use it is in the [guide](../guide/command-line.md).',
    '',
    '| Command | Does |',
    '|---|---|',
    ...commands.map(({ path, command }) => `| [\`sluice ${path}\`](#${anchor(path)}) | ${cell(command.summary())} |`),
    '',
    ...commands.flatMap(section),
  ].join('\n');
}

function section({ path, command }: FoundCommand): string[] {
  const name = `sluice ${path}`;
  return [
    `## ${name}`,
    '',
    command.description(),
    '',
    '```text',
    `${name} ${command.usage()}`,
    '```',
    '',
    ...flags(command),
    ...notes(command),
  ];
}

// The flags of a service are a table of its own, with a page of its own.
function flags(command: Command): string[] {
  if (isService(command.name())) return [`Its flags are on [their own page](${command.name()}.md).`, ''];
  if (command.options.length === 0) return [];
  return ['| Flag | Default | Meaning |', '|---|---|---|', ...command.options.map(flagRow), ''];
}

function flagRow({ flags: names, description, argChoices, defaultValue }: Option): string {
  const given =
    (typeof defaultValue === 'string' && defaultValue !== '') || typeof defaultValue === 'number'
      ? `\`${defaultValue}\``
      : '';
  const choices = argChoices === undefined ? '' : ` One of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}.`;
  return `| \`${cell(names.replace(/[<>]/g, ''))}\` | ${given} | ${cell(`${description}${choices}`)} |`;
}

/** What --help says below the flags. */
function notes(command: Command): string[] {
  let text = '';
  command.configureOutput({
    ...command.configureOutput(),
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  const below = text.slice(command.helpInformation().length).replace(/^\n+|\n+$/g, '');
  return below === '' ? [] : ['```text', below, '```', ''];
}

function anchor(path: string): string {
  return `sluice ${path}`.replaceAll(' ', '-');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
