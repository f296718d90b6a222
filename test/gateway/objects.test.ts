// Policy objects from files: loaded, followed, and never in a state with an error in it.

import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { InputError } from '../../component/errors.ts';
import { applyChange, difference, type KeptObject, objectKey, referenceOf } from '../../gateway/objects/change.ts';
import { FileSource } from '../../gateway/objects/source.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { eventually } from './support/eventually.ts';
import { StandIn } from './support/stand-in.ts';

let folder: string;
let evaluator: StandIn;
let counts: { success: number; error: number };
/** What was applied and removed since the last look. */
let calls: string[];
const open: FileSource[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-objects-'));
  evaluator = new StandIn();
  counts = { success: 0, error: 0 };
  calls = [];
});

afterEach(async () => {
  for (const source of open.splice(0)) await source.close();
  await rm(folder, { recursive: true, force: true });
});

function make(paths: string[] = [folder], pollMs = 60_000): FileSource {
  const source = new FileSource({
    paths,
    apply: (change, before) => {
      applyChange(evaluator, change, before);
      calls.push(
        ...change.set.map((kept) => `+${kept.reference.name}`),
        ...change.remove.map(({ name }) => `-${name}`),
      );
    },
    logger: silentLogger,
    count: (result) => {
      counts[result]++;
    },
    settleMs: 10,
    pollMs,
  });
  open.push(source);
  return source;
}

async function start(paths?: string[], pollMs?: number): Promise<FileSource> {
  const source = make(paths, pollMs);
  await source.load();
  source.watch();
  calls = [];
  return source;
}

function sidecarSet(name: string, spec: object = {}): string {
  return JSON.stringify({ apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet', metadata: { name }, spec });
}

function put(file: string, text: string): Promise<void> {
  return writeFile(join(folder, file), text);
}

function names(): string[] {
  return [...evaluator.objects.values()].map((object) => String((object.metadata as JsonObject).name)).sort();
}

test('a file, and a folder with all below it but hidden and other files, are loaded', async () => {
  await mkdir(join(folder, 'deep', 'er'), { recursive: true });
  await mkdir(join(folder, '..data'));
  await put(
    'a.yaml',
    `apiVersion: apps.kruise.io/v1beta1\nkind: SidecarSet\nmetadata:\n  name: a\n---\n${sidecarSet('a2')}`,
  );
  await put('deep/b.yml', sidecarSet('b'));
  await put('deep/er/c.json', sidecarSet('c'));
  await put('readme.txt', 'nothing');
  await put('.hidden.yaml', 'broken: [');
  await put('..data/d.yaml', sidecarSet('d'));
  await make([folder]).load();
  expect(names()).toEqual(['a', 'a2', 'b', 'c']);
  evaluator = new StandIn();
  await make([join(folder, 'deep', 'b.yml'), join(folder, 'deep', 'er')]).load();
  expect(names()).toEqual(['b', 'c']);
});

test('numbers beyond 2^53 reach the evaluator as they were written', async () => {
  await put('a.yaml', sidecarSet('a').replace('{}', '{"generation": 9007199254740993}'));
  await make().load();
  expect(JSON.stringify([...evaluator.objects.values()])).toContain('"generation":9007199254740993');
});

const broken: [string, string, { line: number; field?: string }][] = [
  ['text that is no YAML', 'a: b\nc: [d\n', { line: 3 }],
  ['an object without a name', 'apiVersion: v1\nkind: X\nmetadata: {}\n', { line: 3, field: 'metadata.name' }],
  [
    'a field that the evaluator refuses',
    `${sidecarSet('ok')}\n---\napiVersion: v1\nkind: X\nmetadata: {name: x}\nspec:\n  wrong: 1\n`,
    { line: 7, field: 'spec.wrong' },
  ],
  [
    'an item of a list that the evaluator refuses',
    `apiVersion: v1\nkind: List\nitems:\n- ${sidecarSet('x')}\n- apiVersion: v1\n  kind: X\n  metadata: {name: z}\n  spec:\n    wrong: 1\n`,
    { line: 9, field: 'spec.wrong' },
  ],
];

test('a refusal that names its field in its message alone is placed as well', async () => {
  await put('a.yaml', `${sidecarSet('ok')}\n---\napiVersion: v1\nkind: X\nmetadata: {name: x}\nspec:\n  bare: 1\n`);
  await expect(make().load()).rejects.toMatchObject({ file: join(folder, 'a.yaml'), line: 7, column: 3 });
});

test.each(broken)('a first load of %s fails, naming file, line and field', async (_name, text, place) => {
  await put('a.yaml', sidecarSet('a'));
  await put('broken.yaml', text);
  const failure = make().load();
  await expect(failure).rejects.toBeInstanceOf(InputError);
  await expect(failure).rejects.toMatchObject({ file: join(folder, 'broken.yaml'), ...place });
  expect(names()).toEqual([]);
});

test.each(broken)(
  '%s that comes later leaves everything as it was, and is forgotten after the repair',
  async (_name, text, place) => {
    await put('a.yaml', sidecarSet('a'));
    await put('b.yaml', sidecarSet('b'));
    const source = await start();
    await Promise.all([put('b.yaml', text), put('c.yaml', sidecarSet('c')), rm(join(folder, 'a.yaml'))]);
    await eventually(() => expect(source.error).toContain(`b.yaml:${place.line}:`));
    expect(source.error).toContain(place.field ?? 'b.yaml');
    expect(names()).toEqual(['a', 'b']);
    expect([...source.objects.values()].map((kept) => kept.reference.name).sort()).toEqual(['a', 'b']);
    await put('b.yaml', sidecarSet('b', { generation: 2 }));
    await eventually(() => expect(names()).toEqual(['b', 'c']));
    await eventually(() => expect(source.error).toBeUndefined());
  },
);

test('a broken file that is removed takes the objects along that it had before', async () => {
  await put('a.yaml', sidecarSet('a'));
  const source = await start();
  await put('a.yaml', 'a: [');
  await eventually(() => expect(source.error).toContain('a.yaml'));
  await rm(join(folder, 'a.yaml'));
  await eventually(() => expect(source.error).toBeUndefined());
  expect(names()).toEqual([]);
});

test('a path that is not there fails the first load by its name', async () => {
  await expect(make([join(folder, 'none')]).load()).rejects.toMatchObject({ file: join(folder, 'none') });
});

test('two files with the same object are refused, naming both', async () => {
  await put('a.yaml', sidecarSet('same'));
  await put('b.yaml', `\n${sidecarSet('same')}`);
  const failure = make().load();
  await expect(failure).rejects.toThrow(`also defined at ${join(folder, 'a.yaml')}:1`);
  await expect(failure).rejects.toMatchObject({ file: join(folder, 'b.yaml'), line: 2 });
});

test('only what differs is handed on', async () => {
  await put('a.yaml', `${sidecarSet('a')}\n---\n${sidecarSet('b')}`);
  await put('c.yaml', sidecarSet('c'));
  await start();
  await put('a.yaml', `${sidecarSet('b', { generation: 2 })}\n---\n${sidecarSet('a')}\n---\n${sidecarSet('d')}`);
  await eventually(() => expect(names()).toEqual(['a', 'b', 'c', 'd']));
  expect(calls.sort()).toEqual(['+b', '+d']);
  calls = [];
  await rm(join(folder, 'c.yaml'));
  await eventually(() => expect(names()).toEqual(['a', 'b', 'd']));
  expect(calls).toEqual(['-c']);
});

test('an object that moves to another file is neither removed nor applied', async () => {
  await put('a.yaml', sidecarSet('a'));
  await put('marker.yaml', sidecarSet('m1'));
  await start();
  await rename(join(folder, 'a.yaml'), join(folder, 'z.yaml'));
  await put('marker.yaml', sidecarSet('m2'));
  await eventually(() => expect(names()).toEqual(['a', 'm2']));
  expect(calls.filter((call) => call.includes('a'))).toEqual([]);
});

test('new folders, and files in them, are followed', async () => {
  await start();
  await mkdir(join(folder, 'x', 'y'), { recursive: true });
  await put('x/y/a.yaml', sidecarSet('a'));
  await eventually(() => expect(names()).toEqual(['a']));
  await put('x/y/a.yaml', sidecarSet('b'));
  await eventually(() => expect(names()).toEqual(['b']));
  await rm(join(folder, 'x'), { recursive: true });
  await eventually(() => expect(names()).toEqual([]));
});

test('a single file that is replaced by another in its place is followed', async () => {
  await put('only.yaml', sidecarSet('one'));
  await start([join(folder, 'only.yaml')]);
  await put('.draft', sidecarSet('two'));
  await rename(join(folder, '.draft'), join(folder, 'only.yaml'));
  await eventually(() => expect(names()).toEqual(['two']));
});

test('a mounted ConfigMap that is swapped by its links is followed', async () => {
  const mount = async (version: string) => {
    await mkdir(join(folder, `..${version}`));
    await put(`..${version}/a.yaml`, sidecarSet(`a-${version}`));
    await symlink(`..${version}`, join(folder, '..tmp'));
    await rename(join(folder, '..tmp'), join(folder, '..data'));
  };
  await mount('1');
  await symlink('..data/a.yaml', join(folder, 'a.yaml'));
  await start();
  expect(names()).toEqual(['a-1']);
  await mount('2');
  await eventually(() => expect(names()).toEqual(['a-2']));
});

test('a link whose target is gone does not take its objects away; a link that is removed does', async () => {
  await mkdir(join(folder, '.target'));
  await put('.target/a.yaml', sidecarSet('a'));
  await put('b.yaml', sidecarSet('b'));
  await symlink('.target/a.yaml', join(folder, 'a.yaml'));
  const source = await start([folder], 20);
  await rename(join(folder, '.target'), join(folder, '.elsewhere'));
  await eventually(() => expect(source.error).toBe(`${folder}/a.yaml: a link to what is not there`));
  expect(names()).toEqual(['a', 'b']);
  await rm(join(folder, 'a.yaml'));
  await eventually(() => expect(names()).toEqual(['b']));
  expect(source.error).toBeUndefined();
});

test('a change whose event was lost is found by polling', async () => {
  await put('a.yaml', sidecarSet('a'));
  const source = make([folder], 20);
  await source.load();
  await put('a.yaml', sidecarSet('b'));
  source.watch();
  await eventually(() => expect(names()).toEqual(['b']));
});

test('a file that is emptied before it is written again does not take its objects away', async () => {
  await put('a.yaml', sidecarSet('a'));
  const source = await start();
  await put('a.yaml', '');
  await eventually(() => expect(source.error).toContain('empty'));
  expect(names()).toEqual(['a']);
  await put('a.yaml', sidecarSet('a', { generation: 2 }));
  await eventually(() => expect(source.error).toBeUndefined());
  expect(counts).toEqual({ success: 1, error: 1 });
});

test('a large file, which a thread of its own reads, is followed like a small one', async () => {
  const many = Array.from({ length: 300 }, (_, i) => sidecarSet(`n${i}`, { padding: 'p'.repeat(1000) }));
  await put('many.yaml', many.join('\n---\n'));
  const source = await start();
  expect(names()).toHaveLength(300);
  await put('many.yaml', [...many.slice(1), 'apiVersion: v1\nkind: X\nmetadata: {}'].join('\n---\n'));
  await eventually(() => expect(source.error).toContain('many.yaml:601:1: metadata.name: required'));
  expect(names()).toHaveLength(300);
  await put('many.yaml', [...many.slice(1), sidecarSet('new')].join('\n---\n'));
  await eventually(() => expect(names()).toContain('new'));
  expect(calls.sort()).toEqual(['+new', '-n0']);
});

test('a list without items removes the objects that the file had', async () => {
  await put('a.yaml', sidecarSet('a'));
  await start();
  await put('a.yaml', 'apiVersion: v1\nkind: List\nitems: []\n');
  await eventually(() => expect(names()).toEqual([]));
});

test('a burst of writes ends in the last state', async () => {
  await start();
  for (let i = 0; i < 200; i++) await put(`${i % 10}.yaml`, sidecarSet(`n${i % 10}`, { generation: i }));
  await eventually(() => {
    const generations = [...evaluator.objects.values()].map((object) => Number((object.spec as JsonObject).generation));
    expect(generations.sort((a, b) => a - b)).toEqual([190, 191, 192, 193, 194, 195, 196, 197, 198, 199]);
  });
});

const objects = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    generation: fc.nat(3),
    wrong: fc.constantFrom(false, false, true),
  }),
  { selector: (object) => object.name },
);

test('a refused change leaves the evaluator exactly as it was; a good one makes it as the new state', () => {
  fc.assert(
    fc.property(objects, objects, (from, to) => {
      const subject = new StandIn();
      const before = keep(from.map((object) => ({ ...object, wrong: false })));
      applyChange(subject, difference(new Map(), before), new Map());
      const after = keep(to);
      const isGood = difference(before, after).set.every((kept) => !kept.text.includes('wrong'));
      const act = () => applyChange(subject, difference(before, after), before);
      if (isGood) act();
      else expect(act).toThrow('must not be there');
      const state = isGood ? after : before;
      expect(contentOf(subject)).toEqual([...state.values()].map((kept) => kept.text).sort());
    }),
  );
});

function keep(list: { name: string; generation: number; wrong: boolean }[]): Map<string, KeptObject> {
  const kept = list.map(({ name, generation, wrong }) => {
    const text = sidecarSet(name, { generation, ...(wrong ? { wrong } : {}) });
    return { reference: referenceOf(JSON.parse(text)), text, file: 'f', line: 1 };
  });
  return new Map(kept.map((object) => [objectKey(object.reference), object]));
}

function contentOf(subject: StandIn): string[] {
  return [...subject.objects.values()].map((object) => JSON.stringify(object)).sort();
}
