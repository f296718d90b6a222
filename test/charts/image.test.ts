// Archives and layouts of the image, read by programs that others wrote.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { type ImageSettings, writeLayout } from '../../scripts/image/layout.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../scripts/image/runtime.ts';
import { type TarEntry, tar } from '../../scripts/image/tar.ts';

const LONG = `${'folder/'.repeat(20)}file`;
const ENTRIES: TarEntry[] = [
  { type: 'folder', path: 'tmp', mode: 0o1777 },
  { type: 'folder', path: 'log', mode: 0o755, owner: 65_534 },
  { type: 'file', path: 'bin/program', mode: 0o755, content: Buffer.from('#!') },
  { type: 'file', path: LONG, mode: 0o644, content: Buffer.alloc(1024, 'x') },
  { type: 'link', path: 'bin/other', mode: 0o777, target: 'program' },
];

test.each(['start', 'sluice'] as const)('npm run %s runs Node.js as the image does', (script) => {
  const { MALLOC_ARENA_MAX } = NODE_ENVIRONMENT;
  const runs = `MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX} node ${NODE_FLAGS.join(' ')} dist/sluice.mjs`;
  expect(packageFile.scripts[script]).toContain(runs);
});

describe('an archive', () => {
  test('is read by tar, with modes, owners, links and long paths', () => {
    const input = Buffer.concat([...tar(ENTRIES)]);
    const lines = execFileSync('tar', ['tvf', '-', '--numeric-owner'], { input }).toString().trim().split('\n');
    expect(lines.map((line) => line.replace(/ +/g, ' ').replace(/ 1970-01-01 \d\d:\d\d/, ''))).toEqual([
      'lrwxrwxrwx 0/0 0 bin/other -> program',
      '-rwxr-xr-x 0/0 2 bin/program',
      `-rw-r--r-- 0/0 1024 ${LONG}`,
      'drwxr-xr-x 65534/65534 0 log/',
      'drwxrwxrwt 0/0 0 tmp/',
    ]);
  });

  test('does not depend on the order in which entries are given', () => {
    expect(Buffer.concat([...tar(ENTRIES.toReversed())])).toEqual(Buffer.concat([...tar(ENTRIES)]));
  });

  test('a path that does not fit is refused by its name', () => {
    const path = 'x'.repeat(101);
    expect(() => [...tar([{ type: 'file', path, mode: 0o644, content: Buffer.alloc(0) }])]).toThrow(path);
  });
});

describe('a layout', () => {
  let folder: string;
  const settings: ImageSettings = {
    architecture: 'amd64',
    tag: '1',
    layers: [ENTRIES, ENTRIES.slice(2, 3)],
    entrypoint: ['/bin/program'],
    user: '65534:65534',
    environment: ['A=b'],
    labels: {},
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-layout-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is the same bytes every time, each blob under its digest', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    expect(await writeLayout(first, settings)).toEqual(await writeLayout(second, settings));
    const names = readdirSync(join(first, 'blobs/sha256'));
    expect(names).toHaveLength(4);
    for (const name of names) {
      const content = readFileSync(join(first, 'blobs/sha256', name));
      expect(createHash('sha256').update(content).digest('hex')).toBe(name);
      expect(readFileSync(join(second, 'blobs/sha256', name))).toEqual(content);
    }
  });

  test('names in its settings the layers as they are unpacked', async () => {
    const { digest } = await writeLayout(folder, settings);
    const blob = (name: string) => readFileSync(join(folder, 'blobs', ...name.split(':')));
    const { config, layers } = JSON.parse(blob(digest).toString()) as { config: Named; layers: Named[] };
    const { rootfs, ...rest } = JSON.parse(blob(config.digest).toString()) as { rootfs: { diff_ids: string[] } };
    expect(rest).toMatchObject({ os: 'linux', architecture: 'amd64', config: { User: '65534:65534' } });
    const unpacked = layers.map((layer) => execFileSync('gzip', ['-dc'], { input: blob(layer.digest) }));
    expect(unpacked.map((content) => `sha256:${createHash('sha256').update(content).digest('hex')}`)).toEqual(
      rootfs.diff_ids,
    );
  });

  type Named = { digest: string };
});
