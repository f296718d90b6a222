// The command as a whole: help, misuse, exit codes.

import { describe, expect, it } from 'vitest';
import { fieldsOf } from '../../cli/field-messages.ts';
import { run } from './stand-in.ts';

describe('sluice', () => {
  it.each([
    [['--help']],
    [['help']],
    [['review', '--help']],
    [['explain', '-h']],
    [['help', 'review']],
    [['completion', '--help']],
  ])('%j prints help on standard output', async (given) => {
    const { code, stdout, stderr } = await run(given);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: sluice /);
    expect(stdout).not.toMatch(/<[A-Z]|\[options\]/);
  });

  it.each([['review'], ['explain'], ['lint'], ['convert'], ['crds'], ['completion']])(
    '%s has examples in its help',
    async (command) => {
      expect((await run([command, '--help'])).stdout).toMatch(/\nExamples:\n {2}# /);
    },
  );

  it.each([
    [[], 'Usage: sluice COMMAND'],
    [['revew'], "error: unknown command 'revew'\n(Did you mean review?)"],
    [['review'], 'error: --filename (-f) is required'],
    [['lint'], 'error: --filename (-f) is required'],
    [['convert', '--to', 'v1beta1'], 'error: --filename (-f) is required'],
    [['review', '--objcts', 'x'], "error: unknown option '--objcts'\n(Did you mean --objects?)"],
    [['review', '-f'], "error: option '-f, --filename FILE' argument missing"],
    [['review', '-f', 'x', 'y'], 'error: too many arguments'],
    [
      ['review', '-f', 'x', '-o', 'xml'],
      "error: option '-o, --output FORMAT' argument 'xml' is invalid. Allowed choices are summary,",
    ],
    [
      ['review', '-f', 'x', '--now', 'today'],
      "argument 'today' is invalid. Expected a time such as 2026-07-01T08:00:00Z.",
    ],
    [['review', '-f', 'x', '--now', '2026-13-01T08:00:00Z'], 'Expected a time'],
    [['review', '-f', 'x', '--operation', 'PATCH'], 'Allowed choices are CREATE, UPDATE, DELETE.'],
    [['review', '-f', 'x', '\u001b[2J'], 'error: too many arguments'],
    [['completion', 'tcsh'], "value 'tcsh' is invalid for argument 'SHELL'. Allowed choices are bash, zsh, fish."],
    [
      ['explain', '-f', '-', '--objects', '-'],
      'error: --objects: standard input is read once, and --filename reads it',
    ],
  ])('%j is misuse: exit code 2, message on standard error', async (given, message) => {
    const { code, stdout, stderr } = await run(given);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('\u001b');
  });

  it('hands the arguments of services on as they are', async () => {
    const { code, stdout } = await run(['gateway', '--port', '0', '--help']);
    expect([code, stdout]).toEqual([0, 'gateway --port 0 --help\n']);
    expect((await run(['help', 'gateway'])).stdout).toBe('gateway --help\n');
    expect((await run(['reconcilers', '--v', '5'])).stdout).toBe('reconcilers --v 5\n');
  });

  it('prints its version as text, JSON and YAML', async () => {
    expect((await run(['version'])).stdout).toMatch(
      /^sluice \d+\.\d+\.\d+\nnode v26\.0\.0 linux-x64\npolicy\.wasm not built\n$/,
    );
    expect(JSON.parse((await run(['version', '-o', 'json'])).stdout)).toMatchObject({ node: 'v26.0.0' });
    expect((await run(['version', '-o', 'yaml'])).stdout).toContain('platform: linux-x64\n');
  });

  it('ends with 3 and the stack of a bug', async () => {
    const { code, stdout, stderr } = await run(['review', '-f', '-'], {
      stdin: '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}',
      rules: {
        '/mutate-pod': () => {
          throw new TypeError('a bug\u001b[2J');
        },
      },
    });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/^internal error: TypeError: a bug\\u001b\[2J\n {4}at /);
  });
});

describe('the field errors of a message', () => {
  it.each([
    ['spec.a: Required value', [['spec.a', 'spec.a: Required value']]],
    [
      '[spec.a[0].b: Invalid value: "x, y: z": bad, metadata.labels[a.b/c]: Forbidden: no]',
      [
        ['spec.a[0].b', 'spec.a[0].b: Invalid value: "x, y: z": bad'],
        ['metadata.labels[a.b/c]', 'metadata.labels[a.b/c]: Forbidden: no'],
      ],
    ],
    [
      'spec.containers[0].name: expected string, got number',
      [['spec.containers[0].name', 'spec.containers[0].name: expected string, got number']],
    ],
    [
      'json: cannot unmarshal number into Go struct field Container.spec.containers.image of type string',
      [
        [
          'spec.containers.image',
          'json: cannot unmarshal number into Go struct field Container.spec.containers.image of type string',
        ],
      ],
    ],
    ['feature gate X is off', []],
    ['', []],
  ])('%j', (message, fields) => {
    expect(fieldsOf(message).map(({ path, text }) => [path, text])).toEqual(fields);
  });
});
