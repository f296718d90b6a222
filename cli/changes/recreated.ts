// The pod that would be created in place of a live one: what its workload makes now, without what admission added.

import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { IS_INJECTED_ENV } from '../../api/names.ts';
import { controllerOf } from '../pods.ts';
import { metadataOf, namespaceOf } from '../resources.ts';
import { objectAt } from '../workload-parts.ts';

type Find = (object: JsonObject) => JsonObject | undefined;

/** Annotations that injection and budgets put on pods. */
const MADE = /^kruise\.io\/sidecarset|^(?:pub\.)?kruise\.io\/related-pub$/;

/** The pod as it would be sent for creation. `find` knows the workloads. */
export function recreated(pod: JsonObject, find: Find): JsonObject {
  const template = templateOf(pod, find);
  const { name, namespace, labels, annotations, ownerReferences } = metadataOf(pod);
  const own = template === undefined ? withoutMade(annotations) : metadataOf(template).annotations;
  const metadata: JsonObject = {
    name: name ?? null,
    namespace: namespace ?? null,
    ...(labels === undefined ? {} : { labels }),
    ...(own === undefined ? {} : { annotations: own }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
  };
  const spec = template === undefined ? withoutInjected(objectAt(pod, 'spec')) : objectAt(template, 'spec');
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

function templateOf(pod: JsonObject, find: Find): JsonObject | undefined {
  const owner = controllerOf(pod);
  if (owner === undefined) return undefined;
  const { apiVersion, kind, name } = owner;
  const workload = find({ apiVersion, kind, metadata: { name, namespace: namespaceOf(pod) } });
  const template = workload === undefined ? undefined : objectAt(workload, 'spec').template;
  // Of some kinds the template is one of a workload, not of a pod.
  return isObject(template) && Array.isArray(objectAt(template, 'spec').containers) ? template : undefined;
}

function withoutMade(annotations: Json | undefined): JsonObject | undefined {
  if (!isObject(annotations)) return undefined;
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !MADE.test(name)));
}

// Volumes that sidecars brought cannot be told from others: they stay.
function withoutInjected(spec: JsonObject): JsonObject {
  const { nodeName: _node, ...rest } = spec;
  const without = (name: 'containers' | 'initContainers'): JsonObject => {
    const list = rest[name];
    if (!Array.isArray(list)) return {};
    return { [name]: list.filter((container) => !isInjected(container)) };
  };
  return { ...rest, ...without('initContainers'), ...without('containers') };
}

function isInjected(container: Json): boolean {
  const env = isObject(container) && Array.isArray(container.env) ? container.env : [];
  return env.some((one) => isObject(one) && one.name === IS_INJECTED_ENV && one.value === 'true');
}
