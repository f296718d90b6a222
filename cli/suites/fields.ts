// Reads the members of a document one by one and collects what is wrong with them, each with its place: an author gets
// all faults of a suite at once.

import { isNumber, isObject, type Json, type JsonObject, numberText } from '../../api/core/json.ts';
import { InputError } from '../../component/errors.ts';
import { fieldError, kindOfJson, type Manifest } from '../../component/manifests.ts';

/** Faults beyond this are not shown. */
const FAULTS_MOST = 50;

/** What is wrong with the documents that were read so far. */
export class Faults {
  private readonly found: InputError[] = [];

  add(error: InputError): void {
    this.found.push(error);
  }

  /** Throws one InputError that says all of them. */
  throwIfAny(): void {
    const [first, ...others] = inPlaceOrder(this.found);
    if (first === undefined) return;
    const lines = others.slice(0, FAULTS_MOST - 1).map((fault) => `\n${fault.describe()}`);
    const rest = others.length - lines.length;
    const more = rest === 0 ? '' : `\nand ${rest} more`;
    const { file, line, column, field } = first;
    throw new InputError(`${first.message}${lines.join('')}${more}`, {
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
      ...(field !== undefined && { field }),
    });
  }
}

// By file as they came, then by place.
function inPlaceOrder(found: readonly InputError[]): InputError[] {
  const files = [...new Set(found.map(({ file }) => file))];
  const keys = ({ file, line = 0, column = 0 }: InputError) => [files.indexOf(file), line, column] as const;
  return [...found].sort((a, b) => {
    const [one, other] = [keys(a), keys(b)];
    return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
  });
}

/** An object at a path of a document. Members of a wrong type are faults and read as if they were not there. */
export class Fields {
  readonly manifest: Manifest;
  readonly path: string;
  readonly object: JsonObject;
  private readonly faults: Faults;
  private readonly known = new Set<string>();

  constructor(manifest: Manifest, faults: Faults, path = '', object: JsonObject = manifest.object) {
    this.manifest = manifest;
    this.faults = faults;
    this.path = path;
    this.object = object;
  }

  /** The path of a member in the document. */
  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  fault(name: string, message: string): void {
    this.faults.add(fieldError(this.manifest, name === '' ? this.path : this.at(name), message));
  }

  /** Something is wrong in a file that the document names. */
  add(error: InputError): void {
    this.faults.add(error);
  }

  /** The member as it is; undefined when it is missing or null. */
  json(name: string): Json | undefined {
    this.known.add(name);
    return this.object[name] ?? undefined;
  }

  text(name: string): string | undefined {
    const value = this.json(name);
    return value === undefined || typeof value === 'string' ? value : this.wrong(name, 'text', value);
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if ((this.object[name] ?? '') === '') this.fault(name, 'required');
    return value ?? '';
  }

  boolean(name: string): boolean | undefined {
    const value = this.json(name);
    return value === undefined || typeof value === 'boolean' ? value : this.wrong(name, 'true or false', value);
  }

  /** A whole number that is not negative. */
  count(name: string): number | undefined {
    const value = this.json(name);
    if (value === undefined) return undefined;
    const count = isNumber(value) ? Number(numberText(value)) : Number.NaN;
    return Number.isSafeInteger(count) && count >= 0 ? count : this.wrong(name, 'a whole number', value);
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.json(name);
    if (value === undefined) return undefined;
    const word = words.find((one) => one === value);
    if (word === undefined) this.fault(name, `expected one of ${words.join(', ')}, got ${shown(value)}`);
    return word;
  }

  list(name: string): readonly Json[] | undefined {
    const value = this.json(name);
    return value === undefined || Array.isArray(value) ? value : this.wrong(name, 'a list', value);
  }

  texts(name: string): readonly string[] {
    return (this.list(name) ?? []).flatMap((value, index) => {
      if (typeof value === 'string') return [value];
      this.fault(`${name}[${index}]`, `expected text, got ${kindOfJson(value)}`);
      return [];
    });
  }

  /** A member that is an object. */
  part(name: string): Fields | undefined {
    const value = this.json(name);
    if (value === undefined) return undefined;
    return isObject(value)
      ? new Fields(this.manifest, this.faults, this.at(name), value)
      : this.wrong(name, 'an object', value);
  }

  /** A member that is a list of objects. */
  parts(name: string): readonly Fields[] {
    return (this.list(name) ?? []).flatMap((value, index) => {
      const element = `${name}[${index}]`;
      if (isObject(value)) return [new Fields(this.manifest, this.faults, this.at(element), value)];
      this.fault(element, `expected an object, got ${kindOfJson(value)}`);
      return [];
    });
  }

  /** All other members than those read so far are faults. */
  end(): void {
    for (const name of Object.keys(this.object)) {
      if (this.known.has(name)) continue;
      this.fault(name, `unknown field; known are ${[...this.known].join(', ')}`);
    }
  }

  private wrong(name: string, expected: string, value: Json): undefined {
    this.fault(name, `expected ${expected}, got ${kindOfJson(value)}`);
    return undefined;
  }
}

function shown(value: Json): string {
  return typeof value === 'string' ? JSON.stringify(value) : kindOfJson(value);
}
