// From our schemas to the structural OpenAPI v3 schemas that CustomResourceDefinitions carry.
import type { TSchema } from 'typebox';
import type { Json, JsonObject } from './json.ts';
import { type AnyStruct, type Field, type ListSchema, type MapSchema, wiredOf } from './schema.ts';

const preserveUnknown = { 'x-kubernetes-preserve-unknown-fields': true };
const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';
const integerOrString = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
};

/** The OpenAPI schema of a value; a fresh object, members in a fixed order. */
function openApiSchema(schema: TSchema): JsonObject {
  const { wire, openApi = {} } = wiredOf(schema);
  switch (wire) {
    case 'string':
      return { type: 'string', ...openApi };
    case 'boolean':
      return { type: 'boolean' };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: wire };
    case 'intOrString':
      return { ...integerOrString };
    case 'quantity':
      return { ...integerOrString, pattern: quantityPattern };
    case 'time':
      return { type: 'string', format: 'date-time' };
    case 'json':
      return { ...preserveUnknown, ...openApi };
    case 'list':
      return { type: 'array', items: openApiSchema((schema as ListSchema).items), ...openApi };
    case 'map':
      return { type: 'object', additionalProperties: openApiSchema((schema as unknown as MapSchema).values) };
    case 'struct':
      return { ...structSchema(schema as AnyStruct), ...openApi };
  }
}

/** The OpenAPI schema of a member: that of its value with documentation, default and what else the field says. */
export function openApiField({ schema, doc, options }: Field): JsonObject {
  const inner: JsonObject = options.schemaless ? { ...preserveUnknown } : openApiSchema(schema);
  return {
    ...(doc !== '' && { description: doc }),
    ...(options.default !== undefined && { default: options.default }),
    ...inner,
    ...options.openApi,
  };
}

/** Whether the CRD lists a member as required: what Go always writes, unless the field says otherwise. */
export function isRequiredField({ presence, options }: Field): boolean {
  return options.required ?? (presence === 'required' || presence === 'nullable');
}

function structSchema(schema: AnyStruct): JsonObject {
  const properties: JsonObject = {};
  const required: Json[] = [];
  for (const [name, field] of Object.entries(schema.fields)) {
    if (field.options.hidden === true) continue;
    properties[name] = openApiField(field);
    if (isRequiredField(field)) required.push(name);
  }
  return {
    type: 'object',
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}
