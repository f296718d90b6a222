// Parts of kubeconfig files, looked up by name and read member by member with errors that name file and field.

import { dirname, isAbsolute, join } from 'node:path';
import { isObject, type Json, type JsonObject } from '../api/core/json.ts';
import type { InputError } from '../component/errors.ts';
import { fieldError, kindOfJson, type Manifest } from '../component/manifests.ts';

/** Content of a file that is read when it is needed, or content that is known. */
export type Content = { readonly file: string } | { readonly data: Buffer };

/** The first entry of a list that has the name; `member` holds what it says. Throws InputError. */
export function findEntry(
  configs: readonly Manifest[],
  { list, member, name }: { list: string; member: string; name: string },
): Entry | undefined {
  for (const config of configs) {
    const entries = config.object[list] ?? [];
    if (!Array.isArray(entries)) throw fieldError(config, list, `expected a list, got ${kindOfJson(entries)}`);
    for (const [index, candidate] of entries.entries()) {
      if (!isObject(candidate) || candidate.name !== name) continue;
      const value = candidate[member] ?? {};
      const path = `${list}[${index}].${member}`;
      if (!isObject(value)) throw fieldError(config, path, `expected an object, got ${kindOfJson(value)}`);
      return new Entry(config, path, value);
    }
  }
  return undefined;
}

/** A named part of a file, with checks of its members. */
export class Entry {
  readonly value: JsonObject;
  readonly #config: Manifest;
  readonly #path: string;

  constructor(config: Manifest, path: string, value: JsonObject) {
    this.#config = config;
    this.#path = path;
    this.value = value;
  }

  has(member: string): boolean {
    return (this.value[member] ?? null) !== null;
  }

  /** Text that is not empty, or undefined. */
  text(member: string): string | undefined {
    const value: Json = this.value[member] ?? '';
    if (typeof value !== 'string') throw this.error(member, `expected text, got ${kindOfJson(value)}`);
    return value === '' ? undefined : value;
  }

  /** Text that can stand in a header, or undefined. The value is not quoted in errors: it may be a secret. */
  line(member: string): string | undefined {
    const value = this.text(member);
    if (value !== undefined && !/^[\x20-\x7e]+$/.test(value)) {
      throw this.error(member, 'expected one line of printable ASCII');
    }
    return value;
  }

  /** A member that is an object; without it, an empty one. */
  part(member: string): Entry {
    const value = this.value[member] ?? {};
    if (!isObject(value)) throw this.error(member, `expected an object, got ${kindOfJson(value)}`);
    return new Entry(this.#config, this.#pathOf(member), value);
  }

  flag(member: string): boolean {
    const value = this.value[member] ?? false;
    if (typeof value !== 'boolean') throw this.error(member, `expected true or false, got ${kindOfJson(value)}`);
    return value;
  }

  /** A file, relative to the one that names it. */
  path(member: string): string | undefined {
    const file = this.text(member);
    return file === undefined || isAbsolute(file) ? file : join(dirname(this.#config.file), file);
  }

  /** `<member>-data` in base64, or the file `<member>`. */
  content(member: string): Content | undefined {
    const data = this.text(`${member}-data`);
    const file = this.path(member);
    if (data === undefined) return file === undefined ? undefined : { file };
    if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(data)) throw this.error(`${member}-data`, 'expected text in base64');
    return { data: Buffer.from(data, 'base64') };
  }

  error(member: string, message: string): InputError {
    return fieldError(this.#config, this.#pathOf(member), message);
  }

  #pathOf(member: string): string {
    return this.#path === '' ? member : `${this.#path}.${member}`;
  }
}
