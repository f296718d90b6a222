// JSON that stands as a text inside another value (a ConfigMap, an annotation), read as Go's own decoder reads it:
// members are found whatever the case of their letters, and faults are told in its words.
import type { TSchema } from 'typebox';
import { decode } from './decode.ts';
import { isObject, type Json, type JsonObject, parseJson, setMember } from './json.ts';
import { jsonSyntaxFault } from './json-syntax.ts';
import { type AnyStruct, type ListSchema, type Static, wiredOf } from './schema.ts';

/** The value of a text, null where it says null and the schema is no struct; or why it cannot be read. */
export function readJsonText<S extends TSchema>(
  schema: S,
  text: string,
): { value: Static<S> | null } | { fault: string } {
  const fault = jsonSyntaxFault(text);
  if (fault !== undefined) return { fault };
  const { value, errors } = decode(schema, withKnownNames(schema, parseJson(text)));
  return errors[0] === undefined ? { value } : { fault: errors[0].goText };
}

// The value with its members called as the schema calls them.
function withKnownNames(schema: TSchema, value: Json): Json {
  const { wire } = wiredOf(schema);
  if (wire === 'list' && Array.isArray(value)) {
    return value.map((item) => withKnownNames((schema as ListSchema).items, item));
  }
  if (wire !== 'struct' || !isObject(value)) return value;
  const { fields } = schema as AnyStruct;
  const named: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const known = Object.keys(fields).find((field) => field.toLowerCase() === name.toLowerCase());
    const field = known === undefined ? undefined : fields[known];
    if (known !== undefined && field !== undefined) setMember(named, known, withKnownNames(field.schema, member));
  }
  return named;
}
