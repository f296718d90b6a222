// `sluice reconcilers`: reads its configuration, runs the controllers until it is told to stop, and says how it ended.

import { EXIT, exitCodeOf } from '../component/exit-code.ts';
import { flagHelp } from '../component/flag-pages.ts';
import type { Environment } from '../component/flags.ts';
import { readReconcilersFlags, reconcilersFlags } from './flags.ts';
import { Program, type Surroundings } from './program.ts';

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
  return await exitCodeOf(async () => {
    const flags = readReconcilersFlags(given, environment);
    if (!flags.help) return await new Program(flags, environment, world).run();
    world.stdout.write(`${USAGE}${flagHelp(reconcilersFlags)}`);
    return EXIT.done;
  }, world.stderr);
}

const USAGE = `Runs the controllers in a cluster; of several processes one leads and acts.

Examples:
  # With the kubeconfig of kubectl. Where Sluice is installed, this waits until no other leads
  sluice reconcilers --v 5

  # In a pod, by its ServiceAccount
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
