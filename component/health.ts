// Health as Kubernetes asks for it: named checks behind /livez, /readyz and /healthz. Leaves listening to others.

/** Undefined when well, else the reason; it is shown to anyone who asks, so it must hold no secrets. */
export type HealthCheck = () => string | undefined;

/** An answer to a health question. The body is plain text. */
export type HealthAnswer = { status: 200 | 404 | 500; body: string };

/** The checks of a program. A check that throws counts as failed. */
export class Health {
  readonly #live = new Map<string, HealthCheck>();
  readonly #ready = new Map<string, HealthCheck>();
  readonly #notices = new Map<string, HealthCheck>();

  constructor() {
    this.#live.set('ping', () => undefined);
  }

  /** Adds a check of `/livez` and `/healthz`: failing means that only a restart helps. */
  addLiveness(name: string, check: HealthCheck): void {
    this.#live.set(name, check);
  }

  /** Adds a check of `/readyz`: failing means that no requests should be sent here now. */
  addReadiness(name: string, check: HealthCheck): void {
    this.#ready.set(name, check);
  }

  /** Adds what `/readyz?verbose` tells of a part that works worse than it should, though requests can be sent here. */
  addNotice(name: string, check: HealthCheck): void {
    this.#notices.set(name, check);
  }

  /** True if every readiness check passes. */
  isReady(): boolean {
    return [...this.#ready.values()].every((check) => reasonOf(check) === undefined);
  }

  /**
   * The answer for a URL such as `/readyz`, `/readyz?verbose&exclude=objects` or `/readyz/objects`; undefined for any
   * other path. Failure is 500 with a line for each check; only `verbose` shows reasons.
   */
  answer(url: string): HealthAnswer | undefined {
    const [path = '', search = ''] = splitOnce(url, '?');
    const match = /^\/(livez|readyz|healthz)(?:\/([^/]+))?\/?$/.exec(path);
    if (match === null) return undefined;
    const checks = match[1] === 'readyz' ? this.#ready : this.#live;
    const notices = match[1] === 'readyz' ? this.#notices : new Map<string, HealthCheck>();
    if (match[2] === undefined) return listAnswer(checks, notices, new URLSearchParams(search));
    const check = checks.get(match[2]);
    if (check === undefined) return { status: 404, body: 'no such check\n' };
    const reason = reasonOf(check);
    return reason === undefined ? { status: 200, body: 'ok' } : { status: 500, body: `${reason}\n` };
  }
}

function listAnswer(
  checks: ReadonlyMap<string, HealthCheck>,
  notices: ReadonlyMap<string, HealthCheck>,
  query: URLSearchParams,
): HealthAnswer {
  const excluded = new Set(query.getAll('exclude'));
  const verbose = query.has('verbose');
  const lines: string[] = [];
  let failed = false;
  for (const [name, check] of checks) {
    const reason = excluded.has(name) ? undefined : reasonOf(check);
    if (excluded.delete(name)) lines.push(`[+]${name} excluded: ok`);
    else if (reason === undefined) lines.push(`[+]${name} ok`);
    else lines.push(`[-]${name} failed: ${verbose ? reason : 'reason withheld'}`);
    failed ||= reason !== undefined;
  }
  for (const [name, notice] of notices) {
    const reason = verbose ? reasonOf(notice) : undefined;
    if (reason !== undefined) lines.push(`[!]${name} degraded: ${reason}`);
  }
  for (const name of excluded) lines.push(`warn: no check is called ${JSON.stringify(name)}`);
  if (failed) return { status: 500, body: `${lines.join('\n')}\nhealthz check failed\n` };
  return { status: 200, body: verbose ? `${lines.join('\n')}\nhealthz check passed\n` : 'ok' };
}

function reasonOf(check: HealthCheck): string | undefined {
  try {
    return check();
  } catch (error) {
    return `check failed: ${error instanceof Error ? error.name : 'error'}`;
  }
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
