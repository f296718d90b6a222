// The flags that several sub-commands have, and how their values are read.

import { type Command, InvalidArgumentError, Option } from 'commander';

/** Called with the exit code that a sub-command ended with. */
export type Done = (code: number) => void;

const COLOR_MODES = ['auto', 'always', 'never'];

/** The flag that names the files. */
export function addInput(command: Command, text: string): void {
  command.option('-f, --filename <FILE>', text, collect);
}

/** The flags that decisions depend on: the cluster, gates, namespaces, time. */
export function addState(command: Command): void {
  addObjects(command);
  command.option('-n, --namespace <NAME>', 'The namespace of objects that name none; default is "default".');
  addSettings(command);
}

/** The flag that names the objects of the cluster. */
export function addObjects(command: Command): void {
  command.addOption(
    new Option('--objects <FILE|DIR>', 'Objects of the cluster: files or folders, YAML or JSON. Repeatable.')
      .argParser(collect)
      .default([]),
  );
}

/** The flags that decisions depend on wherever the objects are. */
export function addSettings(command: Command): void {
  command
    .option('--feature-gates <GATES>', 'Feature gates, such as A=true,B=false. Repeatable.', joinGates, '')
    .option('--system-namespace <NAME>', 'The namespace in which the gateway would run.', 'kruise-system')
    .option('--now <TIME>', 'The time to decide at, such as 2026-07-01T08:00:00Z; default is the clock.', readTime)
    .addOption(new Option('--color <WHEN>', 'Colours in the output.').choices(COLOR_MODES).default('auto'));
}

/**
 * Ends with an error if no file is named. Checked here and not by commander, which would complain of it before it
 * complains of a misspelt flag.
 */
export function requireInput(command: Command, options: { filename?: readonly string[] }): void {
  if (options.filename === undefined) command.error('error: --filename (-f) is required');
}

/** The values of a flag that may be repeated. */
export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function joinGates(value: string, before: string): string {
  return before === '' ? value : `${before},${value}`;
}

const RFC3339 = /^(\d{4}-\d\d-\d\d)[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

function readTime(value: string): number {
  const time = timeOf(value);
  if (time === undefined) throw new InvalidArgumentError('Expected a time such as 2026-07-01T08:00:00Z.');
  return time;
}

/** The milliseconds since 1970 of an RFC 3339 time; undefined for other texts. */
export function timeOf(value: string): number | undefined {
  const [, day] = RFC3339.exec(value) ?? [];
  const time = day === undefined || !isDay(day) ? Number.NaN : Date.parse(value.toUpperCase());
  return Number.isNaN(time) ? undefined : time;
}

// JavaScript takes the 30th of February for the 2nd of March.
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
