// The conversion webhook: objects of a ConversionReview from one version to another (operations 10.2).

import { TOO_LARGE } from '../api/core/decode.ts';
import { boundedText } from '../api/core/field-error.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../api/core/json.ts';
import { findKind } from '../api/kinds/index.ts';
import { parseApiVersion } from '../api/kinds/kind.ts';
import { type Answer, answer } from './envelope.ts';
import { withoutOversized } from './lengths.ts';
import type { Policies } from './policies.ts';

/** The end of a message that clients of the reference see for versions that a kind does not have. */
const SCHEME = 'in scheme "pkg/runtime/scheme.go:100"';

/** Objects stand in a list of the request, which stands in the review. */
const OBJECTS_DEPTH = 3;

/** Answers a body; 400 for what is no ConversionReview in strict JSON. All objects or none. */
export function convertBody(body: Uint8Array, policies: Policies): Answer {
  const fault = policies.checkJson(body);
  if (fault !== undefined) return { status: 400, body: new TextEncoder().encode(fault) };
  return convertReview(body);
}

function convertReview(body: Uint8Array): Answer {
  const rest = withoutOversized(body, OBJECTS_DEPTH);
  const review = parseJson(textOf(rest ?? body));
  const request = isObject(review) ? review.request : undefined;
  if (!isObject(review) || !isObject(request)) return { status: 400, body: new Uint8Array() };
  const { apiVersion = null, kind = null } = review;
  const { uid = '', desiredAPIVersion, objects } = request;
  const respond = (result: JsonObject): Answer => answer({ kind, apiVersion, response: { uid, ...result } });
  if (typeof desiredAPIVersion !== 'string') return respond(failure('request.desiredAPIVersion: expected a string'));
  if (!Array.isArray(objects)) return respond(failure('request.objects: expected an array'));
  if (rest !== undefined) return respond(failure(TOO_LARGE));
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
  const decoded = kind.decode(object, source.version);
  const [fault] = decoded.goErrors;
  if (fault !== undefined) return fault;
  if (source.version === target.version) {
    return `conversion is not allowed between same type *${target.version}.${kindName}`;
  }
  return kind.inexpressible?.(object, target.version) ?? kind.convertDecoded(decoded.object, target.version);
}

function unknown(kind: string, apiVersion: string): string {
  return `no kind "${kind}" is registered for version "${apiVersion}" ${SCHEME}`;
}

function failure(message: string): JsonObject {
  return { result: { status: 'Failure', message: boundedText(message) } };
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8');
}
