// What the controller of ResourceDistribution looks at: the resource that is distributed, all namespaces, and the objects
// of its kind and name in them (resourcedistribution 3).

import { cloneJson, type DeepReadonly, isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { selectorFault } from '../../api/core/selector.ts';
import { description, type ResourceDistribution } from '../../api/kinds/resourcedistribution/schema.ts';
import { StatusError } from '../../component/errors.ts';
import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import type { Reader } from '../../kube/reader.ts';
import { CONFIG_MAPS, NAMESPACES, type Resource, resourceOf, SECRETS } from '../../kube/resource.ts';
import { type Targets, targetsOf } from './targets.ts';

export const DISTRIBUTIONS = resourceOf(description);

export type Distribution = KubeObject & {
  readonly spec?: DeepReadonly<NonNullable<ResourceDistribution['spec']>>;
  readonly status?: Status;
};
export type Status = DeepReadonly<NonNullable<ResourceDistribution['status']>>;

/** The Secret or ConfigMap as the spec has it. */
export type Distributed = { readonly resource: Resource; readonly name: string; readonly object: JsonObject };

export type State = {
  readonly distribution: Distribution;
  readonly distributed: Distributed;
  /** Namespaces that are to have it, by name; they need not exist. */
  readonly targets: readonly string[];
  /** Namespaces that exist and are to last, by name. */
  readonly namespaces: ReadonlySet<string>;
  /** What has the kind and name of the resource, by namespace. */
  readonly copies: ReadonlyMap<string, KubeObject>;
};

/** Throws StatusError (Invalid) for a selector that cannot be read. */
export function fetchState(reader: Reader, { name }: ObjectReference): State | undefined {
  const distribution = reader.get(DISTRIBUTIONS, { name }) as Distribution | undefined;
  const distributed = distribution === undefined ? undefined : distributedBy(distribution);
  if (distribution === undefined || distributed === undefined) return undefined;
  if (distribution.metadata.deletionTimestamp !== undefined) return undefined;
  const targets = distribution.spec?.targets ?? {};
  requireSelector(targets);
  const namespaces = reader.list(NAMESPACES);
  const labels = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels]));
  const lasting = namespaces.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const copies = namespaces.flatMap(({ metadata: { name: namespace } }) => {
    const copy = reader.get(distributed.resource, { namespace, name: distributed.name });
    return copy === undefined ? [] : [[namespace, copy] as const];
  });
  return {
    distribution,
    distributed,
    targets: targetsOf(targets, labels),
    namespaces: new Set(lasting.map(({ metadata }) => metadata.name)),
    copies: new Map(copies),
  };
}

/** Undefined for anything but a Secret or ConfigMap with a name: nothing can be done about that. */
export function distributedBy({ spec }: Distribution): Distributed | undefined {
  const object = cloneJson((spec?.resource ?? null) as Json);
  if (!isObject(object) || object.apiVersion !== 'v1' || !isObject(object.metadata)) return undefined;
  const resource = [SECRETS, CONFIG_MAPS].find(({ kind }) => kind === object.kind);
  const { name } = object.metadata;
  return resource === undefined || typeof name !== 'string' || name === '' ? undefined : { resource, name, object };
}

function requireSelector({ namespaceSelector }: Targets): void {
  const fault = namespaceSelector === undefined ? undefined : selectorFault(namespaceSelector);
  if (fault !== undefined) throw new StatusError(422, 'Invalid', `spec.targets.namespaceSelector: ${fault}`);
}
