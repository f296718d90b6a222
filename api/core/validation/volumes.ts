// Volumes of a pod: names, exactly one source each, and the sources that nearly every pod uses. The in-tree storage
// systems are in storage-volumes.ts, projected sources in projected-volume.ts.

import { parseQuantity, signOf } from '../quantity.ts';
import type { KeyToPath, Volume } from '../volumes.ts';
import { validatePullPolicy } from './containers.ts';
import type { Field } from './field.ts';
import type { Volumes } from './mounts.ts';
import { dnsLabel, dnsSubdomain, exceeds } from './names.ts';
import { absolutePath, noBacksteps } from './paths.ts';
import { validateClaimTemplate } from './persistent-volume-claim.ts';
import { validateProjected } from './projected-volume.ts';
import { STORAGE_RULES } from './storage-volumes.ts';
import { validateDownwardFile, validateKeyToPath, validateMode } from './volume-files.ts';
import { wording } from './wording.ts';

type SourceName = Exclude<keyof Volume & string, 'name'>;
type SourceRule = (volume: Field<Volume>, podName: string) => unknown;

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const DRIVER_BYTES = 63;

/**
 * The rules of all volumes. Returns the well-formed ones by name: mounts may refer to these only.
 * `podName` is the name of the pod, '' for a template.
 */
export function validateVolumes(volumes: Field<Volume[] | undefined>, podName = ''): Volumes {
  const byName = new Map<string, Volume>();
  const created = createdClaims(volumes.value ?? [], podName);
  for (const volume of volumes.items()) {
    const name = volume.at('name');
    const before = volumes.errors.length;
    validateSource(volume, podName);
    if (name.require()) name.follow(dnsLabel);
    if (byName.has(name.value ?? '')) name.duplicate();
    if (volumes.errors.length === before && volume.value !== undefined) byName.set(volume.value.name, volume.value);
    const claim = volume.at('persistentVolumeClaim').at('claimName');
    if (claim.isSet && created.has(claim.value ?? '')) claim.invalid(wording.claimOfEphemeralVolume);
  }
  return byName;
}

const RULES: Record<SourceName, SourceRule> = {
  ...STORAGE_RULES,
  emptyDir: (volume) => validateSizeLimit(volume),
  hostPath: (volume) => validateHostPath(volume.at('hostPath')),
  secret: (volume) => validateFiles(volume.at('secret'), volume.at('secret').at('secretName')),
  nfs: (volume) => validateNfs(volume.at('nfs')),
  persistentVolumeClaim: (volume) => volume.at('persistentVolumeClaim').at('claimName').require(),
  downwardAPI: (volume) => validateDownward(volume.at('downwardAPI')),
  configMap: (volume) => validateFiles(volume.at('configMap'), volume.at('configMap').at('name')),
  projected: (volume) => validateProjected(volume.at('projected')),
  csi: (volume) => validateCsi(volume.at('csi')),
  ephemeral: (volume, podName) => validateEphemeral(volume, podName),
  image: (volume) => validatePullPolicy(volume.at('image').at('pullPolicy')),
};

/** The order in which Kubernetes looks at the sources: the first one given is checked, each further one refused. */
const ORDER: readonly SourceName[] = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

function validateSource(volume: Field<Volume>, podName: string): void {
  let count = 0;
  for (const name of ORDER) {
    if (volume.value?.[name] === undefined) continue;
    if (count++ === 0) RULES[name](volume, podName);
    else volume.at(name).forbidden(wording.oneVolumeSourceOnly);
  }
  // A source that is not known here, kept from a newer Kubernetes, is for the API server to judge.
  const isBare = Object.keys(volume.value ?? {}).every((member) => member === 'name');
  if (count === 0 && isBare) volume.required(wording.volumeSourceMissing);
}

function validateSizeLimit(volume: Field<Volume>): void {
  const limit = volume.at('emptyDir').at('sizeLimit');
  const quantity = parseQuantity(limit.value ?? '0');
  if (quantity !== undefined && signOf(quantity) < 0) limit.forbidden(wording.sizeLimit);
}

function validateHostPath(source: Field<Volume['hostPath']>): void {
  if (!source.at('path').require()) return;
  source.at('path').follow(noBacksteps);
  if (source.at('type').value !== undefined) source.at('type').among(HOST_PATH_TYPES);
}

function validateFiles(
  source: Field<{ defaultMode?: number; items?: KeyToPath[] } | undefined>,
  name: Field<string | undefined>,
): void {
  name.require();
  validateMode(source.at('defaultMode'));
  for (const item of source.at('items').items()) validateKeyToPath(item);
}

function validateNfs(source: Field<Volume['nfs']>): void {
  source.at('server').require();
  source.at('path').require();
  source.at('path').follow(absolutePath);
}

function validateDownward(source: Field<Volume['downwardAPI']>): void {
  validateMode(source.at('defaultMode'));
  for (const file of source.value?.items ?? []) validateDownwardFile(source, file);
}

function validateCsi(source: Field<Volume['csi']>): void {
  const driver = source.at('driver');
  driver.require();
  if (exceeds(driver.value ?? '', DRIVER_BYTES)) driver.tooLong(DRIVER_BYTES);
  for (const detail of dnsSubdomain((driver.value ?? '').toLowerCase())) driver.invalid(detail, driver.value ?? '');
  const secret = source.at('nodePublishSecretRef');
  if (secret.isSet && secret.at('name').require()) secret.at('name').follow(dnsSubdomain);
}

function validateEphemeral(volume: Field<Volume>, podName: string): void {
  const template = volume.at('ephemeral').at('volumeClaimTemplate');
  if (template.require()) validateClaimTemplate(template);
  const name = volume.value?.name ?? '';
  if (podName === '' || name === '') return;
  const claim = `${podName}-${name}`;
  for (const detail of dnsSubdomain(claim)) volume.at('name').invalid(wording.claimName(claim, detail));
}

function createdClaims(volumes: readonly Volume[], podName: string): ReadonlySet<string> {
  if (podName === '') return new Set();
  return new Set(volumes.filter(({ ephemeral }) => ephemeral !== undefined).map(({ name }) => `${podName}-${name}`));
}
