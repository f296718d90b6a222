// Does a pod serve, as far as budgets are concerned (podunavailablebudget.md 4)?

import { IS_INJECTED_ENV, SIDECARSET_INJECTED_LIST, SIDECARSET_INPLACE_UPDATE_STATE } from '../../../api/names';
import { parse } from '../../json/parse';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { memberOfAnyCase } from '../../object/any-case';
import { Image, isDigest, isSameImage } from '../../object/image';
import { Names } from '../../object/names';
import { named } from '../../object/pod';
import { isImageOf, isState, isUpdateComplete } from '../inplace/state';
import { isDeclaredUnavailable } from './changes';

/** Ready, and what runs is what the pod asks for. */
export function isAvailable(pod: View): bool {
  return isReady(pod) && isConsistent(pod);
}

function isReady(pod: View): bool {
  const status = pod.get('status');
  return (
    status.get('phase').is('Running') &&
    conditionOf(status, 'Ready').get('status').is('True') &&
    !pod.get('metadata').get('deletionTimestamp').isSet &&
    !isDeclaredUnavailable(pod)
  );
}

function conditionOf(status: View, type: string): View {
  for (let condition = status.get('conditions').first(); condition.exists; condition = condition.next()) {
    if (condition.get('type').is(type)) {
      return condition;
    }
  }
  return View.none();
}

/** False while the pod is updated in place. */
function isConsistent(pod: View): bool {
  return areDigestsRight(pod) && !isSidecarUpgrading(pod) && isUpdateComplete(pod);
}

function areDigestsRight(pod: View): bool {
  const statuses = pod.get('status').get('containerStatuses');
  for (let container = pod.get('spec').get('containers').first(); container.exists; container = container.next()) {
    const wanted = Image.parse(container.get('image').text());
    if (wanted !== null && !wanted.digest.isEmpty) {
      const status = named(statuses, container.get('name').text());
      if (!status.exists || !isImage(wanted, withoutScheme(status.get('imageID').text()))) {
        return false;
      }
    }
  }
  return true;
}

/** A digest without repository may be that of something else than the image: it tells nothing. */
function isImage(wanted: Image, imageID: Text): bool {
  if (isDigest(imageID)) {
    return true;
  }
  const actual = Image.parse(imageID);
  return actual !== null && wanted.equals(actual);
}

function withoutScheme(imageID: Text): Text {
  for (let i = 0; i + 2 < imageID.length; i++) {
    if (imageID.byteAt(i) == 0x3a && imageID.byteAt(i + 1) == 0x2f && imageID.byteAt(i + 2) == 0x2f) {
      return imageID.slice(i + 3, imageID.length);
    }
  }
  return imageID;
}

/** Does an injected container still run the image that it had before its SidecarSet changed it? */
function isSidecarUpgrading(pod: View): bool {
  const annotations = pod.get('metadata').get('annotations');
  const sets = injectedSets(annotations.get(SIDECARSET_INJECTED_LIST).text());
  const containers = pod.get('spec').get('containers');
  const record = annotations.key(SIDECARSET_INPLACE_UPDATE_STATE);
  if (sets.length == 0 || !record.exists || !hasInjected(containers)) {
    return false;
  }
  const states = parse(record.value.text());
  if (!areStates(states)) {
    return true;
  }
  const last = lastStatuses(states, sets);
  const statuses = pod.get('status').get('containerStatuses');
  for (let status = statuses.first(); status.exists; status = status.next()) {
    const name = status.get('name').text();
    const container = named(containers, name);
    const before = last.find(name);
    const isBefore =
      before.exists &&
      isInjected(container) &&
      isImageOf(before, status) &&
      !isSameImage(container.get('image').text(), status.get('image').text());
    if (isBefore) {
      return true;
    }
  }
  return false;
}

function areStates(states: View): bool {
  if (states.isNull) {
    return true;
  }
  let isRight = states.isObject;
  for (let state = states.first(); state.exists && isRight; state = state.next()) {
    isRight = isState(state.value);
  }
  return isRight;
}

/** By container, of the sets in the order of their names: the last one counts. */
function lastStatuses(states: View, sets: Array<Text>): Names {
  const last = new Names();
  for (let i = 0; i < sets.length; i++) {
    const statuses = memberOfAnyCase(states.find(sets[i]), 'lastcontainerstatuses');
    for (let status = statuses.first(); status.exists; status = status.next()) {
      if (!last.add(status.name, status.value)) {
        last.replace(status.name, status.value);
      }
    }
  }
  return last;
}

function injectedSets(list: Text): Array<Text> {
  const names = new Names();
  let from = 0;
  while (from < list.length) {
    const comma = list.indexOf(0x2c, from);
    const to = comma < 0 ? list.length : comma;
    if (to > from) {
      names.add(list.slice(from, to));
    }
    from = to + 1;
  }
  return names.sorted();
}

function hasInjected(containers: View): bool {
  for (let container = containers.first(); container.exists; container = container.next()) {
    if (isInjected(container)) {
      return true;
    }
  }
  return false;
}

function isInjected(container: View): bool {
  for (let variable = container.get('env').first(); variable.exists; variable = variable.next()) {
    if (variable.get('name').is(IS_INJECTED_ENV) && variable.get('value').is('true')) {
      return true;
    }
  }
  return false;
}
