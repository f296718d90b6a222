// A gateway in a process of its own, with the stand-in evaluator: for signals, threads and exit codes.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type ProcessOptions = {
  flags?: readonly string[];
  /** Shorter times: members of Surroundings. */
  times?: object;
  /** Reads this file or folder in place of an empty folder. */
  objects?: string;
  environment?: Record<string, string>;
};

export class GatewayProcess {
  readonly #child: ChildProcess;
  readonly folder: string;
  stdout = '';
  stderr = '';
  readonly #exit: Promise<number | null>;
  #wake: () => void = () => undefined;

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.folder = folder;
    child.stdout?.on('data', (text) => {
      this.stdout += text;
      this.#wake();
    });
    child.stderr?.on('data', (text) => {
      this.stderr += text;
      this.#wake();
    });
    this.#exit = once(child, 'close').then(([code]) => {
      this.#wake();
      return code as number | null;
    });
  }

  /** Starts one on free ports; `objects` is a folder in its own folder. */
  static async spawn({
    flags = [],
    times = {},
    objects,
    environment = {},
  }: ProcessOptions = {}): Promise<GatewayProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-gateway-'));
    const given = ['--port', '0', '--health-port', '0', '--metrics-port', '0', '--cert-dir', join(folder, '.certs')];
    const child = startProcess(['--objects', objects ?? folder, ...given, ...flags], times, environment);
    return new GatewayProcess(child, folder);
  }

  /** Starts one with these flags alone. */
  static async spawnPlain(flags: readonly string[], environment: Record<string, string> = {}): Promise<GatewayProcess> {
    return new GatewayProcess(startProcess(flags, {}, environment), await mkdtemp(join(tmpdir(), 'sluice-gateway-')));
  }

  /** Starts one and waits until it listens. */
  static async start(options: ProcessOptions = {}): Promise<GatewayProcess> {
    const gateway = await GatewayProcess.spawn(options);
    await gateway.printed(/certificates in/);
    return gateway;
  }

  get port(): number {
    return this.#portAfter('gateway listens on https://');
  }

  get healthPort(): number {
    return this.#portAfter('health on http://');
  }

  get metricsPort(): number {
    return this.#portAfter('metrics on http://');
  }

  /** Resolves to the exit code. */
  get exit(): Promise<number | null> {
    return this.#exit;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Waits until something was printed, on either stream. */
  async printed(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.stdout + this.stderr)) {
      const ended = await Promise.race([
        this.#exit.then(() => true),
        new Promise<false>((resolve) => (this.#wake = () => resolve(false))),
      ]);
      if (ended && !pattern.test(this.stdout + this.stderr))
        throw new Error(`ended without ${pattern}:\n${this.stderr}`);
    }
  }

  /** The value of a metric line that starts with `series`; 0 if there is none. */
  async metric(series: string): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`);
    const line = (await response.text()).split('\n').find((text) => text.startsWith(`${series} `));
    return line === undefined ? 0 : Number(line.slice(series.length + 1));
  }

  async ready(query = ''): Promise<{ status: number; body: string }> {
    const response = await fetch(`http://127.0.0.1:${this.healthPort}/readyz${query}`);
    return { status: response.status, body: await response.text() };
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
    await rm(this.folder, { recursive: true, force: true });
  }

  #portAfter(text: string): number {
    const at = this.stdout.indexOf(text);
    const port = /:(\d+)/.exec(this.stdout.slice(at + text.length));
    if (at < 0 || port === null) throw new Error(`not printed: ${text}`);
    return Number(port[1]);
  }
}

function startProcess(flags: readonly string[], times: object, environment: Record<string, string>): ChildProcess {
  const start = new URL('./start.ts', import.meta.url).pathname;
  const env = { ...process.env, SLUICE_TEST_TIMES: JSON.stringify(times), ...environment };
  return spawn(process.execPath, [start, ...flags], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}
