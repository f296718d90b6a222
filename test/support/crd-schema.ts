// What an API server does by the schema of a CRD: drop members that the schema does not know, and find what is wrong, in
// the words of the API server: types, required members, enums, bounds, embedded objects, and the number of replicas where
// there is a scale sub-resource.
import { isObject, type Json, type JsonObject, setMember } from '../../api/core/json.ts';
import { customResourceDefinition } from '../../api/kinds/crd.ts';
import type { Kind } from '../../api/kinds/kind.ts';

/** One entry of `status.details.causes`. */
export type Cause = { reason: string; message: string; field: string };

/** The message of the refusal and its causes; undefined if the schema allows the object. */
export function schemaRefusal(
  kind: Kind,
  version: string,
  object: JsonObject,
): { message: string; causes: Cause[] } | undefined {
  const described = describedVersion(kind, version);
  const { openAPIV3Schema } = described.schema as JsonObject;
  const causes = [...check('', openAPIV3Schema as JsonObject, object), ...replicas(described, object)];
  if (causes.length === 0) return undefined;
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const name = String((object.metadata as JsonObject).name);
  return { message: `${kind.kind}.${kind.group} "${name}" is invalid: ${list}`, causes };
}

/** The object without the members that the schema does not know. */
export function pruned(kind: Kind, version: string, object: JsonObject): JsonObject {
  const { openAPIV3Schema } = describedVersion(kind, version).schema as JsonObject;
  const { metadata, ...rest } = object;
  const known = prune(openAPIV3Schema as JsonObject, rest) as JsonObject;
  return { ...known, ...(metadata !== undefined && { metadata }) };
}

/** The object with the defaults of the schema, where members that it knows are absent. */
export function filled(kind: Kind, version: string, object: JsonObject): JsonObject {
  const { openAPIV3Schema } = describedVersion(kind, version).schema as JsonObject;
  return fill(openAPIV3Schema as JsonObject, object) as JsonObject;
}

function fill(schema: JsonObject, value: Json): Json {
  if (Array.isArray(value))
    return isObject(schema.items) ? value.map((item) => fill(schema.items as JsonObject, item)) : value;
  if (!isObject(value)) return value;
  const properties = (schema.properties ?? {}) as { [name: string]: JsonObject };
  const result: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const known = (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? schema.additionalProperties;
    setMember(result, name, isObject(known) ? fill(known, member) : member);
  }
  for (const [name, { default: byDefault }] of Object.entries(properties)) {
    if (byDefault !== undefined) result[name] ??= byDefault;
  }
  return result;
}

function prune(schema: JsonObject, value: Json): Json {
  if (Array.isArray(value)) {
    const { items } = schema;
    return isObject(items) ? value.map((item) => prune(items, item)) : value;
  }
  if (!isObject(value)) return value;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const result: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const known = (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? schema.additionalProperties;
    if (isObject(known)) setMember(result, name, prune(known, member));
    else if (keepsUnknown) setMember(result, name, member);
  }
  return result;
}

function describedVersion(kind: Kind, version: string): JsonObject {
  const crd = customResourceDefinition(kind.description);
  const versions = (crd.spec as JsonObject).versions as JsonObject[];
  const described = versions.find((one) => one.name === version);
  if (described === undefined) throw new Error(`${kind.kind} has no version ${version}`);
  return described;
}

function check(field: string, schema: JsonObject, value: Json): Cause[] {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return typeof value === 'string' || Number.isInteger(value) ? [] : [mistyped(field, 'integer,string', value)];
  }
  const type = typeof schema.type === 'string' ? schema.type : undefined;
  if (type !== undefined && typeOf(value, type) !== type) return [mistyped(field, type, value)];
  return [
    ...bounds(field, schema, value),
    ...(isObject(value) ? members(field, schema, value) : []),
    ...(Array.isArray(value) && isObject(schema.items)
      ? value.flatMap((item, index) => check(`${field}[${index}]`, schema.items as JsonObject, item))
      : []),
  ];
}

function members(field: string, schema: JsonObject, value: JsonObject): Cause[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const needed = [
    ...(schema['x-kubernetes-embedded-resource'] === true ? ['apiVersion', 'kind'] : []),
    ...((schema.required ?? []) as string[]),
  ];
  const missing = needed.filter((name) => !Object.hasOwn(value, name));
  const causes = missing.map((name) => cause('FieldValueRequired', below(field, name), 'Required value'));
  for (const [name, member] of Object.entries(value)) {
    const known = properties[name] ?? schema.additionalProperties;
    if (isObject(known)) causes.push(...check(below(field, name), known, member));
  }
  return causes;
}

function bounds(field: string, schema: JsonObject, value: Json): Cause[] {
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) {
    const supported = schema.enum.map((one) => JSON.stringify(one)).join(', ');
    const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`;
    return [cause('FieldValueNotSupported', field, message)];
  }
  if (typeof schema.minimum === 'number' && typeof value === 'number' && value < schema.minimum) {
    const detail = `${field} in body should be greater than or equal to ${schema.minimum}`;
    return [cause('FieldValueInvalid', field, `Invalid value: ${value}: ${detail}`)];
  }
  return [];
}

function replicas(version: JsonObject, object: JsonObject): Cause[] {
  const scale = (version.subresources as JsonObject | undefined)?.scale;
  const count = isObject(object.spec) ? object.spec.replicas : undefined;
  if (scale === undefined || typeof count !== 'number' || count >= 0) return [];
  const message = `Invalid value: ${count}: should be a non-negative integer`;
  return [cause('FieldValueInvalid', '.spec.replicas', message)];
}

function mistyped(field: string, type: string, value: Json): Cause {
  const found = JSON.stringify(value === null ? 'null' : typeOf(value, type));
  return cause(
    'FieldValueTypeInvalid',
    field,
    `Invalid value: ${found}: ${field} in body must be of type ${type}: ${found}`,
  );
}

function cause(reason: string, field: string, message: string): Cause {
  return { reason, message, field };
}

function below(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}

// An integer is a number too: the type is the wanted one if the value can be it.
function typeOf(value: Json, wanted: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'number') return typeof value;
  return Number.isInteger(value) && wanted !== 'number' ? 'integer' : 'number';
}
