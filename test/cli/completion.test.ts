// Completion scripts: they name every command and flag, and bash completes by them.

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { run } from './stand-in.ts';

async function script(shell: string): Promise<string> {
  return (await run(['completion', shell])).stdout;
}

const hasShell = (shell: string): boolean => spawnSync(shell, ['-c', ':']).status === 0;

describe.each(['bash', 'zsh', 'fish'])('the script for %s', (shell) => {
  it('names every command, flag and choice, those of the gateway too', async () => {
    const text = await script(shell);
    const words = [
      'review',
      'explain',
      'lint',
      'convert',
      'crds',
      'gateway',
      'reconcilers',
      'completion',
      'version',
      'help',
      'filename',
      'feature-gates',
      'system-namespace',
    ];
    for (const word of [
      ...words,
      'log-level',
      'info debug',
      'summary review patch object diff json yaml sarif github',
      'text json sarif github',
      'service-namespace',
      'warn-exit-code',
      'CREATE UPDATE DELETE',
    ]) {
      expect(text).toContain(word);
    }
  });

  it.skipIf(!hasShell(shell))('has no syntax error', async () => {
    const checked = spawnSync(shell, shell === 'fish' ? ['--no-execute'] : ['-n'], {
      input: await script(shell),
      encoding: 'utf8',
    });
    expect([checked.status, checked.stderr]).toEqual([0, '']);
  });
});

describe('bash', () => {
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
    [
      ['crds', '--service-na'],
      ['--service-namespace', '--service-name'],
    ],
    [['help', 'ex'], ['explain']],
  ])('offers after %j the words %j', async (words, offered) => {
    expect(await offers(...words)).toEqual(offered);
  });
});
