// Strategic merge patches of pods and pod templates: maps are merged, lists whose items have a key are merged item by
// item, other lists are replaced (workloadspread 3.7). Which lists those are is told here once, by struct.
import type { TSchema } from 'typebox';
import { isObject, type Json, type JsonObject, JsonSet, setMember } from './json.ts';
import { type AnyStruct, type ListSchema, type MapSchema, wiredOf } from './schema.ts';

/** Why a patch cannot be applied, in the words of the Go implementation. */
export class PatchFault extends Error {
  override name = 'PatchFault';
}

// Lists that are merged: the member that tells items apart, or PRIMITIVE for lists of texts. `T` is the type of the item.
const PRIMITIVE = '';
const container = { env: 'name', ports: 'containerPort', volumeDevices: 'devicePath', volumeMounts: 'mountPath' };
const MERGED: { readonly [goType: string]: { readonly [member: string]: string } } = {
  'v1.ObjectMeta': { finalizers: PRIMITIVE, ownerReferences: 'uid' },
  'v1.PodSpec': {
    containers: 'name',
    ephemeralContainers: 'name',
    hostAliases: 'ip',
    imagePullSecrets: 'name',
    initContainers: 'name',
    resourceClaims: 'name',
    schedulingGates: 'name',
    topologySpreadConstraints: 'topologyKey',
    volumes: 'name',
  },
  'v1.Container': container,
  'v1.EphemeralContainer': container,
};

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const ORDER_PREFIX = '$setElementOrder/';
const DELETE_PREFIX = '$deleteFromPrimitiveList/';

/**
 * The object with the patch applied; neither is changed, but the result shares what is left as it was. `schema` describes
 * the object; members that it does not know are replaced. Throws PatchFault.
 */
export function strategicMerge(schema: AnyStruct, object: JsonObject, patch: Json): JsonObject {
  if (!isObject(patch)) throw new PatchFault('invalid JSON document');
  return mergeMap(schema, object, patch);
}

function mergeMap(schema: TSchema | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  switch (patch[DIRECTIVE]) {
    case undefined:
      break;
    case 'replace':
      return withoutDirectives(patch) as JsonObject;
    case 'delete':
      return {};
    default:
      throw unknownDirective(patch);
  }
  const merged = withoutDeletedPrimitives(retained(original, patch), patch);
  for (const [name, value] of Object.entries(patch)) {
    if (isDirective(name)) continue;
    const own = Object.hasOwn(merged, name) ? merged[name] : undefined;
    if (value === null) delete merged[name];
    else setMember(merged, name, mergeMember({ schema, name, patch }, own, value));
  }
  return orderedOnly(schema, merged, patch);
}

type Place = { schema: TSchema | undefined; name: string; patch: JsonObject };

function mergeMember({ schema, name, patch }: Place, own: Json | undefined, value: Json): Json {
  const member = memberSchema(schema, name);
  if (isObject(own) && isObject(value)) return mergeMap(member, own, value);
  const key = mergeKey(schema, name);
  if (!Array.isArray(own) || !Array.isArray(value) || key === undefined) return withoutDirectives(value);
  const order = patch[ORDER_PREFIX + name];
  if (key === PRIMITIVE) {
    const known = new JsonSet(own);
    const added = value.filter((item) => !known.has(item));
    return inOrder(own, [...own, ...added], Array.isArray(order) ? order : value, (item) => JSON.stringify(item));
  }
  return mergeItems((member as ListSchema).items, { own, value, key, order: Array.isArray(order) ? order : undefined });
}

type Items = { own: readonly Json[]; value: readonly Json[]; key: string; order: readonly Json[] | undefined };

// Items with `$patch: delete` go, one with `$patch: replace` drops all that are not in the patch, the others are merged.
function mergeItems(schema: TSchema, { own, value, key, order }: Items): Json[] {
  const items = value.filter(isObject);
  if (items.length < value.length)
    throw new PatchFault(`list element types are not identical: ${goText([[...own], [...value]])}`);
  for (const item of items) checkDirective(item);
  const plain = items.filter((item) => item[DIRECTIVE] === undefined);
  if (order !== undefined) checkOrder(plain, order, key);
  if (items.some((item) => item[DIRECTIVE] === 'replace')) return plain.map(withoutDirectives);
  const deleted = new Set(items.filter((item) => item[DIRECTIVE] === 'delete').map((item) => keyOf(item, key)));
  const result: Json[] = own.filter((item) => !isObject(item) || !deleted.has(keyText(item[key])));
  const places = new Map<string, number>();
  result.forEach((item, index) => {
    const text = isObject(item) ? keyText(item[key]) : '';
    if (!places.has(text)) places.set(text, index);
  });
  for (const item of plain) {
    const text = keyOf(item, key);
    const place = places.get(text);
    const known = place === undefined ? undefined : result[place];
    if (place !== undefined && isObject(known)) {
      result[place] = mergeMap(schema, known, item);
    } else {
      places.set(text, result.length);
      result.push(withoutDirectives(item));
    }
  }
  return inOrder(own, result, order ?? plain, (item) => (isObject(item) ? keyText(item[key]) : keyText(item)));
}

/**
 * The merged items: those that `order` names in this order, between them the others in their own. One of the others goes
 * before one of `order` only if it stood before it in the original, so new items stand before the others.
 */
function inOrder(
  original: readonly Json[],
  merged: readonly Json[],
  order: readonly Json[],
  identify: (item: Json) => string,
): Json[] {
  const ranks = indexed(order, identify);
  const places = indexed(original, identify);
  const rankOf = (item: Json) => ranks.get(identify(item)) ?? 0;
  const named = merged.filter((item) => ranks.has(identify(item))).toSorted((a, b) => rankOf(a) - rankOf(b));
  const others = merged.filter((item) => !ranks.has(identify(item)));
  const result: Json[] = [];
  let next = 0;
  for (const item of named) {
    const place = places.get(identify(item));
    for (; place !== undefined && next < others.length; next++) {
      const other = others[next] as Json;
      if ((places.get(identify(other)) ?? Number.POSITIVE_INFINITY) > place) break;
      result.push(other);
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

// `$setElementOrder` may stand without a patch of its list.
function orderedOnly(schema: TSchema | undefined, merged: JsonObject, patch: JsonObject): JsonObject {
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(ORDER_PREFIX)) continue;
    const name = directive.slice(ORDER_PREFIX.length);
    const own = merged[name];
    const key = mergeKey(schema, name);
    if (Object.hasOwn(patch, name) || !Array.isArray(own) || !Array.isArray(order) || key === undefined) continue;
    const identify = (item: Json) => (isObject(item) ? keyText(item[key]) : keyText(item));
    merged[name] = inOrder(own, own, order, identify);
  }
  return merged;
}

function withoutDeletedPrimitives(merged: JsonObject, patch: JsonObject): JsonObject {
  for (const [directive, deleted] of Object.entries(patch)) {
    if (!directive.startsWith(DELETE_PREFIX)) continue;
    const name = directive.slice(DELETE_PREFIX.length);
    const own = merged[name];
    if (!Array.isArray(own) || !Array.isArray(deleted)) continue;
    const gone = new JsonSet(deleted);
    merged[name] = own.filter((item) => !gone.has(item));
  }
  return merged;
}

// A shallow copy of the original; `$retainKeys` lists what may stay of it.
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const copy = { ...original };
  const listed = patch[RETAIN_KEYS];
  if (listed === undefined) return copy;
  const keys = new Set<Json>(Array.isArray(listed) ? listed : []);
  const isListed = Array.isArray(listed) && Object.keys(patch).every((name) => isDirective(name) || keys.has(name));
  if (!isListed) throw new PatchFault('invalid patch format of retainKeys');
  for (const name of Object.keys(copy)) if (!keys.has(name)) delete copy[name];
  return copy;
}

// What is taken over from a patch as it is: without the directives and nulls in its objects.
function withoutDirectives(value: Json): Json {
  if (Array.isArray(value)) return value.filter((item) => !isInstruction(item)).map(withoutDirectives);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    if (!isDirective(name) && member !== null) setMember(result, name, withoutDirectives(member));
  }
  return result;
}

// An item that only says what to do with the list, or what to take out of it.
function isInstruction(item: Json): boolean {
  return isObject(item) && (item[DIRECTIVE] === 'delete' || item[DIRECTIVE] === 'replace');
}

function isDirective(name: string): boolean {
  return name === DIRECTIVE || name === RETAIN_KEYS || name.startsWith(ORDER_PREFIX) || name.startsWith(DELETE_PREFIX);
}

function memberSchema(schema: TSchema | undefined, name: string): TSchema | undefined {
  if (schema === undefined) return undefined;
  const { wire } = wiredOf(schema);
  if (wire === 'map') return (schema as unknown as MapSchema).values;
  const fields = wire === 'struct' ? (schema as AnyStruct).fields : {};
  return Object.hasOwn(fields, name) ? fields[name]?.schema : undefined;
}

function mergeKey(schema: TSchema | undefined, name: string): string | undefined {
  const { wire, goType } = schema === undefined ? { wire: undefined, goType: '' } : wiredOf(schema);
  const merged = wire === 'struct' && Object.hasOwn(MERGED, goType) ? MERGED[goType] : undefined;
  return merged !== undefined && Object.hasOwn(merged, name) ? merged[name] : undefined;
}

function indexed(items: readonly Json[], identify: (item: Json) => string): Map<string, number> {
  const indices = new Map<string, number>();
  items.forEach((item, index) => {
    if (!indices.has(identify(item))) indices.set(identify(item), index);
  });
  return indices;
}

function keyOf(item: JsonObject, key: string): string {
  if (!Object.hasOwn(item, key))
    throw new PatchFault(`map: ${goText(item)} does not contain declared merge key: ${key}`);
  return keyText(item[key]);
}

function keyText(value: Json | undefined): string {
  // Texts stand for themselves, behind a quotation mark that tells them from all else.
  return typeof value === 'string' ? `"${value}` : JSON.stringify(value ?? null);
}

function unknownDirective(item: JsonObject): PatchFault {
  return new PatchFault(`unknown patch type: ${goText(item[DIRECTIVE])} in map: ${goText(item)}`);
}

function checkDirective(item: JsonObject): void {
  const directive = item[DIRECTIVE];
  if (directive === 'merge') throw new PatchFault('merging lists cannot yet be specified in the patch');
  if (directive !== undefined && directive !== 'delete' && directive !== 'replace') throw unknownDirective(item);
}

// The items of a patch must stand in the order that the patch itself gives.
function checkOrder(items: readonly JsonObject[], order: readonly Json[], key: string): void {
  const places = indexed(order, (item) => keyText(isObject(item) ? item[key] : item));
  let last = -1;
  for (const item of items) {
    const place = places.get(keyOf(item, key)) ?? -1;
    if (place <= last) {
      const [patch, list] = [goText([...items]), goText([...order])];
      throw new PatchFault(`The order in patch list:\n${patch}\n doesn't match $setElementOrder list:\n${list}\n`);
    }
    last = place;
  }
}

// A value as Go prints it.
function goText(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return value === undefined || value === null ? '<nil>' : String(value);
  const members = Object.keys(value).sort();
  return `map[${members.map((name) => `${name}:${goText(value[name])}`).join(' ')}]`;
}
