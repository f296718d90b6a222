// What an injected container takes from the pod's own containers: environment, mounts, devices (sidecarset.md 5.5).

import { IS_INJECTED_ENV } from '../../../api/names';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { named } from '../../object/pod';

/** A mount and the container that has it. */
export class SharedMount {
  constructor(
    readonly item: View,
    readonly container: View,
  ) {}
}

/** Mounts and devices of the pod's regular containers that were not injected, in pod order. */
export class Shared {
  readonly mounts: Array<SharedMount> = [];
  readonly devices: Array<View> = [];

  collect(containers: View): void {
    for (let container = containers.first(); container.exists; container = container.next()) {
      if (isInjected(container)) {
        continue;
      }
      for (let mount = container.get('volumeMounts').first(); mount.exists; mount = mount.next()) {
        this.mounts.push(new SharedMount(mount, container));
      }
      for (let device = container.get('volumeDevices').first(); device.exists; device = device.next()) {
        this.devices.push(device);
      }
    }
  }
}

/** The first variable with the marker's name decides. */
export function isInjected(container: View): bool {
  return named(container.get('env'), Text.of(IS_INJECTED_ENV)).get('value').is('true');
}

/** Environment of the pod's containers that `transferEnv` names: whole entries, in order. */
export function transferredEnv(items: View, pod: View): Array<View> {
  const found: Array<View> = [];
  for (let item = items.first(); item.exists; item = item.next()) {
    const from = item.get('sourceContainerNameFrom').get('fieldRef');
    const source = from.isSet ? nameFrom(from.get('fieldPath').text(), pod) : item.get('sourceContainerName').text();
    const container = named(pod.get('spec').get('containers'), source);
    if (source.isEmpty || !container.exists) {
      continue;
    }
    const names = sortedNames(item);
    for (let i = 0; i < names.length; i++) {
      const env = lastNamed(container.get('env'), names[i]);
      if (env.exists) {
        found.push(env);
      }
    }
  }
  return found;
}

/** Adds the variables of the container that the mount's `subPathExpr` names, unless they are there. */
export function neededEnv(mount: View, container: View, into: Array<View>): void {
  const expression = mount.get('subPathExpr').text();
  let at = expression.indexOf(0x24);
  while (at >= 0) {
    const end = reference(expression, at);
    if (end > 0) {
      const name = expression.slice(at + 2, end);
      const env = named(container.get('env'), name);
      if (env.exists && !isAmong(into, name)) {
        into.push(env);
      }
    }
    at = expression.indexOf(0x24, end > 0 ? end : at + 1);
  }
}

/** Place of the closing bracket of a `$(NAME)` that begins at `at`, or 0. */
function reference(text: Text, at: i32): i32 {
  if (at + 3 >= text.length || text.byteAt(at + 1) != 0x28 || !isNameByte(text.byteAt(at + 2), false)) {
    return 0;
  }
  let end = at + 3;
  while (end < text.length && isNameByte(text.byteAt(end), true)) {
    end++;
  }
  return end < text.length && text.byteAt(end) == 0x29 ? end : 0;
}

function isNameByte(byte: u8, digits: bool): bool {
  const lower = byte | 0x20;
  return (
    byte == 0x2d ||
    byte == 0x2e ||
    byte == 0x5f ||
    (lower >= 0x61 && lower <= 0x7a) ||
    (digits && byte >= 0x30 && byte <= 0x39)
  );
}

/** The value of the label or annotation that a field path names; empty for other paths and missing keys. */
function nameFrom(path: Text, pod: View): Text {
  const metadata = pod.get('metadata');
  if (!path.endsWith("']")) {
    return Text.empty();
  }
  if (path.startsWith("metadata.labels['")) {
    return metadata
      .get('labels')
      .find(path.slice(17, path.length - 2))
      .text();
  }
  if (path.startsWith("metadata.annotations['")) {
    return metadata
      .get('annotations')
      .find(path.slice(22, path.length - 2))
      .text();
  }
  return Text.empty();
}

/** `envName` and `envNames`, each once, sorted. */
function sortedNames(item: View): Array<Text> {
  const names: Array<Text> = [];
  insert(names, item.get('envName').text());
  for (let name = item.get('envNames').first(); name.exists; name = name.next()) {
    insert(names, name.text());
  }
  return names;
}

function insert(names: Array<Text>, name: Text): void {
  if (name.isEmpty) {
    return;
  }
  let at = 0;
  while (at < names.length && names[at].compare(name) < 0) {
    at++;
  }
  if (at == names.length || !names[at].equals(name)) {
    names.push(name);
    for (let i = names.length - 1; i > at; i--) {
      names[i] = names[i - 1];
    }
    names[at] = name;
  }
}

/** With double names the last one counts, as it does for the container itself. */
function lastNamed(list: View, name: Text): View {
  let found = View.none();
  for (let item = list.first(); item.exists; item = item.next()) {
    if (item.get('name').text().equals(name)) {
      found = item;
    }
  }
  return found;
}

function isAmong(list: Array<View>, name: Text): bool {
  for (let i = 0; i < list.length; i++) {
    if (list[i].get('name').text().equals(name)) {
      return true;
    }
  }
  return false;
}
