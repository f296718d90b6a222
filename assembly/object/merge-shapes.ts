// Which lists of a pod are merged by strategic merge patches, and by which member of their items (workloadspread.md 3.7).

import { Text } from '../json/text';

/** A Go struct that has such lists, or leads to one that has. */
export const enum Shape {
  Other,
  /** Pod or pod template. */
  Pod,
  Metadata,
  Spec,
  Status,
  Container,
}

/** Key of lists whose items are texts. */
export const PRIMITIVE: string = '';

/** The struct that a member is. */
export function memberShape(shape: Shape, name: Text): Shape {
  if (shape != Shape.Pod) {
    return Shape.Other;
  }
  if (name.is('metadata')) {
    return Shape.Metadata;
  }
  if (name.is('spec')) {
    return Shape.Spec;
  }
  return name.is('status') ? Shape.Status : Shape.Other;
}

/** The struct that the items of a member's list are. */
export function itemShape(shape: Shape, name: Text): Shape {
  const isContainers = name.is('containers') || name.is('initContainers') || name.is('ephemeralContainers');
  return shape == Shape.Spec && isContainers ? Shape.Container : Shape.Other;
}

/** The member that tells the items of a list apart; null for a list that is replaced. */
export function mergeKey(shape: Shape, name: Text): string | null {
  switch (shape) {
    case Shape.Metadata:
      if (name.is('finalizers')) {
        return PRIMITIVE;
      }
      return name.is('ownerReferences') ? 'uid' : null;
    case Shape.Spec:
      return specKey(name);
    case Shape.Status:
      if (name.is('conditions')) {
        return 'type';
      }
      return name.is('podIPs') || name.is('hostIPs') ? 'ip' : null;
    case Shape.Container:
      return containerKey(name);
    default:
      return null;
  }
}

function specKey(name: Text): string | null {
  if (name.is('hostAliases')) {
    return 'ip';
  }
  if (name.is('topologySpreadConstraints')) {
    return 'topologyKey';
  }
  const isByName =
    name.is('containers') ||
    name.is('initContainers') ||
    name.is('ephemeralContainers') ||
    name.is('volumes') ||
    name.is('imagePullSecrets') ||
    name.is('schedulingGates') ||
    name.is('resourceClaims');
  return isByName ? 'name' : null;
}

function containerKey(name: Text): string | null {
  if (name.is('env')) {
    return 'name';
  }
  if (name.is('ports')) {
    return 'containerPort';
  }
  if (name.is('volumeMounts')) {
    return 'mountPath';
  }
  return name.is('volumeDevices') ? 'devicePath' : null;
}
