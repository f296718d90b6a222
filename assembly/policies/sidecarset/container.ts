// One injected container, made from its description in the set and from the pod (sidecarset.md 5.5).

import { IS_INJECTED_ENV } from '../../../api/names';
import { Appender, Draft } from '../../json/draft';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Names } from '../../object/names';
import { asTwin, firstTwin, isHotUpgraded, isUpgraded, secondTwin } from './pair';
import { Resources } from './resources';
import { Shared, Transferred } from './sharing';

/** A container on its way into the pod. */
export class Injected {
  constructor(
    readonly container: Draft,
    readonly name: Text,
    readonly isBefore: bool,
    /** By which the resources were computed from those of the pod's own containers; `none` when they were not. */
    readonly expressions: View = View.none(),
  ) {}
}

/** One container of a set on its way to be injected. */
export class Source {
  constructor(
    readonly container: View,
    /** What `forEveryPod` made of it; anything but an object when the pod matters, or nothing was made yet. */
    readonly prepared: View,
    readonly isInit: bool,
  ) {}
}

/** Base names of the containers that are upgraded in place, bytewise. */
export function upgradedNames(spec: View): Array<Text> {
  const names: Array<Text> = [];
  for (let container = spec.get('initContainers').first(); container.exists; container = container.next()) {
    if (isUpgraded(container, true)) {
      names.push(container.get('name').text());
    }
  }
  for (let container = spec.get('containers').first(); container.exists; container = container.next()) {
    names.push(container.get('name').text());
  }
  return names.sort((a, b) => a.compare(b));
}

/** The container as it comes into every pod; null when it depends on the pod, or is one of a pair. */
export function forEveryPod(source: View, isInit: bool): Draft | null {
  if (
    !source.isObject ||
    isHotUpgraded(source, isInit) ||
    source.get('resourcesPolicy').isSet ||
    !source.get('transferEnv').isEmpty ||
    isShared(source, 'shareVolumePolicy') ||
    isShared(source, 'shareVolumeDevicePolicy')
  ) {
    return null;
  }
  const container = withoutPolicies(source);
  container.needArray('env').append(marker());
  return container;
}

/** Appends the container, or the two of a hot-upgrade pair, to `into`. */
export function build(from: Source, resources: Resources, into: Array<Injected>): void {
  const source = from.container;
  const name = source.get('name').text();
  const isBefore = source.get('podInjectPolicy').is('BeforeAppContainer');
  if (from.prepared.isObject) {
    into.push(new Injected(Draft.copyScanned(from.prepared, from.prepared.next()), name, isBefore));
    return;
  }
  const container = withoutPolicies(source);
  const policy = source.get('resourcesPolicy');
  if (policy.isSet) {
    container.put(Text.of('resources'), resources.compute(policy));
  }
  const expressions = policy.get('resourcesExpr');
  share(container, source, resources.review.object);
  if (!isHotUpgraded(source, from.isInit)) {
    into.push(new Injected(container, name, isBefore, expressions));
    return;
  }
  const first = firstTwin(name);
  const second = secondTwin(name);
  const twin = Draft.copy(container);
  twin.put(Text.of('image'), Draft.string(source.get('upgradeStrategy').get('hotUpgradeEmptyImage').text()));
  asTwin(container, first);
  asTwin(twin, second);
  into.push(new Injected(container, first, isBefore, expressions));
  into.push(new Injected(twin, second, isBefore, expressions));
}

/** A copy that pods understand: what only the set says of it is left out. */
function withoutPolicies(source: View): Draft {
  const container = Draft.copy(source);
  container.remove('podInjectPolicy');
  container.remove('upgradeStrategy');
  container.remove('shareVolumePolicy');
  container.remove('shareVolumeDevicePolicy');
  container.remove('transferEnv');
  container.remove('resourcesPolicy');
  return container;
}

/** The variable by which an injected container is known. */
function marker(): Draft {
  const marker = Draft.object();
  marker.put(Text.of('name'), Draft.ascii(IS_INJECTED_ENV));
  marker.put(Text.of('value'), Draft.ascii('true'));
  return marker;
}

function isShared(source: View, policy: string): bool {
  return source.get(policy).get('type').is('enabled');
}

/** Mounts, environment and devices that come from the pod's own containers. */
function share(container: Draft, source: View, pod: View): void {
  const transferred = new Transferred(source.get('transferEnv'), pod);
  const sharesVolumes = isShared(source, 'shareVolumePolicy');
  const sharesDevices = isShared(source, 'shareVolumeDevicePolicy');
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
  env.add(marker());
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
