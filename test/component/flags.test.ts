// Flags are read as users of Kubernetes programs write them, and a wrong one is named.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDuration } from '../../component/durations.ts';
import { InputError } from '../../component/errors.ts';
import { flagHelp, flagReference } from '../../component/flag-pages.ts';
import * as flag from '../../component/flags.ts';

const TABLE = {
  name: flag.textFlag({ summary: 'A name.', environment: 'NAME', default: 'none' }),
  list: flag.listFlag({ summary: 'Several.' }, ','),
  path: flag.listFlag({ summary: 'Several, one at a time.', placeholder: 'FILE|DIR' }),
  port: flag.portFlag({ summary: 'A port.', off: true, environment: 'PORT' }),
  count: flag.integerFlag({ summary: 'A count.', min: 1, max: 9, default: '3' }),
  delay: flag.durationFlag({ summary: 'A time.', default: '1m30s' }),
  level: flag.choiceFlag({ summary: 'A word.', words: ['low', 'high'], default: 'low' }),
  fast: flag.booleanFlag({ summary: 'A switch.' }),
} as const;

const parse = (given: string[], environment: flag.Environment = {}) => flag.parseFlags(TABLE, given, environment);

test('without flags the defaults count', () => {
  expect(parse([])).toEqual({
    name: 'none',
    list: [],
    path: [],
    port: undefined,
    count: 3,
    delay: 90_000,
    level: 'low',
    fast: false,
  });
});

test.each([
  [
    ['--name', 'a', '--count=4', '-level', 'high', '-fast', '-port=off'],
    { name: 'a', count: 4, level: 'high', fast: true, port: 'off' },
  ],
  [['--fast=false', '--port', '0', '--delay', '0'], { fast: false, port: 0, delay: 0 }],
  [['--list', 'a, b', '--list=c', '--path', 'x,y', '--path', 'z'], { list: ['a', 'b', 'c'], path: ['x,y', 'z'] }],
  [['--name', '--odd', '--name=a=b'], { name: 'a=b' }],
  [['--name', 'first', '--name', 'last'], { name: 'last' }],
])('%j is read', (given, values) => {
  expect(parse(given)).toMatchObject(values);
});

test('a flag counts before its environment variable, and that before the default', () => {
  expect(parse(['--name', 'flag'], { NAME: 'variable' }).name).toBe('flag');
  expect(parse([], { NAME: 'variable' }).name).toBe('variable');
  expect(parse([], { NAME: '' }).name).toBe('none');
});

test.each([
  [['--nam', 'a'], {}, 'unknown flag: --nam'],
  [['--toString'], {}, 'unknown flag: --toString'],
  [['a'], {}, 'unexpected argument "a", expected a flag'],
  [['--'], {}, 'unexpected argument "--", expected a flag'],
  [['--name'], {}, '--name: expected TEXT, got nothing'],
  [['--name', ''], {}, '--name: expected TEXT, got an empty text'],
  [['--list', 'a,,b'], {}, '--list: expected TEXT, got an empty text'],
  [['--port', '-1'], {}, '--port: expected a whole number from 0 to 65535, got "-1"'],
  [['--port', '1e3'], {}, '--port: expected a whole number from 0 to 65535, got "1e3"'],
  [['--count', '10'], {}, '--count: expected a whole number from 1 to 9, got "10"'],
  [['--delay', '5'], {}, '--delay: expected a duration such as 10s or 1m30s, got "5"'],
  [['--level', 'mid'], {}, '--level: expected one of low, high, got "mid"'],
  [['--fast=yes'], {}, '--fast: expected true or false, got "yes"'],
  [[], { PORT: 'x' }, 'environment variable PORT: expected a whole number from 0 to 65535, got "x"'],
])('%j with %j is refused by name', (given, environment, message) => {
  const act = () => parse(given, environment);
  expect(act).toThrow(InputError);
  try {
    act();
  } catch (error) {
    expect((error as InputError).describe()).toBe(message);
  }
});

test('control characters of an argument do not reach the terminal', () => {
  expect(() => parse(['--\u001b[31mred'])).toThrow('unknown flag: --\\u001b[31mred');
});

test('help and reference name every flag with its default and variable', () => {
  const help = flagHelp(TABLE);
  expect(help).toMatch(/--name TEXT +A name\. \(default none, env NAME\)/);
  expect(help).toMatch(/--fast +A switch\./);
  const reference = flagReference(TABLE);
  expect(reference).toContain('| `--path FILE\\|DIR` |  |  | Several, one at a time. |');
  expect(reference).toContain('| `--delay DURATION` | `1m30s` |  | A time. |');
});

test.each([
  ['10s', 10_000],
  ['1m30s', 90_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  ['1500us', 1.5],
  ['0', 0],
  ['0s', 0],
])('%s is a duration', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each(['', '5', 's', '-5s', '5 s', '5S', '1h-3m', '.5s', `${'9s'.repeat(40)}`])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test('no text makes the parser of durations throw or give anything but a number that is not negative', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.]{0,4}(ms|s|m|h|us){0,3}$/)), (text) => {
      const milliseconds = parseDuration(text);
      expect(milliseconds === undefined || milliseconds >= 0).toBe(true);
    }),
  );
});
