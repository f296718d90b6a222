// Builds the programs of the bed that are nowhere to be found, one at a time, into the cache.
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../../component/flags.ts';
import { locked } from './lock.ts';
import { isAlive, ownId } from './process-id.ts';
import { cachedPath, cacheFolder, findPrograms, PROGRAMS, type Program, REQUIRED, versionOf } from './programs.ts';

const DRAFT = 'draft-';

/** Says one line about what is done. */
export type Say = (line: string) => unknown;

/**
 * Makes every program of the bed be there, and says of each where it lies. Throws with a sentence saying what is missing;
 * without Go, the programs that a bed can do without are only said to be left out.
 */
export async function ensurePrograms(environment: Environment, say: Say): Promise<void> {
  const found = await findPrograms(environment);
  for (const [name, { path, from }] of found)
    say(`${name}: ${(await versionOf(name, path)) ?? ''} in ${path} (${from})`);
  const missing = PROGRAMS.filter(({ name }) => !found.has(name));
  if (missing.length === 0) return;
  const fault = await faultOfGo(missing, environment);
  if (fault !== undefined) {
    const sentence = `${missing.map(({ name }) => name).join(', ')}: nowhere to be found, and ${fault}`;
    if (missing.some(({ name }) => REQUIRED.includes(name))) throw new Error(sentence);
    say(`${sentence}; beds do without`);
    return;
  }
  const lock = join(cacheFolder(environment), 'lock');
  const waiting = (pid: number) => say(`waiting for process ${pid}, which builds already`);
  await locked(lock, () => buildAll(missing, environment, say), waiting);
}

async function buildAll(programs: readonly Program[], environment: Environment, say: Say): Promise<void> {
  await removeDrafts(cacheFolder(environment));
  const found = await findPrograms(environment);
  for (const program of programs) {
    const { name, module } = program;
    // Another run may have built it meanwhile.
    if (found.has(name)) say(`${name}: ${module.version} was built meanwhile`);
    else await build(program, environment, say);
  }
}

async function build(program: Program, environment: Environment, say: Say): Promise<void> {
  const { name, module, goPackage } = program;
  const begun = performance.now();
  say(`${name}: building ${module.version} with Go; minutes if Go's cache is empty`);
  const { pid, started } = ownId();
  const draft = await mkdtemp(join(cacheFolder(environment), `${DRAFT}${pid}-${started}-`));
  const output = join(draft, name);
  const given = ['build', '-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags', module.linkerFlags];
  await runGo([...given, '-o', output, goPackage], module.folder, environment);
  const version = program.isMute === true ? module.version : await versionOf(name, output);
  if (version !== module.version) throw new Error(`${name}: built ${version}, expected ${module.version}`);
  const path = cachedPath(program, environment);
  await mkdir(dirname(path), { recursive: true });
  if (program.beside !== undefined) await keepBeside(program, program.beside, dirname(path), environment);
  await rename(output, path);
  await rm(draft, { recursive: true });
  say(`${name}: built in ${Math.round((performance.now() - begun) / 1000)} s, ${path}`);
}

/** Copies a folder of the program's module to where the program is going to be. */
async function keepBeside(program: Program, path: string, folder: string, environment: Environment): Promise<void> {
  const given = ['list', '-mod=readonly', '-f', '{{.Module.Dir}}', program.goPackage];
  const options = { cwd: program.module.folder, env: { ...environment, GOFLAGS: '', GOTOOLCHAIN: 'local' } };
  const { stdout } = await promisify(execFile)('go', given, options);
  const kept = join(folder, basename(path));
  await rm(kept, { recursive: true, force: true });
  await cp(join(stdout.trim(), path), kept, { recursive: true });
}

async function runGo(given: readonly string[], folder: string, environment: Environment): Promise<void> {
  // A Go of another version must not come in from outside, nor must flags of the user's change what is built.
  const env = { ...environment, CGO_ENABLED: '0', GOFLAGS: '', GOTOOLCHAIN: 'local', GOWORK: 'off' };
  const child = spawn('go', given, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4000);
    });
  }
  const stop = () => child.kill();
  process.once('exit', stop);
  const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  process.off('exit', stop);
  if (code !== 0) throw new Error(`go ${given[0]} ended with ${code}:\n${output.trim()}`);
}

/** Why Go cannot build these; undefined if it can. */
async function faultOfGo(programs: readonly Program[], environment: Environment): Promise<string | undefined> {
  const env = { ...environment, GOTOOLCHAIN: 'local' };
  for (const folder of new Set(programs.map(({ module }) => module.folder))) {
    try {
      await promisify(execFile)('go', ['list', '-mod=readonly', '-m'], { cwd: folder, env });
    } catch (error) {
      const { code, stderr } = error as { code?: unknown; stderr?: string };
      return code === 'ENOENT' ? 'there is no Go to build them with' : (stderr ?? String(error)).trim();
    }
  }
  return undefined;
}

// What builds that were killed left behind.
async function removeDrafts(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const match = new RegExp(`^${DRAFT}(\\d+)-(\\d+)-`).exec(basename(name));
    if (match === null || isAlive({ pid: Number(match[1]), started: Number(match[2]) })) continue;
    await rm(join(cache, name), { recursive: true, force: true });
  }
}
