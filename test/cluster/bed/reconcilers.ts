// Processes of the controllers in a bed: one leads, and may be killed.
import type { Bed } from './bed.ts';
import { until } from './installation.ts';
import { Process } from './process.ts';

const PROGRAM = new URL('../../../cli/main.ts', import.meta.url).pathname;

export class Reconcilers {
  readonly #bed: Bed;
  readonly #arguments: readonly string[];
  readonly #processes: Process[] = [];

  /** `given` are more arguments of each process. */
  constructor(bed: Bed, given: readonly string[] = []) {
    this.#bed = bed;
    this.#arguments = given;
  }

  /** Starts one more, with an administrator's rights. */
  start(): void {
    const { folder, kubeconfig } = this.#bed;
    const given = [
      ...[PROGRAM, 'reconcilers', '--kubeconfig', kubeconfig],
      ...['--metrics-addr', '127.0.0.1:0', '--health-probe-addr', '127.0.0.1:0'],
      ...['--leader-election-lease-duration', '8s', '--leader-election-renew-deadline', '6s'],
      ...['--leader-election-retry-period', '500ms'],
      ...this.#arguments,
    ];
    const name = `reconcilers-${this.#processes.length}`;
    this.#processes.push(Process.start({ folder, name, path: process.execPath, arguments: given }));
  }

  /** The process that was started last. */
  get last(): Process {
    const last = this.#processes.at(-1);
    if (last === undefined) throw new Error('none was started');
    return last;
  }

  /** Resolves to the process that leads, once one does. */
  async leader(): Promise<Process> {
    let found: Process | undefined;
    await until('one of the controllers’ processes leads', async () => {
      found = await this.#leading();
      return found !== undefined;
    });
    if (found === undefined) throw new Error('none leads');
    return found;
  }

  /** The metrics of the process that leads. */
  async metrics(): Promise<string> {
    return await metricsOf(await this.leader());
  }

  /** Ends the process that leads, without giving it time to hand over. */
  async killLeader(): Promise<void> {
    await (await this.leader()).end();
  }

  async end(): Promise<void> {
    for (const one of this.#processes) await one.end();
  }

  async #leading(): Promise<Process | undefined> {
    for (const one of this.#processes) {
      if (one.isEnded || addressIn(one.log) === undefined) continue;
      const text = await metricsOf(one);
      if (/^kruise_manager_is_leader(\{[^}]*\})? 1$/m.test(text)) return one;
    }
    return undefined;
  }
}

function addressIn(log: string): string | undefined {
  return /"metrics-addr":"([^"]+)"/.exec(log)?.[1];
}

async function metricsOf({ log }: Process): Promise<string> {
  return await (await fetch(`http://${addressIn(log)}/metrics`)).text();
}
