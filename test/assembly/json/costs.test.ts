// Texts made to be slow or to overflow something: reading stays linear, and nothing traps. The work is counted in
// turns of loops, which do not depend on the machine, and timed against a plain text, as not every loop is counted.

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bytesOf, JsonModule } from '../../support/module.ts';

const MOST = 7 * 1024 * 1024;

/** Milliseconds that an array of numbers, 7 MiB long, takes: what times are compared with. */
let plain: number;

let module: JsonModule;

beforeAll(() => {
  const bytes = bytesOf(filled('[1', ',1', ']'));
  plain = quickest(new JsonModule(), bytes);
});

beforeEach(() => {
  module = new JsonModule();
});

/** As many repetitions as fit. */
function filled(before: string, piece: string, after: string): string {
  const count = Math.floor((MOST - bytesOf(before + after).length) / bytesOf(piece).length);
  return before + piece.repeat(count) + after;
}

/** The quickest of a few runs: the others tell of the machine. */
function quickest(reader: JsonModule, bytes: Uint8Array): number {
  const times = Array.from({ length: 4 }, () => {
    const start = performance.now();
    reader.scan(bytes);
    return performance.now() - start;
  });
  return Math.min(...times);
}

/** Texts that are refused early or read to their end, with what they say. */
const LINEAR: readonly (readonly [string, () => string, boolean])[] = [
  ['brackets that open', () => filled('', '[', ''), false],
  ['objects that open', () => filled('', '{"a":', ''), false],
  ['objects and arrays that open', () => filled('', '{"":[', ''), false],
  ['numbers never closed', () => filled('[1', ',1', ''), false],
  ['numbers', () => filled('[1', ',1', ']'), true],
  ['empty arrays', () => filled('[[]', ',[]', ']'), true],
  ['empty objects', () => filled('[{}', ',{}', ']'), true],
  ['empty strings', () => filled('[""', ',""', ']'), true],
  ['objects of one member', () => filled('[{}', ',{"":0}', ']'), true],
  ['500 arrays, opened and closed again', () => filled('[[]', `,${'['.repeat(500)}${']'.repeat(500)}`, ']'), true],
  ['blanks before', () => filled('', ' ', '0'), true],
  ['blanks behind', () => filled('0', '\n', ''), true],
  ['blanks and nothing else', () => filled('', ' ', ''), false],
  ['one string', () => filled('"', 'x', '"'), true],
  ['one string that is not closed', () => filled('"', 'x', ''), false],
  ['one key', () => filled('{"', 'x', '":0}'), true],
  ['one key written with escapes', () => filled('{"', '\\u0041', '":0}'), true],
  ['escapes', () => filled('"', '\\n', '"'), true],
  ['escaped quotes', () => filled('"', '\\"', ''), false],
  ['backslashes', () => filled('"', '\\\\', '"'), true],
  ['pairs of surrogates', () => filled('"', '\\ud83d\\ude00', '"'), true],
  ['characters of two bytes', () => filled('"', 'é', '"'), true],
  ['characters of three bytes', () => filled('"', '€', '"'), true],
  ['characters of four bytes', () => filled('"', '\u{1f600}', '"'), true],
  ['characters of one and two bytes in turn', () => filled('"', 'aé', '"'), true],
  ['digits', () => filled('', '1', ''), true],
  ['digits of a fraction', () => filled('0.', '1', ''), true],
  ['digits of an exponent', () => filled('1e', '1', ''), true],
  ['minuses', () => filled('', '-', ''), false],
  ['quotes', () => filled('', '"', ''), false],
  ['commas', () => filled('', ',', ''), false],
  ['colons', () => filled('{"a"', ':', ''), false],
  ['NULs', () => filled('', '\0', ''), false],
];

describe('a text of 7 MiB', () => {
  it.each(LINEAR)('takes a few turns a byte and little time: %s', (_, text, isAccepted) => {
    const bytes = bytesOf(text());
    expect(bytes.length).toBeGreaterThan(MOST - 1100);
    expect(module.scan(bytes).accepted).toBe(isAccepted);
    expect(module.steps / bytes.length).toBeLessThan(2.5);
    expect(quickest(module, bytes) / plain).toBeLessThan(8);
  });

  it('is read when it is as long as may be, and refused when it is one byte longer', () => {
    expect(module.scan(`${' '.repeat(MOST - 2)}[]`)).toEqual({ accepted: true });
    expect(module.scan(`${' '.repeat(MOST - 1)}[]`)).toEqual({
      accepted: false,
      fault: 'the text is longer than 7 MiB (byte 0)',
      offset: 0,
    });
    expect(module.steps).toBeLessThan(100);
  });

  it('stands in memory with its nodes in less than 80 MiB', () => {
    module.scan(filled('[1', ',1', ']'));
    expect(module.memoryBytes).toBeLessThan(80 << 20);
  });
});

/** Turns and time of an object with these keys, which must be accepted. */
function turns(names: Iterable<string>): { turns: number; bytes: number; time: number } {
  const bytes = bytesOf(`{${Array.from(names, (name) => `"${name}":0`).join(',')}}`);
  expect(bytes.length).toBeLessThanOrEqual(MOST);
  expect(module.scan(bytes)).toEqual({ accepted: true });
  return { turns: module.steps, bytes: bytes.length, time: quickest(module, bytes) };
}

function* range(count: number, name: (i: number) => string): Iterable<string> {
  for (let i = 0; i < count; i++) yield name(i);
}

describe('keys', () => {
  /** Short names in an order that is no order. */
  const short = (i: number) => ((i * 2_654_435_761) % 2 ** 32).toString(36).padStart(7, '0').slice(-7);
  /** Equal in length, in the first and in the last eight bytes. */
  const alike = (i: number) => `aaaaaaaa${String((i * 7919) % 1_000_003).padStart(7, '0')}zzzzzzzz`;

  it.each([
    ['600,000 short ones', () => range(600_000, short), 6],
    ['250,000 that look alike', () => range(250_000, alike), 6],
    [
      '2,000 long ones that begin and end alike',
      () => range(2000, (i) => `${'k'.repeat(1500)}${alike(i)}${'z'.repeat(1500)}`),
      2,
    ],
    [
      '24 long ones that begin and end alike',
      () => range(24, (i) => `${'k'.repeat(1500)}${alike(i)}${'z'.repeat(1500)}`),
      2,
    ],
    [
      '25 long ones that begin and end alike',
      () => range(25, (i) => `${'k'.repeat(1500)}${alike(i)}${'z'.repeat(1500)}`),
      2,
    ],
    ['100,000 in order', () => range(100_000, (i) => String(i).padStart(6, '0')), 6],
    ['100,000 in reverse order', () => range(100_000, (i) => String(999_999 - i)), 6],
  ])('are told apart in little more than linear time: %s', (_, names, most) => {
    const { turns: taken, bytes, time } = turns(names());
    expect(taken / bytes).toBeLessThan(most);
    expect(time / plain).toBeLessThan(40);
  });

  it('cost but a little more each when there are ten times as many', () => {
    for (const name of [short, alike]) {
      const few = turns(range(20_000, name));
      const many = turns(range(200_000, name));
      expect(many.turns / many.bytes / (few.turns / few.bytes)).toBeLessThan(1.5);
    }
  });

  it('are told apart in objects just below the bound for sorting, however many there are', () => {
    const object = `{${Array.from(range(24, alike), (name) => `"${name}":0`).join()}}`;
    const bytes = bytesOf(filled(`[${object}`, `,${object}`, ']'));
    expect(module.scan(bytes)).toEqual({ accepted: true });
    expect(module.steps / bytes.length).toBeLessThan(3);
  });

  it('are a million in all in a text that is read', () => {
    const bytes = bytesOf(`[${'{"":0},'.repeat(999_999)}{"":0}]`);
    expect(module.scan(bytes)).toEqual({ accepted: true });
    const nested = bytesOf(
      `{${Array.from({ length: 1000 }, (_, i) => `"${i}":{${Array.from({ length: 900 }, (_, j) => `"${j}":0`).join()}}`).join()}}`,
    );
    expect(module.scan(nested)).toEqual({ accepted: true });
  });

  it('that stand twice are found in the largest object', () => {
    const names = [...range(250_000, alike), alike(123_456)];
    const verdict = module.scan(`{${names.map((name) => `"${name}":0`).join()}}`);
    expect(verdict).toMatchObject({ accepted: false, fault: expect.stringMatching(/^aaaaaaaa\d+zzzzzzzz: this key/u) });
  });
});
