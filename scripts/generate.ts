// Writes what is generated: CRDs for the chart, pages of docs/reference, tables of the policies. `node scripts/generate.ts`
// writes, with --verify it only compares and fails on a difference, naming the files.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { gateTable } from '../api/gates.ts';
import { customResourceDefinition } from '../api/kinds/crd.ts';
import { kinds } from '../api/kinds/index.ts';
import { commandTree } from '../cli/commands.ts';
import type { Host } from '../cli/host.ts';
import { commandReference } from '../cli/reference.ts';
import { gatewayReference } from '../gateway/reference.ts';
import { reconcilersReference } from '../reconcilers/reference.ts';
import { chartData } from './chart-data.ts';
import { valuesPage, valuesSchema } from './chart-values.ts';
import { podTypes } from './pod-types.ts';
import { gatesPage, kindPage } from './reference-pages.ts';
import { unicodeTables } from './unicode.ts';

const root = new URL('..', import.meta.url).pathname;
// Every file in these folders is generated: others are left over and go.
const folders = ['charts/sluice/files/crds', 'docs/reference/kinds'];

function generated(): Map<string, string> {
  const files = new Map<string, string>();
  for (const { description } of kinds) {
    const notice = `Generated from ${description.source} by "npm run generate"; do not edit.`;
    const yaml = stringify(customResourceDefinition(description), { lineWidth: 120, aliasDuplicateObjects: false });
    files.set(`charts/sluice/files/crds/${description.group}_${description.plural}.yaml`, `# ${notice}\n${yaml}`);
    files.set(
      `docs/reference/kinds/${description.kind.toLowerCase()}.md`,
      `<!-- ${notice} -->\n\n${kindPage(description)}`,
    );
  }
  const notice = 'Generated from api/gates.ts by "npm run generate"; do not edit.';
  files.set('docs/reference/feature-gates.md', `<!-- ${notice} -->\n\n${gatesPage(gateTable)}`);
  const dataNotice = 'Generated from api/ by scripts/chart-data.ts; do not edit.';
  files.set(
    'charts/sluice/files/api.yaml',
    `# ${dataNotice}\n${stringify(chartData(), { lineWidth: 120, aliasDuplicateObjects: false })}`,
  );
  const gatewayNotice = 'Generated from gateway/flags.ts and gateway/metrics/rows.ts; do not edit.';
  files.set('docs/reference/gateway.md', `<!-- ${gatewayNotice} -->\n\n${gatewayReference()}`);
  const reconcilersNotice = 'Generated from reconcilers/flags.ts and the tables of metrics; do not edit.';
  files.set('docs/reference/reconcilers.md', `<!-- ${reconcilersNotice} -->\n\n${reconcilersReference()}`);
  const cliNotice = 'Generated from cli/commands.ts by "npm run generate"; do not edit.';
  files.set('assembly/object/pod-types.ts', podTypes());
  files.set('docs/reference/cli.md', `<!-- ${cliNotice} -->\n\n${commandReference(commandTree(idleHost(), () => {}))}`);
  return files;
}

/** Nothing runs while the command tree is described. */
function idleHost(): Host {
  const unused = (): never => {
    throw new Error('no command runs here');
  };
  const sink = { write: () => undefined, isTerminal: false, columns: undefined };
  return {
    environment: {},
    stdin: { [Symbol.asyncIterator]: unused },
    stdout: sink,
    stderr: sink,
    now: unused,
    monotonic: unused,
    heapBytes: unused,
    nodeVersion: '',
    platform: '',
    policyModule: new URL('file:///'),
    loadAdmission: unused,
    loadKindAdmission: unused,
    connect: unused,
    services: { gateway: { flags: unused, run: unused }, reconcilers: { flags: unused, run: unused } },
  };
}

// Tables of another version of Unicode than this Node's stay: the Node that comes with the project decides.
async function addUnicode(files: Map<string, string>): Promise<void> {
  const path = 'assembly/object/regex/tables.ts';
  const present = await readFile(join(root, path), 'utf8').catch(() => '');
  const version = /Unicode (\S+);/.exec(present)?.[1] ?? process.versions.unicode;
  if (version === process.versions.unicode) files.set(path, unicodeTables());
  else process.stderr.write(`${path}: not compared, Unicode ${version} is not that of this Node\n`);
}

async function addChartValues(files: Map<string, string>): Promise<void> {
  const text = await readFile(join(root, 'charts/sluice/values.yaml'), 'utf8');
  files.set('charts/sluice/values.schema.json', `${JSON.stringify(valuesSchema(text), null, 2)}\n`);
  const notice = 'Generated from charts/sluice/values.yaml by "npm run generate"; do not edit.';
  files.set('docs/reference/chart-values.md', `<!-- ${notice} -->\n\n${valuesPage(text)}`);
}

async function leftOver(files: ReadonlyMap<string, string>): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    const names = await readdir(join(root, folder)).catch(() => []);
    found.push(...names.map((name) => `${folder}/${name}`).filter((path) => !files.has(path)));
  }
  return found;
}

async function differing(files: ReadonlyMap<string, string>): Promise<string[]> {
  const paths: string[] = [];
  for (const [path, text] of files) {
    const present = await readFile(join(root, path), 'utf8').catch(() => undefined);
    if (present !== text) paths.push(path);
  }
  return paths;
}

const files = generated();
await addChartValues(files);
await addUnicode(files);
const stale = await differing(files);
const extra = await leftOver(files);
if (process.argv.includes('--verify')) {
  for (const path of [...stale, ...extra]) process.stderr.write(`${path}: not what "npm run generate" writes\n`);
  process.exitCode = stale.length + extra.length > 0 ? 1 : 0;
} else {
  for (const path of stale) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), files.get(path) ?? '');
  }
  for (const path of extra) await rm(join(root, path));
  process.stdout.write(`${files.size} files, ${stale.length} written, ${extra.length} removed\n`);
}
