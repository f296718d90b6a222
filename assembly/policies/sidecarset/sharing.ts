// What an injected container takes from the pod's own containers: environment, mounts, devices (sidecarset.md 5.5).

import { IS_INJECTED_ENV } from '../../../api/names';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Names } from '../../object/names';
import { named } from '../../object/pod';

/** A mount and the environment of the container that has it. */
export class SharedMount {
  constructor(
    readonly item: View,
    readonly env: Environment,
  ) {}
}

/** The variables of one container, by name; they are looked at only when a mount needs one. */
class Environment {
  private names: Names | null = null;

  constructor(private readonly list: View) {}

  find(name: Text): View {
    let names = this.names;
    if (names === null) {
      names = Names.of(this.list, 'name');
      this.names = names;
    }
    return names.find(name);
  }
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
      const env = new Environment(container.get('env'));
      for (let mount = container.get('volumeMounts').first(); mount.exists; mount = mount.next()) {
        this.mounts.push(new SharedMount(mount, env));
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

/** Environment of the pod's containers that an injected one gets: whole entries, in order. */
export class Transferred {
  readonly found: Array<View> = [];
  private readonly names: Names = new Names();

  /** What `transferEnv` names. */
  constructor(items: View, pod: View) {
    for (let item = items.first(); item.exists; item = item.next()) {
      const from = item.get('sourceContainerNameFrom').get('fieldRef');
      const source = from.isSet ? nameFrom(from.get('fieldPath').text(), pod) : item.get('sourceContainerName').text();
      const container = named(pod.get('spec').get('containers'), source);
      if (!source.isEmpty && container.exists) {
        this.addAll(wantedNames(item), container.get('env'));
      }
    }
  }

  /** The variables of these names; with double ones the last counts, as it does for the container itself. */
  private addAll(wanted: Names, list: View): void {
    const last = new Names();
    for (let env = list.first(); env.exists; env = env.next()) {
      const name = env.get('name').text();
      if (wanted.has(name) && !last.add(name, env)) {
        last.replace(name, env);
      }
    }
    const names = wanted.sorted();
    for (let i = 0; i < names.length; i++) {
      const env = last.find(names[i]);
      if (env.exists) {
        this.found.push(env);
        this.names.add(names[i]);
      }
    }
  }

  /** Adds the variables of the mount's container that its `subPathExpr` names. */
  addNeeded(mount: SharedMount): void {
    const expression = mount.item.get('subPathExpr').text();
    let at = expression.indexOf(0x24);
    while (at >= 0) {
      const end = reference(expression, at);
      if (end > 0) {
        const name = expression.slice(at + 2, end);
        const env = mount.env.find(name);
        if (env.exists && this.names.add(name)) {
          this.found.push(env);
        }
      }
      at = expression.indexOf(0x24, end > 0 ? end : at + 1);
    }
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

/** `envName` and `envNames`, each once. */
function wantedNames(item: View): Names {
  const names = new Names();
  const single = item.get('envName').text();
  if (!single.isEmpty) {
    names.add(single);
  }
  for (let name = item.get('envNames').first(); name.exists; name = name.next()) {
    if (!name.text().isEmpty) {
      names.add(name.text());
    }
  }
  return names;
}
