// Arbitrary objects of a kind in one of its versions, in the typed form: what conversion takes and gives.
import type fc from 'fast-check';
import type { JsonObject } from '../../api/core/json.ts';
import type { Kind } from '../../api/kinds/kind.ts';
import { arbitraryOf } from './arbitraries.ts';

/** Objects that decode; `spec` is always there. */
export function typedObjects(kind: Kind, version: string): fc.Arbitrary<JsonObject> {
  const described = kind.description.versions.find(({ name }) => name === version);
  if (described === undefined) throw new Error(`${kind.kind} has no version ${version}`);
  return arbitraryOf(described.schema).map((given) => {
    const { spec, ...rest } = given as JsonObject;
    const named = { ...rest, apiVersion: `${kind.group}/${version}`, kind: kind.kind, spec: spec ?? {} };
    return kind.convert(named, version);
  });
}
