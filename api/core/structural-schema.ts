// What an API server makes of the structural OpenAPI schema of a CRD: it drops nulls, fills in defaults, and finds what is
// wrong, in its own words. Knows the keywords that our CRDs use; the ranges of int32 and int64 and the uniqueness of list
// keys (in our CRDs only of conditions) are left to decoding and to the kinds' validation.
import type { FieldError } from './field-error.ts';
import {
  cloneJson,
  isNumber,
  isNumberToken,
  isObject,
  type Json,
  type JsonObject,
  setMember,
  toNumber,
} from './json.ts';
import { canonicalTime } from './times.ts';

/** A schema, compiled; see {@link compileSchema}. */
export type Rule = {
  type?: string;
  isIntOrString: boolean;
  isEmbedded: boolean;
  isNullable: boolean;
  members: ReadonlyMap<string, Rule>;
  /** Of members that are not named. */
  others?: Rule;
  items?: Rule;
  required: readonly string[];
  /** Of the members, in the order of the schema. */
  defaults: readonly (readonly [string, Json])[];
  /** Whether there are defaults here or below. */
  hasDefaults: boolean;
  enum?: readonly Json[];
  minimum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: { source: string; expression: RegExp };
  isTime: boolean;
};

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'nullable', 'properties', 'additionalProperties', 'items', 'required', 'default', 'enum', 'minimum'],
  ...['minLength', 'maxLength', 'pattern', 'format', 'anyOf', 'description'],
  ...['x-kubernetes-int-or-string', 'x-kubernetes-embedded-resource', 'x-kubernetes-preserve-unknown-fields'],
  ...['x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type'],
]);

/** Makes a schema ready for use. Throws Error for a keyword that is not known here, or a pattern that is none. */
export function compileSchema(schema: JsonObject): Rule {
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) throw new Error(`keyword ${unknown} of the schema is not known`);
  const { type, properties, additionalProperties, items, required, minimum, minLength, maxLength, pattern } = schema;
  const named = isObject(properties) ? (properties as { [name: string]: JsonObject }) : {};
  const members = new Map(Object.entries(named).map(([name, member]) => [name, compileSchema(member)]));
  const others = isObject(additionalProperties) ? compileSchema(additionalProperties) : undefined;
  const elements = isObject(items) ? compileSchema(items) : undefined;
  const defaults = Object.entries(named).flatMap(([name, { default: byDefault }]) =>
    byDefault === undefined ? [] : [[name, byDefault] as const],
  );
  const below = [...members.values(), others, elements];
  return {
    ...(typeof type === 'string' && { type }),
    isIntOrString: schema['x-kubernetes-int-or-string'] === true,
    isEmbedded: schema['x-kubernetes-embedded-resource'] === true,
    isNullable: schema.nullable === true,
    members,
    ...(others !== undefined && { others }),
    ...(elements !== undefined && { items: elements }),
    required: Array.isArray(required) ? (required as string[]) : [],
    defaults,
    hasDefaults: defaults.length > 0 || below.some((rule) => rule?.hasDefaults === true),
    ...(Array.isArray(schema.enum) && { enum: schema.enum }),
    ...(typeof minimum === 'number' && { minimum }),
    ...(typeof minLength === 'number' && { minLength }),
    ...(typeof maxLength === 'number' && { maxLength }),
    ...(typeof pattern === 'string' && { pattern: { source: pattern, expression: new RegExp(pattern, 'u') } }),
    isTime: schema.format === 'date-time',
  };
}

/** The value with the defaults of absent members; null counts as absent where it is not allowed. Shares what is as it was. */
export function fillDefaults(rule: Rule, value: Json): Json {
  if (!rule.hasDefaults) return value;
  if (Array.isArray(value)) {
    const { items } = rule;
    return items === undefined ? value : value.map((item) => fillDefaults(items, item));
  }
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const known = memberRule(rule, name);
    setMember(result, name, known === undefined ? member : fillDefaults(known, member));
  }
  for (const [name, byDefault] of rule.defaults) {
    const isAbsent =
      !Object.hasOwn(result, name) || (result[name] === null && rule.members.get(name)?.isNullable !== true);
    if (isAbsent) setMember(result, name, cloneJson(byDefault));
  }
  return result;
}

/** The value without the nulls of named members that must not be null, as an API server reads what a client sends. */
export function dropNulls(rule: Rule, value: Json): Json {
  if (Array.isArray(value)) {
    const { items } = rule;
    if (items === undefined) return value;
    const kept = value.map((item) => dropNulls(items, item));
    return kept.some((item, index) => item !== value[index]) ? kept : value;
  }
  if (!isObject(value)) return value;
  let isChanged = false;
  const result: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const isStray = member === null && rule.members.get(name)?.isNullable === false;
    const known = memberRule(rule, name);
    const kept = known === undefined ? member : dropNulls(known, member);
    if (isStray || kept !== member) isChanged = true;
    if (!isStray) setMember(result, name, kept);
  }
  return isChanged ? result : value;
}

/** What is wrong with a value at a path ('' is the root), in the order of its members; missing ones come first. */
export function checkSchema(rule: Rule, path: string, value: Json): FieldError[] {
  const errors: FieldError[] = [];
  check(rule, path, value, errors);
  return errors;
}

function check(rule: Rule, path: string, value: Json, errors: FieldError[]): void {
  if (value === null && rule.isNullable) return;
  if (rule.isIntOrString) {
    if (typeof value !== 'string' && !isInteger(value))
      return void errors.push(mistyped(path, 'integer,string', value));
  } else if (rule.type !== undefined && typeOf(value, rule.type) !== rule.type) {
    return void errors.push(mistyped(path, rule.type, value));
  }
  checkBounds(rule, path, value, errors);
  if (Array.isArray(value)) {
    const { items } = rule;
    if (items !== undefined)
      for (const [index, item] of value.entries()) check(items, `${path}[${index}]`, item, errors);
  } else if (isObject(value)) checkMembers(rule, path, value, errors);
}

function checkMembers(rule: Rule, path: string, value: JsonObject, errors: FieldError[]): void {
  const needed = rule.isEmbedded ? new Set(['apiVersion', 'kind', ...rule.required]) : rule.required;
  for (const name of needed) {
    if (!Object.hasOwn(value, name)) errors.push({ kind: 'Required', path: below(path, name) });
  }
  for (const name of Object.keys(value)) {
    const known = memberRule(rule, name);
    if (known !== undefined) check(known, below(path, name), value[name] as Json, errors);
  }
  if (rule.isEmbedded) {
    for (const name of ['apiVersion', 'kind']) {
      const given = value[name];
      const detail = given === '' ? 'must not be empty' : 'must be a string';
      const isFine = given === undefined || (typeof given === 'string' && given !== '');
      if (!isFine) errors.push({ kind: 'Invalid', path: below(path, name), value: given, detail });
    }
  }
}

function checkBounds(rule: Rule, path: string, value: Json, errors: FieldError[]): void {
  const invalid = (detail: string): void => {
    errors.push({ kind: 'Invalid', path, value, detail: `${path} in body ${detail}` });
  };
  if (rule.enum !== undefined && !rule.enum.includes(value)) {
    errors.push({ kind: 'NotSupported', path, value, supported: rule.enum.map(String) });
  }
  if (rule.minimum !== undefined && isNumber(value) && toNumber(value) < rule.minimum) {
    invalid(`should be greater than or equal to ${rule.minimum}`);
  }
  if (typeof value !== 'string') return;
  const length = rule.minLength === undefined && rule.maxLength === undefined ? 0 : [...value].length;
  if (rule.maxLength !== undefined && length > rule.maxLength) {
    errors.push({ kind: 'TooLong', path, value, detail: `may not be more than ${rule.maxLength} bytes` });
  }
  if (rule.minLength !== undefined && length < rule.minLength) {
    invalid(`should be at least ${rule.minLength} chars long`);
  }
  if (rule.pattern !== undefined && !rule.pattern.expression.test(value)) {
    invalid(`should match '${rule.pattern.source}'`);
  }
  if (rule.isTime && canonicalTime(value, true) === undefined) {
    const detail = `${path} in body must be of type date-time: ${JSON.stringify(value)}`;
    errors.push({ kind: 'TypeInvalid', path, value, detail });
  }
}

function mistyped(path: string, type: string, value: Json): FieldError {
  const found = typeOf(value, type);
  const detail = `${path} in body must be of type ${type}: ${JSON.stringify(found)}`;
  return { kind: 'TypeInvalid', path, value: found, detail };
}

function memberRule(rule: Rule, name: string): Rule | undefined {
  return rule.members.get(name) ?? rule.others;
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

// An integer is a number too: the type is the wanted one if the value can be it.
function typeOf(value: Json, wanted: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (!isNumber(value)) return typeof value;
  return isInteger(value) && wanted !== 'number' ? 'integer' : 'number';
}

function isInteger(value: Json): boolean {
  return isNumberToken(value) ? Number.isInteger(toNumber(value)) : Number.isInteger(value);
}
