// Volume mounts and block devices of one container.
import type { Container, VolumeMount } from '../containers.ts';
import type { Volume } from '../volumes.ts';
import type { Field } from './field.ts';
import { descendingPath, noBacksteps } from './paths.ts';
import { wording } from './wording.ts';

/** The well-formed volumes of the pod, by name. */
export type Volumes = ReadonlyMap<string, Volume>;

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE_MODES = ['Disabled', 'Enabled', 'IfPossible'];

/** Mounts refer to volumes, stay inside them, and clash neither with each other nor with devices. */
export function validateVolumeMounts(container: Field<Container>, volumes: Volumes): void {
  const mounts = container.at('volumeMounts');
  const devices = pathsByName(container.value?.volumeDevices, 'devicePath');
  const paths = new Set<string>();
  for (const mount of mounts.items()) {
    const name = mount.at('name');
    const path = mount.at('mountPath');
    const mountPath = path.value ?? '';
    name.require();
    if (!volumes.has(name.value ?? '')) name.notFound();
    path.require();
    if (paths.has(mountPath)) path.invalid(wording.unique, mountPath);
    paths.add(mountPath);
    if (devices.names.has(name.value ?? '')) name.invalid(wording.nameAmongDevices, name.value ?? '');
    if (devices.paths.has(mountPath)) path.invalid(wording.pathAmongDevices, mountPath);
    validateSubPath(mounts, mount);
    if (volumes.get(name.value ?? '')?.image !== undefined) validateImageMount(mount);
    validatePropagation(mounts, mount, container.value?.securityContext?.privileged === true);
  }
}

/** Devices refer to claims, and clash neither with each other nor with mounts. */
export function validateVolumeDevices(container: Field<Container>, volumes: Volumes): void {
  const mounts = pathsByName(container.value?.volumeMounts, 'mountPath');
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const device of container.at('volumeDevices').items()) {
    const name = device.at('name');
    const path = device.at('devicePath');
    const volumeName = name.value ?? '';
    const devicePath = path.value ?? '';
    const volume = volumes.get(volumeName);
    name.require();
    if (names.has(volumeName)) name.invalid(wording.unique, volumeName);
    if (volume === undefined) name.notFound();
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      name.invalid(wording.blockNeedsClaim, volumeName);
    }
    path.require();
    if (paths.has(devicePath)) path.invalid(wording.unique, devicePath);
    if (noBacksteps(devicePath).length > 0) path.invalid(wording.noBackstepsInDevice);
    else paths.add(devicePath);
    if (mounts.names.has(volumeName)) name.invalid(wording.nameAmongMounts, volumeName);
    if (mounts.paths.has(devicePath)) path.invalid(wording.pathAmongMounts, devicePath);
    if (volumeName !== '') names.add(volumeName);
  }
}

// Compatibility: errors of these members stand at the list, without the index of the mount.
function validateSubPath(mounts: Field<VolumeMount[] | undefined>, mount: Field<VolumeMount>): void {
  const { subPath = '', subPathExpr = '' } = mount.value ?? {};
  for (const detail of descendingPath(subPath)) mounts.place('subPath').invalid(detail, subPath);
  if (subPathExpr === '') return;
  if (subPath !== '') mount.at('subPathExpr').invalid(wording.subPathAndExpression);
  for (const detail of descendingPath(subPathExpr)) mounts.place('subPathExpr').invalid(detail, subPathExpr);
}

function validateImageMount(mount: Field<VolumeMount>): void {
  if (mount.at('subPath').isSet) mount.at('subPath').invalid(wording.subPathInImage);
  if (mount.at('subPathExpr').isSet) mount.at('subPathExpr').invalid(wording.subPathInImage);
}

function validatePropagation(
  mounts: Field<VolumeMount[] | undefined>,
  { value: mount }: Field<VolumeMount>,
  privileged: boolean,
): void {
  const { mountPropagation, recursiveReadOnly, readOnly = false } = mount ?? {};
  if (mountPropagation !== undefined) {
    const place = mounts.place('mountPropagation');
    if (!PROPAGATIONS.includes(mountPropagation)) place.unsupported(PROPAGATIONS, mountPropagation);
    if (mountPropagation === 'Bidirectional' && !privileged) place.forbidden(wording.bidirectionalUnprivileged);
  }
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return;
  const place = mounts.place('recursiveReadOnly');
  if (!RECURSIVE_MODES.includes(recursiveReadOnly)) {
    place.unsupported(RECURSIVE_MODES, recursiveReadOnly);
    return;
  }
  if (!readOnly) place.forbidden(wording.recursiveNeedsReadOnly);
  if (mountPropagation !== undefined && mountPropagation !== 'None') {
    place.forbidden(wording.recursiveNeedsNoPropagation);
  }
}

// Compatibility: of several entries with one name, only the last path counts.
function pathsByName<P extends string>(
  entries: readonly ({ name: string } & { [K in P]: string })[] | undefined,
  member: P,
): { names: ReadonlySet<string>; paths: ReadonlySet<string> } {
  const byName = new Map((entries ?? []).map((entry) => [entry.name, entry[member]]));
  return { names: new Set(byName.keys()), paths: new Set(byName.values()) };
}
