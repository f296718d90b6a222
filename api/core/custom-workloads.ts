// Kinds of workloads that an operator accepts besides the well-known ones: JSON lists in the ConfigMap of the system
// namespace (workloadspread 6, persistentpodstate 1.4).
import { isObject, type JsonObject } from './json.ts';
import { readJsonText } from './json-text.ts';
import { type AnyStruct, list, optional, struct, text } from './schema.ts';

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
  const read = readJsonText(schema, written);
  if ('fault' in read) return read.fault;
  return (read.value as { workloads?: CustomWorkload[] } | null)?.workloads ?? [];
}
