// Stands in for an API server where a case asks one: admission of a kind, then storing and reading back.
// It runs the webhooks and the conversion of the product; by the schema of the CRD it prunes, fills in defaults and refuses.
// The uid and the time of creation, volatile in every such case, are left out.
import { cloneJson, isObject, type Json, type JsonObject, parseJson, setMember } from '../../api/core/json.ts';
import { applySchemaDefaults, readBySchema } from '../../api/kinds/crd-validation.ts';
import { findResource } from '../../api/kinds/index.ts';
import type { Kind } from '../../api/kinds/kind.ts';
import { type WebhookEntry, webhookEntries } from '../../api/webhooks.ts';
import { type Exchange, readVerdict, type Verdict } from './answer.ts';
import type { Case } from './corpus.ts';
import { pruned, schemaRefusal } from './crd-schema.ts';

/** Sends one review to the webhook at a path. */
export type Ask = (path: string, review: JsonObject) => Promise<Exchange>;

/** The answer of an API server to a dry-run POST or merge PATCH. */
export async function askApiServer(question: Case, ask: Ask): Promise<Verdict> {
  const target = parsePath(question.path);
  const kind = findResource(target.group, target.plural);
  if (kind === undefined) throw new Error(`${question.area}/${question.name}: ${target.plural} are no kind`);
  const server = new ApiServer(target, kind, ask);
  const { method, body } = question.request;
  if (!isObject(body)) throw new Error('the request has no body');
  if (method === 'POST') return server.create(body);
  const stored = question.objects.find((one) => one.kind === kind.kind && nameOf(one) === target.name);
  if (method !== 'PATCH' || stored === undefined) throw new Error(`${method} ${question.path} is not known here`);
  return server.update(stored, body);
}

type Target = { group: string; version: string; plural: string; namespace?: string; name?: string };

const PATH = /^\/apis\/([^/]+)\/([^/]+)\/(?:namespaces\/([^/]+)\/)?([^/?]+)(?:\/([^/?]+))?(?:\?.*)?$/;

function parsePath(path: string): Target {
  const match = PATH.exec(path);
  if (match === null) throw new Error(`${path} is no path of a resource`);
  const [, group = '', version = '', namespace, plural = '', name] = match;
  return {
    group,
    version,
    plural,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

class ApiServer {
  readonly #target: Target;
  readonly #kind: Kind;
  readonly #ask: Ask;

  constructor(target: Target, kind: Kind, ask: Ask) {
    this.#target = target;
    this.#kind = kind;
    this.#ask = ask;
  }

  async create(body: JsonObject): Promise<Verdict> {
    const mutated = await this.#call('mutating', 'CREATE', this.#read(body), null);
    if (mutated.object === undefined) return mutated;
    return this.#finish('CREATE', withGeneration(mutated.object, 1), null);
  }

  async update(stored: JsonObject, patch: JsonObject): Promise<Verdict> {
    const old = await this.#convert(stored, this.#target.version);
    const object = this.#read(mergePatch(old, patch) as JsonObject);
    const mutated = await this.#call('mutating', 'UPDATE', object, old);
    if (mutated.object === undefined) return mutated;
    const generation = Number((old.metadata as JsonObject).generation ?? 1);
    const isChanged = JSON.stringify(mutated.object.spec) !== JSON.stringify(old.spec);
    return this.#finish('UPDATE', withGeneration(mutated.object, isChanged ? generation + 1 : generation), old);
  }

  async #finish(operation: string, mutated: JsonObject, old: JsonObject | null): Promise<Verdict> {
    const object = this.#shaped(mutated);
    const refusal = this.#refusedBySchema(object);
    if (refusal !== undefined) return refusal;
    const validated = await this.#call('validating', operation, object, old);
    if (!validated.allowed) return validated;
    const stored = await this.#convert(object, this.#kind.storage);
    return { ...validated, object: withoutResourceVersion(await this.#convert(stored, this.#target.version)) };
  }

  /** As a client sent it. */
  #read(object: JsonObject): JsonObject {
    const { version } = this.#target;
    return readBySchema(this.#kind, version, pruned(this.#kind, version, object));
  }

  /** As webhooks left it. */
  #shaped(object: JsonObject): JsonObject {
    const { version } = this.#target;
    return applySchemaDefaults(this.#kind, version, pruned(this.#kind, version, object));
  }

  #refusedBySchema(object: JsonObject): Verdict | undefined {
    const refusal = schemaRefusal(this.#kind, this.#target.version, object);
    if (refusal === undefined) return undefined;
    return { allowed: false, code: 422, reason: 'Invalid', operations: [], ...refusal };
  }

  /** What the webhook of that type says; without one, the object passes as it is. */
  async #call(
    type: WebhookEntry['type'],
    operation: string,
    object: JsonObject,
    old: JsonObject | null,
  ): Promise<Verdict> {
    const { group, version, plural, namespace } = this.#target;
    const webhook = webhookEntries.find((one) => one.type === type && one.group === group && one.resource === plural);
    if (webhook === undefined) return { allowed: true, operations: [], object };
    const kind = { group, version, kind: this.#kind.kind };
    const resource = { group, version, resource: plural };
    const options = operation === 'CREATE' ? 'CreateOptions' : 'PatchOptions';
    const request: JsonObject = {
      uid: 'b0a4c9b2-6c1e-4b57-9d7e-0c8a6f3e5d21',
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name: nameOf(object),
      ...(namespace === undefined ? {} : { namespace }),
      operation,
      userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      object,
      oldObject: old,
      dryRun: true,
      options: { kind: options, apiVersion: 'meta.k8s.io/v1', dryRun: ['All'], fieldManager: 'corpus' },
    };
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
    const { status, body } = await this.#ask(webhook.path, review);
    if (status !== 200) throw new Error(`${webhook.path} answered with HTTP status ${status}`);
    const verdict = readVerdict(request, body);
    if (verdict.allowed) return verdict;
    return { ...verdict, message: `admission webhook "${webhook.name}" denied the request: ${verdict.message ?? ''}` };
  }

  async #convert(object: JsonObject, version: string): Promise<JsonObject> {
    const desiredAPIVersion = `${this.#target.group}/${version}`;
    if (object.apiVersion === desiredAPIVersion) return object;
    const request = { uid: 'a4f7d1f0-9a53-4a55-8d40-6a2e9b0c7d11', desiredAPIVersion, objects: [object] };
    const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
    const { body } = await this.#ask('/convert', review);
    const answer = parseJson(new TextDecoder().decode(body)) as { response?: { convertedObjects?: JsonObject[] } };
    const converted = answer.response?.convertedObjects?.[0];
    if (converted === undefined) throw new Error(`conversion to ${version} failed: ${JSON.stringify(answer)}`);
    return converted;
  }
}

function withGeneration(object: JsonObject, generation: number): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), generation } };
}

/** The recorded answers leave out what only storing numbers. */
function withoutResourceVersion(object: JsonObject): JsonObject {
  const { resourceVersion: _left, ...metadata } = object.metadata as JsonObject;
  return { ...object, metadata };
}

function nameOf(object: JsonObject): string {
  return String((object.metadata as JsonObject).name);
}

/** RFC 7386. */
function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = isObject(target) ? cloneJson(target) : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else setMember(merged, name, mergePatch(merged[name], value));
  }
  return merged;
}
