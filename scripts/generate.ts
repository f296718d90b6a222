// Writes what is generated from api/: CRDs for the chart, pages of docs/reference. `node scripts/generate.ts` writes,
// with --verify it only compares and fails on a difference, naming the files.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { gateTable } from '../api/gates.ts';
import { customResourceDefinition } from '../api/kinds/crd.ts';
import { kinds } from '../api/kinds/index.ts';
import { gatesPage, kindPage } from './reference-pages.ts';

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
  return files;
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
