// What an API server does to an object by the CRD of its kind, around the kind's own webhooks: it reads it, lets the
// mutating webhooks complete it, fills in and checks by the schema, and asks the validating webhooks last. The status is
// not looked at: it has its own sub-resource, and that of a creation is dropped.
import type { FieldError } from '../core/field-error.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { checkSchema, compileSchema, dropNulls, fillDefaults, type Rule } from '../core/structural-schema.ts';
import { customResourceDefinition } from './crd.ts';
import type { Kind, VersionDescription } from './kind.ts';

/** The object as an API server reads it from a client: without nulls that mean nothing, and with the schema's defaults. */
export function readBySchema(kind: Kind, version: string, object: JsonObject): JsonObject {
  const { rule } = compiled(kind, version);
  return withStatusOf(object, fillDefaults(rule, dropNulls(rule, withoutStatus(object))));
}

/** The object with the schema's defaults where members that it knows are absent, as after the mutating webhooks. */
export function applySchemaDefaults(kind: Kind, version: string, object: JsonObject): JsonObject {
  return withStatusOf(object, fillDefaults(compiled(kind, version).rule, withoutStatus(object)));
}

/**
 * What the schema has against an object in a version of its kind: types, missing members, enums, bounds, patterns,
 * embedded objects, and negative replicas where there is a scale sub-resource. In the words and with the paths of the API
 * server (that of replicas starts with a dot). Throws Error if the kind has no such version.
 */
export function validateAgainstSchema(kind: Kind, version: string, object: JsonObject): FieldError[] {
  const { rule, isScaled } = compiled(kind, version);
  const errors = checkSchema(rule, '', withoutStatus(object));
  const replicas = isObject(object.spec) ? object.spec.replicas : undefined;
  if (isScaled && typeof replicas === 'number' && replicas < 0) {
    const detail = 'should be a non-negative integer';
    errors.push({ kind: 'Invalid', path: '.spec.replicas', value: replicas, detail });
  }
  return errors;
}

type Compiled = { rule: Rule; isScaled: boolean };

const compiledVersions = new WeakMap<VersionDescription, Compiled>();

function compiled({ kind, description }: Kind, version: string): Compiled {
  const described = description.versions.find(({ name }) => name === version);
  if (described === undefined) throw new Error(`${kind} has no version ${version}`);
  const known = compiledVersions.get(described);
  if (known !== undefined) return known;
  const { versions } = customResourceDefinition(description).spec as { versions: JsonObject[] };
  const { schema } = versions.find(({ name }) => name === version) as { schema: JsonObject };
  const result = { rule: compileSchema(schema.openAPIV3Schema as JsonObject), isScaled: described.scale !== undefined };
  compiledVersions.set(described, result);
  return result;
}

function withoutStatus(object: JsonObject): JsonObject {
  if (!Object.hasOwn(object, 'status')) return object;
  const { status: _status, ...rest } = object;
  return rest;
}

function withStatusOf({ status }: JsonObject, made: Json): JsonObject {
  const object = made as JsonObject;
  return status === undefined ? object : { ...object, status };
}
