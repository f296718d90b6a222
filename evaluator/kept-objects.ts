// The objects of the cluster that the kinds' validation looks at besides those that the state keeps by themselves: other
// objects of the same kind that may be in the way, and the workloads that objects refer to.
import type { JsonObject } from '../api/core/json.ts';
import { findKind } from '../api/kinds/index.ts';
import { parseApiVersion } from '../api/kinds/kind.ts';
import { InputError } from '../component/errors.ts';

/** The kinds that some rule asks for; objects of others are not kept. */
const ASKED: ReadonlySet<string> = new Set([
  '/Node',
  '/Pod',
  'apps/Deployment',
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'batch/Job',
  'apps.kruise.io/CloneSet',
  'apps.kruise.io/PersistentPodState',
  'apps.kruise.io/StatefulSet',
  'apps.kruise.io/WorkloadSpread',
  'policy.kruise.io/PodUnavailableBudget',
]);

/** What names an object. */
type Reference = { apiVersion: string; kind: string; namespace?: string; name: string };

export class KeptObjects {
  // By kind and namespace, then by name.
  private readonly byPlace = new Map<string, Map<string, JsonObject>>();

  /**
   * What adds the object that `reference` names, or replaces it; nothing happens if its kind is not asked for. Throws
   * InputError naming the field if it is of a kind of ours and does not decode.
   */
  prepare(reference: Reference, object: JsonObject): () => void {
    const { group, version } = parseApiVersion(reference.apiVersion);
    if (!ASKED.has(`${group}/${reference.kind}`)) return () => undefined;
    const kind = findKind(group, reference.kind);
    const fault = kind?.decode(object, version).errors[0];
    if (fault !== undefined) throw new InputError(fault);
    const stored = kind === undefined ? object : kind.convert(object, kind.storage);
    const place = placeOf(group, reference.kind, reference.namespace);
    return () => {
      const objects = this.byPlace.get(place) ?? new Map<string, JsonObject>();
      objects.set(reference.name, stored);
      this.byPlace.set(place, objects);
    };
  }

  /** Forgets an object, if it is there. */
  delete(reference: Reference): void {
    const { group } = parseApiVersion(reference.apiVersion);
    const place = placeOf(group, reference.kind, reference.namespace);
    const objects = this.byPlace.get(place);
    objects?.delete(reference.name);
    if (objects?.size === 0) this.byPlace.delete(place);
  }

  /** The objects of a kind in a namespace, in the order in which they came. */
  list(group: string, kind: string, namespace: string): readonly JsonObject[] {
    return [...(this.byPlace.get(placeOf(group, kind, namespace))?.values() ?? [])];
  }

  /** One of them. */
  find(group: string, kind: string, namespace: string, name: string): JsonObject | undefined {
    return this.byPlace.get(placeOf(group, kind, namespace))?.get(name);
  }
}

function placeOf(group: string, kind: string, namespace = ''): string {
  return `${group}/${kind}/${namespace}`;
}
