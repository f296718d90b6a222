// Kinds of workloads that an operator accepts besides the well-known ones: JSON lists in the ConfigMap of the system
// namespace (workloadspread 6, persistentpodstate 1.4).
import { decode } from './decode.ts';
import { isObject, type Json, type JsonObject, parseJson, setMember } from './json.ts';
import { jsonSyntaxFault } from './json-syntax.ts';
import { type AnyStruct, type ListSchema, list, optional, struct, text, wiredOf } from './schema.ts';

/** A kind of some group; the version is only told for those who read such objects. */
export type CustomWorkload = { Group?: string; Version?: string; Kind?: string };

/** The members that every entry of such a list has. */
export const customWorkloadFields = {
  Group: optional(text()),
  Version: optional(text()),
  Kind: optional(text()),
};

/** The description of a list; the names are those that error texts print. */
export function customWorkloadList(listName: string, entry: AnyStruct): AnyStruct {
  return struct(listName, { workloads: optional(list(entry)) });
}

/**
 * The entries of a list in the ConfigMap's data; none if there is no ConfigMap or no such key. A text says why the list
 * cannot be read, in the words of the Go implementation. Members are found whatever the case of their letters.
 */
export function customWorkloads(
  configMap: JsonObject | undefined,
  key: string,
  schema: AnyStruct,
): readonly CustomWorkload[] | string {
  const written = isObject(configMap?.data) ? configMap.data[key] : undefined;
  if (typeof written !== 'string' || written === '') return [];
  const fault = jsonSyntaxFault(written);
  if (fault !== undefined) return fault;
  const { value, errors } = decode(schema, withKnownNames(schema, parseJson(written)));
  if (errors[0] !== undefined) return errors[0].goText;
  return (value as { workloads?: CustomWorkload[] } | null)?.workloads ?? [];
}

// The value with its members called as the schema calls them.
function withKnownNames(schema: unknown, value: Json): Json {
  const { wire } = wiredOf(schema as AnyStruct);
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
