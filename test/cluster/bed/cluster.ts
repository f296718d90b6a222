// `npm run cluster -- up|push|exec|status|down`: a cluster with Sluice in it, for people. It lasts until `down`.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { InputError } from '../../../component/errors.ts';
import { booleanFlag, integerFlag, listFlag, parseFlags, processInput } from '../../../component/flags.ts';
import { Bed, kubeconfigOf } from './bed.ts';
import { installChart } from './chart.ts';
import { clearFolder, clearLeftovers, lastingFolder, programsOf } from './folders.ts';
import { startGateway } from './gateway.ts';
import { install } from './installation.ts';
import { locked } from './lock.ts';
import { findPrograms } from './programs.ts';
import { Registry } from './registry.ts';
import { missingForNodes } from './required.ts';

const USAGE = `usage: npm run cluster -- COMMAND

  up [--nodes N] [--objects FILE|DIR] [--bare]
                              starts a cluster with Sluice of this checkout in it
                              nodes: how many nodes run pods; Sluice is installed by helm then
                              (0: none, pods stay pending, a gateway decides by files)
                              objects: policies to begin with (examples/sidecars)
                              bare: without Sluice
  push LAYOUT NAME:TAG        puts an image (a folder, OCI layout) into the registry that nodes pull from
  exec COMMAND [ARGUMENT...]  runs a command with KUBECONFIG set: npm run cluster -- exec kubectl get pods -A
  status                      says what runs
  down                        ends it
`;
const MOST_NODES = 16;

const FLAGS = {
  nodes: integerFlag({ default: '0', summary: 'Nodes that run pods.', min: 0, max: MOST_NODES }),
  objects: listFlag({ placeholder: 'FILE|DIR', summary: 'Policies to begin with.' }),
  bare: booleanFlag({ summary: 'Without Sluice.' }),
};

type UpOptions = { nodes: number; objects: readonly string[]; bare: boolean };

const SIDECARS = new URL('../../../examples/sidecars', import.meta.url).pathname;
const { arguments: given, environment } = processInput();
const [command, ...rest] = given;
const folder = lastingFolder();

try {
  process.exitCode = await run();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof InputError ? 2 : 1;
}

async function run(): Promise<number> {
  switch (command) {
    case 'up':
      return up();
    case 'push':
      return push();
    case 'exec':
      return execute();
    case 'status':
      return status();
    case 'down':
      return down();
    default:
      process.stderr.write(USAGE);
      return 2;
  }
}

async function up(): Promise<number> {
  const { nodes, objects: given, bare } = parseFlags(FLAGS, rest, environment);
  const objects = (given.length === 0 ? [SIDECARS] : given).map((path) => resolve(path));
  const missing = nodes === 0 ? [] : await missingForNodes();
  if (missing.length > 0) throw new Error(`nodes: ${missing.join(', ')}; "npm run cluster:setup" installs them`);
  return locked(
    `${folder}.lock`,
    () => start({ nodes, objects, bare }),
    (pid) => {
      process.stdout.write(`waiting for process ${pid}, which starts it already\n`);
    },
  );
}

async function start({ nodes, objects, bare }: UpOptions): Promise<number> {
  const isUp = programsOf(folder).size > 0 && existsSync(markOf(folder));
  if (isUp) throw new Error('it is up already; "npm run cluster -- down" ends it');
  // Whatever else is there was left by a start that was killed.
  clearFolder(folder);
  mkdirSync(folder, { mode: 0o700 });
  try {
    const found = await findPrograms(environment);
    const bed = await Bed.start({ folder, nodes, controllers: found.has('kube-controller-manager') });
    say(`the cluster is up`);
    if (!bare) await (nodes === 0 ? runGateway(bed, objects) : installSluice(bed, objects));
    bed.release();
  } catch (error) {
    clearFolder(folder);
    throw error;
  }
  writeFileSync(markOf(folder), '');
  process.stdout.write(`KUBECONFIG=${kubeconfigOf(folder)}\nlogs in ${folder}/logs\n`);
  return 0;
}

// Without nodes the gateway runs beside the cluster, and decides by files.
async function runGateway(bed: Bed, objects: readonly string[]): Promise<void> {
  const started = await startGateway({ folder, objects });
  await install(bed.client, started.endpoint);
  started.process.release();
  say('Sluice answers');
}

async function installSluice(bed: Bed, objects: readonly string[]): Promise<void> {
  await installChart(bed);
  say('Sluice is installed');
  const { code, stderr } = await bed.kubectl(['apply', ...objects.flatMap((path) => ['-f', path])]);
  if (code !== 0) throw new Error(`kubectl apply: ${stderr}`);
}

function say(what: string): void {
  process.stdout.write(`${what} (${(performance.now() / 1000).toFixed(1)} s)\n`);
}

// Stands in the folder of a cluster that was started completely.
function markOf(folder: string): string {
  return join(folder, 'up');
}

async function push(): Promise<number> {
  const [layout, name, ...more] = rest;
  if (layout === undefined || name === undefined || more.length > 0) throw new InputError('expected LAYOUT NAME:TAG');
  await Registry.of(folder).pushImage(layout, name);
  return 0;
}

async function execute(): Promise<number> {
  const [program, ...programArguments] = rest;
  if (program === undefined) throw new InputError('expected a command to run');
  if (programsOf(folder).size === 0) throw new Error('nothing is up; "npm run cluster -- up" starts it');
  const found = await findPrograms(environment);
  const paths = (['kubectl', 'helm'] as const).flatMap((name) => found.get(name)?.path ?? []);
  const path = [environment.PATH, ...paths.map(dirname)].join(delimiter);
  const child = spawn(program, programArguments, {
    stdio: 'inherit',
    env: { ...environment, PATH: path, KUBECONFIG: kubeconfigOf(folder) },
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

async function status(): Promise<number> {
  const programs = programsOf(folder);
  for (const [name, pid] of programs) process.stdout.write(`${name} runs as process ${pid}\n`);
  if (programs.size > 0) process.stdout.write(`KUBECONFIG=${kubeconfigOf(folder)}\n`);
  else process.stdout.write('nothing is up\n');
  return 0;
}

async function down(): Promise<number> {
  const wasThere = existsSync(folder);
  clearFolder(folder);
  const left = clearLeftovers();
  for (const name of left) process.stdout.write(`cleared away ${name}, whose process is gone\n`);
  process.stdout.write(wasThere ? 'down\n' : 'nothing was up\n');
  return 0;
}
