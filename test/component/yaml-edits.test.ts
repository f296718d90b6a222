// Values changed in the text of a document: read again they are what was wanted, and the rest is as it was written.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { renderJson, renderYaml } from '../../cli/render.ts';
import type { Segment } from '../../component/field-path.ts';
import { parseDocuments } from '../../component/manifests.ts';
import { YamlEdits } from '../../component/yaml-edits.ts';

const writer = { json: (value: Json) => renderJson(value), yaml: renderYaml };

async function read(text: string): Promise<Json> {
  const [document] = await parseDocuments(Buffer.from(text), 'text.yaml');
  return document?.object ?? null;
}

/** What stands at the path. */
function at(value: Json | undefined, path: readonly Segment[]): Json | undefined {
  return path.reduce<Json | undefined>((found, segment) => (found as Record<Segment, Json>)?.[segment], value);
}

async function changed(text: string, path: readonly Segment[], after: Json): Promise<string> {
  const edits = new YamlEdits(text, text.startsWith('# top\n') ? '# top\n'.length : 0, writer);
  expect(edits.set(path, at(await read(text), path), after)).toBe(true);
  return edits.result();
}

const key = fc
  .stringMatching(/^[a-z]{1,4}$/)
  .filter((text) => !['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'null'].includes(text));
const leaf = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant('two\nlines\n'),
  fc.constant('- #'),
);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}));

describe('a change', () => {
  it.each<[string, string, Segment[], Json, string]>([
    ['of a word keeps its comment', 'a: 1 # one\nb: 2\n', ['a'], 3, 'a: 3 # one\nb: 2\n'],
    [
      'of one member keeps the others as they are',
      'a:\n  b:   "x"\n  c: 1\n',
      ['a'],
      { b: 'x', c: 2 },
      'a:\n  b:   "x"\n  c: 2\n',
    ],
    ['of an item keeps the others', 'a:\n- {b: 1} # b\n- c\n', ['a'], [{ b: 2 }, 'c'], 'a:\n- {b: 2} # b\n- c\n'],
    ['of a word to an object', 'a:\n  b: x\nc: 1\n', ['a', 'b'], { d: [1] }, 'a:\n  b:\n    d:\n    - 1\nc: 1\n'],
    ['of nothing to an object', 'a:\nc: 1\n', ['a'], { d: 1 }, 'a:\n  d: 1\nc: 1\n'],
    ['of nothing to a word', 'a:\nc: 1\n', ['a'], 'x', 'a: x\nc: 1\n'],
    ['of nothing before a comment', 'a: # c\nb: 1\n', ['a'], 'x', 'a: x # c\nb: 1\n'],
    ['of nothing before a comment to an object', 'a: # c\nb: 1\n', ['a'], { d: 1 }, 'a:\n  d: 1 # c\nb: 1\n'],
    ['of nothing to an item', 'a:\n-\n- 1\n', ['a', 0], { b: 1, c: 2 }, 'a:\n- b: 1\n  c: 2\n- 1\n'],
    ['of an item to an object', 'a:\n  - x\n', ['a', 0], { d: 1, e: 2 }, 'a:\n  - d: 1\n    e: 2\n'],
    [
      'of an object to a word',
      'a:\n  d:\n    e: 1\n  # end\nc: 1\n',
      ['a', 'd'],
      'x',
      'a:\n  d:\n    x\n  # end\nc: 1\n',
    ],
    [
      'of an object to another',
      'a:\n  d:\n    e: 1\nc: 1\n',
      ['a', 'd'],
      { f: [2], g: 3 },
      'a:\n  d:\n    f:\n    - 2\n    g: 3\nc: 1\n',
    ],
    ['of text of lines', 'a: |\n  x\n  y\nb: 1\n', ['a'], 'z', 'a: z\nb: 1\n'],
    [
      'of a member that is not there',
      'a:\n  b: 1 # one\n# c\nc: 2\n',
      ['a', 'd'],
      { e: 1 },
      'a:\n  b: 1 # one\n  d:\n    e: 1\n# c\nc: 2\n',
    ],
    [
      'of a member that is not there, in an item',
      'a:\n- b: 1\n- c: 1\n',
      ['a', 0, 'd'],
      'x',
      'a:\n- b: 1\n  d: x\n- c: 1\n',
    ],
    ['of a member that is not there, in braces', 'a: {b: 1}\n', ['a', 'd'], [1], 'a: {b: 1, "d": [1]}\n'],
    ['of a member of empty braces', 'a: {}\n', ['a', 'd'], 1, 'a: {"d": 1}\n'],
    [
      'of JSON',
      '{"a": {"b": [1, 2]}, "c": 3}\n',
      ['a', 'b'],
      [1, { x: 'y' }],
      '{"a": {"b": [1, {"x":"y"}]}, "c": 3}\n',
    ],
  ])('%s', async (_what, text, path, after, result) => {
    expect(await changed(text, path, after)).toBe(result);
    expect(at(await read(result), path)).toEqual(after);
  });

  it('of any value at any place is read again as that value, and nothing else has changed', async () => {
    const document = fc.dictionary(key, value, { minKeys: 1, maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(document, value, fc.nat(), fc.boolean(), async (object, after, choice, isJson) => {
        const text = isJson ? `${JSON.stringify(object, undefined, 1)}\n` : `# top\n${renderYaml(object)}# end\n`;
        const paths = pathsOf(object);
        const path = paths[choice % paths.length] ?? [];
        const expected = structuredClone(object) as JsonObject;
        const parent = at(expected, path.slice(0, -1)) as Record<Segment, Json>;
        parent[path.at(-1) ?? ''] = after;
        const result = await changed(text, path, after);
        expect(await read(result)).toEqual(expected);
        if (!isJson) expect(result).toMatch(/^# top\n[\s\S]*# end\n$/);
      }),
      { numRuns: 500 },
    );
  });
});

/** The paths of all values below the root. */
function pathsOf(json: Json, path: Segment[] = []): Segment[][] {
  const inner = typeof json === 'object' && json !== null ? Object.entries(json) : [];
  return inner.flatMap(([name, child]) => {
    const next = [...path, Array.isArray(json) ? Number(name) : name];
    return [next, ...pathsOf(child as Json, next)];
  });
}
