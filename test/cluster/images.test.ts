// Images of the bed: layouts on disk, as they are pushed to its registry.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeLayout } from '../../scripts/image/layout.ts';
import { readLayout } from './bed/image.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-images-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('an OCI layout', () => {
  const settings = {
    ...{ architecture: 'amd64', tag: '1', entrypoint: ['/bin/true'], user: '0:0', environment: [], labels: {} },
    layers: [[{ path: 'bin', type: 'folder', mode: 0o755 } as const]],
  };

  test('is read as it was written', async () => {
    const { digest, bytes } = await writeLayout(folder, settings);
    const { manifest, blobs } = readLayout(folder);
    expect(manifest.type).toBe('application/vnd.oci.image.manifest.v1+json');
    expect(`sha256:${createHash('sha256').update(manifest.content).digest('hex')}`).toBe(digest);
    const contents = [manifest.content, ...blobs.values()];
    expect(contents.reduce((sum, { length }) => sum + length, 0)).toBe(bytes);
    for (const [name, content] of blobs) {
      expect(`sha256:${createHash('sha256').update(content).digest('hex')}`).toBe(name);
    }
  });

  test.each([0, 2])('with %i images is refused', async (count) => {
    await writeLayout(folder, settings);
    const { manifests } = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { manifests: unknown[] };
    const others = Array.from({ length: count }, () => manifests[0]);
    writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: others }));
    expect(() => readLayout(folder)).toThrow(`${folder}/index.json: expected exactly one manifest`);
  });
});
