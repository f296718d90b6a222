// Putting what was built into the pod: containers, volumes and pull secrets (sidecarset.md 5.4, steps 5 to 9).

import { Appender, Draft } from '../../json/draft';
import { View } from '../../json/view';
import { Names } from '../../object/names';
import { Injected } from './container';
import { Sameness } from './same';

/** Replaces containers of the same name; puts the others in front of the pod's own or behind them. */
export function attachContainers(spec: Draft, member: string, injected: Array<Injected>, sameness: Sameness): void {
  if (injected.length == 0) {
    return;
  }
  const list = spec.needArray(member);
  const present = Names.of(list, 'name');
  const behind = new Appender(spec, member);
  let before = View.none();
  for (let i = 0; i < injected.length; i++) {
    const container = injected[i].container;
    const own = present.find(injected[i].name);
    if (own.exists) {
      if (!sameness.isKept(own, injected[i])) {
        present.replace(injected[i].name, container);
        list.replaceItem(own, container);
      }
    } else if (injected[i].isBefore) {
      list.insertBehind(before, container);
      before = container;
    } else {
      behind.add(container);
    }
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

/** Adds volumes and pull secrets to a pod, each name once: the pod's own count first. */
export class Attachments {
  private readonly volumes: Names;
  private readonly newVolumes: Appender;
  private readonly secrets: Names = new Names();
  private readonly newSecrets: Appender;

  constructor(spec: Draft) {
    this.volumes = Names.of(spec.get('volumes'), 'name');
    this.newVolumes = new Appender(spec, 'volumes');
    this.newSecrets = new Appender(spec, 'imagePullSecrets');
    const own = spec.get('imagePullSecrets');
    for (let secret = own.first(); secret.exists; secret = secret.next()) {
      if (!this.secrets.add(secret.get('name').text())) {
        spec.edit('imagePullSecrets').removeItem(secret);
      }
    }
  }

  addVolumes(volumes: View): void {
    for (let volume = volumes.first(); volume.exists; volume = volume.next()) {
      this.addVolume(volume);
    }
  }

  /** Adds those of the set's volumes that its containers mount. */
  addMounted(spec: View): void {
    const volumes = mountedVolumes(spec);
    for (let i = 0; i < volumes.length; i++) {
      this.addVolume(volumes[i]);
    }
  }

  private addVolume(volume: View): void {
    if (this.volumes.add(volume.get('name').text())) {
      this.newVolumes.add(Draft.copy(volume));
    }
  }

  addSecrets(secrets: View): void {
    for (let secret = secrets.first(); secret.exists; secret = secret.next()) {
      if (this.secrets.add(secret.get('name').text())) {
        this.newSecrets.add(Draft.copy(secret));
      }
    }
  }
}

/** Those of a set's volumes that its own containers mount, in the order of the mounts. */
export function mountedVolumes(spec: View): Array<View> {
  const mounted = new Mounted(spec.get('volumes'));
  mounted.addAll(spec.get('initContainers'));
  mounted.addAll(spec.get('containers'));
  return mounted.found;
}

class Mounted {
  readonly found: Array<View> = [];
  private readonly names: Names = new Names();
  private readonly volumes: Names;

  constructor(volumes: View) {
    this.volumes = Names.of(volumes, 'name');
  }

  addAll(containers: View): void {
    for (let container = containers.first(); container.exists; container = container.next()) {
      this.add(container.get('volumeMounts'));
      this.add(container.get('volumeDevices'));
    }
  }

  private add(mounts: View): void {
    for (let mount = mounts.first(); mount.exists; mount = mount.next()) {
      const name = mount.get('name').text();
      const volume = this.volumes.find(name);
      if (volume.exists && this.names.add(name)) {
        this.found.push(volume);
      }
    }
  }
}
