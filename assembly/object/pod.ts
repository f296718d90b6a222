// What several policies ask about a pod (admission-overview.md 10.1).

import { Text } from '../json/text';
import { View } from '../json/view';

/** Neither finished nor being deleted. */
export function isActive(pod: View): bool {
  const phase = pod.get('status').get('phase');
  return !pod.get('metadata').get('deletionTimestamp').isSet && !phase.is('Succeeded') && !phase.is('Failed');
}

/** The owner reference of the controller, or `none`. */
export function controllerOf(object: View): View {
  for (let owner = object.get('metadata').get('ownerReferences').first(); owner.exists; owner = owner.next()) {
    if (owner.get('controller').isTrue) {
      return owner;
    }
  }
  return View.none();
}

/** Is the apiVersion of this group, in any version? */
export function isOfGroup(apiVersion: View, group: string): bool {
  const text = apiVersion.text();
  return text.startsWith(group) && text.length > group.length && text.byteAt(group.length) == 0x2f;
}

/** The group of an apiVersion: what stands before the slash, empty for the core group. */
export function groupOf(apiVersion: Text): Text {
  const slash = apiVersion.indexOf(0x2f);
  return slash < 0 ? Text.empty() : apiVersion.slice(0, slash);
}

/** An init container that goes on running beside the others. */
export function isRestartable(initContainer: View): bool {
  return initContainer.get('restartPolicy').is('Always');
}

/** The item of a list whose `name` is this, or `none`. */
export function named(list: View, name: Text): View {
  for (let item = list.first(); item.exists; item = item.next()) {
    if (item.get('name').text().equals(name)) {
      return item;
    }
  }
  return View.none();
}
