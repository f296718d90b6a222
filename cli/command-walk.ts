// Every command of the tree with the words that lead to it: what completion and the reference page are made from.

import type { Command } from 'commander';

export type FoundCommand = {
  /** The words behind `sluice`, such as `explain drain`. */
  path: string;
  command: Command;
};

/** All commands in the order of help, each followed by its own; `help` is among them, the program itself is not. */
export function commandsOf(parent: Command, above = ''): FoundCommand[] {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .flatMap((command) => {
      const path = `${above}${command.name()}`;
      return [{ path, command }, ...commandsOf(command, `${path} `)];
    });
}
