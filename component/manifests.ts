// Reads Kubernetes objects from YAML and JSON files, folders and standard input, with the place of each member, so that
// an error can name file, line and field. What an object means is left to the callers.

import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { isObject, type Json, type JsonObject } from '../api/core/json.ts';
import { InputError } from './errors.ts';
import { formatFieldPath, parseFieldPath } from './field-path.ts';
import { describing } from './file-faults.ts';
import { readJson } from './json-document.ts';
import { printable } from './printable.ts';
import { Lines, type Position, type TextDocument, TextError } from './text-document.ts';

/** One object as it was written. */
export type Manifest = {
  object: JsonObject;
  /** The path as given, or found in a folder; `-` for standard input. */
  file: string;
  /** The line on which the object starts, from 1. */
  line: number;
  /** The place of a field path (`spec.containers[0].name`) of the object, or of its nearest ancestor that is written. */
  position(path: string): Position;
};

/** Greatest size of one file, in bytes. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

const MAX_SHOWN_PATH = 200;

/** Where `-` reads from; without it `-` is refused. */
export type ManifestSource = { stdin?: AsyncIterable<Uint8Array> };

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/**
 * The objects of all paths, in order: files hold one or several documents, `kind: List` (and `PodList`, ...) stands for
 * its items; folders are read with their sub-folders in sorted order (`*.yaml`, `*.yml`, `*.json`; hidden names and
 * `node_modules` are left out). Every object has apiVersion, kind and metadata.name. Throws InputError.
 */
export async function readManifests(paths: readonly string[], source: ManifestSource = {}): Promise<Manifest[]> {
  return (await readDocuments(paths, source)).flatMap(objectsOf);
}

/** The objects of a document: itself, or the items of a list; each has apiVersion, kind and name. Throws InputError. */
export function objectsOf(document: Manifest): Manifest[] {
  const objects = itemsOf(document);
  for (const manifest of objects) requireIdentity(manifest);
  return objects;
}

/** The documents of all paths as they stand, lists too; each is an object, nothing more is asked. Throws InputError. */
export async function readDocuments(paths: readonly string[], source: ManifestSource = {}): Promise<Manifest[]> {
  const documents: Manifest[] = [];
  for (const path of paths) {
    for (const file of await filesOf(path))
      documents.push(...(await parseDocuments(await readBytes(file, source), file)));
  }
  return documents;
}

/** The documents of one file's content. JSON is told from YAML by its first character. Throws InputError. */
export async function parseDocuments(bytes: Uint8Array, file: string): Promise<Manifest[]> {
  const text = decode(bytes, file);
  const lines = new Lines(text);
  try {
    const documents = await readText(text, file);
    return documents.map((document) => manifestOf(document, file, lines));
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw inputError(error.message, { file, ...lines.at(error.offset) }, error.path);
  }
}

async function readText(text: string, file: string): Promise<TextDocument[]> {
  if (!/^\ufeff?\s*[{[]/.test(text)) return await readYamlLazily(text);
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof TextError) || extname(file) === '.json' || !mayBeYaml(error)) throw error;
    return await readYamlLazily(text).catch((yamlError: unknown) => {
      throw looksLikeJson(text) ? error : yamlError;
    });
  }
}

// The YAML library is loaded for YAML alone: JSON needs none of its start-up time.
async function readYamlLazily(text: string): Promise<TextDocument[]> {
  const { readYaml } = await import('./yaml-document.ts');
  return readYaml(text);
}

// YAML in flow style starts like JSON. What JSON refuses for another reason than its syntax, YAML would refuse too.
function mayBeYaml(error: TextError): boolean {
  return !/^(?:duplicate key|nested deeper)/.test(error.message);
}

function looksLikeJson(text: string): boolean {
  return /^\ufeff?\s*(?:\{\s*"|\[\s*\{\s*")/.test(text);
}

function manifestOf(document: TextDocument, file: string, lines: Lines): Manifest {
  const start = lines.at(document.offset);
  if (!isObject(document.value)) {
    throw inputError(`expected an object, got ${kindOfJson(document.value)}`, { file, ...start });
  }
  return {
    object: document.value,
    file,
    line: start.line,
    position: (path) => lines.at(document.locate(parseFieldPath(path))),
  };
}

/** The items of a list of any depth, or the object itself if it is no list. Throws InputError. */
export function itemsOf(list: Manifest, depth = 0): Manifest[] {
  const { kind, apiVersion, items } = list.object;
  if (typeof kind !== 'string' || !kind.endsWith('List') || items === undefined) return [list];
  if (items === null) return [];
  if (!Array.isArray(items)) throw fieldError(list, 'items', `expected a list, got ${kindOfJson(items)}`);
  if (depth > 8) throw fieldError(list, 'items', 'lists nested deeper than 8 levels');
  return items.flatMap((item, index) => {
    const path = formatFieldPath(['items', index]);
    if (!isObject(item)) throw fieldError(list, path, `expected an object, got ${kindOfJson(item)}`);
    const object =
      kind === 'List' ? item : { apiVersion: apiVersion ?? null, kind: kind.slice(0, -'List'.length), ...item };
    return itemsOf(partOf(list, path, object), depth + 1);
  });
}

/** An object that stands at a field path of a document. */
export function partOf(document: Manifest, path: string, object: JsonObject): Manifest {
  const prefix = parseFieldPath(path);
  return {
    object,
    file: document.file,
    line: document.position(path).line,
    position: (inner) => document.position(formatFieldPath([...prefix, ...parseFieldPath(inner)])),
  };
}

function requireIdentity(manifest: Manifest): void {
  const { apiVersion, kind, metadata } = manifest.object;
  requireText(manifest, 'apiVersion', apiVersion);
  requireText(manifest, 'kind', kind);
  if (metadata === undefined) throw fieldError(manifest, 'metadata', 'required');
  if (!isObject(metadata)) throw fieldError(manifest, 'metadata', `expected an object, got ${kindOfJson(metadata)}`);
  requireText(manifest, 'metadata.name', metadata.name);
  if (metadata.namespace !== undefined && typeof metadata.namespace !== 'string') {
    throw fieldError(manifest, 'metadata.namespace', `expected text, got ${kindOfJson(metadata.namespace)}`);
  }
}

function requireText(manifest: Manifest, path: string, value: Json | undefined): void {
  if (value === undefined || value === '') throw fieldError(manifest, path, 'required');
  if (typeof value !== 'string') throw fieldError(manifest, path, `expected text, got ${kindOfJson(value)}`);
}

/** An error about a field of a manifest, with its file, line and column. */
export function fieldError(manifest: Manifest, path: string, message: string): InputError {
  return inputError(message, { file: manifest.file, ...manifest.position(path) }, path);
}

function inputError(message: string, place: { file: string } & Partial<Position>, field = ''): InputError {
  const shown = field === '' ? {} : { field: printable(shorten(field)) };
  return new InputError(printable(message), { ...place, ...shown, file: printable(place.file) });
}

function shorten(path: string): string {
  return path.length <= MAX_SHOWN_PATH
    ? path
    : `${path.slice(0, MAX_SHOWN_PATH / 2)}...${path.slice(-MAX_SHOWN_PATH / 2)}`;
}

/** What a JSON value is, in words: `a list`, `text`, `null` ... */
export function kindOfJson(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'a boolean';
  return isObject(value) ? 'an object' : 'a number';
}

/** The files of a path in the order in which they are read: itself, or those of the folder. Throws InputError. */
export async function filesOf(path: string): Promise<string[]> {
  if (path === '-') return ['-'];
  const found = await describing(path, () => stat(path));
  if (!found.isDirectory()) return [path];
  const files: string[] = [];
  await walk(path, new Set(), files);
  return files;
}

// Packages bring files of all sorts, none of which is meant.
function isLeftOut(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

// Links are followed (a mounted ConfigMap is links), but no folder is entered inside itself.
async function walk(folder: string, above: ReadonlySet<string>, files: string[]): Promise<void> {
  const real = await describing(folder, () => realpath(folder));
  if (above.has(real)) return;
  const inside = new Set(above).add(real);
  const names = (await describing(folder, () => readdir(folder))).filter((name) => !isLeftOut(name));
  for (const name of names.sort()) {
    const path = join(folder, name);
    const found = await describing(path, () => stat(path));
    if (found.isDirectory()) await walk(path, inside, files);
    else if (found.isFile() && EXTENSIONS.has(extname(name))) files.push(path);
  }
}

/** The content of a file, or of standard input. Throws InputError. */
export async function readBytes(file: string, source: ManifestSource = {}): Promise<Uint8Array> {
  const stream = file === '-' ? source.stdin : createReadStream(file);
  if (stream === undefined) throw inputError('there is no standard input to read', { file });
  const chunks: Uint8Array[] = [];
  let length = 0;
  await describing(file, async () => {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length > MAX_FILE_BYTES) throw inputError(`larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`, { file });
      chunks.push(chunk);
    }
  });
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw inputError('not UTF-8 text', { file });
  }
}
