// A host as a process: all lines go in, all that it writes comes out.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Call } from './calls.ts';
import type { HostCommand } from './programs.ts';

/** The path of a module, and the calls. */
type Given = { module: string; lines: readonly string[]; signal: AbortSignal };

/** What the host wrote for these lines. Throws when it ends with a failure; `signal` ends it. */
export async function answersOf(command: HostCommand, given: Given): Promise<Buffer> {
  const { module, lines, signal } = given;
  const child = spawn(command.program, [...command.given, module], { stdio: ['pipe', 'pipe', 'pipe'], signal });
  const written: Buffer[] = [];
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => written.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000);
  });
  // A host that ends early is told by its exit code.
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close');
  for (const line of lines) {
    if (!child.stdin.write(`${line}\n`)) await Promise.race([once(child.stdin, 'drain').catch(() => undefined), ended]);
  }
  child.stdin.end();
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`the host ended with ${code}: ${said}`);
  return Buffer.concat(written);
}

/** The first call that was answered otherwise than expected, in words; undefined when there is none. */
export function firstDifference(calls: readonly Call[], written: Buffer): string | undefined {
  let at = 0;
  for (const { line, answer } of calls) {
    const got = written.subarray(at, at + answer.length);
    if (!got.equals(answer)) {
      return `${line.slice(0, 500)}\nexpected ${answer.toString().slice(0, 500)}\ngot ${got.toString().slice(0, 500)}`;
    }
    at += answer.length;
  }
  return at === written.length ? undefined : `${written.length - at} bytes more than expected`;
}
