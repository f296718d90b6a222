// A program of the bed as a process. Its number is in a file before it starts, so that it is found even if this process
// is killed meanwhile.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pidFolder } from './folders.ts';
import { kill } from './process-id.ts';

export type ProgramOptions = {
  /** Of the bed; must occur in the arguments. */
  folder: string;
  name: string;
  path: string;
  arguments: readonly string[];
  environment?: Record<string, string>;
};

export class Process {
  readonly name: string;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #logFile: string;
  readonly #pidFile: string;
  #isClosed = false;

  private constructor(child: ChildProcess, pid: number, options: ProgramOptions) {
    this.name = options.name;
    this.pid = pid;
    this.#child = child;
    this.#logFile = logFileOf(options);
    this.#pidFile = pidFileOf(options);
    child.on('exit', () => {
      this.#isClosed = true;
    });
  }

  /** Starts a program, in a group of its own: signals of the terminal reach the one who started it only. */
  static start(options: ProgramOptions): Process {
    const { folder, path, environment } = options;
    if (!options.arguments.some((argument) => argument.includes(folder))) throw new Error(`${path} would not be found`);
    mkdirSync(pidFolder(folder), { recursive: true });
    mkdirSync(join(folder, 'logs'), { recursive: true });
    const log = openSync(logFileOf(options), 'a');
    const script = 'echo $$ > "$0" && exec "$@"';
    const child = spawn('/bin/sh', ['-c', script, pidFileOf(options), path, ...options.arguments], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: '/usr/bin:/bin', HOME: folder, ...environment },
    });
    closeSync(log);
    // Without a shell nothing starts at all.
    if (child.pid === undefined) throw new Error(`${options.name} could not be started`);
    return new Process(child, child.pid, options);
  }

  /** True once it has ended. */
  get isEnded(): boolean {
    return this.#isClosed;
  }

  /** What it has printed so far. */
  get log(): string {
    return readFileSync(this.#logFile, 'utf8');
  }

  /** The end of what it printed, for a message. */
  get lastWords(): string {
    return this.log.trimEnd().split('\n').slice(-15).join('\n');
  }

  /** Lets this process end while the program runs on. */
  release(): void {
    this.#child.unref();
  }

  /** Sends a signal: `SIGTERM` to have it end in an orderly way, `SIGSTOP` and `SIGCONT` to hold it. */
  signal(name: NodeJS.Signals): void {
    if (!this.#isClosed) process.kill(this.pid, name);
  }

  /** Resolves with its exit code once it has ended. */
  ended(): Promise<number | null> {
    if (this.#isClosed) return Promise.resolve(this.#child.exitCode);
    return new Promise((resolve) => this.#child.once('exit', resolve));
  }

  /** Ends it at once and waits until it is gone. */
  async end(): Promise<void> {
    if (!this.#isClosed) {
      const gone = new Promise((resolve) => this.#child.once('exit', resolve));
      kill(this.pid);
      await gone;
    }
    rmSync(this.#pidFile, { force: true });
  }
}

/** Resolves once `isReady` does to true. Rejects with what the program said when it ends before, or after the limit. */
export async function untilReady(program: Process, limitMs: number, isReady: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isReady())) {
    if (program.isEnded) throw new Error(`${program.name} ended while starting:\n${program.lastWords}`);
    if (performance.now() > deadline) {
      throw new Error(`${program.name} is not ready after ${limitMs / 1000} s:\n${program.lastWords}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function logFileOf({ folder, name }: ProgramOptions): string {
  return join(folder, 'logs', `${name}.log`);
}

function pidFileOf({ folder, name }: ProgramOptions): string {
  return join(pidFolder(folder), name);
}
