// The CustomResourceDefinition of a kind, from its description.
import type { Json, JsonObject } from '../core/json.ts';
import { openApiField } from '../core/openapi.ts';
import { SYSTEM_NAMESPACE, WEBHOOK_SERVICE } from '../names.ts';
import type { Column, KindDescription, VersionDescription } from './kind.ts';

const apiVersionDoc = 'Version of the schema of this object.';
const kindDoc = 'Kind of this object.';

/**
 * The whole CRD as JSON. Kinds with two versions are converted by the webhook at the default service, unless their
 * description says that the API server does it; programs that install elsewhere replace
 * `spec.conversion.webhook.clientConfig`.
 */
export function customResourceDefinition(kind: KindDescription): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${kind.group}` },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        ...(kind.shortNames !== undefined && { shortNames: [...kind.shortNames] }),
        singular: kind.kind.toLowerCase(),
      },
      scope: kind.scope,
      ...(kind.versions.length > 1 && { conversion: conversionOf(kind) }),
      versions: kind.versions.map((version) => versionOf(kind, version)),
    },
  };
}

function conversionOf({ conversion }: KindDescription): JsonObject {
  if (conversion === 'None') return { strategy: 'None' };
  return {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { service: { namespace: SYSTEM_NAMESPACE, name: WEBHOOK_SERVICE, path: '/convert' } },
      conversionReviewVersions: ['v1', 'v1beta1'],
    },
  };
}

function versionOf(kind: KindDescription, version: VersionDescription): JsonObject {
  const { columns, scale } = version;
  return {
    ...(columns.length > 0 && { additionalPrinterColumns: columns.map(columnOf) }),
    name: version.name,
    schema: { openAPIV3Schema: objectSchema(kind, version) },
    served: true,
    storage: version.name === kind.storage,
    subresources: { ...(scale !== undefined && { scale: { ...scale } }), status: {} },
  };
}

function columnOf({ name, type, jsonPath, doc, priority, format }: Column): Json {
  return {
    ...(doc !== undefined && { description: doc }),
    ...(format !== undefined && { format }),
    jsonPath,
    name,
    ...(priority !== undefined && { priority }),
    type,
  };
}

// The API server knows object metadata itself; of the rest it is told all.
function objectSchema(kind: KindDescription, version: VersionDescription): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, metadata: _metadata, ...rest } = version.schema.fields;
  const properties: JsonObject = {
    apiVersion: { description: apiVersionDoc, type: 'string' },
    kind: { description: kindDoc, type: 'string' },
    metadata: { type: 'object' },
  };
  const required: Json[] = [];
  for (const [name, field] of Object.entries(rest)) {
    properties[name] = openApiField(field);
    if (field.options.required === true) required.push(name);
  }
  return { description: kind.doc, type: 'object', properties, ...(required.length > 0 && { required }) };
}
