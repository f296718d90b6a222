// A field under validation: its value, its path and the list that its errors go to. Rules are written as calls on fields,
// one line a rule; which rules a field has is left to the files beside this one.
import { ERRORS_MOST, type FieldError } from '../field-error.ts';
import { type Int64, type Json, toNumber } from '../json.ts';
import type { TextRule } from './names.ts';
import { wording } from './wording.ts';

type Given<T> = NonNullable<T>;
type Item<T> = Given<T> extends readonly (infer I)[] ? I : never;
type Entry<T> = Given<T> extends { [key: string]: infer V } ? V : never;

/**
 * A place in a decoded object. Null and absent are both `undefined`. Paths are made only when an error is reported.
 * The `T` is what decoding guarantees; nothing here throws if the value is of another type.
 */
export class Field<T> {
  readonly value: Given<T> | undefined;
  readonly errors: FieldError[];
  readonly #parent: Field<unknown> | undefined;
  readonly #step: string | number;

  private constructor(value: T, errors: FieldError[], parent: Field<unknown> | undefined, step: string | number) {
    this.value = value ?? undefined;
    this.errors = errors;
    this.#parent = parent;
    this.#step = step;
  }

  /** A field that stands at `path` ('' for the object itself) and reports into `errors`. */
  static root<T>(value: T, errors: FieldError[], path = ''): Field<T> {
    return new Field(value, errors, undefined, path);
  }

  /** A value that reports at the paths of another place, where Kubernetes leaves out the step between them. */
  static below<T>(place: Field<unknown>, value: T): Field<T> {
    return new Field(value, place.errors, place, '');
  }

  /** The path as Kubernetes prints it: `spec.containers[0].name`. */
  get path(): string {
    const step = typeof this.#step === 'number' ? `[${this.#step}]` : this.#step;
    if (this.#parent === undefined) return step;
    const parent = this.#parent.path;
    return parent === '' || step === '' || step.startsWith('[') ? parent + step : `${parent}.${step}`;
  }

  /** A member, whether or not it is there. */
  at<K extends keyof Given<T> & string>(key: K): Field<Given<T>[K]> {
    return new Field((this.value as Given<T> | undefined)?.[key] as Given<T>[K], this.errors, this, key);
  }

  /** A place below that is no member of the schema, for errors that Kubernetes reports at odd paths. */
  place(...steps: (string | number)[]): Field<undefined> {
    let place: Field<unknown> = this;
    for (const step of steps) place = new Field(undefined, this.errors, place, step);
    return place as Field<undefined>;
  }

  /** The entries of a list; none if it is absent. */
  items(): Field<Item<T>>[] {
    if (!Array.isArray(this.value)) return [];
    return this.value.map((item: Item<T>, index) => new Field(item, this.errors, this, index));
  }

  /** The entries of a map, sorted by key, at the paths `map[key]`. */
  entries(): [string, Field<Entry<T>>][] {
    const map = this.value as { [key: string]: Entry<T> } | undefined;
    return sortedKeys(map).map((key) => [key, new Field(map?.[key] as Entry<T>, this.errors, this, `[${key}]`)]);
  }

  /** True for anything but an absent value, '', 0, false and an empty list: what Go calls the zero value. */
  get isSet(): boolean {
    const value: unknown = this.value;
    return value !== undefined && value !== '' && value !== 0 && value !== false && !isEmptyList(value);
  }

  // Rules. Each reports what is wrong; those that return a boolean say whether the value may be looked at further.

  /** The value must be set. */
  require(detail = ''): boolean {
    if (!this.isSet) this.required(detail);
    return this.isSet;
  }

  /** The text must keep the rule; an absent text counts as ''. */
  follow(rule: TextRule): boolean {
    const text = typeof this.value === 'string' ? this.value : '';
    const details = rule(text);
    for (const detail of details) this.invalid(detail, text);
    return details.length === 0;
  }

  /** If set, the text must keep the rule. */
  followIfSet(rule: TextRule): boolean {
    return !this.isSet || this.follow(rule);
  }

  /** The text must be one of the values; they are printed in this order. */
  among(supported: readonly string[]): boolean {
    const isAmong = supported.includes(String(this.value ?? ''));
    if (!isAmong) this.unsupported(supported);
    return isAmong;
  }

  /** The text must be given, and one of the values. */
  requireAmong(supported: readonly string[]): boolean {
    return this.require() && this.among(supported);
  }

  /** If given, the number must be at least 0. */
  notNegative(): boolean {
    return this.#ifGiven((number) => number >= 0, wording.notNegative);
  }

  /** If given, the number must be between the bounds, both included. */
  between(low: number, high: number): boolean {
    return this.#ifGiven((number) => number >= low && number <= high, wording.between(low, high));
  }

  // Reports. The value printed is the field's own unless another is given.

  invalid(detail: string, value: unknown = this.value ?? null): void {
    this.#report({ kind: 'Invalid', path: this.path, value: value as Json, detail });
  }

  required(detail = ''): void {
    this.#report({ kind: 'Required', path: this.path, detail });
  }

  forbidden(detail: string): void {
    this.#report({ kind: 'Forbidden', path: this.path, detail });
  }

  duplicate(value: unknown = this.value ?? ''): void {
    this.#report({ kind: 'Duplicate', path: this.path, value: value as Json });
  }

  notFound(detail = ''): void {
    this.#report({ kind: 'NotFound', path: this.path, value: (this.value ?? '') as Json, detail });
  }

  unsupported(supported: readonly string[], value: unknown = this.value ?? ''): void {
    this.#report({ kind: 'NotSupported', path: this.path, value: value as Json, supported });
  }

  tooLong(limitBytes: number): void {
    this.#report({ kind: 'TooLong', path: this.path, detail: wording.tooLong(limitBytes) });
  }

  /** Marks the errors that `reports` makes as printing their value without quotes. */
  bare(reports: (field: this) => void): void {
    const first = this.errors.length;
    reports(this);
    for (const error of this.errors.slice(first)) error.bare = true;
  }

  #ifGiven(holds: (number: number) => boolean, detail: string): boolean {
    if (this.value === undefined) return true;
    const isRight = holds(toNumber(this.value as unknown as Int64));
    if (!isRight) this.invalid(detail);
    return isRight;
  }

  #report(error: FieldError): void {
    this.errors.push(error);
    if (this.errors.length > ERRORS_MOST) throw new TooManyErrors(this.errors);
  }
}

// Ends the validation of an object that has more errors than are told; these are the errors found so far.
class TooManyErrors extends Error {
  override readonly name = 'TooManyErrors';
  readonly errors: FieldError[];

  constructor(errors: FieldError[]) {
    super(`more than ${ERRORS_MOST} errors`);
    this.errors = errors;
  }
}

/** What `validate` finds, or what it had reported when that became too much. */
export function boundedErrors(validate: () => FieldError[]): FieldError[] {
  try {
    return validate();
  } catch (error) {
    if (error instanceof TooManyErrors) return error.errors;
    throw error;
  }
}

/** The keys of a map, sorted (Go visits them in random order, so any order is a faithful one). */
export function sortedKeys(map: object | undefined): string[] {
  return map === undefined ? [] : Object.keys(map).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
