// `sluice gateway`: reads its configuration, runs a gateway until it is told to stop, and says how it ended.

import { EXIT, exitCodeOf } from '../component/exit-code.ts';
import { flagHelp } from '../component/flag-pages.ts';
import type { Environment } from '../component/flags.ts';
import { gatewayFlags, readGatewayFlags } from './flags.ts';
import { Gateway, type Surroundings } from './gateway.ts';
import { LIMITS } from './limits.ts';

/**
 * Runs the gateway with the arguments of its sub-command until SIGTERM or SIGINT. Resolves to the exit code: 0 after a
 * drain, 1 when it could not start or was stopped by a second signal, 2 for wrong flags, files or objects.
 */
export async function runGateway(
  given: readonly string[],
  environment: Environment,
  surroundings: Partial<Surroundings> = {},
): Promise<number> {
  const world = { ...processSurroundings(), ...surroundings };
  return await exitCodeOf(async () => {
    const flags = readGatewayFlags(given, environment);
    if (!flags.help) return await new Gateway(flags, environment, world).run();
    world.stdout.write(`${USAGE}${flagHelp(gatewayFlags)}`);
    return EXIT.done;
  }, world.stderr);
}

const USAGE = `Serves the admission webhooks over HTTPS.

Examples:
  # Decide by the SidecarSets of a folder, following its changes
  sluice gateway --objects examples/sidecars

  # In a pod, with a mounted certificate
  sluice gateway --objects /etc/sluice/objects --cert-dir /etc/sluice/tls --bind-address 0.0.0.0 --workers 2

  # Serve a cluster: in a pod by its ServiceAccount, elsewhere by a kubeconfig
  sluice gateway --bind-address 0.0.0.0
  WEBHOOK_HOST=10.0.0.5 sluice gateway --kubeconfig ~/.kube/config --bind-address 10.0.0.5

Usage:
  sluice gateway [--objects FILE|DIR | --kubeconfig FILE] [flags]

Flags:
`;

function processSurroundings(): Surroundings {
  const { stdout, stderr } = process;
  const clocks = { now: () => Date.now(), monotonic: () => performance.now(), random: () => Math.random() };
  const times = { pollMs: 10_000, hangMs: 5_000 };
  return { stdout, stderr, signals: process, limits: LIMITS, evaluatorModule: undefined, ...clocks, ...times };
}
