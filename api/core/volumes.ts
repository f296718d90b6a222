// Volumes and persistent volume claims (core/v1 of Kubernetes 1.32), members in Go's order.
import { LocalObjectReference, ObjectFieldSelector, ResourceFieldSelector, ResourceList } from './containers.ts';
import { LabelSelector, ObjectMeta } from './meta.ts';
import {
  always,
  boolean,
  int32,
  int64,
  list,
  map,
  nullable,
  optional,
  pointer,
  quantity,
  required,
  type Static,
  struct,
  text,
  time,
} from './schema.ts';

export const KeyToPath = struct('v1.KeyToPath', {
  key: required(text()),
  path: required(text()),
  mode: pointer(int32()),
});
export type KeyToPath = Static<typeof KeyToPath>;

export const DownwardAPIVolumeFile = struct('v1.DownwardAPIVolumeFile', {
  path: required(text()),
  fieldRef: pointer(ObjectFieldSelector),
  resourceFieldRef: pointer(ResourceFieldSelector),
  mode: pointer(int32()),
});
export type DownwardAPIVolumeFile = Static<typeof DownwardAPIVolumeFile>;

const namedItems = {
  name: optional(text()),
  items: optional(list(KeyToPath)),
  optional: pointer(boolean()),
};

export const VolumeProjection = struct('v1.VolumeProjection', {
  secret: pointer(struct('v1.SecretProjection', namedItems)),
  downwardAPI: pointer(struct('v1.DownwardAPIProjection', { items: optional(list(DownwardAPIVolumeFile)) })),
  configMap: pointer(struct('v1.ConfigMapProjection', namedItems)),
  serviceAccountToken: pointer(
    struct('v1.ServiceAccountTokenProjection', {
      audience: optional(text()),
      expirationSeconds: pointer(int64()),
      path: required(text()),
    }),
  ),
  clusterTrustBundle: pointer(
    struct('v1.ClusterTrustBundleProjection', {
      name: pointer(text()),
      signerName: pointer(text()),
      labelSelector: pointer(LabelSelector),
      optional: pointer(boolean()),
      path: required(text()),
    }),
  ),
});
export type VolumeProjection = Static<typeof VolumeProjection>;

export const PersistentVolumeClaimSpec = struct('v1.PersistentVolumeClaimSpec', {
  accessModes: optional(list(text('v1.PersistentVolumeAccessMode'))),
  selector: pointer(LabelSelector),
  resources: always(
    struct('v1.VolumeResourceRequirements', { limits: optional(ResourceList), requests: optional(ResourceList) }),
  ),
  volumeName: optional(text()),
  storageClassName: pointer(text()),
  volumeMode: pointer(text('v1.PersistentVolumeMode')),
  dataSource: pointer(
    struct('v1.TypedLocalObjectReference', {
      apiGroup: nullable(text()),
      kind: required(text()),
      name: required(text()),
    }),
  ),
  dataSourceRef: pointer(
    struct('v1.TypedObjectReference', {
      apiGroup: nullable(text()),
      kind: required(text()),
      name: required(text()),
      namespace: pointer(text()),
    }),
  ),
  volumeAttributesClassName: pointer(text()),
});
export type PersistentVolumeClaimSpec = Static<typeof PersistentVolumeClaimSpec>;

const claimStatus = struct('v1.PersistentVolumeClaimStatus', {
  phase: optional(text('v1.PersistentVolumeClaimPhase')),
  accessModes: optional(list(text('v1.PersistentVolumeAccessMode'))),
  capacity: optional(ResourceList),
  conditions: optional(
    list(
      struct('v1.PersistentVolumeClaimCondition', {
        type: required(text('v1.PersistentVolumeClaimConditionType')),
        status: required(text('v1.ConditionStatus')),
        lastProbeTime: nullable(time()),
        lastTransitionTime: nullable(time()),
        reason: optional(text()),
        message: optional(text()),
      }),
    ),
  ),
  allocatedResources: optional(ResourceList),
  allocatedResourceStatuses: optional(
    map(text('v1.ClaimResourceStatus'), 'map[v1.ResourceName]v1.ClaimResourceStatus'),
  ),
  currentVolumeAttributesClassName: pointer(text()),
  modifyVolumeStatus: pointer(
    struct('v1.ModifyVolumeStatus', {
      targetVolumeAttributesClassName: optional(text()),
      status: required(text('v1.PersistentVolumeClaimModifyVolumeStatus')),
    }),
  ),
});

export const PersistentVolumeClaim = struct('v1.PersistentVolumeClaim', {
  kind: optional(text()),
  apiVersion: optional(text()),
  metadata: always(ObjectMeta, '', { filled: true }),
  spec: always(PersistentVolumeClaimSpec, '', { filled: true }),
  status: always(claimStatus, '', { filled: true }),
});
export type PersistentVolumeClaim = Static<typeof PersistentVolumeClaim>;

const fsType = optional(text());
const readOnly = optional(boolean());

/** Every volume source; a valid volume has exactly one. */
const volumeSource = {
  hostPath: pointer(
    struct('v1.HostPathVolumeSource', { path: required(text()), type: pointer(text('v1.HostPathType')) }),
  ),
  emptyDir: pointer(
    struct('v1.EmptyDirVolumeSource', { medium: optional(text('v1.StorageMedium')), sizeLimit: pointer(quantity()) }),
  ),
  gcePersistentDisk: pointer(
    struct('v1.GCEPersistentDiskVolumeSource', {
      pdName: required(text()),
      fsType,
      partition: optional(int32()),
      readOnly,
    }),
  ),
  awsElasticBlockStore: pointer(
    struct('v1.AWSElasticBlockStoreVolumeSource', {
      volumeID: required(text()),
      fsType,
      partition: optional(int32()),
      readOnly,
    }),
  ),
  gitRepo: pointer(
    struct('v1.GitRepoVolumeSource', {
      repository: required(text()),
      revision: optional(text()),
      directory: optional(text()),
    }),
  ),
  secret: pointer(
    struct('v1.SecretVolumeSource', {
      secretName: optional(text()),
      items: optional(list(KeyToPath)),
      defaultMode: pointer(int32()),
      optional: pointer(boolean()),
    }),
  ),
  nfs: pointer(struct('v1.NFSVolumeSource', { server: required(text()), path: required(text()), readOnly })),
  iscsi: pointer(
    struct('v1.ISCSIVolumeSource', {
      targetPortal: required(text()),
      iqn: required(text()),
      lun: required(int32()),
      iscsiInterface: optional(text()),
      fsType,
      readOnly,
      portals: optional(list(text())),
      chapAuthDiscovery: optional(boolean()),
      chapAuthSession: optional(boolean()),
      secretRef: pointer(LocalObjectReference),
      initiatorName: pointer(text()),
    }),
  ),
  glusterfs: pointer(
    struct('v1.GlusterfsVolumeSource', { endpoints: required(text()), path: required(text()), readOnly }),
  ),
  persistentVolumeClaim: pointer(
    struct('v1.PersistentVolumeClaimVolumeSource', { claimName: required(text()), readOnly }),
  ),
  rbd: pointer(
    struct('v1.RBDVolumeSource', {
      monitors: nullable(list(text())),
      image: required(text()),
      fsType,
      pool: optional(text()),
      user: optional(text()),
      keyring: optional(text()),
      secretRef: pointer(LocalObjectReference),
      readOnly,
    }),
  ),
  flexVolume: pointer(
    struct('v1.FlexVolumeSource', {
      driver: required(text()),
      fsType,
      secretRef: pointer(LocalObjectReference),
      readOnly,
      options: optional(map(text())),
    }),
  ),
  cinder: pointer(
    struct('v1.CinderVolumeSource', {
      volumeID: required(text()),
      fsType,
      readOnly,
      secretRef: pointer(LocalObjectReference),
    }),
  ),
  cephfs: pointer(
    struct('v1.CephFSVolumeSource', {
      monitors: nullable(list(text())),
      path: optional(text()),
      user: optional(text()),
      secretFile: optional(text()),
      secretRef: pointer(LocalObjectReference),
      readOnly,
    }),
  ),
  flocker: pointer(struct('v1.FlockerVolumeSource', { datasetName: optional(text()), datasetUUID: optional(text()) })),
  downwardAPI: pointer(
    struct('v1.DownwardAPIVolumeSource', {
      items: optional(list(DownwardAPIVolumeFile)),
      defaultMode: pointer(int32()),
    }),
  ),
  fc: pointer(
    struct('v1.FCVolumeSource', {
      targetWWNs: optional(list(text())),
      lun: pointer(int32()),
      fsType,
      readOnly,
      wwids: optional(list(text())),
    }),
  ),
  azureFile: pointer(
    struct('v1.AzureFileVolumeSource', { secretName: required(text()), shareName: required(text()), readOnly }),
  ),
  configMap: pointer(
    struct('v1.ConfigMapVolumeSource', {
      name: optional(text()),
      items: optional(list(KeyToPath)),
      defaultMode: pointer(int32()),
      optional: pointer(boolean()),
    }),
  ),
  vsphereVolume: pointer(
    struct('v1.VsphereVirtualDiskVolumeSource', {
      volumePath: required(text()),
      fsType,
      storagePolicyName: optional(text()),
      storagePolicyID: optional(text()),
    }),
  ),
  quobyte: pointer(
    struct('v1.QuobyteVolumeSource', {
      registry: required(text()),
      volume: required(text()),
      readOnly,
      user: optional(text()),
      group: optional(text()),
      tenant: optional(text()),
    }),
  ),
  azureDisk: pointer(
    struct('v1.AzureDiskVolumeSource', {
      diskName: required(text()),
      diskURI: required(text()),
      cachingMode: pointer(text('v1.AzureDataDiskCachingMode')),
      fsType: pointer(text()),
      readOnly: pointer(boolean()),
      kind: pointer(text('v1.AzureDataDiskKind')),
    }),
  ),
  photonPersistentDisk: pointer(struct('v1.PhotonPersistentDiskVolumeSource', { pdID: required(text()), fsType })),
  projected: pointer(
    struct('v1.ProjectedVolumeSource', {
      sources: nullable(list(VolumeProjection)),
      defaultMode: pointer(int32()),
    }),
  ),
  portworxVolume: pointer(struct('v1.PortworxVolumeSource', { volumeID: required(text()), fsType, readOnly })),
  scaleIO: pointer(
    struct('v1.ScaleIOVolumeSource', {
      gateway: required(text()),
      system: required(text()),
      secretRef: nullable(LocalObjectReference),
      sslEnabled: optional(boolean()),
      protectionDomain: optional(text()),
      storagePool: optional(text()),
      storageMode: optional(text()),
      volumeName: optional(text()),
      fsType,
      readOnly,
    }),
  ),
  storageos: pointer(
    struct('v1.StorageOSVolumeSource', {
      volumeName: optional(text()),
      volumeNamespace: optional(text()),
      fsType,
      readOnly,
      secretRef: pointer(LocalObjectReference),
    }),
  ),
  csi: pointer(
    struct('v1.CSIVolumeSource', {
      driver: required(text()),
      readOnly: pointer(boolean()),
      fsType: pointer(text()),
      volumeAttributes: optional(map(text())),
      nodePublishSecretRef: pointer(LocalObjectReference),
    }),
  ),
  ephemeral: pointer(
    struct('v1.EphemeralVolumeSource', {
      volumeClaimTemplate: pointer(
        struct('v1.PersistentVolumeClaimTemplate', {
          metadata: always(ObjectMeta, '', { filled: true }),
          spec: required(PersistentVolumeClaimSpec),
        }),
      ),
    }),
  ),
  image: pointer(
    struct('v1.ImageVolumeSource', { reference: optional(text()), pullPolicy: optional(text('v1.PullPolicy')) }),
  ),
} as const;

export const Volume = struct('v1.Volume', { name: required(text()), ...volumeSource });
export type Volume = Static<typeof Volume>;
