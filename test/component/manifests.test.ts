// Reading manifests: formats, folders, lists, places, and what is refused.

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject, type Json } from '../../api/core/json.ts';
import { InputError } from '../../component/errors.ts';
import { MAX_FILE_BYTES, parseDocuments, readDocuments, readManifests } from '../../component/manifests.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manifests-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function parse(text: string, name = 'input.yaml'): Promise<Json[]> {
  return (await parseDocuments(Buffer.from(text), name)).map((document) => document.object);
}

async function refusal(work: Promise<unknown>): Promise<InputError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof InputError)) throw new Error(`expected an InputError, got ${String(error)}`);
  return error;
}

async function complaint(text: string, name = 'input.yaml'): Promise<string> {
  return (await refusal(parseDocuments(Buffer.from(text), name))).describe();
}

const pod = (name: string): string => `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}}`;

describe('YAML', () => {
  it('reads several documents and leaves out empty ones', async () => {
    expect(await parse('---\n# nothing\n---\na: 1\n---\n---\nb: 2\n...\n')).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it.each([
    ['0644', 420],
    ['0o17', 15],
    ['0x1F', 31],
    ['-0b11', -3],
    ['1_000', 1000],
    ['0899', 899],
    ['1e3', 1000],
    ['.5', 0.5],
    ['yes', true],
    ['Off', false],
    ['n', false],
    ['~', null],
    ['', null],
    ['22:22', '22:22'],
    ['2020-01-01', '2020-01-01'],
    ['1.2.3', '1.2.3'],
    ['"5"', '5'],
    ["'yes'", 'yes'],
    ['!!str 5', '5'],
    ['-', ['x']],
  ])('takes the plain scalar %s as kubectl does', async (text, value) => {
    const source = text === '-' ? 'a:\n- x' : `a: ${text}`;
    expect(await parse(source)).toEqual([{ a: value }]);
  });

  it('keeps integers that a double cannot hold, up to 64 bits', async () => {
    const [object] = await parse('a: 9007199254740993\nb: 18446744073709551615\nc: -9223372036854775808');
    expect(JSON.stringify(object)).toBe('{"a":9007199254740993,"b":18446744073709551615,"c":-9223372036854775808}');
  });

  it('merges mappings by << without replacing what is written beside it', async () => {
    const text =
      'base: &base {a: 1, b: 2}\nmore: &more {b: 3, c: 4}\nmade: {<<: [*base, *more], a: 0}\nquoted: {"<<": 1}';
    const [object] = await parse(text);
    expect(object).toMatchObject({ made: { a: 0, b: 2, c: 4 }, quoted: { '<<': 1 } });
  });

  it('makes text of keys that are numbers or booleans', async () => {
    expect(await parse('a: {1: x, yes: z}')).toEqual([{ a: { 1: 'x', true: 'z' } }]);
  });

  it('expands aliases, each to the anchor last set before it', async () => {
    expect(await parse('a: &x 1\nb: *x\nc: &x {d: 2}\ne: *x')).toEqual([{ a: 1, b: 1, c: { d: 2 }, e: { d: 2 } }]);
  });

  it.each([
    ['a: 1\nb:\n  c: 1\n  c: 2', 'input.yaml:4:3: b.c: duplicate key'],
    ['"a": 1\n"\\u0061": 2', 'input.yaml:2:1: a: duplicate key'],
    ['a: *nowhere', 'input.yaml:1:4: a: alias *nowhere has no anchor before it'],
    ['a: !!binary aGk=', 'input.yaml:1:13: a: aGk= is no value of tag !!binary'],
    ['a: !Ref b', 'input.yaml:1:4: unresolved tag: !Ref'],
    ['a: .inf', 'input.yaml:1:4: a: .inf is no number that JSON has'],
    ['? {a: 1}\n: b', 'input.yaml:1:3: expected text as key'],
    ['- a', 'input.yaml:1:1: expected an object, got a list'],
    ['hello', 'input.yaml:1:1: expected an object, got text'],
    ['spec:\n\tx: 1', 'input.yaml:2:1: tabs are not allowed as indentation'],
    ['a: {<<: 1}', 'input.yaml:1:5: a: expected a mapping, or a list of mappings, to merge'],
  ])('refuses %j with place and field', async (text, message) => {
    expect(await complaint(text)).toBe(message);
  });

  it('refuses an alias bomb before it takes memory', async () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `a${level + 1}: &a${level + 1} [${`*a${level},`.repeat(10)}]`,
    );
    const bomb = `a0: &a0 [x]\n${levels.join('\n')}\n`;
    expect(await complaint(bomb)).toContain('aliases stand for more than 100000 nodes');
  });

  it('refuses an alias inside its own anchor', async () => {
    expect(await complaint('a: &a [*a]')).toBe('input.yaml:1:8: a[0][0]: alias *a is inside its own anchor');
    expect(await complaint('a: &a\n  b: &b {c: *a}\nd: *b')).toContain('alias *a is inside its own anchor');
    expect(await complaint('a: &a {b: &b [*b]}\nc: *a')).toContain('alias *b is inside its own anchor');
  });
});

describe('JSON', () => {
  it('reads values behind each other', async () => {
    expect(await parse('{"a":1}\n{"b":2} {"c":3}', 'x.json')).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
  });

  it('keeps the text of numbers that JavaScript would change', async () => {
    const text = '{"a":9007199254740993,"b":1.0,"c":1e400,"d":-0,"e":1.5,"f":10}';
    expect(JSON.stringify((await parse(text, 'x.json'))[0])).toBe(text);
  });

  it('keeps a member named __proto__ and sets no prototype', async () => {
    const [object] = await parse('{"__proto__":{"polluted":1},"a":{"__proto__":[]}}', 'x.json');
    expect(JSON.stringify(object)).toBe('{"__proto__":{"polluted":1},"a":{"__proto__":[]}}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('is told from YAML by its content, and flow style YAML is still YAML', async () => {
    expect(await parse('{"a": "b"}', 'x.yaml')).toEqual([{ a: 'b' }]);
    expect(await parse('{a: b, c: [d]}', 'x.yaml')).toEqual([{ a: 'b', c: ['d'] }]);
  });

  it.each([
    ['{"a": {"b": 1, "\\u0062": 2}}', 'x.json:1:16: a.b: duplicate key'],
    ['{"a": [1, 2,]}', 'x.json:1:13: a[2]: unexpected "]", expected a value'],
    ['{"a": nul}', 'x.json:1:7: a: unexpected "n", expected a value'],
    ['{"a": 01}', 'x.json:1:8: expected "," or "}"'],
    ['{"a": "x', 'x.json:1:7: a: string without closing quote'],
    ['{"a": "x\ny"}', 'x.json:1:9: a: raw control character in a string'],
    ['{"a": "\\x41"}', 'x.json:1:8: a: escape that JSON lacks in a string'],
    ['{"a" 1}', 'x.json:1:6: a: expected ":" behind the key'],
    ['{a: 1}', 'x.json:1:2: expected a key in double quotes'],
    ['{"a": 1', 'x.json:1:8: expected "," or "}"'],
    ['{"a": 1} x', 'x.json:1:10: unexpected "x", expected a value'],
    ['[{"a": 1}]', 'x.json:1:1: expected an object, got a list'],
  ])('refuses %s with place and field', async (text, message) => {
    expect(await complaint(text, 'x.json')).toBe(message);
  });

  it('reads what JSON.stringify writes, exactly (property)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false })), async (value) => {
        const text = JSON.stringify(value);
        const [document] = await parseDocuments(Buffer.from(text), 'x.json');
        expect(JSON.stringify(document?.object)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });
});

describe('both formats', () => {
  it.each([
    ['JSON', `{"a":${'['.repeat(100_000)}`, 'x.json'],
    ['JSON that is closed', `{"a":${'['.repeat(600)}${']'.repeat(600)}}`, 'x.json'],
    ['flow YAML', `a: ${'['.repeat(100_000)}`, 'x.yaml'],
    [
      'block YAML',
      'a:\n'.concat(...Array.from({ length: 1200 }, (_, depth) => `${' '.repeat(depth + 1)}a:\n`)),
      'x.yaml',
    ],
    ['a row of dashes', `a:\n${'- '.repeat(5000)}x`, 'x.yaml'],
  ])('refuse nesting beyond 512 levels: %s', async (_, text, name) => {
    expect(await complaint(text, name)).toContain('nested deeper than 512 levels');
  });

  it('accept nesting of 500 levels', async () => {
    const text = `{"a":${'['.repeat(500)}${']'.repeat(500)}}`;
    expect(await parse(text, 'x.json')).toEqual(await parse(text.replace('"a"', 'a'), 'x.yaml'));
  });

  it('refuse bytes that are not UTF-8', async () => {
    const error = await refusal(parseDocuments(Uint8Array.of(0x61, 0x3a, 0x20, 0xc0, 0xaf), 'x.yaml'));
    expect(error.describe()).toBe('x.yaml: not UTF-8 text');
  });

  it('pass over a byte order mark', async () => {
    expect(await parse('\ufeff{"a":1}', 'x.json')).toEqual([{ a: 1 }]);
    expect(await parse('\ufeffa: 1', 'x.yaml')).toEqual([{ a: 1 }]);
  });

  it('show control characters of the input as escapes', async () => {
    const message = await complaint('"\\e[31m\\u202e": 1\n"\\e[31m\\u202e": 1');
    expect(message).toBe('input.yaml:2:1: [\\u001b[31m\\u202e]: duplicate key');
  });

  it('read 100,000 members in linear time', async () => {
    const members = Array.from({ length: 100_000 }, (_, index) => `"k${index}":${index}`).join(',');
    const [object] = await parse(`{${members}}`, 'x.json');
    expect(isObject(object) && Object.keys(object).length).toBe(100_000);
  });

  it('tell the place of a field, or of its nearest ancestor', async () => {
    const yaml = 'metadata:\n  labels:\n    a.b/c: x\nspec:\n  containers:\n  - name: a\n  - image: b\n';
    const json = '{"metadata":{\n"labels":{"a.b/c":"x"}},\n"spec":{"containers":[{"name":"a"},\n {"image":"b"}]}}';
    const [fromYaml] = await parseDocuments(Buffer.from(yaml), 'x.yaml');
    const [fromJson] = await parseDocuments(Buffer.from(json), 'x.json');
    expect(fromYaml?.position('metadata.labels[a.b/c]')).toEqual({ line: 3, column: 5 });
    expect(fromYaml?.position('spec.containers[1].image')).toEqual({ line: 7, column: 5 });
    expect(fromYaml?.position('spec.containers[1].name')).toEqual({ line: 7, column: 5 });
    expect(fromYaml?.position('spec.volumes[3].name')).toEqual({ line: 4, column: 1 });
    expect(fromJson?.position('metadata.labels[a.b/c]')).toEqual({ line: 2, column: 11 });
    expect(fromJson?.position('spec.containers[1].name')).toEqual({ line: 4, column: 2 });
    expect(fromJson?.position('status')).toEqual({ line: 1, column: 1 });
  });

  it('follow aliases to the place of a field', async () => {
    const [document] = await parseDocuments(Buffer.from('a: &x\n  b: 1\nc: *x\n'), 'x.yaml');
    expect(document?.position('c.b')).toEqual({ line: 2, column: 3 });
  });
});

describe('files, folders and lists', () => {
  it('reads folders with sub-folders in sorted order, only manifests, no hidden names or packages', async () => {
    await file('tree/b.yaml', pod('b'));
    await file('tree/a/2.json', '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a2"}}');
    await file('tree/a/1.yml', pod('a1'));
    await file('tree/.hidden/x.yaml', 'not: [valid');
    await file('tree/node_modules/x.yaml', 'not: [valid');
    await file('tree/notes.txt', 'not: [valid');
    const manifests = await readManifests([join(folder, 'tree')]);
    expect(manifests.map(({ object }) => (isObject(object.metadata) ? object.metadata.name : ''))).toEqual([
      'a1',
      'a2',
      'b',
    ]);
    expect(manifests[0]?.file).toBe(join(folder, 'tree/a/1.yml'));
  });

  it('follows links as a mounted ConfigMap has them, and ends in a folder linked into itself', async () => {
    await file('mounted/..2026/set.yaml', pod('linked'));
    await symlink('..2026', join(folder, 'mounted/..data'));
    await symlink('..data/set.yaml', join(folder, 'mounted/set.yaml'));
    await symlink('.', join(folder, 'mounted/self'));
    expect(await readManifests([join(folder, 'mounted')])).toHaveLength(1);
  });

  it('reads standard input for -', async () => {
    async function* stdin(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{apiVersion: v1, kind: Pod, ');
      yield Buffer.from('metadata: {name: a}}');
    }
    const [manifest] = await readManifests(['-'], { stdin: stdin() });
    expect(manifest?.file).toBe('-');
    expect((await refusal(readManifests(['-']))).describe()).toBe('-: there is no standard input to read');
  });

  it('puts the items in the place of a list, and gives items of a typed list their kind', async () => {
    const path = await file(
      'list.yaml',
      `apiVersion: v1\nkind: List\nitems:\n- ${pod('a')}\n- apiVersion: v1\n  kind: PodList\n  items:\n  - metadata:\n      name: b\n`,
    );
    const manifests = await readManifests([path]);
    expect(manifests.map(({ object }) => object)).toEqual([
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } },
    ]);
    expect(manifests[1]?.line).toBe(8);
    expect(manifests[1]?.position('metadata.name')).toEqual({ line: 9, column: 7 });
    expect((await readDocuments([path])).map(({ object }) => object.kind)).toEqual(['List']);
  });

  it('reads a list of 20,000 items, each with its place, in one go', async () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${index}` },
    }));
    const path = await file('many.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 1));
    const manifests = await readManifests([path]);
    // Six lines an item; reading the list anew for each would take minutes.
    expect(manifests.map(({ line }) => line)).toEqual(items.map((_, index) => 5 + 7 * index));
    expect(manifests.at(-1)?.position('metadata.name')).toEqual({ line: 5 + 7 * 19_999 + 4, column: 5 });
  });

  it.each([
    ['kind: Pod\nmetadata: {name: a}', '1:1: apiVersion: required'],
    ['apiVersion: v1\nmetadata: {name: a}', '1:1: kind: required'],
    ['apiVersion: v1\nkind: [Pod]', '2:1: kind: expected text, got a list'],
    ['apiVersion: v1\nkind: Pod', '1:1: metadata: required'],
    ['apiVersion: v1\nkind: Pod\nmetadata: a', '3:1: metadata: expected an object, got text'],
    ['apiVersion: v1\nkind: Pod\nmetadata:\n  generateName: a-', '3:1: metadata.name: required'],
    [
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: 7}',
      '3:21: metadata.namespace: expected text, got a number',
    ],
    ['apiVersion: v1\nkind: List\nitems: a', '3:1: items: expected a list, got text'],
    ['apiVersion: v1\nkind: List\nitems: [5]', '3:9: items[0]: expected an object, got a number'],
  ])('refuses %j as an object of a cluster', async (text, message) => {
    const path = await file('refused.yaml', text);
    expect((await refusal(readManifests([path]))).describe()).toBe(`${path}:${message}`);
  });

  it('says which file is missing', async () => {
    const path = join(folder, 'nowhere.yaml');
    expect((await refusal(readManifests([path]))).describe()).toBe(`${path}: no such file or folder`);
  });

  it('stops reading a file beyond 64 MiB', async () => {
    async function* stdin(): AsyncGenerator<Uint8Array> {
      const chunk = Buffer.alloc(8 * 1024 * 1024, ' ');
      for (let sent = 0; sent <= MAX_FILE_BYTES; sent += chunk.length) yield chunk;
      throw new Error('read on');
    }
    expect((await refusal(readManifests(['-'], { stdin: stdin() }))).describe()).toBe('-: larger than 64 MiB');
  });
});
