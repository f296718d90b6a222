// Which programs the bed is made of, which versions of them are built, and where those that are there already lie.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../../component/flags.ts';

export type ProgramName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kubectl'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubelet'
  | 'helm'
  | 'cert-manager-controller'
  | 'cert-manager-cainjector';

/** Without these there is no bed; without kube-controller-manager it has no controllers. */
export const REQUIRED: readonly ProgramName[] = ['etcd', 'kube-apiserver', 'kubectl'];
/** What a bed with nodes needs besides, and what installs charts into it. */
export const NODE_PROGRAMS: readonly ProgramName[] = ['kube-controller-manager', 'kube-scheduler', 'kubelet', 'helm'];
/** What issues certificates, and tells webhook configurations and CRDs of them. */
export const CERT_MANAGER_PROGRAMS: readonly ProgramName[] = ['cert-manager-controller', 'cert-manager-cainjector'];

/** A Go module in which programs are built: a folder with go.mod and go.sum. */
export type ToolsModule = {
  folder: string;
  /** Version of what is built, such as `v1.36.3`; from go.mod, the only place that states it. */
  version: string;
  linkerFlags: string;
};

export type Program = {
  name: ProgramName;
  module: ToolsModule;
  goPackage: string;
  /** It does not tell its version, so that none is taken from PATH. */
  isMute?: boolean;
  /** A folder of the package's module that is kept beside the program, under the last part of its name. */
  beside?: string;
};

export type FoundProgram = { path: string; from: 'KUBEBUILDER_ASSETS' | 'PATH' | 'cache' };
export type FoundPrograms = ReadonlyMap<ProgramName, FoundProgram>;

/** How programs are asked for their version that do not know `--version`. */
const VERSION_COMMANDS: Partial<Record<ProgramName, readonly string[]>> = {
  kubectl: ['version', '--client'],
  helm: ['version', '--template', '{{.Version}}'],
};

/** The oldest that serve the tests, of programs that lie on PATH. */
const OLDEST: Record<ProgramName, readonly [number, number]> = {
  etcd: [3, 5],
  'kube-apiserver': [1, 31],
  kubectl: [1, 31],
  'kube-controller-manager': [1, 31],
  'kube-scheduler': [1, 31],
  // Nodes are held to one version: its settings change more often than those of the others.
  kubelet: [1, 36],
  helm: [4, 0],
  'cert-manager-controller': [1, 11],
  'cert-manager-cainjector': [1, 11],
};

const KUBERNETES = toolsModule('kubernetes', 'k8s.io/kubernetes', (version) => {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor };
  const set = Object.entries(values).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ['-s', '-w', ...set].join(' ');
});
const ETCD = toolsModule('etcd', 'go.etcd.io/etcd/server/v3', () => '-s -w');
const HELM = toolsModule('helm', 'helm.sh/helm/v4', (version) => {
  return `-s -w -X helm.sh/helm/v4/internal/version.version=${version}`;
});
const CERT_MANAGER = toolsModule('cert-manager', 'github.com/cert-manager/cert-manager', () => '-s -w');

/** Every program of the bed, in the order in which they are built. */
export const PROGRAMS: readonly Program[] = [
  { name: 'etcd', module: ETCD, goPackage: 'go.etcd.io/etcd/server/v3' },
  ...(['kube-apiserver', 'kubectl', 'kube-controller-manager', 'kube-scheduler', 'kubelet'] as const).map((name) => ({
    name,
    module: KUBERNETES,
    goPackage: `k8s.io/kubernetes/cmd/${name}`,
  })),
  { name: 'helm', module: HELM, goPackage: 'helm.sh/helm/v4/cmd/helm' },
  ...(['controller', 'cainjector'] as const).map((part) => ({
    name: `cert-manager-${part}` as const,
    module: CERT_MANAGER,
    goPackage: `github.com/cert-manager/cert-manager/cmd/${part}`,
    isMute: true,
    ...(part === 'controller' ? { beside: 'deploy/crds' } : {}),
  })),
];

/**
 * What is there: in KUBEBUILDER_ASSETS, else on PATH and not too old, else in the cache. Throws if KUBEBUILDER_ASSETS is
 * set and lacks a required program.
 */
export async function findPrograms(environment: Environment): Promise<FoundPrograms> {
  const found = new Map<ProgramName, FoundProgram>();
  for (const program of PROGRAMS) {
    const one = fromAssets(program.name, environment) ?? (await fromPath(program.name, environment));
    const cached = cachedPath(program, environment);
    if (one !== undefined) found.set(program.name, one);
    else if (isExecutable(cached)) found.set(program.name, { path: cached, from: 'cache' });
  }
  return found;
}

/** Where the built program is kept: outside of the checkout, by version and by everything that the build depends on. */
export function cachedPath({ name, module }: Program, environment: Environment): string {
  return join(cacheFolder(environment), `${module.version}-${process.platform}-${process.arch}-${keyOf(module)}`, name);
}

/** The folder of everything that the bed keeps between runs. */
export function cacheFolder({ XDG_CACHE_HOME: cache }: Environment): string {
  return join(cache === undefined || cache === '' ? join(homedir(), '.cache') : cache, 'sluice-test-bed');
}

/** What a program calls its version, such as `v1.36.3`; undefined if it does not run. */
export async function versionOf(name: ProgramName, path: string): Promise<string | undefined> {
  const given = VERSION_COMMANDS[name] ?? ['--version'];
  try {
    const { stdout } = await promisify(execFile)(path, given, { timeout: 30_000 });
    const version = /\bv?(\d+\.\d+\.\S+)/.exec(stdout)?.[1];
    return version === undefined ? undefined : `v${version}`;
  } catch {
    // One that does not run is as good as none.
    return undefined;
  }
}

function fromAssets(name: ProgramName, { KUBEBUILDER_ASSETS: folder }: Environment): FoundProgram | undefined {
  if (folder === undefined || folder === '') return undefined;
  const path = join(folder, name);
  if (isExecutable(path)) return { path, from: 'KUBEBUILDER_ASSETS' };
  if (REQUIRED.includes(name)) throw new Error(`KUBEBUILDER_ASSETS: ${path} is no program`);
  return undefined;
}

async function fromPath(name: ProgramName, { PATH: folders = '' }: Environment): Promise<FoundProgram | undefined> {
  for (const folder of folders.split(delimiter)) {
    const path = join(folder, name);
    if (folder === '' || !isExecutable(path)) continue;
    const version = await versionOf(name, path);
    if (version !== undefined && isNewEnough(name, version)) return { path, from: 'PATH' };
  }
  return undefined;
}

function isNewEnough(name: ProgramName, version: string): boolean {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  const [oldestMajor, oldestMinor] = OLDEST[name];
  const isSameMajor = Number(major) === oldestMajor;
  return isSameMajor ? Number(minor) >= oldestMinor : Number(major) > oldestMajor;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Absent is an answer too.
    return false;
  }
}

function toolsModule(name: string, required: string, linkerFlags: (version: string) => string): ToolsModule {
  const folder = new URL(`go/${name}/`, import.meta.url).pathname;
  const words = readFileSync(join(folder, 'go.mod'), 'utf8').split(/\s+/);
  const version = words[words.indexOf(required) + 1] ?? '';
  if (!words.includes(required) || !version.startsWith('v'))
    throw new Error(`${folder}go.mod does not name ${required}`);
  return { folder, version, linkerFlags: linkerFlags(version) };
}

function keyOf({ folder, linkerFlags }: ToolsModule): string {
  const hash = createHash('sha256').update(linkerFlags);
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 12);
}
