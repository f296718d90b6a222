// Whether a policy that was given says anything else than the live one: a folder holds more than what was edited.

import { equalJson, isObject, type JsonObject } from '../../api/core/json.ts';
import type { Gates } from '../../api/gates.ts';
import { applySchemaDefaults } from '../../api/kinds/crd-validation.ts';
import { findKind } from '../../api/kinds/index.ts';
import { parseApiVersion } from '../../api/kinds/kind.ts';
import { contains } from '../compare.ts';
import { metadataOf, textOf } from '../resources.ts';

/**
 * False if the live object has the spec, labels and annotations of the given one already, whatever the version in which
 * either is written and whatever is left to defaults. Both decode.
 */
export function isChanged(given: JsonObject, live: JsonObject | undefined, gates: Gates): boolean {
  if (live === undefined) return true;
  const [wanted, present] = [asStored(given, gates), asStored(live, gates)];
  if (!equalJson(wanted.spec, present.spec)) return true;
  // An API server and controllers add to these.
  const { labels, annotations } = metadataOf(wanted);
  const { labels: presentLabels, annotations: presentAnnotations } = metadataOf(present);
  return (
    !contains(isObject(labels) ? labels : {}, presentLabels ?? {}) ||
    !contains(isObject(annotations) ? annotations : {}, presentAnnotations ?? {})
  );
}

function asStored(object: JsonObject, gates: Gates): JsonObject {
  const { group, version } = parseApiVersion(object.apiVersion);
  const kind = findKind(group, textOf(object.kind));
  if (kind === undefined) return object;
  const defaulted = applySchemaDefaults(kind, version, kind.applyDefaults(object, version, { gates }));
  return kind.convert(defaulted, kind.storage);
}
