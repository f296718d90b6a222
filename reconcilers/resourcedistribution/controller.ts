// The controller of ResourceDistribution: which changes make it look at which distributions (resourcedistribution 3.1).

import { equalJson, type Json } from '../../api/core/json.ts';
import { groupOf } from '../../api/core/references.ts';
import { controllerOf, type ObjectReference } from '../../kube/objects.ts';
import type { Reader } from '../../kube/reader.ts';
import { CONFIG_MAPS, NAMESPACES, type Resource, SECRETS } from '../../kube/resource.ts';
import type { Change, Controller, Watch } from '../loop/controller.ts';
import { plan } from './plan.ts';
import { DISTRIBUTIONS, type Distribution, distributedBy, fetchState, type State } from './state.ts';
import { isTarget } from './targets.ts';

export const resourceDistribution: Controller<State> = {
  name: 'resourcedistribution-controller',
  workers: { flag: 'resourcedistribution-workers', default: 3 },
  watches: [
    { resource: DISTRIBUTIONS, keys: keysOfDistribution },
    { resource: NAMESPACES, keys: keysOfNamespace },
    copies(SECRETS),
    copies(CONFIG_MAPS),
  ],
  fetch: fetchState,
  plan,
};

function keysOfDistribution({ old, new: current }: Change): readonly ObjectReference[] {
  const isSame = old !== undefined && current !== undefined && equalJson(old.spec as Json, current.spec as Json);
  return isSame ? [] : [(current ?? old)?.metadata].filter((one) => one !== undefined);
}

/** Namespaces that become targets, or are none any more. */
function keysOfNamespace({ old, new: current }: Change, reader: Reader): readonly ObjectReference[] {
  const isGoing = old?.metadata.deletionTimestamp !== current?.metadata.deletionTimestamp;
  const labelsOf = (namespace: typeof old) => (namespace?.metadata.labels ?? {}) as Json;
  if (old !== undefined && current !== undefined && !isGoing && equalJson(labelsOf(old), labelsOf(current))) return [];
  return distributions(reader)
    .filter(({ spec }) =>
      [old, current].some(
        (one) => one !== undefined && isTarget(spec?.targets ?? {}, one.metadata.name, one.metadata.labels),
      ),
    )
    .map(({ metadata }) => metadata);
}

/** Copies that somebody changes or deletes, and objects of others that were in the way of a copy. */
function copies(resource: Resource): Watch {
  return {
    resource,
    keys: ({ old, new: current }, reader) => {
      if (old === undefined) return [];
      const owners = [old, current].flatMap(
        (object) => (object === undefined ? undefined : controllerOf(object)) ?? [],
      );
      const own = owners
        .filter(({ apiVersion, kind }) => groupOf(apiVersion) === DISTRIBUTIONS.group && kind === DISTRIBUTIONS.kind)
        .map(({ name }) => ({ name }));
      if (current !== undefined || own.length > 0) return own;
      const waiting = distributions(reader).filter((distribution) => {
        const distributed = distributedBy(distribution);
        return distributed?.resource === resource && distributed.name === old.metadata.name;
      });
      return waiting.map(({ metadata }) => metadata);
    },
  };
}

function distributions(reader: Reader): readonly Distribution[] {
  return reader.list(DISTRIBUTIONS) as readonly Distribution[];
}
