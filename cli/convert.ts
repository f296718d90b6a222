// `sluice convert`: objects of our kinds in another version, everything else as it came.

import { isObject, type JsonObject } from '../api/core/json.ts';
import { findKind, kinds } from '../api/kinds/index.ts';
import { type Kind, parseApiVersion } from '../api/kinds/kind.ts';
import { InputError } from '../component/errors.ts';
import { fieldError, itemsOf, type Manifest, readDocuments } from '../component/manifests.ts';
import { EXIT, type Host } from './host.ts';
import { type ColorMode, type Colors, colorsFor, showWarning } from './output.ts';
import { renderJson, renderYaml } from './render.ts';
import { describeObject, kindNameOf } from './resources.ts';
import { typedForm } from './typed-form.ts';

export type ConvertOptions = { filename: readonly string[]; to: string; output: 'yaml' | 'json'; color: ColorMode };

/** The version wanted; without a group it is that of every kind. */
type Target = { group: string | undefined; version: string };

/** Prints all documents, once all are converted. Throws InputError with file and line. */
export async function runConvert(host: Host, options: ConvertOptions): Promise<number> {
  const target = readTarget(options.to);
  const documents = await readDocuments(options.filename, { stdin: host.stdin });
  if (documents.length === 0) throw new InputError('holds no object', { file: options.filename.join(', ') });
  const colors = colorsFor(host.stderr, options.color, host.environment);
  const converted = documents.map((document) => convertDocument(document, target, { host, colors }));
  const texts = converted.map((object) =>
    options.output === 'json' ? `${renderJson(object, 2)}\n` : renderYaml(object),
  );
  host.stdout.write(texts.join(options.output === 'json' ? '' : '---\n'));
  return EXIT.allowed;
}

function readTarget(to: string): Target {
  const slash = to.indexOf('/');
  const { group, version } = slash < 0 ? { group: undefined, version: to } : parseApiVersion(to);
  const converting = kinds.filter((kind) => kind.versions.length > 1);
  if (converting.some((kind) => (group ?? kind.group) === kind.group && kind.versions.includes(version))) {
    return { group, version };
  }
  const known = new Set(converting.flatMap((kind) => kind.versions));
  const groups = new Set(converting.map((kind) => kind.group));
  const message = `expected ${[...known].sort().join(' or ')}, alone or behind ${[...groups].sort().join('/ or ')}/, got ${JSON.stringify(to)}`;
  throw new InputError(message, { field: '--to' });
}

type Warning = { host: Host; colors: Colors };

// A list stays one, with its items converted in their places.
function convertDocument(document: Manifest, target: Target, warning: Warning): JsonObject {
  const converted = itemsOf(document)
    .map((manifest) => convertObject(manifest, target, warning))
    .values();
  return rebuilt(document.object, target, converted);
}

/** The object, or the list with its items at any depth, from the converted ones in the order of `itemsOf`. */
function rebuilt(object: JsonObject, target: Target, converted: Iterator<JsonObject>): JsonObject {
  const { kind, items } = object;
  if (typeof kind !== 'string' || !kind.endsWith('List') || items === undefined) return converted.next().value;
  if (!Array.isArray(items)) return object;
  const single = kind.slice(0, -'List'.length);
  const typed = single === '' ? undefined : convertibleKind({ ...object, kind: single }, target);
  const identity = { apiVersion: object.apiVersion ?? null, kind: single };
  return {
    ...object,
    ...(typed !== undefined && { apiVersion: `${typed.group}/${target.version}` }),
    items: items
      .filter((item) => isObject(item))
      .map((item) => rebuilt(single === '' ? item : { ...identity, ...item }, target, converted)),
  };
}

/** The kind of an object that is to be converted; undefined if it passes through. */
function convertibleKind(object: JsonObject, { group: wanted, version: to }: Target): Kind | undefined {
  const { group, version, kind: name } = kindNameOf(object);
  const kind = findKind(group, name);
  if (kind === undefined || kind.versions.length < 2 || version === to) return undefined;
  return wanted === undefined || wanted === group ? kind : undefined;
}

function convertObject(manifest: Manifest, target: Target, { host, colors }: Warning): JsonObject {
  const { object } = manifest;
  const kind = convertibleKind(object, target);
  if (kind === undefined) return object;
  const { version } = kindNameOf(object);
  const described = kind.description.versions.find(({ name }) => name === version);
  if (described === undefined || !kind.versions.includes(target.version)) {
    const expected = `expected ${kind.versions.join(' or ')}`;
    const message =
      described === undefined
        ? `${kind.kind} has no version ${JSON.stringify(version)}`
        : `${kind.kind} has no version ${target.version}`;
    throw fieldError(manifest, 'apiVersion', `${message}: ${expected}`);
  }
  const { errors, unknown } = typedForm(described, object);
  const [first] = errors;
  if (first !== undefined) throw fieldError(manifest, first.path, first.text);
  for (const { path } of unknown.filter(({ isKept }) => !isKept)) {
    showWarning(host, fieldError(manifest, path, 'unknown field, left out').describe(), colors);
  }
  const obstacle = kind.inexpressible?.(object, target.version);
  if (obstacle !== undefined) throw fieldError(manifest, '', `${describeObject(object)}: ${obstacle}`);
  const converted = kind.convert(object, target.version);
  const { apiVersion = null, kind: name = null, metadata = {}, ...rest } = converted;
  return { apiVersion, kind: name, metadata, ...rest };
}
