// Flags as tables: one row says how a flag is read, where its default comes from and what it means; the values, --help
// and the reference page all come from the rows. The only reader of the process's arguments and environment.

import { parseDuration } from './durations.ts';
import { InputError } from './errors.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One flag. `read` gets every value that was given (at least one) and throws an Error saying what was expected. */
export type Flag<T> = {
  /** The shape of the value as help shows it, such as `FILE|DIR`; empty for a flag that needs no value. */
  placeholder: string;
  summary: string;
  /** The default as text, read like a given value; undefined when the flag has none. */
  default: string | undefined;
  /** The environment variable that counts when the flag is not given. */
  environment?: string;
  /** The value when neither flag, variable nor default is there. */
  absent: T;
  read: (values: readonly string[]) => T;
};

/** Rows by flag name, without dashes. */
export type FlagTable = Readonly<Record<string, Flag<unknown>>>;
export type FlagValues<T extends FlagTable> = { readonly [K in keyof T]: T[K] extends Flag<infer V> ? V : never };

/** What this process was started with. */
export function processInput(): { arguments: readonly string[]; environment: Environment } {
  return { arguments: process.argv.slice(2), environment: process.env };
}

/**
 * Values of a table: flag before environment before default. `-name`, `--name`, `--name value` and `--name=value` are
 * read. Throws InputError naming the flag or argument that is unknown, and for a wrong value what was expected.
 */
export function parseFlags<T extends FlagTable>(
  table: T,
  given: readonly string[],
  environment: Environment,
): FlagValues<T> {
  const texts = collect(table, given);
  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(table)) {
    const fromVariable = flag.environment === undefined ? undefined : environment[flag.environment];
    if (texts.has(name)) values[name] = readValue(flag, texts.get(name) ?? [], `--${name}`);
    else if (fromVariable !== undefined && fromVariable !== '') {
      values[name] = readValue(flag, [fromVariable], `environment variable ${flag.environment}`);
    } else values[name] = flag.default === undefined ? flag.absent : flag.read([flag.default]);
  }
  return Object.freeze(values) as FlagValues<T>;
}

function collect(table: FlagTable, given: readonly string[]): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (let i = 0; i < given.length; i++) {
    const argument = given[i] ?? '';
    const match = /^--?([^=-][^=]*)(?:=([\s\S]*))?$/.exec(argument);
    if (match === null) throw new InputError(`unexpected argument ${quote(argument)}, expected a flag`);
    const [, name = '', inline] = match;
    const flag = Object.hasOwn(table, name) ? table[name] : undefined;
    if (flag === undefined) throw new InputError(`unknown flag: --${printable(name)}`);
    let value = inline;
    if (value === undefined && flag.placeholder === '') value = 'true';
    if (value === undefined) {
      value = given[++i];
      if (value === undefined)
        throw new InputError(`expected ${flag.placeholder}, got nothing`, { field: `--${name}` });
    }
    texts.set(name, [...(texts.get(name) ?? []), value]);
  }
  return texts;
}

function readValue(flag: Flag<unknown>, texts: readonly string[], source: string): unknown {
  try {
    return flag.read(texts);
  } catch (error) {
    const expected = error instanceof Error ? error.message : String(error);
    throw new InputError(expected, { field: source }, { cause: error });
  }
}

type Row = { summary: string; default?: string; environment?: string; placeholder?: string };

function flag<T>(row: Row, placeholder: string, absent: T, read: (values: readonly string[]) => T): Flag<T> {
  const { summary, environment } = row;
  const base = { placeholder: row.placeholder ?? placeholder, summary, default: row.default, absent, read };
  return environment === undefined ? base : { ...base, environment };
}

const last = (values: readonly string[]): string => values[values.length - 1] ?? '';
const quote = (text: string): string => JSON.stringify(text);
const printable = (text: string): string => quote(text).slice(1, -1);

/** Any text that is not empty. */
export function textFlag(row: Row): Flag<string | undefined> {
  return flag<string | undefined>(row, 'TEXT', undefined, (values) => {
    if (last(values) === '') throw new Error(`expected ${row.placeholder ?? 'TEXT'}, got an empty text`);
    return last(values);
  });
}

/** A list: the flag may be repeated; with `separator` one value may hold several. */
export function listFlag(row: Row, separator?: string): Flag<readonly string[]> {
  return flag<readonly string[]>(row, 'TEXT', [], (values) => {
    const parts = separator === undefined ? values : values.flatMap((value) => value.split(separator));
    const trimmed = parts.map((part) => part.trim());
    if (trimmed.includes('')) throw new Error(`expected ${row.placeholder ?? 'TEXT'}, got an empty text`);
    return trimmed;
  });
}

/** A whole number within bounds, both included. */
export function integerFlag(row: Row & { min: number; max: number }): Flag<number> {
  return flag(row, 'N', 0, (values) => integer(last(values), row.min, row.max));
}

/** A port to listen on; 0 takes a free one. With `off` the word `off` means not to listen. Undefined if not given. */
export function portFlag(row: Row & { off?: boolean }): Flag<number | 'off' | undefined> {
  return flag<number | 'off' | undefined>(row, row.off === true ? 'N|off' : 'N', undefined, (values) => {
    return row.off === true && last(values) === 'off' ? 'off' : integer(last(values), 0, 65_535);
  });
}

function integer(text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new Error(`expected a whole number from ${min} to ${max}, got ${quote(text)}`);
  return value;
}

/** A duration in Go notation; the value is milliseconds. */
export function durationFlag(row: Row): Flag<number> {
  return flag(row, 'DURATION', 0, (values) => {
    const milliseconds = parseDuration(last(values));
    if (milliseconds === undefined)
      throw new Error(`expected a duration such as 10s or 1m30s, got ${quote(last(values))}`);
    return milliseconds;
  });
}

/** One word of a list. */
export function choiceFlag<T extends string>(row: Row & { default: T; words: readonly T[] }): Flag<T> {
  return flag<T>(row, row.words.join('|'), row.default, (values) => {
    const word = row.words.find((candidate) => candidate === last(values));
    if (word === undefined) throw new Error(`expected one of ${row.words.join(', ')}, got ${quote(last(values))}`);
    return word;
  });
}

/** True or false in the words that Go reads; given without a value it is true. */
export function booleanFlag(row: Row): Flag<boolean> {
  return flag(row, '', false, (values) => {
    if (/^(?:1|t|T|true|TRUE|True)$/.test(last(values))) return true;
    if (/^(?:0|f|F|false|FALSE|False)$/.test(last(values))) return false;
    throw new Error(`expected true or false, got ${quote(last(values))}`);
  });
}
