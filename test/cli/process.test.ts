// The command as a process: streams, exit codes, a reader that goes away.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

type Ended = { code: number | null; signal: string | null; stdout: string; stderr: string };

// With `readBytes` the reader closes standard output after so many bytes.
function start(given: readonly string[], options: { stdin?: string; readBytes?: number } = {}): Promise<Ended> {
  const child = spawn(process.execPath, [main, ...given], { cwd: root, env: { HOME: '/nonexistent' } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    if (options.readBytes !== undefined && stdout.length >= options.readBytes) child.stdout.destroy();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

const pod = (name: string, labels = 1): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: Object.fromEntries(Array.from({ length: labels }, (_, at) => [`label-${at}`, 'x'.repeat(60)])),
    },
    spec: { containers: [{ name: 'app', image: 'x' }] },
  });

describe('the process', () => {
  it('prints exactly one review answer, and nothing else, on standard output', async () => {
    const given = ['review', '-f', '-', '--objects', 'examples/sidecars', '-o', 'review', '--path', '/mutate-pod'];
    const { code, stdout, stderr } = await start(given, { stdin: pod('a') });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.endsWith('\n')).toBe(true);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'AdmissionReview', response: { allowed: true } });
  });

  it.each([
    [
      1,
      'apiVersion: apps.kruise.io/v1beta1\nkind: SidecarSet\nmetadata: {name: a}\nspec: {}\n',
      'stdout',
      'SidecarSet a: denied by vsidecarset.kb.io',
    ],
    [2, 'kind: [', 'stderr', 'error: -:1:8: '],
  ] as const)('ends with %i', async (expected, stdin, stream, text) => {
    const ended = await start(['review', '-f', '-'], { stdin });
    expect(ended.code).toBe(expected);
    expect(ended[stream]).toContain(text);
    expect(ended[stream === 'stdout' ? 'stderr' : 'stdout']).toBe('');
  });

  const sidecarSet = 'apiVersion: apps.kruise.io/v1alpha1\nkind: SidecarSet\nmetadata: {name: a}\n';
  const spec = 'spec: {selector: {matchLabels: {a: b}}, containers: [{name: a, image: x}]}\n';

  it.each([
    [0, `${sidecarSet}${spec}`, '', '1 object checked, 0 errors, 0 warnings, 0 skipped\n'],
    [
      1,
      `${sidecarSet}${spec.replace('image: x', 'image: ""')}`,
      '::error title=SidecarSet a::spec.containers[0].image: Required value\n',
      '1 object checked, 1 error, 0 warnings, 0 skipped\n',
    ],
    [2, '', '', 'error: -: holds no object (--allow-empty accepts that)\n'],
  ])('lints, and ends with %i', async (expected, stdin, stdout, stderr) => {
    const ended = await start(['lint', '-f', '-', '-o', 'github'], { stdin });
    expect(ended).toEqual({ code: expected, signal: null, stdout, stderr });
  });

  it('lints what it converts, and prints definitions', async () => {
    const converted = await start(['convert', '-f', '-', '--to', 'v1beta1'], { stdin: `${sidecarSet}${spec}` });
    expect([converted.code, converted.stderr]).toEqual([0, '']);
    expect(converted.stdout).toMatch(/^apiVersion: apps\.kruise\.io\/v1beta1\n/);
    expect((await start(['lint', '-f', '-'], { stdin: converted.stdout })).code).toBe(0);
    const definitions = await start(['crds', '--kind', 'sidecarset']);
    expect([definitions.code, definitions.stderr]).toEqual([0, '']);
    expect(definitions.stdout).toContain('name: sidecarsets.apps.kruise.io\n');
  });

  it('writes all of a long output into a pipe', async () => {
    const { code, stdout } = await start(['review', '-f', '-', '-o', 'json'], { stdin: pod('long', 20_000) });
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(stdout).metadata.labels)).toHaveLength(20_000);
  });

  it('ends quietly when the reader goes away', async () => {
    const { code, signal, stderr } = await start(['review', '-f', '-', '-o', 'json'], {
      stdin: pod('long', 20_000),
      readBytes: 10,
    });
    expect([code, signal, stderr]).toEqual([0, null, '']);
  });

  it.skipIf(!existsSync('/dev/full'))('says that its output cannot be written, and has then failed', async () => {
    const full = await open('/dev/full', 'w');
    const child = spawn(process.execPath, [main, 'review', '-f', 'examples/pods'], {
      cwd: root,
      env: { HOME: '/nonexistent' },
      stdio: ['ignore', full.fd, 'pipe'],
    });
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const [code] = await once(child, 'close');
    await full.close();
    expect([code, stderr]).toEqual([3, 'error: the output cannot be written (ENOSPC)\n']);
  });

  it.skipIf(!existsSync('/dev/full'))('keeps its exit code when there is no room for its errors', async () => {
    const full = await open('/dev/full', 'w');
    const child = spawn(process.execPath, [main, 'review', '-f', 'nonexistent'], {
      cwd: root,
      env: { HOME: '/nonexistent' },
      stdio: ['ignore', 'ignore', full.fd],
    });
    const [code] = await once(child, 'close');
    await full.close();
    expect(code).toBe(2);
  });
});
