// Objects of our own kinds in the form that controllers can rely on. Another CRD, or none of the webhooks, may have let
// anything into the API server: what cannot be read by its description is left out, and disturbs nobody else.

import type { JsonObject } from '../api/core/json.ts';
import { findKind } from '../api/kinds/index.ts';
import { parseApiVersion } from '../api/kinds/kind.ts';
import type { KubeObject } from '../kube/objects.ts';

/** The object with spec and status as their schema has them, or why it has none. Other kinds are given back as they are. */
export function readable(object: KubeObject): KubeObject | string {
  const { group, version } = parseApiVersion(object.apiVersion);
  const kind = findKind(group, object.kind);
  if (kind === undefined) return object;
  const { object: typed, errors } = kind.decode(object as unknown as JsonObject, version);
  const [fault] = errors;
  if (fault !== undefined) return fault;
  const { spec: _spec, status: _status, ...rest } = object;
  const { spec, status } = typed;
  return { ...rest, ...(spec !== undefined && { spec }), ...(status !== undefined && { status }) };
}
