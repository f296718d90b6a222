// Completion scripts: they name every command and flag, and bash completes by them.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandTree } from '../../cli/commands.ts';
import type { FlagTable } from '../../component/flags.ts';
import { emptyResult, run, standInHost } from './stand-in.ts';

async function script(shell: string): Promise<string> {
  return (await run(['completion', shell])).stdout;
}

const hasShell = (shell: string): boolean => spawnSync(shell, ['-c', ':']).status === 0;

// What Tab offers after these words; the last one may be unfinished.
async function offers(...words: string[]): Promise<string[]> {
  const parts = words.flatMap((word) =>
    word.includes('=') ? word.split(/(=)/).filter((part) => part !== '') : [word],
  );
  const body = `${await script('bash')}
COMP_WORDS=(sluice ${parts.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${parts.length}
_sluice
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const done = spawnSync('bash', ['--norc', '-c', body], { encoding: 'utf8' });
  expect(done.status).toBe(0);
  return done.stdout.split('\n').filter((line) => line !== '');
}

/** A command with the words that lead to it and all that may stand behind them, read off the tree itself. */
type Found = { words: readonly string[]; commands: readonly string[]; flags: readonly string[] };

async function commandsOfTree(): Promise<Found[]> {
  const host = standInHost({}, emptyResult());
  const found = commandsBelow(commandTree(host, () => undefined));
  const tables = new Map<string, FlagTable>([
    ['gateway', await host.services.gateway.flags()],
    ['reconcilers', await host.services.reconcilers.flags()],
  ]);
  return found.map((one) => {
    const table = tables.get(one.words.join(' '));
    return table === undefined ? one : { ...one, flags: Object.keys(table).map((name) => `--${name}`) };
  });
}

function commandsBelow(command: Command, words: readonly string[] = []): Found[] {
  const flags = command.options.flatMap(({ long, short }) => [long, short]).filter((name) => typeof name === 'string');
  const commands = command.commands.map((one) => one.name());
  const below = command.commands.flatMap((one) => commandsBelow(one, [...words, one.name()]));
  return [{ words, commands, flags: [...flags, '--help', '-h'] }, ...below];
}

const commands = await commandsOfTree();

/** The lines of a script for zsh that are about the command. */
function zshLines(text: string, words: readonly string[]): string {
  return words.reduce(
    (part, word) => new RegExp(`^( +)${word}\\)\n([\\s\\S]*?)^\\1  ;;`, 'm').exec(part)?.[2] ?? '',
    text,
  );
}

/** The lines of a script for fish that count when just these commands were given. */
function fishLines(text: string, words: readonly string[]): string[] {
  return text.split('\n').filter((line) => {
    const [, condition = ''] = /^complete -c sluice -n "([^"]*)"/.exec(line) ?? [];
    const seen = [...condition.matchAll(/(?:^|; and )__fish_seen_subcommand_from ([\w-]+)/g)].map(([, word]) => word);
    return condition !== '' && seen.join(' ') === words.join(' ');
  });
}

it('the tree has the commands that users know', () => {
  const names = commands.map(({ words }) => words.join(' '));
  expect(names).toEqual(expect.arrayContaining(['', 'review', 'explain', 'explain drain', 'gateway', 'completion']));
  expect(commands.find(({ words }) => words.join(' ') === 'explain drain')?.flags).toContain('--context');
});

describe.each(commands)('behind "sluice $words"', ({ words, commands: below, flags }) => {
  it('zsh knows each command and flag', async () => {
    const lines = zshLines(await script('zsh'), words);
    for (const word of below) expect(lines).toContain(`${word}\\:"`);
    for (const flag of flags) expect(lines).toMatch(new RegExp(`['{,]\\*?${flag}[=+[,}]`));
  });

  it('fish knows each command and flag', async () => {
    const lines = fishLines(await script('fish'), words);
    for (const word of below) expect(lines).toContainEqual(expect.stringContaining(` -a ${word} `));
    for (const flag of flags) {
      const spec = flag.startsWith('--') ? ` -l ${flag.slice(2)} ` : ` -s ${flag.slice(1)} `;
      expect(lines).toContainEqual(expect.stringContaining(spec));
    }
  });

  it('bash offers each command and flag', async () => {
    expect(await offers(...words, '-')).toEqual(expect.arrayContaining(flags.filter((flag) => flag.startsWith('-'))));
    expect(await offers(...words, '')).toEqual(expect.arrayContaining([...below]));
  });
});

describe.each(['bash', 'zsh', 'fish'])('the script for %s', (shell) => {
  it('knows what flags may be set to', async () => {
    const text = await script(shell);
    for (const choices of [
      'info debug',
      'summary review patch object diff json yaml sarif github',
      'CREATE UPDATE DELETE',
    ]) {
      expect(text).toContain(choices);
    }
  });

  it.skipIf(!hasShell(shell))('has no syntax error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-completion-'));
    const file = join(folder, 'script');
    writeFileSync(file, await script(shell));
    const checked = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect([checked.status, checked.stderr]).toEqual([0, '']);
  });
});

describe('bash', () => {
  it.each([
    [
      [''],
      [
        'review',
        'explain',
        'test',
        'diff',
        'bench',
        'lint',
        'convert',
        'crds',
        'gateway',
        'reconcilers',
        'uninstall-check',
        'completion',
        'version',
        'help',
        '--help',
        '-h',
      ],
    ],
    [['rev'], ['review']],
    [
      ['review', '--f'],
      ['--filename', '--feature-gates'],
    ],
    [
      ['review', '-o', ''],
      ['summary', 'review', 'patch', 'object', 'diff', 'json', 'yaml', 'sarif', 'github'],
    ],
    [['review', '--output', 'd'], ['diff']],
    [['review', '--output=d'], ['diff']],
    [
      ['review', '--output='],
      ['summary', 'review', 'patch', 'object', 'diff', 'json', 'yaml', 'sarif', 'github'],
    ],
    [['review', '-n', 'shop', '--ob'], ['--objects']],
    [['review', '-f', ''], []],
    [['review', '-n', ''], []],
    [
      ['gateway', '--log-level', ''],
      ['info', 'debug'],
    ],
    [['gateway', '--q'], ['--quiet']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '--help', '-h'],
    ],
    [['lint', '--a'], ['--allow-empty']],
    [
      ['lint', '-o', ''],
      ['text', 'json', 'sarif', 'github'],
    ],
    [['test', ''], []],
    [['test', '--r'], ['--run']],
    [['convert', '--t'], ['--to']],
    [['explain', 'd'], ['drain']],
    [
      ['explain', '-n', 'drain', '--f'],
      ['--filename', '--feature-gates'],
    ],
    [
      ['explain', '--namespace=drain', '--f'],
      ['--filename', '--feature-gates'],
    ],
    [
      ['explain', '-n', 'x', 'drain', 'node-1', '--c'],
      ['--color', '--context'],
    ],
    [['-h', 'rev'], ['review']],
    [['help', 'explain', '-'], []],
    [
      ['crds', '--service-na'],
      ['--service-namespace', '--service-name'],
    ],
    [['help', 'ex'], ['explain']],
  ])('offers after %j the words %j', async (words, offered) => {
    expect(await offers(...words)).toEqual(offered);
  });
});
