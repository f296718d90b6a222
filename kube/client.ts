// A client of the API server: verbs on resources, with the server's refusals as StatusError, deadlines, a limit of requests
// a second and careful retries. What is read is wire JSON; mirrors read bytes.

import { isObject, type JsonObject } from '../api/core/json.ts';
import { objectOf } from './answers.ts';
import type { Connection } from './connection.ts';
import type { KubeObject, ObjectReference } from './objects.ts';
import { apiVersionOf, pathOf, type Resource } from './resource.ts';
import { type ClientOptions, type RequestOptions, Sender } from './sender.ts';
import { type HttpRequest, Transport } from './transport.ts';

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
  /** A failure is an answer: nothing is sent again. */
  readonly once?: boolean;
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
/** A resource as the server lists it: `name` is the plural, with `/` and the sub-resource where it is one. */
export type ServedResource = { readonly name: string; readonly kind: string; readonly namespaced: boolean };
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
  readonly #sender: Sender;

  constructor(connection: Connection, options: ClientOptions, transport: Transport = new Transport(connection)) {
    this.#sender = new Sender(transport, options);
  }

  /** Another one over the same connections, with limits of its own. */
  as(userAgent: string): Client {
    const { options, transport } = this.#sender;
    return new Client(transport.connection, { ...options, userAgent }, transport);
  }

  /** An object, or a sub-resource of it such as its `scale`. */
  async get(resource: Resource, reference: Subreference, options: RequestOptions = {}): Promise<KubeObject> {
    return await this.#object(getOf(resource, reference), options);
  }

  /** The object's JSON as it came. */
  async getBytes(resource: Resource, reference: Subreference, options: RequestOptions = {}): Promise<Uint8Array> {
    return await this.#sender.ask(getOf(resource, reference), options);
  }

  /** One page; items have apiVersion and kind, which the server leaves out. */
  async list(resource: Resource, options: ListOptions = {}): Promise<ObjectList> {
    const request = listOf(resource, options);
    const { metadata, items } = objectOf(await this.#sender.ask(request, options, options.once), request);
    const apiVersion = apiVersionOf(resource);
    const { kind } = resource;
    const objects = (Array.isArray(items) ? items : []).map((item) => ({
      ...(isObject(item) && item),
      apiVersion,
      kind,
    }));
    return { metadata, items: objects } as unknown as ObjectList;
  }

  /** The JSON of one page as it came. */
  async listBytes(resource: Resource, options: ListOptions = {}): Promise<Uint8Array> {
    return await this.#sender.ask(listOf(resource, options), options);
  }

  /** Creates an object, or a sub-resource such as `eviction` of the object that `reference` names. */
  async create(
    resource: Resource,
    object: JsonObject,
    options: WriteOptions & { subresource?: string; reference?: ObjectReference } = {},
  ): Promise<KubeObject> {
    const { subresource, reference = { namespace: referenceOf(object).namespace } } = options;
    const path = pathOf(resource, { ...reference, subresource }) + writeQuery(options);
    // An eviction that is refused for now is refused: whoever wants it knows when to ask again.
    return await this.#object(withJson('POST', path, object), options, subresource === 'eviction');
  }

  /** Replaces an object; if it names a resourceVersion, only the one that has it. */
  async update(
    resource: Resource,
    object: JsonObject,
    options: WriteOptions & { subresource?: string | undefined } = {},
  ): Promise<KubeObject> {
    const path = pathOf(resource, { ...referenceOf(object), subresource: options.subresource }) + writeQuery(options);
    return await this.#object(withJson('PUT', path, object), options);
  }

  async patch(
    resource: Resource,
    reference: ObjectReference,
    patch: JsonObject | readonly JsonObject[],
    options: PatchOptions,
  ): Promise<KubeObject> {
    const { patchType, subresource, force, fieldManager } = options;
    // Server-side apply wants a manager; for all others the server takes the user agent.
    const manager = fieldManager ?? (patchType === 'apply' ? this.#sender.options.userAgent.split('/')[0] : undefined);
    const query = { ...writeParameters(options), fieldManager: manager, force: force === true ? true : undefined };
    const path = pathOf(resource, { ...reference, subresource }) + queryOf(query);
    return await this.#object(withJson('PATCH', path, patch, PATCH_TYPES[patchType]), options);
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
    await this.#sender.ask(withJson('DELETE', pathOf(resource, reference), body), options);
  }

  /**
   * The changes after a resourceVersion, with bookmarks, as chunks of bytes; frames are lines, in no way aligned with
   * chunks. Ends when the server ends it. Throws as requests do, also later when the stream breaks. Not tried again.
   */
  watch(resource: Resource, options: WatchOptions): AsyncIterable<Uint8Array> {
    const { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds, metadataOnly } = options;
    const selected = { labelSelector, fieldSelector, resourceVersion };
    const query = queryOf({ watch: true, allowWatchBookmarks: true, timeoutSeconds, ...selected });
    const headers = metadataOnly === true ? { accept: METADATA_EVENTS } : JSON_ANSWER;
    return this.#sender.stream({ method: 'GET', path: pathOf(resource, { namespace }) + query, headers }, options);
  }

  /** The server's version; the simplest question that there is. */
  async version(options: RequestOptions = {}): Promise<{ readonly gitVersion: string }> {
    const request = { method: 'GET', path: '/version', headers: JSON_ANSWER } as const;
    return objectOf(await this.#sender.ask(request, options), request) as { gitVersion: string };
  }

  /** What a group has in a version, sub-resources included. Rejects with code 404 when there is no such version. */
  async resources(apiVersion: string, options: RequestOptions = {}): Promise<readonly ServedResource[]> {
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const request = { method: 'GET', path, headers: JSON_ANSWER } as const;
    const { resources } = objectOf(await this.#sender.ask(request, options), request) as { resources?: unknown };
    return Array.isArray(resources) ? (resources as ServedResource[]) : [];
  }

  /** Breaks all connections, also of those made with `as`. */
  close(): Promise<void> {
    return this.#sender.transport.close();
  }

  async #object(request: HttpRequest, options: RequestOptions, once = false): Promise<KubeObject> {
    return objectOf(await this.#sender.ask(request, options, once), request) as unknown as KubeObject;
  }
}

type Subreference = ObjectReference & { readonly subresource?: string | undefined };

const JSON_ANSWER = { accept: 'application/json' } as const;

function getOf(resource: Resource, reference: Subreference): HttpRequest {
  return { method: 'GET', path: pathOf(resource, reference), headers: JSON_ANSWER };
}

function listOf(resource: Resource, options: ListOptions): HttpRequest {
  const { namespace, labelSelector, fieldSelector, limit, resourceVersion, metadataOnly } = options;
  const query = { labelSelector, fieldSelector, limit, continue: options.continue, resourceVersion };
  const headers = metadataOnly === true ? { accept: METADATA_LIST } : JSON_ANSWER;
  return { method: 'GET', path: pathOf(resource, { namespace }) + queryOf(query), headers };
}

function withJson(
  method: HttpRequest['method'],
  path: string,
  body: JsonObject | readonly JsonObject[],
  type = 'application/json',
): HttpRequest {
  return { method, path, headers: { ...JSON_ANSWER, 'content-type': type }, body: JSON.stringify(body) };
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
