// `sluice reconcilers`: reads its configuration, runs the controllers until it is told to stop, and says how it ended.

import { InputError } from '../component/errors.ts';
import { flagHelp } from '../component/flag-pages.ts';
import type { Environment } from '../component/flags.ts';
import { readReconcilersFlags, reconcilersFlags } from './flags.ts';
import { EXIT, Program, type Surroundings } from './program.ts';

/**
 * Runs the controllers with the arguments of their sub-command until SIGTERM or SIGINT. Resolves to the exit code: 0 after
 * what was under way has ended, 1 when it could not start or the lease was lost, 2 for wrong flags or files.
 */
export async function runReconcilers(
  given: readonly string[],
  environment: Environment,
  surroundings: Partial<Surroundings> = {},
): Promise<number> {
  const world = { ...processSurroundings(), ...surroundings };
  try {
    const flags = readReconcilersFlags(given, environment);
    if (!flags.help) return await new Program(flags, environment, world).run();
    world.stdout.write(`${USAGE}${flagHelp(reconcilersFlags)}`);
    return EXIT.done;
  } catch (error) {
    if (error instanceof InputError) {
      world.stderr.write(`error: ${error.describe()}\n`);
      return EXIT.usage;
    }
    // What the system refuses (a port) is no bug.
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    world.stderr.write(`error: ${message}\n`);
    return EXIT.failed;
  }
}

const USAGE = `Runs the controllers in a cluster; of several processes one leads and acts.

Examples:
  # With the kubeconfig of kubectl, for a look at what would be done by whom
  sluice reconcilers --leader-election-namespace default --v 5

  # In a pod, with its own account
  sluice reconcilers --feature-gates ResourceDistributionGate=true --sidecarset-workers 10

Usage:
  sluice reconcilers [flags]

Flags:
`;

function processSurroundings(): Surroundings {
  const { stdout, stderr } = process;
  return {
    stdout,
    stderr,
    signals: process,
    now: () => Date.now(),
    monotonic: () => performance.now(),
    random: () => Math.random(),
  };
}
