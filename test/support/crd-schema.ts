// What an API server does by the schema of a CRD, for cases that ask one: the product's own rules, as the API server
// answers with them, and the pruning of members that the schema does not know.
import { aggregate, formatFieldError } from '../../api/core/field-error.ts';
import { isObject, type Json, type JsonObject, setMember } from '../../api/core/json.ts';
import { customResourceDefinition } from '../../api/kinds/crd.ts';
import { validateAgainstSchema } from '../../api/kinds/crd-validation.ts';
import type { Kind } from '../../api/kinds/kind.ts';

/** One entry of `status.details.causes`. */
export type Cause = { reason: string; message: string; field: string };

const REASONS: Readonly<Record<string, string>> = {
  Invalid: 'FieldValueInvalid',
  Required: 'FieldValueRequired',
  NotSupported: 'FieldValueNotSupported',
  TooLong: 'FieldValueTooLong',
  TypeInvalid: 'FieldValueTypeInvalid',
};

/** The message of the refusal and its causes; undefined if the schema allows the object. */
export function schemaRefusal(
  kind: Kind,
  version: string,
  object: JsonObject,
): { message: string; causes: Cause[] } | undefined {
  const errors = validateAgainstSchema(kind, version, object);
  if (errors.length === 0) return undefined;
  const causes = errors.map((error) => {
    const message = formatFieldError(error).slice(`${error.path}: `.length);
    return { reason: REASONS[error.kind] ?? error.kind, message, field: error.path };
  });
  const name = String((object.metadata as JsonObject).name);
  return { message: `${kind.kind}.${kind.group} "${name}" is invalid: ${aggregate(errors)}`, causes };
}

/** The object without the members that the schema does not know. */
export function pruned(kind: Kind, version: string, object: JsonObject): JsonObject {
  const { openAPIV3Schema } = describedVersion(kind, version).schema as JsonObject;
  const { metadata, ...rest } = object;
  const known = prune(openAPIV3Schema as JsonObject, rest) as JsonObject;
  return { ...known, ...(metadata !== undefined && { metadata }) };
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
