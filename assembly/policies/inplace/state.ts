// How far the update of a pod in place has come, as it is recorded on the pod (inplace-update.md 3.3 and 5).

import {
  INPLACE_UPDATE_GRACE,
  INPLACE_UPDATE_STATE,
  LEGACY_INPLACE_UPDATE_GRACE,
  LEGACY_INPLACE_UPDATE_STATE,
  RUNTIME_CONTAINERS_META,
} from '../../../api/names';
import { Gate, isOn } from '../../gates';
import { parse } from '../../json/parse';
import { Text } from '../../json/text';
import { Kind, View } from '../../json/view';
import { memberOfAnyCase } from '../../object/any-case';
import { isSameImage } from '../../object/image';
import { named } from '../../object/pod';
import { sameQuantities } from '../../object/quality';
import { NO_TIME, parseTime } from '../../object/time';
import { areEnvironmentsCurrent, arePlainHashesCurrent } from './hashes';

/** Is no update in place under way, nor waiting (inplace-update.md 5.2)? One that cannot be read counts as under way. */
export function isUpdateComplete(pod: View): bool {
  const annotations = pod.get('metadata').get('annotations');
  if (recorded(annotations, INPLACE_UPDATE_GRACE, LEGACY_INPLACE_UPDATE_GRACE).exists) {
    return false;
  }
  const record = recorded(annotations, INPLACE_UPDATE_STATE, LEGACY_INPLACE_UPDATE_STATE);
  if (!record.exists) {
    return true;
  }
  const state = parse(record.value.text());
  return isState(state) && !isMoreToCome(state) && areContainersComplete(pod, state);
}

/** Is this a state as it is recorded? A null is one in which nothing is said. */
export function isState(state: View): bool {
  if (state.isNull) {
    return true;
  }
  const updated = memberOfAnyCase(state, 'updatetimestamp');
  return (
    state.isObject &&
    isOf(memberOfAnyCase(state, 'revision'), Kind.String) &&
    (!updated.isSet || parseTime(updated.text()) != NO_TIME) &&
    areImages(memberOfAnyCase(state, 'lastcontainerstatuses')) &&
    isFlag(memberOfAnyCase(state, 'updateenvfrommetadata')) &&
    isFlag(memberOfAnyCase(state, 'updateresources')) &&
    isFlag(memberOfAnyCase(state, 'updateimages')) &&
    isOf(memberOfAnyCase(state, 'nextcontainerimages'), Kind.Object) &&
    isOf(memberOfAnyCase(state, 'nextcontainerrefmetadata'), Kind.Object) &&
    isOf(memberOfAnyCase(state, 'nextcontainerresources'), Kind.Object)
  );
}

/** The new key counts if it is there, even empty. */
function recorded(annotations: View, key: string, legacyKey: string): View {
  const annotation = annotations.key(key);
  return annotation.exists ? annotation : annotations.key(legacyKey);
}

function areImages(statuses: View): bool {
  if (!isOf(statuses, Kind.Object)) {
    return false;
  }
  for (let status = statuses.first(); status.exists; status = status.next()) {
    if (!isOf(status.value, Kind.Object) || !isOf(memberOfAnyCase(status.value, 'imageid'), Kind.String)) {
      return false;
    }
  }
  return true;
}

function isOf(value: View, kind: Kind): bool {
  return !value.isSet || value.kind == kind;
}

function isFlag(value: View): bool {
  return !value.isSet || value.kind == Kind.True || value.kind == Kind.False;
}

function isMoreToCome(state: View): bool {
  return (
    !memberOfAnyCase(state, 'nextcontainerimages').isEmpty ||
    !memberOfAnyCase(state, 'nextcontainerrefmetadata').isEmpty ||
    !memberOfAnyCase(state, 'nextcontainerresources').isEmpty
  );
}

function areContainersComplete(pod: View, state: View): bool {
  const annotation = pod.get('metadata').get('annotations').key(RUNTIME_CONTAINERS_META);
  const meta = annotation.exists ? parse(annotation.value.text()) : View.none();
  if (annotation.exists && !(meta.isNull || (meta.isObject && isOf(memberOfAnyCase(meta, 'containers'), Kind.Array)))) {
    return false;
  }
  if (
    memberOfAnyCase(state, 'updateenvfrommetadata').isTrue &&
    !(annotation.exists && areEnvironmentsCurrent(pod, meta))
  ) {
    return false;
  }
  if (
    memberOfAnyCase(state, 'updateresources').isTrue &&
    isOn(Gate.InPlaceWorkloadVerticalScaling) &&
    !areResourcesCurrent(pod)
  ) {
    return false;
  }
  return (annotation.exists && arePlainHashesCurrent(pod, meta)) || areImagesCurrent(pod, state);
}

/** Do all containers report the resources that they shall have? */
function areResourcesCurrent(pod: View): bool {
  const containers = pod.get('spec').get('containers');
  const statuses = pod.get('status').get('containerStatuses');
  if (containers.count() != statuses.count()) {
    return false;
  }
  for (let status = statuses.first(); status.exists; status = status.next()) {
    const wanted = named(containers, status.get('name').text()).get('resources');
    const actual = status.get('resources');
    const isSame =
      actual.isObject &&
      sameQuantities(wanted.get('limits'), actual.get('limits')) &&
      sameQuantities(wanted.get('requests'), actual.get('requests'));
    if (!isSame) {
      return false;
    }
  }
  return true;
}

/** Does no container run the image that it had before the update? */
function areImagesCurrent(pod: View, state: View): bool {
  const last = memberOfAnyCase(state, 'lastcontainerstatuses');
  const statuses = pod.get('status').get('containerStatuses');
  for (let status = statuses.first(); status.exists; status = status.next()) {
    const name = status.get('name').text();
    const before = last.find(name);
    if (before.exists && isImageOf(before, status) && !isImageWanted(pod, name, status)) {
      return false;
    }
  }
  for (let before = last.first(); before.exists; before = before.next()) {
    if (!named(statuses, before.name).exists) {
      return false;
    }
  }
  return true;
}

/** Does the container run the image that is recorded? */
export function isImageOf(record: View, status: View): bool {
  return memberOfAnyCase(record, 'imageid').text().equals(status.get('imageID').text());
}

/** Is the image in the status the one in the spec? */
function isImageWanted(pod: View, name: Text, status: View): bool {
  const wanted = named(pod.get('spec').get('containers'), name).get('image').text();
  return isSameImage(wanted, status.get('image').text());
}
