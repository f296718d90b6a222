// What is written by hand about commands and controllers has all of them, and links lead somewhere.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Gates, gateTable } from '../../api/gates.ts';
import { Policies } from '../../evaluator/policies.ts';
import { reconcilersFlags } from '../../reconcilers/flags.ts';
import { controllers } from '../../reconcilers/index.ts';
import { run } from '../cli/stand-in.ts';

const root = new URL('../..', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'test/cluster/README.md'],
  ...['guide', 'decisions', 'reference'].flatMap((folder) =>
    readdirSync(join(root, 'docs', folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${folder}/${name}`),
  ),
];

/** As a heading is named in a link. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading));
}

describe('the documentation', () => {
  it.each(['README.md', 'docs/guide/command-line.md'])('%s has every command', async (path) => {
    const { stdout } = await run(['--help']);
    const [, list = ''] = stdout.split('\nCommands:\n');
    const commands = [...list.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name = '']) => name);
    expect(commands).toContain('reconcilers');
    const page = read(path);
    const absent = commands.filter((name) => name !== 'help' && !page.includes(`\n| \`sluice ${name}`));
    expect(absent).toEqual([]);
  });

  it('has every controller with its flag, and says of the other flags that they are not used', async () => {
    const gates: Gates = new Map(gateTable.map(({ name }) => [name, true]));
    const policies = await Policies.load();
    const made = controllers.flatMap(
      (make) => make({ gates, policies, systemNamespace: 'kruise-system', serverVersion: 'v1.36.0' }) ?? [],
    );
    const page = read('docs/guide/reconcilers.md');
    const rows = page.split('\n').filter((line) => /^\| `[a-z-]+-controller`/.test(line));
    expect(rows.map((row) => row.split('`')[1]).toSorted()).toEqual(made.map(({ name }) => name).toSorted());
    for (const { name, workers } of made) {
      const row = rows.find((line) => line.includes(`\`${name}\``));
      expect(row).toContain(workers.flag === undefined ? `| ${workers.default} |` : `| \`--${workers.flag}\` |`);
    }
    const used = made.flatMap(({ workers }) => workers.flag ?? []).toSorted();
    const described = Object.entries(reconcilersFlags)
      .filter(([name, { summary }]) => name.endsWith('-workers') && !summary.startsWith('Taken and not used'))
      .map(([name]) => name);
    expect(described.toSorted()).toEqual(used);
  });

  it.each(pages)('%s links to what is there', (path) => {
    const broken = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
      if (link.startsWith('https://')) return [];
      const [file = '', heading] = link.split('#');
      const target = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(root, target))) return [link];
      return heading === undefined || anchorsOf(read(target)).includes(heading) ? [] : [link];
    });
    expect(broken).toEqual([]);
  });

  it.each(pages)('%s runs sources by the Node that comes along, not by that of the machine', (path) => {
    expect(read(path)).not.toMatch(/(?<!npx )\bnode [\w/-]+\.ts\b/);
  });
});
