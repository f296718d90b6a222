// Putting what was built into the pod: containers, volumes and pull secrets (sidecarset.md 5.4, steps 5 to 9).

import { Draft } from '../../json/draft';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { named } from '../../object/pod';
import { Injected } from './container';
import { sameContainer } from './same';

/** Replaces containers of the same name; puts the others in front of the pod's own or behind them. */
export function attachContainers(spec: Draft, member: string, injected: Array<Injected>): void {
  if (injected.length == 0) {
    return;
  }
  const list = spec.needArray(member);
  const front: Array<Injected> = [];
  const back: Array<Injected> = [];
  for (let i = 0; i < injected.length; i++) {
    const own = named(list, injected[i].name);
    if (!own.exists) {
      (injected[i].isBefore ? front : back).push(injected[i]);
    } else if (!sameContainer(own, injected[i].container)) {
      list.replaceItem(own, injected[i].container);
    }
  }
  let before = View.none();
  for (let i = 0; i < front.length; i++) {
    list.insertBehind(before, front[i].container);
    before = front[i].container;
  }
  for (let i = 0; i < back.length; i++) {
    list.append(back[i].container);
  }
}

/** Stable, by name. */
export function sortByName(injected: Array<Injected>): void {
  for (let i = 1; i < injected.length; i++) {
    const moving = injected[i];
    let at = i;
    while (at > 0 && injected[at - 1].name.compare(moving.name) > 0) {
      injected[at] = injected[at - 1];
      at--;
    }
    injected[at] = moving;
  }
}

/** Adds those of the set's volumes that the container itself mounts, unless the pod has a volume of that name. */
export function attachVolumes(spec: Draft, container: View, volumes: View): void {
  for (let mount = container.get('volumeMounts').first(); mount.exists; mount = mount.next()) {
    attachVolume(spec, mount.get('name').text(), volumes);
  }
  for (let device = container.get('volumeDevices').first(); device.exists; device = device.next()) {
    attachVolume(spec, device.get('name').text(), volumes);
  }
}

function attachVolume(spec: Draft, name: Text, volumes: View): void {
  const volume = named(volumes, name);
  if (volume.exists && !named(spec.get('volumes'), name).exists) {
    spec.needArray('volumes').append(Draft.copy(volume));
  }
}

/** The pod's own pull secrets, each name once. */
export function dropDoubleSecrets(spec: Draft): void {
  const secrets = spec.get('imagePullSecrets');
  for (let secret = secrets.first(); secret.exists; secret = secret.next()) {
    if (named(secrets, secret.get('name').text()) != secret) {
      spec.edit('imagePullSecrets').removeItem(secret);
    }
  }
}

/** Adds pull secrets whose names the pod does not have. */
export function attachSecrets(spec: Draft, secrets: View): void {
  for (let secret = secrets.first(); secret.exists; secret = secret.next()) {
    if (!named(spec.get('imagePullSecrets'), secret.get('name').text()).exists) {
      spec.needArray('imagePullSecrets').append(Draft.copy(secret));
    }
  }
}
