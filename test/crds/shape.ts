// What of a CustomResourceDefinition clients can notice: names, versions, columns, sub-resources and the schema, without
// documentation and without the order of members. Published shapes lie in test/crds/published.
import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';

const documentation: ReadonlySet<string> = new Set(['description', 'title', 'example', 'externalDocs']);
const propertyMaps: ReadonlySet<string> = new Set(['properties', 'patternProperties']);

/** The shape of a CRD. */
export function shapeOf(crd: JsonObject): JsonObject {
  const spec = crd.spec as JsonObject;
  const names = spec.names as JsonObject;
  const kind = String(names.kind);
  const versions: JsonObject = {};
  for (const version of spec.versions as JsonObject[]) versions[String(version.name)] = versionShape(version);
  return {
    group: spec.group as Json,
    scope: spec.scope as Json,
    names: {
      kind,
      plural: names.plural as Json,
      singular: names.singular ?? kind.toLowerCase(),
      listKind: names.listKind ?? `${kind}List`,
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
    },
    versions,
  };
}

function versionShape(version: JsonObject): JsonObject {
  const columns = (version.additionalPrinterColumns ?? []) as JsonObject[];
  return {
    served: version.served as Json,
    storage: version.storage as Json,
    deprecated: version.deprecated ?? false,
    subresources: version.subresources ?? {},
    columns: columns.map((column) => ({
      name: column.name as Json,
      type: column.type as Json,
      jsonPath: column.jsonPath as Json,
      priority: column.priority ?? 0,
      ...(column.format !== undefined && { format: column.format }),
    })),
    schema: withoutDocumentation((version.schema as JsonObject).openAPIV3Schema as Json),
  };
}

function withoutDocumentation(schema: Json, isPropertyMap = false): Json {
  if (Array.isArray(schema)) return schema.map((item) => withoutDocumentation(item));
  if (!isObject(schema)) return schema;
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!isPropertyMap && documentation.has(key)) continue;
    const isSet = !isPropertyMap && (key === 'required' || key === 'enum') && Array.isArray(value);
    result[key] = isSet
      ? value.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))
      : withoutDocumentation(value, !isPropertyMap && propertyMaps.has(key));
  }
  return result;
}

/** One line for each difference: its path, ours, and what is published. */
export function shapeDifferences(path: string, ours: Json | undefined, published: Json | undefined): string[] {
  if (isObject(ours) && isObject(published)) {
    const keys = new Set([...Object.keys(published), ...Object.keys(ours)]);
    return [...keys].flatMap((key) => shapeDifferences(`${path}.${key}`, ours[key], published[key]));
  }
  if (Array.isArray(ours) && Array.isArray(published)) {
    const length = Math.max(ours.length, published.length);
    return Array.from({ length }, (_, i) => shapeDifferences(`${path}.${i}`, ours[i], published[i])).flat();
  }
  const [left, right] = [ours, published].map((value) => (value === undefined ? '(absent)' : JSON.stringify(value)));
  return left === right ? [] : [`${path}: ours ${left}, published ${right}`];
}
