// What no user means to give the command: files that are none, text that no reader takes, times that never were. Each
// ends with code 2 and one line that says where and why, or is read as what it is.

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Result, run } from './stand-in.ts';

const POD = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: c\n    image: x\n';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'odd-input-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function reviewOf(content: string | Uint8Array, name = 'input.yaml'): Promise<Result> {
  const path = join(folder, name);
  await writeFile(path, content);
  const result = await run(['review', '-f', path]);
  return { ...result, stderr: result.stderr.replaceAll(`${folder}/`, '') };
}

describe('a file', () => {
  const aliases = `a: &a [${Array(10).fill('x').join()}]\n${[...'bcdefghij']
    .map((name, at) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghij'[at]}`).join()}]\n`)
    .join('')}`;
  it.each<[string, string | Uint8Array, string]>([
    ['of random bytes', Buffer.from('ff00fe8081c0', 'hex'), 'input.yaml: not UTF-8 text'],
    ['in UTF-16', Buffer.from(`\ufeff${POD}`, 'utf16le'), 'input.yaml: not UTF-8 text'],
    ['without bytes', '', 'input.yaml: holds no object'],
    ['of 100,000 empty documents', '---\n'.repeat(100_000), 'input.yaml: holds no object'],
    ['indented by tabs', POD.replace('  name: a', '\tname: a'), 'input.yaml:4:1: tabs are not allowed'],
    ['with a raw NUL', POD.replace('name: a', 'name: a\0b'), 'input.yaml:4:10: control characters are not allowed'],
    ['with a raw escape', POD.replace('name: a', 'name: \u001b[31m'), 'input.yaml:4:9: control characters are not'],
    ['nested 3,000 deep', `${'a: {'.repeat(3000)}`, 'nested deeper than 512 levels'],
    ['of aliases of aliases', aliases, 'aliases stand for more than 100000 nodes'],
    ['with a tag of a program', POD.replace('Pod', '!!js/function "x"'), 'input.yaml:2:7: unresolved tag'],
    ['that is a list', '- a\n', 'input.yaml:1:1: expected an object, got a list'],
    ['that is text', 'hello\n', 'input.yaml:1:1: expected an object, got text'],
    ['of a review without request', 'kind: AdmissionReview\n', 'input.yaml:1:1: request: required'],
    ['of a request about nothing', 'request: {uid: u, operation: CREATE}\n', ': request.resource.resource: required'],
    ['of a request to do nothing', 'request: {uid: u, resource: {resource: pods}}\n', ': request.operation: required'],
  ])('%s is refused with its place', async (_, content, text) => {
    const { code, stdout, stderr } = await reviewOf(content);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    ['with the line ends of Windows', POD.replaceAll('\n', '\r\n')],
    ['with a byte order mark', `\ufeff${POD}`],
    ['with a member named __proto__', `__proto__: {polluted: yes}\n${POD}`],
    ['with an escaped NUL in its name', POD.replace('name: a', 'name: "a\\0b"')],
  ])('%s is read', async (_, content) => {
    const { code, stdout } = await reviewOf(content);
    expect(code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may reach a terminal.
    expect(stdout).toMatch(/^Pod default\/a[^\0-\x1f]*: allowed, /);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('may have a name with a line break, which is shown as an escape', async () => {
    const { code, stderr } = await reviewOf('- a\n', 'a\nb.yaml');
    expect([code, stderr]).toEqual([2, 'error: a\\nb.yaml:1:1: expected an object, got a list\n']);
  });
});

describe('a folder', () => {
  it('with a broken link is refused with its name', async () => {
    await mkdir(join(folder, 'links'));
    await symlink('/nonexistent/file', join(folder, 'links/broken.yaml'));
    const { code, stderr } = await run(['review', '-f', join(folder, 'links')]);
    expect([code, stderr]).toEqual([2, `error: ${folder}/links/broken.yaml: no such file or folder\n`]);
  });

  it('without manifests is refused', async () => {
    await mkdir(join(folder, 'empty'));
    const { code, stderr } = await run(['review', '-f', join(folder, 'empty')]);
    expect([code, stderr]).toEqual([2, `error: ${folder}/empty: holds no object\n`]);
  });
});

describe('standard input', () => {
  it.each([[['-f', '-', '-f', '-']], [['-f', '-', '--objects', '-']]])('is not read twice: %j', async (given) => {
    const { code, stderr } = await run(['review', ...given], { stdin: POD });
    expect(code).toBe(2);
    expect(stderr).toContain('standard input is read once');
  });
});

describe('--now', () => {
  it.each([
    ...['2026-07-01', 'now', '0', '-1', '', '2026-07-01 08:00:00Z', '2026-07-01T08:00Z'],
    ...['2026-02-30T00:00:00Z', '2025-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-00-01T00:00:00Z'],
    ...['2026-07-01T24:00:00Z', '2026-07-01T08:00:60Z', '2026-07-01T08:00:00+25:00', '2026-07-01T08:00:00'],
  ])('%j is no time', async (text) => {
    const { code, stderr } = await run(['review', '-f', '-', '--now', text], { stdin: POD });
    expect(code).toBe(2);
    expect(stderr).toContain('Expected a time such as 2026-07-01T08:00:00Z.');
  });

  it.each([
    '2024-02-29T00:00:00Z',
    '2026-07-01t08:00:00.123456789z',
    '2026-07-01T08:00:00-07:30',
    '0000-01-01T00:00:00Z',
  ])('%j is a time', async (text) => {
    expect((await run(['review', '-f', '-', '--now', text], { stdin: POD })).code).toBe(0);
  });
});
