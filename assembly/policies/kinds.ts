// The kinds of objects that policies keep: how they are known, and under which terms they are found.

import { APPS_GROUP, KRUISE_CONFIGURATION, POLICY_GROUP } from '../../api/names';
import { Text } from '../json/text';
import { View } from '../json/view';
import { isOfGroup } from '../object/pod';
import { put, remove } from '../store/store';
import { Entry, Stored } from '../store/stored';
import { indexBySelector, indexBySubject, indexInNamespace } from './namespaced';
import { indexBudget } from './podunavailablebudget/related';
import { indexRevision } from './sidecarset/revision';
import { indexSidecarSet } from './sidecarset/terms';

export const NO_ROOM = 'the memory of the module has no room for one more object';

export function kindOf(object: View): Stored {
  const apiVersion = object.get('apiVersion');
  const kind = object.get('kind');
  if (isOfGroup(apiVersion, APPS_GROUP)) {
    if (kind.is('SidecarSet')) {
      return Stored.SidecarSet;
    }
    if (kind.is('PersistentPodState')) {
      return Stored.PersistentPodState;
    }
    if (kind.is('WorkloadSpread')) {
      return Stored.WorkloadSpread;
    }
    return kind.is('PodProbeMarker') ? Stored.PodProbeMarker : Stored.None;
  }
  if (isOfGroup(apiVersion, POLICY_GROUP)) {
    return kind.is('PodUnavailableBudget') ? Stored.PodUnavailableBudget : Stored.None;
  }
  if (apiVersion.is('v1')) {
    if (kind.is('Namespace')) {
      return Stored.Namespace;
    }
    const isConfiguration = kind.is('ConfigMap') && object.get('metadata').get('name').is(KRUISE_CONFIGURATION);
    return isConfiguration ? Stored.Configuration : Stored.None;
  }
  return apiVersion.is('apps/v1') && kind.is('ControllerRevision') ? Stored.ControllerRevision : Stored.None;
}

/** Keeps the object that was scanned last; an error when it cannot be kept. */
export function keep(kind: Stored, object: View): Text | null {
  const metadata = object.get('metadata');
  const name = metadata.get('name').text();
  if (name.isEmpty) {
    return Text.of('metadata.name: expected the name of the object');
  }
  const namespace = metadata.get('namespace').text();
  const entry = put(kind, namespace, name, object);
  if (entry === null || !indexed(entry)) {
    remove(kind, namespace, name);
    return Text.of(NO_ROOM);
  }
  return null;
}

function indexed(entry: Entry): bool {
  switch (entry.kind) {
    case Stored.SidecarSet:
      return indexSidecarSet(entry);
    case Stored.ControllerRevision:
      return indexRevision(entry);
    case Stored.PersistentPodState:
      return indexBySubject(entry, entry.root.get('spec').get('targetRef').get('name').text());
    case Stored.PodUnavailableBudget:
      return indexBudget(entry);
    case Stored.PodProbeMarker:
      return indexBySelector(entry, entry.root.get('spec').get('selector'));
    case Stored.WorkloadSpread:
      return indexInNamespace(entry);
    default:
      return true;
  }
}
