// The cluster state of a command: an evaluator with the objects of --objects.

import type { JsonObject } from '../api/core/json.ts';
import { effectiveGates, GateError, type Gates, parseGates } from '../api/gates.ts';
import { inApplyOrder } from '../api/kinds/apply-order.ts';
import { InputError } from '../component/errors.ts';
import { type Manifest, readManifests } from '../component/manifests.ts';
import type { Admission } from './admission.ts';
import { fieldsOf } from './field-messages.ts';
import type { Host, Settings } from './host.ts';
import { describeObject, isNamespaced, kindNameOf, nameOf, namespaceOf } from './resources.ts';

/** Whatever knows objects of a cluster. `apply` throws InputError naming the field. */
type Cluster = { apply(object: JsonObject): void };

/** An evaluator and what it was told. */
export type State<Evaluator extends Cluster = Admission> = {
  admission: Evaluator;
  /** The stored object with the identity of another, or undefined. */
  find(object: JsonObject): JsonObject | undefined;
  /** Adds an object unless one with its identity is there. */
  imply(object: JsonObject): void;
  /** Sentences for the user: objects given twice. */
  warnings: readonly string[];
};

export type StateOptions = { objects: readonly string[]; featureGates: string; systemNamespace: string };

/**
 * Reads the objects and applies them to the evaluator that `load` makes, as `readAs` has them. Throws InputError with
 * file, line and field.
 */
export async function loadState<Evaluator extends Cluster>(
  host: Host,
  options: StateOptions,
  load: (settings: Settings) => Promise<Evaluator>,
  readAs: (object: JsonObject) => JsonObject = (object) => object,
): Promise<State<Evaluator>> {
  const gates = readGates(options.featureGates);
  const [manifests, admission] = await Promise.all([
    readManifests(options.objects, { stdin: host.stdin }),
    load({ gates, systemNamespace: options.systemNamespace }),
  ]);
  return stateOf(
    admission,
    manifests.map((manifest) => ({ ...manifest, object: readAs(manifest.object) })),
  );
}

/** The state with these objects, applied to the evaluator. Throws InputError with file, line and field. */
export function stateOf<Evaluator extends Cluster>(
  admission: Evaluator,
  manifests: readonly Manifest[],
): State<Evaluator> {
  const known = new Map<string, Manifest>();
  const warnings: string[] = [];
  for (const manifest of manifests) {
    const earlier = known.get(identityOf(manifest.object));
    if (earlier !== undefined) warnings.push(replacement(manifest, earlier));
    known.set(identityOf(manifest.object), manifest);
  }
  // One that is given again replaces the earlier one, so they are asked about alike.
  const lastOf = ({ object }: Manifest): JsonObject => known.get(identityOf(object))?.object ?? object;
  for (const manifest of inApplyOrder(manifests, lastOf)) applyTo(admission, manifest);
  return {
    admission,
    find: (object) => known.get(identityOf(object))?.object,
    imply: (object) => {
      if (!known.has(identityOf(object))) admission.apply(object);
    },
    warnings,
  };
}

/** Throws InputError if both files and objects are to come from standard input. */
export function requireOneReader({
  filename,
  objects,
}: {
  filename: readonly string[];
  objects: readonly string[];
}): void {
  const readers = [...filename, ...objects].filter((path) => path === '-').length;
  if (readers < 2) return;
  const [field, other] = objects.includes('-') ? ['--objects', '--filename'] : ['--filename', 'another --filename'];
  throw new InputError(`standard input is read once, and ${other} reads it`, { field });
}

/** All gates with their values. Throws InputError naming the gate. */
export function readGates(text: string): Gates {
  try {
    return effectiveGates(parseGates(text));
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    throw new InputError(error.message, { field: '--feature-gates' }, { cause: error });
  }
}

function applyTo(admission: Cluster, manifest: Manifest): void {
  try {
    admission.apply(manifest.object);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw withPlaces(error, manifest);
  }
}

// The evaluator names fields; where they stand in the file is known here.
function withPlaces(error: InputError, { file, position, object }: Manifest): InputError {
  const [first, ...others] = fieldsOf(error.message);
  if (first === undefined) return error.at({ file, ...position(error.field ?? '') });
  const place = (path: string): string => Object.values(position(path)).join(':');
  const lines = others.map(({ path, text }) => `\n${file}:${place(path)}: ${text}`);
  const message = `${first.text.slice(`${first.path}: `.length)}${lines.join('')}\n(${describeObject(object)} would be refused)`;
  return new InputError(message, { file, ...position(first.path), field: first.path }, { cause: error });
}

/** The same text for objects that a cluster takes for one, whatever their versions. */
export function identityOf(object: JsonObject): string {
  const kindName = kindNameOf(object);
  const namespace = isNamespaced(kindName) ? namespaceOf(object) || 'default' : '';
  return JSON.stringify([kindName.group, kindName.kind, namespace, nameOf(object)]);
}

function replacement(later: Manifest, earlier: Manifest): string {
  return `${later.file}:${later.line}: ${describeObject(later.object)} replaces the one of ${earlier.file}:${earlier.line}`;
}
