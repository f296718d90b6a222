// Projected volumes: files from several sources in one directory.
import { toNumber } from '../json.ts';
import type { KeyToPath, Volume, VolumeProjection } from '../volumes.ts';
import type { Field } from './field.ts';
import { validateLabelSelector } from './label-selector.ts';
import { dnsSubdomain, qualifiedName } from './names.ts';
import { unreservedPath } from './paths.ts';
import { validateDownwardFile, validateKeyToPath, validateMode } from './volume-files.ts';
import { wording } from './wording.ts';

const LEAST_TOKEN_SECONDS = 600;
const MOST_TOKEN_SECONDS = 2 ** 32;

type Projected = Field<Volume['projected']>;

/** Sources of a projected volume: one each, and no file written twice. */
export function validateProjected(projected: Projected): void {
  validateMode(projected.at('defaultMode'));
  const paths = new Set<string>();
  for (const source of projected.at('sources').items()) validateProjection(projected, source, paths);
}

function validateProjection(projected: Projected, source: Field<VolumeProjection>, paths: Set<string>): void {
  const project = (path: string, value: unknown) => {
    if (path === '') return;
    if (paths.has(path)) projected.invalid(wording.pathProjectedTwice, value);
    paths.add(path);
  };
  for (const keys of [source.at('secret'), source.at('configMap')]) {
    if (!keys.isSet) continue;
    keys.at('name').require();
    for (const item of keys.at('items').items())
      projectKey(item, () => project(item.value?.path ?? '', keys.value?.name));
  }
  const downward = source.at('downwardAPI');
  for (const file of downward.value?.items ?? []) {
    validateDownwardFile(downward, file);
    project(file.path, file.path);
  }
  if (source.at('serviceAccountToken').isSet) validateToken(source.at('serviceAccountToken'));
  const bundle = source.at('clusterTrustBundle');
  if (bundle.isSet) {
    validateTrustBundle(bundle);
    project(bundle.value?.path ?? '', bundle.value?.path);
  }
  const given = Object.values(source.value ?? {}).filter((member) => member !== undefined && member !== null).length;
  if (given > 1) source.forbidden(wording.oneProjectionOnly);
}

function projectKey(item: Field<KeyToPath>, project: () => void): void {
  validateKeyToPath(item);
  project();
}

function validateToken(token: Field<VolumeProjection['serviceAccountToken']>): void {
  const seconds = token.at('expirationSeconds');
  const number = toNumber(seconds.value ?? 0);
  if (number < LEAST_TOKEN_SECONDS) seconds.invalid(wording.tokenTooShort, seconds.value ?? 0);
  if (number > MOST_TOKEN_SECONDS) seconds.invalid(wording.tokenTooLong);
  if (token.at('path').require()) token.at('path').follow(unreservedPath);
}

function validateTrustBundle(bundle: Field<VolumeProjection['clusterTrustBundle']>): void {
  const { name, signerName, labelSelector } = bundle.value ?? {};
  if (name !== undefined && signerName !== undefined) {
    bundle.invalid(wording.trustByNameAndSigner);
  } else if (name !== undefined) {
    if (bundle.at('name').require(wording.trustNameRequired)) bundle.at('name').follow(trustBundleName);
    if (labelSelector !== undefined) bundle.at('labelSelector').invalid(wording.trustSelectorWithName);
  } else if (signerName !== undefined) {
    const signer = bundle.at('signerName');
    if (signer.require(wording.signerNameRequired)) signer.follow(qualifiedName);
    validateLabelSelector(bundle.at('labelSelector'));
  } else {
    bundle.required(wording.trustByNameOrSigner);
  }
  bundle.at('path').require();
  bundle.at('path').follow(unreservedPath);
}

// The bundle of a signer is named `<domain>:<path>:<name>`; one of no signer has a plain name.
function trustBundleName(name: string): readonly string[] {
  return dnsSubdomain(name.slice(name.lastIndexOf(':') + 1));
}
