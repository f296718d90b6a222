// From what a user gives (a review, a bare request, a pod, a workload, another object) to the review that the API server
// would send for it.

import { isObject, type JsonObject } from '../api/core/json.ts';
import { CONVERT_PATH, webhookEntries } from '../api/webhooks.ts';
import { InputError } from '../component/errors.ts';
import { fieldError, type Manifest } from '../component/manifests.ts';
import { contentUid } from './content.ts';
import {
  describeObject,
  isNamespaced,
  kindNameOf,
  metadataOf,
  nameOf,
  namespaceOf,
  pluralOf,
  textOf,
} from './resources.ts';
import { hasPodTemplate, podOfWorkload } from './workloads.ts';

/** A review to be answered, and where it came from. */
export type ReviewRequest = {
  /** The AdmissionReview or ConversionReview. */
  review: JsonObject;
  /** For people: `Pod shop/web-0`. */
  subject: string;
  manifest: Manifest;
  /** The field path, in the manifest, of the reviewed object; undefined where none of its members stands there. */
  objectPath: string | undefined;
  /** Objects that the reviewed one implies: its owners. */
  implied: readonly JsonObject[];
};

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

export type RequestOptions = {
  namespace: string | undefined;
  operation: Operation;
  nowMs: number;
  path: string | undefined;
  /** The stored object with this identity, or undefined. */
  storedObject(object: JsonObject): JsonObject | undefined;
};

/** The review of one document. Throws InputError for what is no object of any of these kinds. */
export function requestOf(manifest: Manifest, options: RequestOptions): ReviewRequest {
  const { object } = manifest;
  if (object.kind === 'ConversionReview') return ofConversion(manifest);
  if (object.kind === 'AdmissionReview' || (object.kind === undefined && isObject(object.request)))
    return ofReview(manifest, options);
  if (isObject(object.kind) || (object.kind === undefined && object.operation !== undefined))
    return ofBareRequest(manifest, options);
  requireObject(manifest, options);
  return hasPodTemplate(object) && !isAboutObject(object, options)
    ? ofWorkload(manifest, options)
    : ofObject(manifest, options);
}

function ofConversion(manifest: Manifest): ReviewRequest {
  const { request } = manifest.object;
  if (!isObject(request)) throw fieldError(manifest, 'request', 'required');
  return { review: manifest.object, subject: 'ConversionReview', manifest, objectPath: undefined, implied: [] };
}

function ofReview(manifest: Manifest, options: RequestOptions): ReviewRequest {
  const { request } = manifest.object;
  if (!isObject(request)) throw fieldError(manifest, 'request', 'required');
  requireWebhooks(manifest, request, 'request.', options);
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', ...manifest.object };
  return { review, subject: subjectOf(request), manifest, objectPath: 'request.object', implied: [] };
}

function ofBareRequest(manifest: Manifest, options: RequestOptions): ReviewRequest {
  requireWebhooks(manifest, manifest.object, '', options);
  const review = reviewOf(manifest.object);
  return { review, subject: subjectOf(manifest.object), manifest, objectPath: 'object', implied: [] };
}

// Webhooks are chosen by resource and operation: a request without them would be allowed because nobody is asked.
function requireWebhooks(manifest: Manifest, request: JsonObject, prefix: string, { path }: RequestOptions): void {
  if (path !== undefined) return;
  const resource = isObject(request.resource) ? textOf(request.resource.resource) : '';
  if (resource === '')
    throw fieldError(manifest, `${prefix}resource.resource`, 'required, or --path to name a webhook');
  if (textOf(request.operation) === '') throw fieldError(manifest, `${prefix}operation`, 'required');
}

function subjectOf(request: JsonObject): string {
  const kind = isObject(request.kind) ? textOf(request.kind.kind) : '';
  const object = isObject(request.object) ? request.object : {};
  const name = textOf(request.name) || nameOf(object);
  return describeObject({ kind, metadata: { name, namespace: textOf(request.namespace) } });
}

// A workload is reviewed for its pods, unless the path given is one of its own.
function isAboutObject(object: JsonObject, { path, operation }: RequestOptions): boolean {
  if (path === undefined) return operation !== 'CREATE';
  const resource = pluralOf(kindNameOf(object).kind);
  return webhookEntries.some((entry) => entry.path === path && entry.resource === resource);
}

function ofWorkload(manifest: Manifest, options: RequestOptions): ReviewRequest {
  const { namespace, object } = placeOf(manifest, options);
  const known = withStoredUid(object, options.storedObject(object));
  const place = { namespace, nowMs: options.nowMs };
  const { pod, templatePath, user, owners } = podOfWorkload({ ...manifest, object: known }, place);
  const request = requestFor(pod, { operation: 'CREATE', namespace, user });
  return {
    review: reviewOf(request),
    subject: describeObject(pod),
    manifest,
    objectPath: templatePath,
    implied: owners,
  };
}

// Its pods refer to the workload as it is stored, if it is.
function withStoredUid(object: JsonObject, stored: JsonObject | undefined): JsonObject {
  const uid = stored === undefined ? undefined : metadataOf(stored).uid;
  return uid === undefined ? object : { ...object, metadata: { ...metadataOf(object), uid } };
}

function ofObject(manifest: Manifest, options: RequestOptions): ReviewRequest {
  const { namespace, object } = placeOf(manifest, options);
  const { operation } = options;
  const stored = operation === 'CREATE' ? undefined : options.storedObject(object);
  if (operation === 'UPDATE' && stored === undefined) {
    throw fieldError(
      manifest,
      'metadata.name',
      'an UPDATE needs the stored object, and --objects has none of this name',
    );
  }
  const old = operation === 'DELETE' ? (stored ?? object) : stored;
  const request = requestFor(object, { operation, namespace, ...(old === undefined ? {} : { old }) });
  return { review: reviewOf(request), subject: describeObject(object), manifest, objectPath: '', implied: [] };
}

type Sending = { operation: Operation; namespace: string; old?: JsonObject; user?: string };

function requestFor(object: JsonObject, { operation, namespace, old, user }: Sending): JsonObject {
  const { group, version, kind } = kindNameOf(object);
  const eviction = kind === 'Eviction' && group === 'policy';
  const resource = eviction
    ? { group: '', version: 'v1', resource: 'pods' }
    : { group, version, resource: pluralOf(kind) };
  const name = textOf(metadataOf(object).name);
  const request: JsonObject = {
    uid: contentUid(operation, object, old ?? null),
    kind: { group, version, kind },
    resource,
    ...(eviction ? { subResource: 'eviction' } : {}),
    requestKind: { group, version, kind },
    requestResource: resource,
    ...(eviction ? { requestSubResource: 'eviction' } : {}),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: { username: user ?? 'kubernetes-admin', groups: groupsOf(user) },
    object: operation === 'DELETE' ? null : object,
    oldObject: old ?? null,
    dryRun: false,
    options: { kind: OPTION_KINDS[operation], apiVersion: 'meta.k8s.io/v1' },
  };
  return request;
}

const OPTION_KINDS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

function groupsOf(user: string | undefined): string[] {
  const namespace = /^system:serviceaccount:([^:]+):/.exec(user ?? '')?.[1];
  if (namespace === undefined) return ['system:masters', 'system:authenticated'];
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}

function reviewOf(request: JsonObject): JsonObject {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
}

// The object with its namespace filled in, by the rule of kubectl.
function placeOf(manifest: Manifest, options: RequestOptions): { namespace: string; object: JsonObject } {
  const { object } = manifest;
  if (!isNamespaced(kindNameOf(object))) {
    const own = kindNameOf(object).kind === 'Namespace' ? nameOf(object) : '';
    return { namespace: own, object };
  }
  const given = namespaceOf(object);
  if (given !== '' && options.namespace !== undefined && options.namespace !== given) {
    const message = `the object's namespace ${JSON.stringify(given)} is not ${JSON.stringify(options.namespace)} of --namespace`;
    throw fieldError(manifest, 'metadata.namespace', message);
  }
  const namespace = given || options.namespace || 'default';
  return { namespace, object: { ...object, metadata: { ...metadataOf(object), namespace } } };
}

function requireObject(manifest: Manifest, { path }: RequestOptions): void {
  const { apiVersion, kind, metadata } = manifest.object;
  if (textOf(kind) === '') throw fieldError(manifest, 'kind', 'required: expected a review, a request or an object');
  if (textOf(apiVersion) === '') throw fieldError(manifest, 'apiVersion', 'required');
  if (!isObject(metadata)) throw fieldError(manifest, 'metadata', 'required');
  if (nameOf(manifest.object) === '')
    throw fieldError(manifest, 'metadata.name', 'required (or metadata.generateName)');
  if (path === CONVERT_PATH) {
    const place = { file: manifest.file, ...manifest.position('kind'), field: 'kind' };
    throw new InputError(`${CONVERT_PATH} answers a ConversionReview, got ${textOf(kind)}`, place);
  }
}
