// What nodes need of the system besides the programs of Kubernetes: files of Debian packages, found, or installed by root.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Say } from './build.ts';
import { canMakeGroups } from './cgroups.ts';

/** Where programs of the system are looked for, in this order; the PATH of everything that runs on nodes. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** The first of these that has the plugins is the one. */
const CNI_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin'];

/** Programs by the Debian package that has them. */
const PROGRAMS: Record<string, readonly string[]> = {
  containerd: ['containerd', 'containerd-shim-runc-v2'],
  runc: ['runc'],
  'busybox-static': ['busybox'],
  'docker-registry': ['docker-registry'],
  iproute2: ['ip'],
  iptables: ['iptables-restore'],
  mount: ['mount'],
  'util-linux': ['nsenter', 'unshare'],
};
/** Shells for which there are completion scripts, and their packages. */
const SHELLS = ['fish', 'zsh'];
const CNI_PACKAGE = 'containernetworking-plugins';
const CNI_PLUGINS = ['bridge', 'host-local', 'loopback', 'portmap'];
/** Seconds that another apt-get may take meanwhile. */
const LOCK_SECONDS = 300;

/** Where a program of the system lies. Throws if it is nowhere. */
export function systemProgram(name: string): string {
  const path = find(name);
  if (path === undefined) throw new Error(`${name} is missing; "npm run cluster:setup" installs it`);
  return path;
}

/** Where the CNI plugins lie. */
export function cniFolder(): string {
  const folder = CNI_FOLDERS.find((one) => existsSync(join(one, 'bridge')));
  if (folder === undefined) throw new Error(`CNI plugins are missing; "npm run cluster:setup" installs them`);
  return folder;
}

/** The Debian packages of which something is missing. */
export function missingPackages(): string[] {
  const missing = Object.entries(PROGRAMS).filter(([, names]) => names.some((name) => find(name) === undefined));
  const hasPlugins = CNI_FOLDERS.some((folder) => CNI_PLUGINS.every((name) => existsSync(join(folder, name))));
  return [...missing.map(([name]) => name), ...(hasPlugins ? [] : [CNI_PACKAGE])];
}

/** Installs what is missing, on Debian and as root; else says what is missing and why it stays so. */
export async function ensurePackages(say: Say): Promise<void> {
  const missing = missingPackages();
  if (missing.length === 0) {
    say('Debian packages for nodes: all there');
    return;
  }
  const fault = faultOfInstalling();
  if (fault !== undefined) {
    say(`${missing.join(', ')}: missing, and ${fault}; beds have no nodes`);
    return;
  }
  say(`${missing.join(', ')}: installing with apt-get`);
  await aptGet('update');
  await aptGet('install', '--yes', '--no-install-recommends', ...missing);
  const still = missingPackages();
  if (still.length > 0) throw new Error(`${still.join(', ')}: installed, but not all that is needed is there`);
}

/** Installs the shells that completion is tried with, likewise; nothing else needs them. */
export async function ensureShells(say: Say): Promise<void> {
  const missing = SHELLS.filter((name) => find(name) === undefined);
  if (missing.length === 0) return;
  if (userInfo().uid !== 0 || find('apt-get') === undefined) {
    say(`${missing.join(', ')}: missing; completion is not tried with them`);
    return;
  }
  say(`${missing.join(', ')}: installing with apt-get`);
  await aptGet('update');
  await aptGet('install', '--yes', '--no-install-recommends', ...missing);
}

/** Why nodes cannot run here whatever is installed; undefined if they can. */
export function faultOfSystem(): string | undefined {
  if (process.platform !== 'linux') return 'nodes run on Linux only';
  if (userInfo().uid !== 0) return 'nodes need root';
  if (!canMakeGroups()) return 'nodes need control groups, which cannot be made here';
  const unshare = find('unshare');
  // Root in a container may not do it.
  const isAllowed = unshare === undefined || spawnSync(unshare, ['--net', '--mount', 'true']).status === 0;
  return isAllowed ? undefined : 'nodes need networks of their own, which cannot be made here';
}

function faultOfInstalling(): string | undefined {
  return faultOfSystem() ?? (find('apt-get') === undefined ? 'there is no apt-get' : undefined);
}

async function aptGet(...given: string[]): Promise<void> {
  const env = { PATH: SYSTEM_PATH, DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['-q', '-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`];
  try {
    await promisify(execFile)('apt-get', [...options, ...given], { env, maxBuffer: 2 ** 26 });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new Error(`apt-get ${given.join(' ')} failed:\n${stderr.trim().slice(-2000)}`, { cause: error });
  }
}

function find(name: string): string | undefined {
  return SYSTEM_PATH.split(':')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
