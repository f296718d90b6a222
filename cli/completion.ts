// `sluice completion`: scripts for bash, zsh and fish, generated from the command tree and the services' flag tables.

import type { Command } from 'commander';
import type { FlagTable } from '../component/flags.ts';
import { bashScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { completionRows, type Shell } from './completion/rows.ts';
import { zshScript } from './completion/zsh.ts';
import { EXIT, type Host, SERVICES } from './host.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints the script of a shell. */
export async function runCompletion(host: Host, program: Command, shell: Shell): Promise<number> {
  const tables = await Promise.all(SERVICES.map(async (name) => [name, await host.services[name].flags()] as const));
  host.stdout.write(SCRIPTS[shell](completionRows(program, new Map<string, FlagTable>(tables))));
  return EXIT.allowed;
}
