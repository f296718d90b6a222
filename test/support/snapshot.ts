// A cluster that stands still, as controllers read it: for tables of what a controller plans for given objects.
import type { JsonObject } from '../../api/core/json.ts';
import { groupOf } from '../../api/core/references.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { CONTROLLER_INDEX, type LookUp, NAMESPACE_INDEX, type Reader } from '../../kube/reader.ts';
import type { Resource } from '../../kube/resource.ts';
import type { Controller } from '../../reconcilers/loop/controller.ts';
import { storedIn } from './stored.ts';

/** Reads these objects, with the indexes of the controller's watches. Resources that it does not watch are an error. */
export function snapshot<State>(controller: Controller<State>, objects: readonly JsonObject[]): Reader {
  const all = objects.map(asStored);
  const list = (resource: Resource, namespace?: string) => {
    if (!controller.watches.some((watch) => watch.resource === resource))
      throw new Error(`unwatched: ${resource.kind}`);
    return all.filter(
      (object) => isOf(object, resource) && (namespace === undefined || object.metadata.namespace === namespace),
    );
  };
  const keys = (resource: Resource, index: string) =>
    index === CONTROLLER_INDEX
      ? ({ metadata }: KubeObject) =>
          (metadata.ownerReferences ?? []).filter((one) => one.controller).map((one) => one.uid)
      : controller.watches.find((watch) => watch.resource === resource && watch.indexes?.[index])?.indexes?.[index];
  const indexed = (resource: Resource, index: string, key: string) =>
    index === NAMESPACE_INDEX
      ? list(resource, key)
      : list(resource).filter((object) => keys(resource, index)?.(object).includes(key));
  return {
    list,
    get: (resource, { namespace, name }) =>
      list(resource, resource.namespaced ? namespace : undefined).find(({ metadata }) => metadata.name === name),
    indexed,
    ...storedIn(indexed),
    followsKind: (wanted) =>
      controller.watches.some(
        ({ resource }) => resource.kind === wanted.kind && resource.group === groupOf(wanted.apiVersion ?? ''),
      ),
  };
}

/** Finds the objects by their kinds; scales are the objects of kind Scale, by the kind that `spec.of` tells. */
export function lookUpIn(objects: readonly JsonObject[]): LookUp {
  const all = objects.map(asStored);
  return ({ apiVersion, kind, namespace, name, subresource }) =>
    all.find(
      (object) =>
        object.metadata.namespace === namespace &&
        object.metadata.name === name &&
        (subresource === 'scale'
          ? object.kind === 'Scale' && (object.spec as JsonObject).of === kind
          : object.kind === kind && groupOf(object.apiVersion) === groupOf(apiVersion)),
    );
}

/** What the API server would have added. */
export function asStored(object: JsonObject): KubeObject {
  const { kind, metadata } = object as { kind: string; metadata: JsonObject };
  return {
    ...object,
    metadata: { namespace: 'shop', uid: `uid-${kind}-${String(metadata.name)}`, resourceVersion: '7', ...metadata },
  } as unknown as KubeObject;
}

function isOf(object: KubeObject, { group, kind }: Resource): boolean {
  return object.kind === kind && groupOf(object.apiVersion) === group;
}
