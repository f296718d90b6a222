// Objects as they are read from the API server: wire JSON that nobody changes, and what every object has.

/** Names an object within its resource; `namespace` is left out, or empty, for cluster-scoped ones. */
export type ObjectReference = { readonly namespace?: string | undefined; readonly name: string };

/** An object of a cluster, as it was read; never written to. */
export type KubeObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetadata;
  readonly [member: string]: unknown;
};

export type ObjectMetadata = {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly [member: string]: unknown;
};

export type OwnerReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
};

/** `namespace/name`, or the name alone for cluster-scoped objects. */
export function keyOf({ namespace, name }: ObjectReference): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** The owner that controls the object, if there is one. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** The object without what is as large as all the rest, and nobody reads. */
export function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
