// From the URL of a request to what it asks for. URLs repeat, so the parsed ones are kept, up to a bound.

import { currentPath } from '../api/webhooks.ts';
import { parseDuration } from '../component/durations.ts';

/** One way of asking for a path. */
export type Route = {
  /** The path as the evaluator knows it. */
  path: string;
  /** Its number among the served paths, for metrics. */
  index: number;
  /** How long the caller waits. */
  timeoutMs: number;
};

const KEPT_URLS = 1024;

export class Routes {
  readonly paths: readonly string[];
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #timeoutMs: number;
  readonly #urls = new Map<string, Route>();

  /** Serves exactly `paths`; `timeoutMs` is assumed where a URL has no `timeout`. */
  constructor(paths: readonly string[], timeoutMs: number) {
    this.paths = paths;
    this.#indexes = new Map(paths.map((path, index) => [path, index]));
    this.#timeoutMs = timeoutMs;
  }

  /** Undefined when the path is not served. Paths of older webhook configurations lead to those of now. */
  find(url: string): Route | undefined {
    return this.#urls.get(url) ?? this.#parse(url);
  }

  #parse(url: string): Route | undefined {
    const mark = url.indexOf('?');
    const given = mark < 0 ? url : url.slice(0, mark);
    const path = this.#indexes.has(given) ? given : currentPath(given);
    const index = this.#indexes.get(path);
    if (index === undefined) return undefined;
    const timeout = mark < 0 ? null : new URLSearchParams(url.slice(mark + 1)).get('timeout');
    const timeoutMs = timeout === null ? undefined : parseDuration(timeout);
    const route = { path, index, timeoutMs: timeoutMs === undefined || timeoutMs <= 0 ? this.#timeoutMs : timeoutMs };
    if (this.#urls.size < KEPT_URLS) this.#urls.set(url, route);
    return route;
  }
}
