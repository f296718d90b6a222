// One injected container, made from its description in the set and from the pod (sidecarset.md 5.5).

import {
  IS_INJECTED_ENV,
  SIDECARSET_VERSION_ALT_ENV,
  SIDECARSET_VERSION_ALT_PREFIX,
  SIDECARSET_VERSION_ENV,
  SIDECARSET_VERSION_PREFIX,
} from '../../../api/names';
import { Appender, Draft } from '../../json/draft';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Writer } from '../../json/writer';
import { Names } from '../../object/names';
import { isRestartable } from '../../object/pod';
import { Match } from './matching';
import { Resources } from './resources';
import { Shared, Transferred } from './sharing';

/** A container on its way into the pod. */
export class Injected {
  constructor(
    readonly container: Draft,
    readonly name: Text,
    readonly isBefore: bool,
  ) {}
}

/** Appends the container, or the two of a hot-upgrade pair, to `into`. */
export function build(source: View, match: Match, isInit: bool, resources: Resources, into: Array<Injected>): void {
  const pod = resources.review.object;
  const name = source.get('name').text();
  const isBefore = source.get('podInjectPolicy').is('BeforeAppContainer');
  const isUpgraded = !isInit || isRestartable(source);
  if (isUpgraded) {
    match.sidecars.push(name);
  }
  const container = Draft.copy(source);
  container.remove('podInjectPolicy');
  container.remove('upgradeStrategy');
  container.remove('shareVolumePolicy');
  container.remove('shareVolumeDevicePolicy');
  container.remove('transferEnv');
  container.remove('resourcesPolicy');
  const policy = source.get('resourcesPolicy');
  if (policy.isSet) {
    container.put(Text.of('resources'), resources.compute(policy));
  }
  share(container, source, pod);
  const upgrade = source.get('upgradeStrategy');
  if (!isUpgraded || !upgrade.get('upgradeType').is('HotUpgrade')) {
    into.push(new Injected(container, name, isBefore));
    return;
  }
  const first = twinName(name, '-1');
  const second = twinName(name, '-2');
  const twin = Draft.copy(container);
  twin.put(Text.of('image'), Draft.string(upgrade.get('hotUpgradeEmptyImage').text()));
  asTwin(container, first);
  asTwin(twin, second);
  into.push(new Injected(container, first, isBefore));
  into.push(new Injected(twin, second, isBefore));
}

/** Mounts, environment and devices that come from the pod's own containers. */
function share(container: Draft, source: View, pod: View): void {
  const transferred = new Transferred(source.get('transferEnv'), pod);
  const sharesVolumes = source.get('shareVolumePolicy').get('type').is('enabled');
  const sharesDevices = source.get('shareVolumeDevicePolicy').get('type').is('enabled');
  const shared = new Shared();
  // A path is taken by a mount or by a device.
  const paths = new Names();
  if (sharesVolumes || sharesDevices) {
    shared.collect(pod.get('spec').get('containers'));
    paths.addAll(source.get('volumeMounts'), 'mountPath');
    paths.addAll(source.get('volumeDevices'), 'devicePath');
  }
  if (sharesVolumes) {
    const mounts = new Appender(container, 'volumeMounts');
    for (let i = 0; i < shared.mounts.length; i++) {
      const mount = shared.mounts[i];
      if (paths.add(mount.item.get('mountPath').text())) {
        mounts.add(Draft.copy(mount.item));
      }
      transferred.addNeeded(mount);
    }
  }
  const own = Names.of(source.get('env'), 'name');
  const env = new Appender(container, 'env');
  const marker = Draft.object();
  marker.put(Text.of('name'), Draft.ascii(IS_INJECTED_ENV));
  marker.put(Text.of('value'), Draft.ascii('true'));
  env.add(marker);
  own.add(Text.of(IS_INJECTED_ENV));
  for (let i = 0; i < transferred.found.length; i++) {
    if (own.add(transferred.found[i].get('name').text())) {
      env.add(Draft.copy(transferred.found[i]));
    }
  }
  if (sharesDevices) {
    const devices = new Appender(container, 'volumeDevices');
    for (let i = 0; i < shared.devices.length; i++) {
      if (paths.add(shared.devices[i].get('devicePath').text())) {
        devices.add(Draft.copy(shared.devices[i]));
      }
    }
  }
}

/** Name and version variables of one of a hot-upgrade pair (sidecarset.md 9.1). */
function asTwin(container: Draft, name: Text): void {
  container.put(Text.of('name'), Draft.string(name));
  const env = container.needArray('env');
  env.append(versionEnv(SIDECARSET_VERSION_ENV, SIDECARSET_VERSION_PREFIX, name));
  env.append(versionEnv(SIDECARSET_VERSION_ALT_ENV, SIDECARSET_VERSION_ALT_PREFIX, name));
}

function versionEnv(variable: string, prefix: string, container: Text): Draft {
  const path = new Writer();
  path.ascii("metadata.annotations['");
  path.ascii(prefix);
  path.text(container);
  path.ascii("']");
  const fieldRef = Draft.object();
  fieldRef.put(Text.of('fieldPath'), Draft.string(path.toText()));
  const valueFrom = Draft.object();
  valueFrom.put(Text.of('fieldRef'), fieldRef);
  const env = Draft.object();
  env.put(Text.of('name'), Draft.ascii(variable));
  env.put(Text.of('valueFrom'), valueFrom);
  return env;
}

/** `c` becomes `c-1` or `c-2`. */
export function twinName(name: Text, suffix: string): Text {
  const out = new Writer(name.length + 2);
  out.text(name);
  out.ascii(suffix);
  return out.toText();
}
