// Files that volumes write: keys of Secrets and ConfigMaps, and fields of the downward API.
import type { DownwardAPIVolumeFile, KeyToPath } from '../volumes.ts';
import { validateResourceFieldRef, validateVolumeFieldRef } from './environment.ts';
import { Field } from './field.ts';
import { unreservedPath } from './paths.ts';
import { wording } from './wording.ts';

const GREATEST_MODE = 0o777;

/** Permission bits, if given. */
export function validateMode(mode: Field<number | undefined>): void {
  if (mode.value !== undefined && (mode.value < 0 || mode.value > GREATEST_MODE)) mode.invalid(wording.fileMode);
}

/** One key of a Secret or ConfigMap and the file it is written to. */
export function validateKeyToPath(item: Field<KeyToPath>): void {
  item.at('key').require();
  item.at('path').require();
  item.at('path').follow(unreservedPath);
  validateMode(item.at('mode'));
}

/** A file with a field or a resource of the pod. Compatibility: its errors stand at `place`, without the file's index. */
export function validateDownwardFile(place: Field<unknown>, value: DownwardAPIVolumeFile): void {
  const file = Field.below(place, value);
  file.at('path').require();
  file.at('path').follow(unreservedPath);
  if (value.fieldRef !== undefined) {
    validateVolumeFieldRef(file.at('fieldRef'));
    if (value.resourceFieldRef !== undefined) place.invalid(wording.fieldAndResource, 'resource');
  } else if (value.resourceFieldRef !== undefined) {
    validateResourceFieldRef(file.at('resourceFieldRef'), true);
  } else {
    place.required(wording.fieldOrResourceRequired);
  }
  validateMode(file.at('mode'));
}
