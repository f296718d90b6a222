// Images of the bed: archives and layouts.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { imageOf, readLayout, writeLayout } from './bed/image.ts';
import { tar } from './bed/tar.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-images-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('an archive', () => {
  test('is unpacked by tar as it was described', () => {
    const content = Buffer.from('#!/bin/sh\necho hello\n'.repeat(60));
    const archive = tar([
      { path: 'bin/', type: 'folder' },
      { path: 'bin/hello', type: 'file', content, mode: 0o755 },
      { path: 'bin/hi', type: 'link', target: 'hello' },
      { path: 'empty', type: 'file', content: new Uint8Array(), mode: 0o600 },
    ]);
    writeFileSync(join(folder, 'archive.tar'), archive);
    const given = ['--numeric-owner', '--utc', '--full-time', '-tvf', join(folder, 'archive.tar')];
    const listed = execFileSync('tar', given, { encoding: 'utf8' }).trim().split('\n');
    expect(listed.map((line) => line.replace(/ +/g, ' '))).toEqual([
      'drwxr-xr-x 0/0 0 1970-01-01 00:00:00 bin/',
      `-rwxr-xr-x 0/0 ${content.length} 1970-01-01 00:00:00 bin/hello`,
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00:00 bin/hi -> hello',
      '-rw------- 0/0 0 1970-01-01 00:00:00 empty',
    ]);
    execFileSync('tar', ['-xf', join(folder, 'archive.tar'), '-C', folder]);
    expect(readFileSync(join(folder, 'bin/hi'))).toEqual(content);
  });

  test('does not take a path that it cannot hold', () => {
    expect(() => tar([{ path: 'x'.repeat(101), type: 'folder' }])).toThrow('expected a path of 100 bytes at most');
  });
});

describe('an OCI layout', () => {
  const image = imageOf([tar([{ path: 'bin/', type: 'folder' }])], { Cmd: ['/bin/true'] });

  test('is read as it was written', () => {
    writeLayout(folder, image);
    const read = readLayout(folder);
    expect(read.manifest.type).toBe(image.manifest.type);
    expect(Buffer.from(read.manifest.content)).toEqual(image.manifest.content);
    expect(new Map([...read.blobs].map(([digest, content]) => [digest, Buffer.from(content)]))).toEqual(image.blobs);
  });

  test.each([0, 2])('with %i images is refused', (count) => {
    writeLayout(folder, image);
    const { manifests } = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { manifests: unknown[] };
    const others = Array.from({ length: count }, () => manifests[0]);
    writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: others }));
    expect(() => readLayout(folder)).toThrow(`${folder}/index.json: expected exactly one manifest`);
  });
});
