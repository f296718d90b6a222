// The hosts of examples/hosts and how each is made ready to run: built or installed once, outside of the checkout, under a
// name that changes with its sources. `npm run hosts:setup` does so.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../../component/flags.ts';

/** Hosts of the plain module, and the waPC host, for which there is a module of its own. */
export type HostName = 'node' | 'go' | 'python' | 'rust' | 'wapc';

/** A program and what it is given before the path of the module. */
export type HostCommand = { program: string; given: readonly string[] };

export type Host = {
  name: HostName;
  /** Its own lines, for readers. */
  source: string;
  /** Files and folders that it is built from, below examples/hosts. */
  builtFrom: readonly string[];
  /** The program that makes it ready; undefined when nothing has to be done. */
  tool: string | undefined;
  command(environment: Environment): HostCommand;
  /** What stands in the folder that it is made ready in when it is. */
  mark: string;
  make(folder: string, environment: Environment): Promise<void>;
};

const examples = new URL('../../../examples/hosts/', import.meta.url).pathname;

const nothing = async (): Promise<void> => undefined;

export const HOSTS: readonly Host[] = [
  {
    name: 'node',
    source: 'node/host.mjs',
    builtFrom: [],
    tool: undefined,
    mark: '',
    command: () => ({ program: process.execPath, given: [join(examples, 'node/host.mjs')] }),
    make: nothing,
  },
  {
    name: 'go',
    source: 'go/main.go',
    builtFrom: ['go'],
    tool: 'go',
    mark: 'host',
    command: (environment) => ({ program: join(folderOf('go', environment), 'host'), given: [] }),
    make: async (folder, environment) => {
      const given = ['build', '-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags=-s -w'];
      const env = { CGO_ENABLED: '0', GOFLAGS: '', GOTOOLCHAIN: 'local', GOWORK: 'off' };
      await run('go', [...given, '-o', join(folder, 'host'), '.'], join(examples, 'go'), { ...environment, ...env });
    },
  },
  {
    name: 'python',
    source: 'python/host.py',
    builtFrom: ['python/requirements.txt'],
    tool: 'python3',
    mark: 'ready',
    command: (environment) => {
      const program = join(folderOf('python', environment), 'site/bin/python');
      return { program, given: [join(examples, 'python/host.py')] };
    },
    make: async (folder, environment) => {
      const site = join(folder, 'site');
      await run('python3', ['-m', 'venv', site], examples, environment);
      const given = ['-m', 'pip', 'install', '--quiet', '--requirement', join(examples, 'python/requirements.txt')];
      await run(join(site, 'bin/python'), given, examples, environment);
      await writeFile(join(folder, 'ready'), '');
    },
  },
  cargoHost('rust', 'sluice-host'),
  cargoHost('wapc', 'sluice-wapc-host'),
];

/** One workspace: the engine, by far the most of it, is built once for both. */
function cargoHost(name: 'rust' | 'wapc', program: string): Host {
  return {
    name,
    source: `${name}/src/main.rs`,
    builtFrom: ['Cargo.toml', 'Cargo.lock', name],
    tool: 'cargo',
    mark: program,
    command: (environment) => ({ program: join(folderOf(name, environment), program), given: [] }),
    make: async (folder, environment) => {
      const target = join(cacheFolder(environment), 'rust');
      // The engine asks for a newer compiler than it needs.
      const given = ['build', '--release', '--locked', '--ignore-rust-version', '--target-dir', target];
      await run('cargo', given, examples, environment);
      await copyFile(join(target, 'release', program), join(folder, program));
    },
  };
}

/** Can it be run as its sources stand? */
export function isReady({ name, mark }: Host, environment: Environment): boolean {
  return mark === '' || existsSync(join(folderOf(name, environment), mark));
}

/** Makes it ready unless it is. Throws with the end of what the tools said. */
export async function makeReady(host: Host, environment: Environment): Promise<void> {
  if (isReady(host, environment)) return;
  const cache = cacheFolder(environment);
  await mkdir(cache, { recursive: true });
  const folder = folderOf(host.name, environment);
  // What a virtual environment writes names its place: it is made where it stays.
  const draft = host.name === 'python' ? folder : await mkdtemp(join(cache, 'draft-'));
  await rm(folder, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  try {
    await host.make(draft, environment);
    if (draft !== folder) await rename(draft, folder);
    await removeOlder(host.name, environment);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** What was built from other sources is not needed again. */
async function removeOlder(name: HostName, environment: Environment): Promise<void> {
  const cache = cacheFolder(environment);
  for (const other of readdirSync(cache).filter((one) => one.startsWith(prefixOf(name)))) {
    if (other !== `${prefixOf(name)}${keyOf(name)}`) await rm(join(cache, other), { recursive: true, force: true });
  }
}

/** True if SLUICE_REQUIRE, a comma-separated list, has the hosts: none of them may be left out. */
export function isRequired({ SLUICE_REQUIRE: tiers = '' }: Environment): boolean {
  return tiers.split(',').some((word) => word.trim() === 'hosts');
}

/** Is the program that makes it ready on this machine? */
export async function hasTool({ tool }: Host, environment: Environment): Promise<boolean> {
  if (tool === undefined) return true;
  const asked = tool === 'go' ? ['version'] : ['--version'];
  return promisify(execFile)(tool, asked, { env: { ...environment } }).then(
    () => true,
    () => false,
  );
}

function folderOf(name: HostName, environment: Environment): string {
  return join(cacheFolder(environment), `${prefixOf(name)}${keyOf(name)}`);
}

function prefixOf(name: HostName): string {
  return `${name}-${process.platform}-${process.arch}-`;
}

/** Where the hosts are kept between runs. */
export function cacheFolder({ XDG_CACHE_HOME: cache }: Environment): string {
  return join(cache === undefined || cache === '' ? join(homedir(), '.cache') : cache, 'sluice-hosts');
}

function keyOf(name: HostName): string {
  const hash = createHash('sha256');
  const built = HOSTS.find((host) => host.name === name)?.builtFrom ?? [];
  for (const path of built.flatMap((one) => filesIn(join(examples, one)))) {
    hash.update(`${path.slice(examples.length)}\0`).update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 12);
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)));
}

async function run(program: string, given: readonly string[], cwd: string, environment: Environment): Promise<void> {
  try {
    await promisify(execFile)(program, given, { cwd, env: { ...environment }, maxBuffer: 64 << 20 });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new Error(`${program} ${given[0]}: ${stderr.trim().slice(-4000)}`, { cause: error });
  }
}
