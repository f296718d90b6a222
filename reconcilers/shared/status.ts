// The effect by which a controller writes the status of an object.

import type { JsonObject } from '../../api/core/json.ts';
import type { KubeObject } from '../../kube/objects.ts';
import type { PlannedEffect } from '../../kube/plan.ts';
import type { Resource } from '../../kube/resource.ts';

/** Replaces the status of the object as it was read: refused with a conflict if anybody has written it meanwhile. */
export function statusUpdate(resource: Resource, object: KubeObject, status: object): PlannedEffect {
  return { type: 'update', resource, subresource: 'status', object: { ...object, status } as unknown as JsonObject };
}
