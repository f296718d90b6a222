// What a command found wrong in a file, and where: the form that every output format is made from.

import { type FieldError, formatFieldError } from '../api/core/field-error.ts';
import type { Manifest } from '../component/manifests.ts';
import { fieldsOf } from './field-messages.ts';
import { describeObject } from './resources.ts';

/** Every rule by the name that programs see, and what it is about. */
export const RULES = {
  'invalid-value': 'The value of a field is not one that it can have.',
  'required-value': 'A field that is needed has no value.',
  forbidden: 'A field is set that must not be, or the object is not allowed.',
  'duplicate-value': 'A value stands twice where it can stand once.',
  'unsupported-value': 'The value of a field is none of those that are known.',
  'not-found': 'Something that a field names does not exist.',
  'too-long': 'A value or list is longer than it may be.',
  'wrong-type': 'A value has another type than the field.',
  'unknown-field': 'The kind has no field of this name.',
  'unknown-kind': 'The API group has no such kind or version.',
  'given-twice': 'An object with the same identity was given before.',
  denied: 'Admission refuses the object.',
  warning: 'Admission allows the object, with a warning.',
  'test-failed': 'A case of a suite is not as expected.',
} as const;

export type Rule = keyof typeof RULES;

export type Finding = {
  level: 'error' | 'warning';
  rule: Rule;
  /** Path as given; '-' is standard input. */
  file: string;
  /** From 1; columns count UTF-16 units. */
  line: number;
  column: number;
  /** The field path, in the object; '' if the finding is not about a field. */
  field: string;
  /** One sentence, without the field. */
  message: string;
  /** `Kind namespace/name`. */
  object: string;
};

/** Which object a finding is about. */
export type Subject = {
  manifest: Manifest;
  /** Where the object starts in the document; '' if it is the document, undefined if it does not stand there. */
  objectPath?: string | undefined;
  /** For people; the object's kind and name if absent. */
  name?: string;
};

type Saying = { level?: Finding['level']; rule: Rule; field?: string; message: string };

/** A finding about a field of an object, or about the whole of it. */
export function findingAt(
  { manifest, objectPath, name }: Subject,
  { level = 'error', rule, field = '', message }: Saying,
): Finding {
  const prefix = objectPath ?? '';
  const path = field === '' ? prefix : [prefix, field].filter((part) => part !== '').join('.');
  const { line, column } = manifest.position(path);
  const object = name ?? describeObject(manifest.object);
  const text = field !== '' && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return { level, rule, file: manifest.file, line, column, field, message: text, object };
}

const RULE_OF_KIND: Readonly<Record<FieldError['kind'], Rule>> = {
  Invalid: 'invalid-value',
  TypeInvalid: 'invalid-value',
  Required: 'required-value',
  Forbidden: 'forbidden',
  Duplicate: 'duplicate-value',
  NotSupported: 'unsupported-value',
  NotFound: 'not-found',
  TooLong: 'too-long',
  TooMany: 'too-long',
  InternalError: 'denied',
};

/** A finding for a field error of validation. */
export function findingOfError(subject: Subject, error: FieldError): Finding {
  return findingAt(subject, { rule: RULE_OF_KIND[error.kind], field: error.path, message: formatFieldError(error) });
}

const RULE_OF_TEXT: readonly (readonly [string, Rule])[] = [
  ['Invalid value', 'invalid-value'],
  ['Required value', 'required-value'],
  ['Forbidden', 'forbidden'],
  ['Duplicate value', 'duplicate-value'],
  ['Unsupported value', 'unsupported-value'],
  ['Not found', 'not-found'],
  ['Too ', 'too-long'],
  ['expected ', 'wrong-type'],
];

/** The findings in the message of a refusal: one for each field error in it, or one for the whole. */
export function findingsOfMessage(subject: Subject, message: string): Finding[] {
  const fields = fieldsOf(message);
  if (fields.length === 0) return [findingAt(subject, { rule: 'denied', message })];
  return fields.map(({ path, text }) => {
    const body = text.startsWith(`${path}: `) ? text.slice(path.length + 2) : text;
    const rule = RULE_OF_TEXT.find(([start]) => body.startsWith(start))?.[1] ?? 'wrong-type';
    return findingAt(subject, { rule, field: path, message: text });
  });
}

const WARNED_FIELD = /^(?<path>[A-Za-z_][\w$-]*(?:\.[A-Za-z_][\w$-]*|\[[^\]]*\])+): /;

/** A finding for a warning of admission, at the field that it starts with if it does. */
export function findingOfWarning(subject: Subject, warning: string): Finding {
  const field = WARNED_FIELD.exec(warning)?.groups?.path ?? '';
  return findingAt(subject, { level: 'warning', rule: 'warning', field, message: warning });
}
