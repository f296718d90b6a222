// A client of the API server: verbs on resources, with the server's refusals as StatusError, deadlines, a limit of requests
// a second and careful retries. What is read is wire JSON; mirrors read bytes.

import { type JsonObject, parseJson } from '../api/core/json.ts';
import { ConnectionError } from '../component/errors.ts';
import type { Logger } from '../component/logger.ts';
import { bytesOf, isSuccess, statusErrorOf } from './answers.ts';
import type { Connection } from './connection.ts';
import { Deadline } from './deadline.ts';
import { RetryBudget, TokenBucket } from './flow-control.ts';
import type { KubeObject, ObjectReference } from './objects.ts';
import { pathOf, type Resource } from './resource.ts';
import { retryDelayMs } from './retries.ts';
import { type HttpAnswer, type HttpRequest, Transport } from './transport.ts';

export type ClientOptions = {
  /** Who asks, as the server's audit log has it; its part before the first `/` is the default field manager. */
  readonly userAgent: string;
  /** Requests a second on average and at once; `qps` of 0 is no limit. */
  readonly qps: number;
  readonly burst: number;
  /** For a request with all its retries, unless it says otherwise. */
  readonly timeoutMs: number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Milliseconds of a clock that never steps. */
  readonly monotonic: () => number;
  readonly logger: Logger;
};

/** Of every request. */
export type RequestOptions = { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number };
export type WriteOptions = RequestOptions & { readonly dryRun?: boolean; readonly fieldManager?: string };
export type ListOptions = RequestOptions & {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  /** Names, labels, annotations and owners alone. */
  readonly metadataOnly?: boolean;
};
export type WatchOptions = {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly resourceVersion: string;
  /** After that time the server ends the stream. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  readonly metadataOnly?: boolean;
};
export type PatchOptions = WriteOptions & {
  readonly patchType: keyof typeof PATCH_TYPES;
  readonly subresource?: string | undefined;
  /** For `apply`: takes fields over from their managers. */
  readonly force?: boolean;
};
export type DeleteOptions = RequestOptions & {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean;
};
/** A page of a collection. `metadata.continue` leads to the next. */
export type ObjectList = {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly KubeObject[];
};

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const METADATA_EVENTS = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/**
 * Methods reject with StatusError (the server's code, reason and message), ConnectionError (no answer in time), or the
 * reason of the caller's signal. Reads are tried again within the deadline, writes only when they cannot have been done.
 */
export class Client {
  readonly #transport: Transport;
  readonly #options: ClientOptions;
  readonly #bucket: TokenBucket;
  readonly #retries = new RetryBudget();

  constructor(connection: Connection, options: ClientOptions, transport: Transport = new Transport(connection)) {
    this.#transport = transport;
    this.#options = options;
    this.#bucket = new TokenBucket(options);
    this.#connection = connection;
  }

  readonly #connection: Connection;

  /** Another one over the same connections, with limits of its own. */
  as(userAgent: string): Client {
    return new Client(this.#connection, { ...this.#options, userAgent }, this.#transport);
  }

  async get(resource: Resource, reference: ObjectReference, options: RequestOptions = {}): Promise<KubeObject> {
    return parsed(await this.getBytes(resource, reference, options));
  }

  /** The object's JSON as it came. */
  async getBytes(resource: Resource, reference: ObjectReference, options: RequestOptions = {}): Promise<Uint8Array> {
    return await this.#ask({ method: 'GET', path: pathOf(resource, reference), headers: JSON_ANSWER }, options);
  }

  /** One page; items come without apiVersion and kind from the server, and are given those of the resource. */
  async list(resource: Resource, options: ListOptions = {}): Promise<ObjectList> {
    const { metadata, items } = parseJson(text(await this.listBytes(resource, options))) as unknown as WireList;
    const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
    const kind = resource.kind;
    return { metadata, items: (items ?? []).map((item) => ({ ...item, apiVersion, kind })) };
  }

  /** The JSON of one page as it came. */
  async listBytes(resource: Resource, options: ListOptions = {}): Promise<Uint8Array> {
    const { namespace, labelSelector, fieldSelector, limit, resourceVersion, metadataOnly } = options;
    const query = { labelSelector, fieldSelector, limit, continue: options.continue, resourceVersion };
    const headers = metadataOnly === true ? { accept: METADATA_LIST } : JSON_ANSWER;
    return await this.#ask({ method: 'GET', path: pathOf(resource, { namespace }) + queryOf(query), headers }, options);
  }

  /** Creates an object, or a sub-resource such as `eviction` of the object that `reference` names. */
  async create(
    resource: Resource,
    object: JsonObject,
    options: WriteOptions & { subresource?: string; reference?: ObjectReference } = {},
  ): Promise<KubeObject> {
    const { subresource, reference = { namespace: referenceOf(object).namespace } } = options;
    const path = pathOf(resource, { ...reference, subresource }) + writeQuery(options);
    return parsed(await this.#ask(withJson('POST', path, object), options));
  }

  /** Replaces an object; if it names a resourceVersion, only the one that has it. */
  async update(
    resource: Resource,
    object: JsonObject,
    options: WriteOptions & { subresource?: string | undefined } = {},
  ): Promise<KubeObject> {
    const path = pathOf(resource, { ...referenceOf(object), subresource: options.subresource }) + writeQuery(options);
    return parsed(await this.#ask(withJson('PUT', path, object), options));
  }

  async patch(
    resource: Resource,
    reference: ObjectReference,
    patch: JsonObject | readonly JsonObject[],
    options: PatchOptions,
  ): Promise<KubeObject> {
    const { patchType, subresource, force, fieldManager } = options;
    // Server-side apply wants a manager; for all others the server takes the user agent.
    const manager = fieldManager ?? (patchType === 'apply' ? this.#options.userAgent.split('/')[0] : undefined);
    const query = { ...writeParameters(options), fieldManager: manager, force: force === true ? true : undefined };
    const path = pathOf(resource, { ...reference, subresource }) + queryOf(query);
    return parsed(await this.#ask(withJson('PATCH', path, patch, PATCH_TYPES[patchType]), options));
  }

  /** Deletes an object, if it has the uid and resourceVersion that are given. */
  async delete(resource: Resource, reference: ObjectReference, options: DeleteOptions = {}): Promise<void> {
    const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds, dryRun } = options;
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(uid === undefined && resourceVersion === undefined
        ? {}
        : { preconditions: { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) } }),
      ...(propagationPolicy && { propagationPolicy }),
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(dryRun === true ? { dryRun: ['All'] } : {}),
    };
    await this.#ask(withJson('DELETE', pathOf(resource, reference), body), options);
  }

  /**
   * The changes after a resourceVersion, with bookmarks, as chunks of bytes; frames are lines, in no way aligned with
   * chunks. Ends when the server ends it. Throws as requests do, also later when the stream breaks. Not tried again.
   */
  async *watch(resource: Resource, options: WatchOptions): AsyncIterable<Uint8Array> {
    const { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds, metadataOnly } = options;
    const query = {
      watch: true,
      allowWatchBookmarks: true,
      labelSelector,
      fieldSelector,
      resourceVersion,
      timeoutSeconds,
    };
    const accept = metadataOnly === true ? METADATA_EVENTS : JSON_ANSWER.accept;
    const path = pathOf(resource, { namespace }) + queryOf(query);
    const deadline = this.#deadline(options);
    try {
      await this.#admit(deadline, path);
      const request = { method: 'GET', path, headers: this.#headers({ accept }) } as const;
      const answer = await this.#transport.send(request, deadline.signal, 'stream');
      if (!isSuccess(answer)) throw statusErrorOf(answer, await bytesOf(answer), request);
      deadline.stopTimer();
      try {
        yield* answer.body;
      } finally {
        answer.body.destroy();
      }
    } finally {
      deadline.dispose();
    }
  }

  /** The server's version; the simplest question that there is. */
  async version(options: RequestOptions = {}): Promise<{ readonly gitVersion: string }> {
    const request = { method: 'GET', path: '/version', headers: JSON_ANSWER } as const;
    return parseJson(text(await this.#ask(request, options))) as { gitVersion: string };
  }

  /** Breaks all connections, also of those made with `as`. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  async #ask(request: HttpRequest, options: RequestOptions): Promise<Uint8Array> {
    const deadline = this.#deadline(options);
    const full = { ...request, headers: this.#headers(request.headers) };
    try {
      for (let tries = 1; ; tries++) {
        await this.#admit(deadline, request.path);
        const failure = await this.#try(full, deadline);
        if ('bytes' in failure) return failure.bytes;
        const delayMs = retryDelayMs({
          error: failure.error,
          method: request.method,
          tries,
          random: this.#options.random,
        });
        if (delayMs === undefined || delayMs >= deadline.remainingMs || !this.#retries.spend()) throw failure.error;
        this.#options.logger.debug(
          { path: request.path, tries, delayMs, error: String(failure.error) },
          'request is retried',
        );
        await deadline.wait(delayMs);
      }
    } finally {
      deadline.dispose();
    }
  }

  async #try(request: HttpRequest, deadline: Deadline): Promise<{ bytes: Uint8Array } | { error: unknown }> {
    try {
      const answer: HttpAnswer = await this.#transport.send(request, deadline.signal);
      const bytes = await bytesOf(answer);
      if (isSuccess(answer)) {
        this.#retries.earn();
        return { bytes };
      }
      return { error: statusErrorOf(answer, bytes, request) };
    } catch (error) {
      return { error };
    }
  }

  #deadline({ signal, timeoutMs = this.#options.timeoutMs }: RequestOptions): Deadline {
    return new Deadline({ timeoutMs, signal, monotonic: this.#options.monotonic });
  }

  async #admit(deadline: Deadline, path: string): Promise<void> {
    deadline.signal.throwIfAborted();
    const waitMs = this.#bucket.take(deadline.remainingMs);
    if (waitMs === undefined) {
      throw new ConnectionError(`${path.split('?')[0]}: more requests wait than can be sent in time`, { sent: false });
    }
    if (waitMs > 0) await deadline.wait(waitMs);
  }

  #headers(headers: HttpRequest['headers']): HttpRequest['headers'] {
    return { ...headers, 'user-agent': this.#options.userAgent };
  }
}

type WireList = { metadata: ObjectList['metadata']; items: KubeObject[] | null };

const JSON_ANSWER = { accept: 'application/json' } as const;

function withJson(
  method: HttpRequest['method'],
  path: string,
  body: JsonObject | readonly JsonObject[],
  type = 'application/json',
): HttpRequest {
  return { method, path, headers: { ...JSON_ANSWER, 'content-type': type }, body: JSON.stringify(body) };
}

function parsed(bytes: Uint8Array): KubeObject {
  return parseJson(text(bytes)) as unknown as KubeObject;
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function referenceOf({ metadata }: JsonObject): ObjectReference {
  const { name, namespace } = metadata as unknown as ObjectReference;
  return { name, namespace };
}

function writeParameters({ dryRun, fieldManager }: WriteOptions) {
  return { dryRun: dryRun === true ? 'All' : undefined, fieldManager };
}

function writeQuery(options: WriteOptions): string {
  return queryOf(writeParameters(options));
}

function queryOf(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
