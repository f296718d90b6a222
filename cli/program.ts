// Runs one command line: parses it, runs its sub-command, turns what is thrown into messages and exit codes.

import { CommanderError } from 'commander';
import { ConnectionError, InputError, StatusError } from '../component/errors.ts';
import { printable } from '../component/printable.ts';
import { commandTree, exitCodeOf } from './commands.ts';
import { EXIT, type Host, isService } from './host.ts';
import { type ColorMode, colorsFor, showInputError } from './output.ts';

/** Runs the command with its arguments. Resolves to the exit code and never rejects. */
export async function runCommand(host: Host, given: readonly string[]): Promise<number> {
  try {
    return await dispatch(host, given);
  } catch (error) {
    const colors = colorsFor(host.stderr, colorModeOf(given), host.environment);
    if (error instanceof InputError) {
      showInputError(host, error, colors);
      return EXIT.usage;
    }
    if (error instanceof CommanderError) return exitCodeOf(error);
    if (error instanceof StatusError || error instanceof ConnectionError) {
      host.stderr.write(`${colors.red('error:')} the cluster: ${printable(error.message)}\n`);
      return EXIT.internal;
    }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    host.stderr.write(`${colors.red('internal error:')} ${text.split('\n').map(printable).join('\n')}\n`);
    return EXIT.internal;
  }
}

async function dispatch(host: Host, given: readonly string[]): Promise<number> {
  // Services read their flags by their own tables, help included.
  const [first, second] = given;
  if (isService(first)) return host.services[first].run(given.slice(1));
  if (first === 'help' && isService(second)) return host.services[second].run(['--help']);
  let code: number = EXIT.usage;
  const program = commandTree(host, (ended) => {
    code = ended;
  });
  await program.parseAsync(given.map(withoutEquals), { from: 'user' });
  return code;
}

// kubectl's users write `-o=json` too.
function withoutEquals(argument: string): string {
  return /^-[a-z]=./.test(argument) ? `${argument.slice(0, 2)}${argument.slice(3)}` : argument;
}

function colorModeOf(given: readonly string[]): ColorMode {
  const text = given.join(' ');
  return /--color[= ]never/.test(text) ? 'never' : /--color[= ]always/.test(text) ? 'always' : 'auto';
}
