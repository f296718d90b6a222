// A place of a bed with nodes: a network and a view of the file system of its own, in which programs are started. One
// process holds both open, and with the last process in it all of it is gone: addresses, rules, mounts.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { membersFile } from './cgroups.ts';
import { SYSTEM_PATH, systemProgram } from './packages.ts';
import { Process, type ProgramOptions, untilReady } from './process.ts';

const START_LIMIT_MS = 30_000;
/** Where the volume provisioner of kube-controller-manager puts volumes, whatever it is told. */
const VOLUMES = '/tmp/hostpath_pv';

/** What programs write to outside of the folders that they are given: each place has its own, in memory. */
const OWN_FOLDERS = ['/run', '/var/lib/kubelet', '/var/lib/cni', '/var/log/containers'];

const JOIN = 'echo $$ > "$0" && exec "$@"';
const SET_UP = [
  'set -e',
  'echo 1 > /proc/sys/net/ipv4/ip_forward',
  ...OWN_FOLDERS.map((folder) => `mkdir -p ${folder} && mount -t tmpfs -o mode=755 tmpfs ${folder}`),
  `mkdir -p ${VOLUMES} && mount --bind "$1" ${VOLUMES}`,
  // What is waited for; its name tells which bed the process is of.
  'echo ready > "$0"',
  'exec tail -f "$0"',
].join('\n');

export class Place {
  readonly name: string;
  readonly process: Process;
  readonly #folder: string;

  private constructor(name: string, process: Process, folder: string) {
    this.name = name;
    this.process = process;
    this.#folder = folder;
  }

  /** Makes one; the folder is the bed's. */
  static async start(folder: string, name: string): Promise<Place> {
    const volumes = join(folder, 'volumes');
    mkdirSync(volumes, { recursive: true });
    const file = join(folder, `${name}.place`);
    const shell = ['/bin/sh', '-c', SET_UP, file, volumes];
    const unshare = [systemProgram('unshare'), '--net', '--mount', '--propagation', 'private', '--', ...shell];
    const process = Process.start({
      ...{ folder, name: `place-${name}`, path: '/bin/sh', environment: { PATH: SYSTEM_PATH } },
      arguments: ['-c', JOIN, membersFile(folder), ...unshare],
    });
    await untilReady(process, START_LIMIT_MS, async () => process.log.includes('ready'));
    return new Place(name, process, folder);
  }

  /** The network, as `ip` and `nsenter` name it. */
  get network(): string {
    return `/proc/${this.process.pid}/ns/net`;
  }

  /** Starts a program in it. */
  run(program: Omit<ProgramOptions, 'folder'>): Process {
    const into = [`--net=${this.network}`, `--mount=/proc/${this.process.pid}/ns/mnt`];
    return Process.start({
      ...{ folder: this.#folder, name: program.name, path: '/bin/sh' },
      environment: { PATH: SYSTEM_PATH, ...program.environment },
      arguments: [
        ...['-c', JOIN, membersFile(this.#folder), systemProgram('nsenter')],
        ...[...into, '--', program.path, ...program.arguments],
      ],
    });
  }
}
