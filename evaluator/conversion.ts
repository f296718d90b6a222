// The conversion webhook: objects of a ConversionReview from one version to another (operations 10.2).

import { isObject, type Json, type JsonObject, parseJson } from '../api/core/json.ts';
import { findKind } from '../api/kinds/index.ts';
import { parseApiVersion } from '../api/kinds/kind.ts';
import { type Answer, answer } from './envelope.ts';
import type { Policies } from './policies.ts';

/** The end of a message that clients of the reference see for versions that a kind does not have. */
const SCHEME = 'in scheme "pkg/runtime/scheme.go:100"';

/** Answers a body; 400 for what is no ConversionReview in strict JSON. All objects or none. */
export function convertBody(body: Uint8Array, policies: Policies): Answer {
  const fault = policies.checkJson(body);
  return fault === undefined ? convertReview(body) : { status: 400, body: new TextEncoder().encode(fault) };
}

function convertReview(body: Uint8Array): Answer {
  const review = parseJson(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'));
  const request = isObject(review) ? review.request : undefined;
  if (!isObject(review) || !isObject(request)) return { status: 400, body: new Uint8Array() };
  const { apiVersion = null, kind = null } = review;
  const { uid = '', desiredAPIVersion, objects } = request;
  const respond = (result: JsonObject): Answer => answer({ kind, apiVersion, response: { uid, ...result } });
  if (typeof desiredAPIVersion !== 'string') return respond(failure('request.desiredAPIVersion: expected a string'));
  if (!Array.isArray(objects)) return respond(failure('request.objects: expected an array'));
  const convertedObjects: Json[] = [];
  for (const object of objects) {
    const converted = convert(object, desiredAPIVersion);
    if (typeof converted === 'string') return respond(failure(converted));
    convertedObjects.push(converted);
  }
  return respond({ convertedObjects, result: { status: 'Success' } });
}

/** The object in the wanted version, or why there is none. */
function convert(object: Json, wanted: string): JsonObject | string {
  if (!isObject(object)) return 'request.objects: expected objects';
  const { apiVersion, kind: kindName } = object;
  if (typeof apiVersion !== 'string' || typeof kindName !== 'string') {
    return 'request.objects: expected apiVersion and kind in every object';
  }
  const source = parseApiVersion(apiVersion);
  const target = parseApiVersion(wanted);
  const kind = findKind(source.group, kindName);
  if (kind === undefined || !kind.versions.includes(source.version)) return unknown(kindName, apiVersion);
  if (target.group !== source.group || !kind.versions.includes(target.version)) return unknown(kindName, wanted);
  const fault = kind.decode(object, source.version).goErrors[0];
  if (fault !== undefined) return fault;
  if (source.version === target.version) {
    return `conversion is not allowed between same type *${target.version}.${kindName}`;
  }
  return kind.inexpressible?.(object, target.version) ?? kind.convert(object, target.version);
}

function unknown(kind: string, apiVersion: string): string {
  return `no kind "${kind}" is registered for version "${apiVersion}" ${SCHEME}`;
}

function failure(message: string): JsonObject {
  return { result: { status: 'Failure', message } };
}
