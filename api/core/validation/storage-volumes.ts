// Volume sources of storage systems built into Kubernetes: mostly the members that they cannot do without.
import type { LocalObjectReference } from '../containers.ts';
import type { Volume } from '../volumes.ts';
import { type Field, sortedKeys } from './field.ts';
import { dnsLabel } from './names.ts';
import { unreservedPath } from './paths.ts';
import { wording } from './wording.ts';

const GREATEST_BYTE = 255;
const TENANT_LENGTH = 64;
const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_DISK = [
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}',
];
const BLOB_DISK = ['https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'];
const ISCSI_NAMES: readonly RegExp[] = [
  /^iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)$/,
  /^eui.[a-zA-Z0-9]{16}$/,
  /^naa.[a-zA-Z0-9]{32}$/,
];

/** The rule of each storage system's source. */
export const STORAGE_RULES = {
  gitRepo: (volume) => validateGitRepo(volume.at('gitRepo')),
  gcePersistentDisk: (volume) =>
    validateDisk(volume.at('gcePersistentDisk'), volume.at('gcePersistentDisk').at('pdName')),
  awsElasticBlockStore: (volume) =>
    validateDisk(volume.at('awsElasticBlockStore'), volume.at('awsElasticBlockStore').at('volumeID')),
  iscsi: (volume) => validateIscsi(volume.at('iscsi')),
  glusterfs: (volume) => requireAll(volume.at('glusterfs'), 'endpoints', 'path'),
  flocker: (volume) => validateFlocker(volume.at('flocker')),
  rbd: (volume) => requireAll(volume.at('rbd'), 'monitors', 'image'),
  cinder: (volume) => validateCinder(volume.at('cinder')),
  cephfs: (volume) => requireAll(volume.at('cephfs'), 'monitors'),
  quobyte: (volume) => validateQuobyte(volume.at('quobyte')),
  fc: (volume) => validateFibreChannel(volume.at('fc')),
  flexVolume: (volume) => validateFlexVolume(volume.at('flexVolume')),
  azureFile: (volume) => requireAll(volume.at('azureFile'), 'secretName', 'shareName'),
  vsphereVolume: (volume) => requireAll(volume.at('vsphereVolume'), 'volumePath'),
  photonPersistentDisk: (volume) => requireAll(volume.at('photonPersistentDisk'), 'pdID'),
  portworxVolume: (volume) => requireAll(volume.at('portworxVolume'), 'volumeID'),
  azureDisk: (volume) => validateAzureDisk(volume.at('azureDisk')),
  storageos: (volume) => validateStorageOs(volume.at('storageos')),
  scaleIO: (volume) => requireAll(volume.at('scaleIO'), 'gateway', 'system', 'volumeName'),
} as const satisfies Partial<Record<keyof Volume, (volume: Field<Volume>) => void>>;

function requireAll<T>(source: Field<T>, ...members: readonly (keyof NonNullable<T> & string)[]): void {
  for (const member of members) source.at(member).require();
}

function validateGitRepo(source: Field<Volume['gitRepo']>): void {
  source.at('repository').require();
  source.at('directory').followIfSet(unreservedPath);
}

function validateDisk(source: Field<{ partition?: number } | undefined>, name: Field<string>): void {
  name.require();
  source.at('partition').between(0, GREATEST_BYTE);
}

function validateIscsi(source: Field<Volume['iscsi']>): void {
  source.at('targetPortal').require();
  if (source.at('iqn').require()) source.at('iqn').follow(iscsiName);
  source.at('lun').between(0, GREATEST_BYTE);
  const { chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = source.value ?? {};
  if ((chapAuthDiscovery || chapAuthSession) && secretRef === undefined) source.at('secretRef').required();
  if (initiatorName === undefined) return;
  for (const detail of iscsiName(initiatorName)) source.place('initiatorname').invalid(detail, initiatorName);
}

function iscsiName(name: string): readonly string[] {
  return ISCSI_NAMES.some((pattern) => pattern.test(name)) ? [] : [wording.iscsiName];
}

function validateFlocker(source: Field<Volume['flocker']>): void {
  const { datasetName = '', datasetUUID = '' } = source.value ?? {};
  if (datasetName === '' && datasetUUID === '') source.required(wording.flockerRequired);
  if (datasetName !== '' && datasetUUID !== '') source.invalid(wording.flockerTwice, 'resource');
  if (datasetName.includes('/')) source.at('datasetName').invalid(wording.noSlash);
}

function validateCinder(source: Field<Volume['cinder']>): void {
  source.at('volumeID').require();
  validateSecretName(source.at('secretRef'));
}

function validateSecretName(secret: Field<LocalObjectReference | undefined>): void {
  if (secret.isSet) secret.at('name').require();
}

function validateQuobyte(source: Field<Volume['quobyte']>): void {
  const { registry = '', tenant = '' } = source.value ?? {};
  if (source.at('registry').require(wording.registry)) {
    for (const pair of registry.split(',')) {
      if (!isHostAndPort(pair)) source.at('registry').invalid(wording.registry);
    }
  }
  if (tenant.length > TENANT_LENGTH) source.at('tenant').required(wording.tenant);
  source.at('volume').require();
}

function isHostAndPort(text: string): boolean {
  return /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(text);
}

function validateFibreChannel(source: Field<Volume['fc']>): void {
  const { targetWWNs = [], wwids = [] } = source.value ?? {};
  const targets = source.at('targetWWNs');
  if (targetWWNs.length === 0 && wwids.length === 0) targets.required(wording.targetOrWideRequired);
  if (targetWWNs.length === 0) return;
  if (wwids.length > 0) targets.invalid(wording.targetAndWide);
  const lun = source.at('lun');
  if (lun.value === undefined) lun.required(wording.lunRequired);
  else lun.between(0, GREATEST_BYTE);
}

function validateFlexVolume(source: Field<Volume['flexVolume']>): void {
  source.at('driver').require();
  for (const key of sortedKeys(source.value?.options)) {
    const namespace = `.${key.includes('/') ? key.slice(0, key.indexOf('/')) : key}`.toLowerCase();
    if (!/\.(kubernetes|k8s)\.io$/.test(namespace)) continue;
    source.place('options', `[${key}]`).invalid(wording.reservedOption, key);
  }
}

function validateAzureDisk(source: Field<Volume['azureDisk']>): void {
  const { kind, diskURI = '' } = source.value ?? {};
  requireAll(source, 'diskName', 'diskURI');
  if (source.at('cachingMode').value !== undefined) source.at('cachingMode').among(CACHING_MODES);
  if (kind === undefined) return;
  source.at('kind').among(DISK_KINDS);
  const isWeb = diskURI.startsWith('https://') || diskURI.startsWith('http://');
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/')) source.at('diskURI').unsupported(MANAGED_DISK);
  if (kind !== 'Managed' && !isWeb) source.at('diskURI').unsupported(BLOB_DISK);
}

function validateStorageOs(source: Field<Volume['storageos']>): void {
  if (source.at('volumeName').require()) source.at('volumeName').follow(dnsLabel);
  source.at('volumeNamespace').followIfSet(dnsLabel);
  validateSecretName(source.at('secretRef'));
}
