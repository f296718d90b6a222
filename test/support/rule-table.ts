// Tables of rules: what is admitted and what is refused with which field errors, for objects and for changes of objects.
import { beforeAll, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { fieldErrorsOf } from './compare/field-errors.ts';
import { RECORDED_GATES } from './gates.ts';
import { KindAdmission } from './kind-admission.ts';

/**
 * One rule: in words, the object, and what is told: a whole message, or its field errors as `path: kind` in order, or
 * nothing if it is admitted. With `before` the object is an update of that one; `cluster` is what is there.
 */
export type Rule = {
  rule: string;
  object: JsonObject;
  before?: JsonObject;
  cluster?: JsonObject[];
  errors?: string | string[];
};

/** The members of `base` with those of `changes` in place of them, deeply; undefined takes a member away. */
export function changed(base: JsonObject, changes: { [member: string]: unknown }): JsonObject {
  const result: JsonObject = { ...base };
  for (const [member, value] of Object.entries(changes)) {
    const known = result[member];
    if (value === undefined) delete result[member];
    else
      result[member] =
        isObject(known) && isObject(value as Json) ? changed(known, value as JsonObject) : (value as Json);
  }
  return result;
}

/** The value without its empty lists and maps, as clients written in Go send back what they have read. */
export function withoutEmpties<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutEmpties) as T;
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(
    ([, member]) => JSON.stringify(member) !== '[]' && JSON.stringify(member) !== '{}',
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmpties(member)])) as T;
}

/** The object with what an API server gives it when it stores it. */
export function stored(object: JsonObject): JsonObject {
  const given = { uid: 'u-1', resourceVersion: '7', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };
  return changed(object, { metadata: given });
}

/** Tests every rule of a table, with the gates on under which the corpus was recorded. */
export function holdRules(rules: readonly Rule[]): void {
  let admission: KindAdmission;
  beforeAll(async () => {
    admission = await KindAdmission.start(RECORDED_GATES);
  });
  test.each(rules.map((rule) => [rule.rule, rule] as const))(
    '%s',
    (_rule, { object, before, cluster = [], errors }) => {
      admission.hold(...cluster);
      const old = before === undefined ? undefined : admission.completed(before);
      const { allowed, message = '' } = admission.admit(object, old);
      const told = allowed ? '' : message;
      if (Array.isArray(errors)) expect(fieldErrorsOf(told), told).toEqual(errors);
      else expect(told).toBe(errors ?? '');
    },
  );
}
