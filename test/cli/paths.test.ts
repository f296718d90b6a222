// Every flag that takes a path, and every path that is not what it takes: one line that says what is wrong, and exit code 2.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const PROGRAM = new URL('../../dist/sluice.mjs', import.meta.url).pathname;
/** A program of every system that the tests run on. */
const PIPE_MAKER = 'mkfifo';
/** Root without the right to read and write whatever it likes: what nobody may, it may not either. */
const AS_ANYBODY = ['setpriv', '--bounding-set=-dac_override,-dac_read_search'];

let base: string;
const at = (name: string) => join(base, name);

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'sluice-paths-'));
  mkdirSync(at('folder'), { mode: 0o500 });
  mkdirSync(at('closed'), { mode: 0 });
  mkdirSync(at('own'));
  writeFileSync(at('secret'), 'x', { mode: 0 });
  writeFileSync(at('empty'), '');
  writeFileSync(at('binary'), '\0\x01{{{');
  writeFileSync(at('file'), 'hello');
  execFileSync(PIPE_MAKER, [at('pipe')]);
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [] } };
  writeFileSync(at('pod.json'), JSON.stringify(pod));
  const suite = { apiVersion: 'sluice.dev/v1alpha1', kind: 'PolicyTest', metadata: { name: 'a' } };
  const cases = [{ name: 'a', input: { ...pod, spec: { containers: [{ name: 'a', image: 'a' }] } } }];
  writeFileSync(at('suite.json'), JSON.stringify({ ...suite, cases }), { mode: 0o400 });
  chmodSync(base, 0o500);
});
afterAll(() => {
  for (const name of ['.', 'folder', 'closed']) chmodSync(at(name), 0o700);
  rmSync(base, { recursive: true });
});

async function run(given: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const env = { PATH: process.env.PATH, HOME: at('own') };
  const before = process.getuid?.() === 0 ? AS_ANYBODY : [];
  const [command = '', ...words] = [...before, process.execPath, PROGRAM, ...given];
  const child = spawn(command, words, {
    cwd: at('own'),
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  const text = lines.join('\n').replaceAll(`${base}/`, '');
  return { code, stderr: text.startsWith('error: ') ? text.slice('error: '.length) : `no error: ${text}` };
}

const GATEWAY = ['gateway', '--port', '0', '--health-port', 'off', '--metrics-port', 'off'];
const RECONCILERS = ['reconcilers', '--metrics-addr', '0', '--health-probe-addr', '0'];
const FILES = { pod: 'pod.json', certificates: 'own/certs' } as const;

/** `@` stands for the path, `:name` for a file that is right. */
const READ_OBJECTS = {
  closed: 'closed: permission denied',
  secret: 'secret: permission denied',
  missing: 'missing: no such file or folder',
  'file/below': 'file/below: a part of the path is a file; expected a folder',
  binary: /^binary:1:1: control characters/,
};
const READ_FILE = { ...READ_OBJECTS, closed: /^closed: (permission denied|is a folder; expected a file)$/ };
const KUBECONFIG = {
  ...READ_FILE,
  folder: 'folder: is a folder; expected a file',
  empty: 'empty: expected a kubeconfig, and nothing is in it',
};

const rows: [flag: string, given: readonly string[], errors: Record<string, string | RegExp>][] = [
  ['lint -f', ['lint', '-f', '@'], { ...READ_OBJECTS, folder: /^folder: holds no object/, empty: /^empty: holds no/ }],
  [
    'review -f',
    ['review', '-f', '@'],
    { ...READ_OBJECTS, folder: 'folder: holds no object', empty: /holds no object/ },
  ],
  ['review --objects', ['review', '-f', FILES.pod, '--objects', '@'], READ_OBJECTS],
  [
    'review --record',
    ['review', '-f', FILES.pod, '--record', '@'],
    {
      folder: 'folder: is a folder; expected a file',
      secret: 'secret: permission denied',
      missing: 'missing: permission denied',
      'file/below': 'file/below: a part of the path is a file; expected a folder',
    },
  ],
  [
    'review --replay',
    ['review', '--replay', '@'],
    { ...READ_FILE, folder: 'folder: is a folder; expected a file', empty: 'empty: expected one recording' },
  ],
  ['convert -f', ['convert', '-f', '@', '--to', 'v1beta1'], { ...READ_OBJECTS, folder: 'folder: holds no object' }],
  ['explain -f', ['explain', '-f', '@'], { ...READ_OBJECTS, folder: 'folder: holds no object' }],
  ['explain drain --objects', ['explain', 'drain', 'n', '--objects', '@'], READ_OBJECTS],
  ['explain drain --kubeconfig', ['explain', 'drain', 'n', '--kubeconfig', '@'], KUBECONFIG],
  ['diff --objects', ['diff', '--objects', '@', '--against', FILES.pod], READ_OBJECTS],
  ['diff --against', ['diff', '--objects', FILES.pod, '--against', '@'], READ_OBJECTS],
  ['diff --kubeconfig', ['diff', '--objects', FILES.pod, '--kubeconfig', '@'], KUBECONFIG],
  ['bench -f', ['bench', '-f', '@'], { ...READ_OBJECTS, folder: 'folder: holds no object' }],
  [
    'bench --module',
    ['bench', '-f', FILES.pod, '--module', '@'],
    {
      ...READ_FILE,
      folder: 'folder: is a folder; expected a file',
      empty: /^empty: expected a policy module: /,
      binary: /^binary: expected a policy module: /,
    },
  ],
  ['test', ['test', '@'], { ...READ_OBJECTS, folder: /no suite in folder/, empty: /^empty: holds no suite/ }],
  ['test --update', ['test', '--update', '@'], { 'suite.json': 'suite.json: permission denied' }],
  ['uninstall-check --kubeconfig', ['uninstall-check', '--kubeconfig', '@'], KUBECONFIG],
  [
    'gateway --objects',
    [...GATEWAY, '--cert-dir', FILES.certificates, '--objects', '@'],
    { ...READ_OBJECTS, pipe: 'pipe: is neither a file nor a folder, and cannot be followed' },
  ],
  ['gateway --kubeconfig', [...GATEWAY, '--kubeconfig', '@'], KUBECONFIG],
  [
    'gateway --cert-dir',
    [...GATEWAY, '--objects', FILES.pod, '--cert-dir', '@'],
    {
      closed: /^closed(\/tls\.\w+)?: permission denied$/,
      secret: /^secret(\/tls\.\w+)?: a part of the path is a file; expected a folder$/,
      empty: /^empty(\/tls\.\w+)?: a part of the path is a file; expected a folder$/,
      pipe: /^pipe(\/tls\.\w+)?: a part of the path is a file; expected a folder$/,
      missing: 'missing: permission denied',
    },
  ],
  [
    'gateway --client-ca-file',
    [...GATEWAY, '--objects', FILES.pod, '--cert-dir', FILES.certificates, '--client-ca-file', '@'],
    {
      ...READ_FILE,
      folder: 'folder: is a folder; expected a file',
      empty: /^empty: .+/,
      binary: /^binary: .+/,
      pipe: 'pipe: is neither a file nor a folder, and cannot be followed',
    },
  ],
  [
    'gateway --protection-log-path',
    [...GATEWAY, '--objects', FILES.pod, '--cert-dir', FILES.certificates, '--protection-log-path', '@'],
    {
      folder: 'folder/protection.log: permission denied',
      closed: 'closed/protection.log: permission denied',
      secret: 'secret: is a file; expected a folder',
      pipe: 'pipe: is a file; expected a folder',
      missing: 'missing: permission denied',
    },
  ],
  ['reconcilers --kubeconfig', [...RECONCILERS, '--kubeconfig', '@'], KUBECONFIG],
];

test.each(rows)('%s is told what is wrong with each path', async (_, given, errors) => {
  const named = new Set<string>(Object.values(FILES));
  const told = async (path: string) => {
    const { code, stderr } = await run(
      given.map((word) => (word === '@' ? at(path) : named.has(word) ? at(word) : word)),
    );
    return [path, { code, stderr }] as const;
  };
  const results = await Promise.all(Object.keys(errors).map(told));
  const line = (error: string | RegExp) => (typeof error === 'string' ? error : expect.stringMatching(error));
  const expected = Object.entries(errors).map(([path, error]) => [path, { code: 2, stderr: line(error) }]);
  expect(Object.fromEntries(results)).toEqual(Object.fromEntries(expected));
});
