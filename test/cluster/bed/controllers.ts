// The controllers and the scheduler of a bed.
import { join } from 'node:path';
import type { Network } from './network.ts';
import { Process, type ProgramOptions } from './process.ts';

export type ControllerOptions = {
  /** Of the bed. */
  folder: string;
  path: string;
  kubeconfig: string;
  /** Where it runs in a bed with nodes; without it, on this machine itself. */
  network: Network | undefined;
};

/** One of each: no leader is elected, and no limit slows tests down. */
const ALONE = { 'leader-elect': 'false', 'kube-api-qps': '200', 'kube-api-burst': '400', 'secure-port': '0' };

/** Starts kube-controller-manager. */
export function startControllers(options: ControllerOptions): Process {
  const { folder, kubeconfig, network } = options;
  return start(options, 'kube-controller-manager', {
    ...ALONE,
    kubeconfig,
    'service-account-private-key-file': join(folder, 'accounts.key'),
    'root-ca-file': join(folder, 'ca.crt'),
    ...(network === undefined ? {} : { 'enable-hostpath-provisioner': 'true' }),
  });
}

/** Starts kube-scheduler. */
export function startScheduler(options: ControllerOptions): Process {
  return start(options, 'kube-scheduler', { ...ALONE, kubeconfig: options.kubeconfig });
}

function start({ folder, path, network }: ControllerOptions, name: string, flags: Record<string, string>): Process {
  const given = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  const program: Omit<ProgramOptions, 'folder'> = { name, path, arguments: given };
  return network === undefined ? Process.start({ folder, ...program }) : network.controlPlane.run(program);
}
