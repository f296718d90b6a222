// Objects as text: what kubectl's YAML looks like, and that nothing is lost on the way.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { type Json, parseJson } from '../../api/core/json.ts';
import { renderJson, renderYaml } from '../../cli/render.ts';
import { readYaml } from '../../component/yaml-document.ts';

describe('renderYaml', () => {
  it('prints an object as kubectl does', () => {
    const object = {
      spec: {
        containers: [{ name: 'app', args: ['-c', 'sleep 5 # x', ''], env: [{ name: 'A', value: '5' }], resources: {} }],
        volumes: [],
        matrix: [[1, 2], [], [{ a: null }]],
      },
      metadata: { name: 'web', annotations: { 'a.b/c': 'true', script: '#!/bin/sh\nset -e\n\necho\n' } },
      kind: 'Pod',
      apiVersion: 'v1',
    };
    expect(renderYaml(object)).toBe(`apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations:
    a.b/c: "true"
    script: |
      #!/bin/sh
      set -e

      echo
spec:
  containers:
  - name: app
    args:
    - -c
    - 'sleep 5 # x'
    - ""
    env:
    - name: A
      value: "5"
    resources: {}
  volumes: []
  matrix:
  - - 1
    - 2
  - []
  - - a: null
`);
  });

  it.each([
    ['5', '"5"'],
    ['yes', '"yes"'],
    ['n', '"n"'],
    ['0x1F', '"0x1F"'],
    ['1e3', '"1e3"'],
    ['2020-01-01T00:00:00Z', '"2020-01-01T00:00:00Z"'],
    ['22:22', '"22:22"'],
    ['', '""'],
    ['null', '"null"'],
    ['a: b', "'a: b'"],
    ["it's: x", "'it''s: x'"],
    ["it's", "it's"],
    ['-', "'-'"],
    ['--flag=x', '--flag=x'],
    ['registry.example.com/a/b:1.2@sha256:0a', 'registry.example.com/a/b:1.2@sha256:0a'],
    ['$(POD_NAME)/logs', '$(POD_NAME)/logs'],
    [' x', "' x'"],
    ['\u001b[31m', '"\\u001b[31m"'],
    ['a\u202eb', '"a\\u202eb"'],
    ['a\u{e0001}b', '"a\\U000e0001b"'],
    ['a\tb', '"a\\tb"'],
  ])('writes the text %j as %s', (text, yaml) => {
    expect(renderYaml({ a: text })).toBe(`a: ${yaml}\n`);
  });

  it('does not fold long text', () => {
    const text = 'word '.repeat(200).trim();
    expect(renderYaml({ a: text })).toBe(`a: ${text}\n`);
  });

  it('keeps exact numbers', () => {
    expect(renderYaml(parseJson('{"a":9007199254740993,"b":1.0}'))).toBe('a: 9007199254740993\nb: 1.0\n');
  });

  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '\t', '-', ':', '#', "'", '"', '1', '\\', '|', '\r', '~', '<', '?'),
    }),
    fc.constantFrom(
      'yes',
      'n',
      '0644',
      '1_0',
      '0o7',
      '.5',
      '---',
      '...',
      '- a',
      '? x',
      '@x',
      '%x',
      '`',
      '!x',
      '&x',
      '*x',
      '=',
      '<<',
    ),
  );
  const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      text,
      fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true })),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(text, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));

  it('is read back by our reader to the same value (property)', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const [document] = readYaml(renderYaml({ value }));
        expect(JSON.stringify(document?.value)).toBe(JSON.stringify({ value }));
      }),
      { numRuns: 2000 },
    );
  });

  it('is read back by readers of YAML 1.2 and 1.1 to the same texts (property)', () => {
    const texts = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 2 })), { noNullPrototype: true });
    fc.assert(
      fc.property(texts, (value) => {
        const yaml = renderYaml({ value });
        for (const version of ['1.2', '1.1'] as const) expect(parse(yaml, { version })).toEqual({ value });
      }),
      { numRuns: 1000 },
    );
  });

  it('holds no character that a terminal acts on (property)', () => {
    fc.assert(
      fc.property(tree, (value) => {
        for (const shown of [renderYaml({ value }), renderJson({ value }, 2), renderJson({ value })]) {
          expect(shown).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('writes keys that are too long for the short form', () => {
    const object = { ['k'.repeat(2000)]: { a: 1 } };
    const document = parseDocument(renderYaml(object));
    expect([document.errors, document.toJS()]).toEqual([[], object]);
  });
});

describe('renderJson', () => {
  it('means the same as the value (property)', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.stringify(JSON.parse(renderJson(value as Json, 2)))).toBe(JSON.stringify(value));
      }),
    );
  });
});
