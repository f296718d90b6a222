// The copy of a Secret's certificates in a folder: its names, its rights, and what happens where it cannot be written.

import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../../component/logger.ts';
import { MirroredFiles } from '../../gateway/tls/mirrored-files.ts';
import type { CertificateContents } from '../../kube/certificates/secret.ts';
import { asOrdinaryUser } from '../support/ordinary-user.ts';

const NAMES = ['ca-cert.pem', 'ca-key.pem', 'cert.pem', 'key.pem', 'tls.crt', 'tls.key'];

let parent: string;
let folder: string;
let lines: { msg: string; error?: string; folder?: string }[];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sluice-copies-'));
  folder = join(parent, 'certs');
  lines = [];
});

afterEach(() => rm(parent, { recursive: true, force: true }));

function files(): MirroredFiles {
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) });
  return new MirroredFiles({ folder, now: () => Date.UTC(2026, 0, 2, 3, 4, 5), logger });
}

const contents = (mark: string, authorityKey = `ca-key ${mark}`): CertificateContents => ({
  authorities: `ca ${mark}`,
  authorityKey,
  certificate: `certificate ${mark}`,
  key: `key ${mark}`,
});

async function texts(): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  const read = async (name: string) => [name, await readFile(join(folder, name), 'utf8')] as const;
  return Object.fromEntries(await Promise.all(names.map(read)));
}

const expected = (mark: string) => ({
  'ca-cert.pem': `ca ${mark}`,
  'ca-key.pem': `ca-key ${mark}`,
  'cert.pem': `certificate ${mark}`,
  'key.pem': `key ${mark}`,
  'tls.crt': `certificate ${mark}`,
  'tls.key': `key ${mark}`,
});

test('has all six files, under the names of the Secret, for the owner alone', async () => {
  await files().write(contents('a'));
  expect(await texts()).toEqual(expected('a'));
  const modes = await Promise.all(NAMES.map(async (name) => (await stat(join(folder, name))).mode & 0o777));
  expect(new Set(modes)).toEqual(new Set([0o600]));
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test('is replaced as a whole: every name leads through one link, which alone changes', async () => {
  const one = files();
  await one.write(contents('a'));
  const before = await readlink(join(folder, '..data'));
  const links = await Promise.all(NAMES.map(async (name) => (await lstat(join(folder, name))).ino));
  await one.write(contents('b'));
  expect(await texts()).toEqual(expected('b'));
  expect(await Promise.all(NAMES.map(async (name) => (await lstat(join(folder, name))).ino))).toEqual(links);
  expect(await readlink(join(folder, '..data'))).not.toBe(before);
  expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toHaveLength(2);
});

test('is left alone while it is right, and put right when somebody changed or removed a file', async () => {
  const one = files();
  await one.write(contents('a'));
  const made = await readlink(join(folder, '..data'));
  await one.write(contents('a'));
  expect(await readlink(join(folder, '..data'))).toBe(made);
  await rm(join(folder, 'tls.crt'));
  await one.write(contents('a'));
  await rm(join(folder, 'tls.key'));
  await writeFile(join(folder, 'tls.key'), 'garbage');
  await one.write(contents('a'));
  expect(await texts()).toEqual(expected('a'));
});

test('takes the place of plain files and of what a killed process left', async () => {
  await mkdir(folder);
  for (const name of NAMES) await writeFile(join(folder, name), 'old');
  await mkdir(join(folder, '..2025_12_31_left'));
  await writeFile(join(folder, '..data_tmp'), '');
  await writeFile(join(folder, 'another'), 'stays');
  await files().write(contents('a'));
  expect(await texts()).toEqual({ ...expected('a'), another: 'stays' });
  expect(await readdir(folder)).not.toContain('..2025_12_31_left');
});

test('has no file of a key that the Secret lacks, also when there was one', async () => {
  const one = files();
  await one.write(contents('a'));
  await one.write(contents('b', ''));
  const { 'ca-key.pem': _none, ...others } = expected('b');
  expect(await texts()).toEqual(others);
  expect(await readdir(folder)).not.toContain('ca-key.pem');
});

test('is made by several gateways of a folder one after the other', async () => {
  await Promise.all(Array.from({ length: 6 }, (_, index) => files().write(contents(String(index)))));
  const { 'tls.crt': certificate = '' } = await texts();
  expect(await texts()).toEqual(expected(certificate.slice('certificate '.length)));
});

test('that cannot be written is told once, with folder and reason, and written when it can be', async () => {
  await writeFile(folder, 'a file in the way');
  const one = files();
  await one.write(contents('a'));
  await one.write(contents('b'));
  expect(one.fault).toMatch(/certs: (ENOTDIR|EEXIST)/);
  expect(lines).toEqual([
    expect.objectContaining({
      folder,
      msg: 'certificate files not written; the certificate is served all the same',
      error: expect.stringMatching(/certs/),
    }),
  ]);
  await rm(folder);
  await one.write(contents('b'));
  expect(await texts()).toEqual(expected('b'));
  expect(one.fault).toBeUndefined();
  expect(lines.at(-1)?.msg).toBe('certificate files written');
});

test('whose folder is read-only is told of', async () => {
  await mkdir(folder);
  await chmod(parent, 0o755);
  await chmod(folder, 0o555);
  const one = files();
  await asOrdinaryUser(() => one.write(contents('a')));
  expect(one.fault).toMatch(/certs: EACCES/);
});
