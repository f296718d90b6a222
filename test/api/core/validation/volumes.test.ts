import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { container, faultsOfSpec, faultsOfVolume } from './pods.ts';

type Row = [rule: string, source: JsonObject, errors: (string | RegExp)[]];

function hold(rows: Row[]): void {
  test.each(rows)('%s', (_rule, source, errors) => {
    expect(faultsOfVolume(source)).toEqual(
      errors.map((error) => (typeof error === 'string' ? error : expect.stringMatching(error))),
    );
  });
}

describe('a volume', () => {
  hold([
    ['has one source', { emptyDir: {} }, []],
    ['has a source', {}, [': Required value: must specify a volume type']],
    [
      'has no second source',
      { emptyDir: {}, nfs: {}, csi: {} },
      [
        'nfs: Forbidden: may not specify more than 1 volume type',
        'csi: Forbidden: may not specify more than 1 volume type',
      ],
    ],
    [
      'is looked at by its first source',
      { hostPath: {}, secret: {} },
      ['hostPath.path: Required value', 'secret: Forbidden: may not specify more than 1 volume type'],
    ],
  ]);

  test('has a name that is a label and unique among right ones', () => {
    const volumes = [
      { name: '', emptyDir: {} },
      { name: 'A', emptyDir: {} },
      { name: 'a', emptyDir: {} },
      { name: 'a', emptyDir: {} },
    ];
    expect(faultsOfSpec({ volumes })).toEqual([
      'spec.volumes[0].name: Required value',
      expect.stringMatching(/^spec.volumes\[1\].name: Invalid value: "A": a lowercase RFC 1123 label/),
      'spec.volumes[3].name: Duplicate value: "a"',
    ]);
  });
  test('with a fault is none that containers can mount', () => {
    const containers = [container({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })];
    expect(faultsOfSpec({ volumes: [{ name: 'v' }], containers })).toEqual([
      'spec.volumes[0]: Required value: must specify a volume type',
      'spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ]);
  });
});

describe('a volume of files', () => {
  const mode = 'must be a number between 0 and 0777 (octal), both inclusive';
  hold([
    [
      'of the host has a path without steps up',
      { hostPath: { path: '/a/../b', type: 'Folder' } },
      [
        'hostPath.path: Invalid value: "/a/../b": must not contain \'..\'',
        /^hostPath.type: Unsupported value: "Folder": supported values: "", "BlockDevice"/,
      ],
    ],
    [
      'in memory has a size',
      { emptyDir: { medium: 'Memory', sizeLimit: '-1' } },
      ['emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
    ],
    [
      'names its Secret',
      { secret: { defaultMode: 512 } },
      ['secret.secretName: Required value', `secret.defaultMode: Invalid value: 512: ${mode}`],
    ],
    [
      'names its ConfigMap',
      { configMap: { defaultMode: -1 } },
      ['configMap.name: Required value', `configMap.defaultMode: Invalid value: -1: ${mode}`],
    ],
    [
      'writes keys to paths',
      {
        configMap: {
          name: 'c',
          items: [
            { key: '', path: '' },
            { key: 'k', path: '../p', mode: 512 },
            { key: 'k', path: '..p' },
          ],
        },
      },
      [
        'configMap.items[0].key: Required value',
        'configMap.items[0].path: Required value',
        'configMap.items[1].path: Invalid value: "../p": must not contain \'..\'',
        `configMap.items[1].mode: Invalid value: 512: ${mode}`,
        'configMap.items[2].path: Invalid value: "..p": must not start with \'..\'',
      ],
    ],
    [
      'writes fields of the pod',
      { downwardAPI: { items: [{ path: 'l', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.labels' } }] } },
      [],
    ],
    [
      'writes one field or resource a file',
      {
        downwardAPI: {
          items: [
            { path: '' },
            {
              path: 'x',
              fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' },
              resourceFieldRef: { resource: 'limits.cpu' },
            },
          ],
        },
      },
      [
        'downwardAPI.path: Required value',
        'downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
        /^downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations"/,
        'downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
      ],
    ],
    [
      'names the container of a resource',
      { downwardAPI: { items: [{ path: 'x', mode: 512, resourceFieldRef: { resource: 'x' } }] } },
      ['downwardAPI.resourceFieldRef.containerName: Required value', `downwardAPI.mode: Invalid value: 512: ${mode}`],
    ],
    ['names its image policy', { image: { reference: 'a' } }, ['image.pullPolicy: Required value']],
  ]);
});

describe('a projected volume', () => {
  const projected = (...sources: JsonObject[]): JsonObject => ({ projected: { sources } });
  const token = (members: JsonObject) =>
    projected({ serviceAccountToken: { path: 't', expirationSeconds: 600, ...members } });
  const bundle = (members: JsonObject) => projected({ clusterTrustBundle: { path: 'b', ...members } });
  hold([
    [
      'may have all kinds of sources',
      projected({ secret: { name: 's' } }, { configMap: { name: 'c' } }, { downwardAPI: {} }),
      [],
    ],
    [
      'has one source an entry',
      projected({ secret: { name: 's' }, configMap: { name: 'c' } }),
      ['projected.sources[0]: Forbidden: may not specify more than 1 volume type per source'],
    ],
    [
      'names its sources',
      projected({ secret: { items: [{ key: '', path: 'a' }] } }, { configMap: {} }),
      [
        'projected.sources[0].secret.name: Required value',
        'projected.sources[0].secret.items[0].key: Required value',
        'projected.sources[1].configMap.name: Required value',
      ],
    ],
    [
      'writes no path twice',
      projected(
        { secret: { name: 's', items: [{ key: 'k', path: 'p' }] } },
        { configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
        { downwardAPI: { items: [{ path: 'p', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.uid' } }] } },
      ),
      [
        'projected: Invalid value: "c": conflicting duplicate paths',
        'projected: Invalid value: "p": conflicting duplicate paths',
      ],
    ],
    ['has a mode', { projected: { sources: [], defaultMode: 512 } }, [/^projected.defaultMode: Invalid value: 512/]],
    [
      'has tokens of ten minutes or more',
      token({ expirationSeconds: 599 }),
      [
        'projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
      ],
    ],
    [
      'has tokens of 2^32 seconds or less',
      token({ expirationSeconds: 2 ** 32 + 1 }),
      [
        'projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
      ],
    ],
    [
      'writes tokens to a local path',
      token({ path: '/t' }),
      ['projected.sources[0].serviceAccountToken.path: Invalid value: "/t": must be a relative path'],
    ],
    ['needs a path for tokens', token({ path: '' }), ['projected.sources[0].serviceAccountToken.path: Required value']],
    ['has trust bundles by name', bundle({ name: 'example.com:s:a' }), []],
    ['has trust bundles by signer', bundle({ signerName: 'example.com/s', labelSelector: {} }), []],
    [
      'has trust bundles by one of them',
      bundle({ name: 'a', signerName: 'example.com/s' }),
      [/only one of name and signerName may be used$/],
    ],
    [
      'has no nameless trust bundles',
      bundle({ path: '' }),
      [
        'projected.sources[0].clusterTrustBundle: Required value: either name or signerName must be specified',
        'projected.sources[0].clusterTrustBundle.path: Required value',
      ],
    ],
    [
      'selects no bundle beside its name',
      bundle({ name: '', labelSelector: {} }),
      [
        'projected.sources[0].clusterTrustBundle.name: Required value: must be a valid object name',
        /labelSelector must be unset if name is specified$/,
      ],
    ],
    [
      'needs a signer',
      bundle({ signerName: '' }),
      ['projected.sources[0].clusterTrustBundle.signerName: Required value: must be a valid signer name'],
    ],
  ]);
});

describe('a volume of a claim', () => {
  const template = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
    ephemeral: { volumeClaimTemplate: { metadata, spec } },
  });
  const right = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const at = 'ephemeral.volumeClaimTemplate';
  hold([
    ['names it', { persistentVolumeClaim: {} }, ['persistentVolumeClaim.claimName: Required value']],
    ['may bring the claim', template(right, { labels: { a: 'b' } }), []],
    ['needs a template to bring it', { ephemeral: {} }, [`${at}: Required value`]],
    [
      'brings labels and annotations only',
      template(right, { name: 'n', labels: { 'a b': 'c' } }),
      [
        new RegExp(`^${at}.metadata.labels: Invalid value: "a b"`),
        `${at}.metadata.name: Forbidden: cannot be set for an ephemeral volume`,
      ],
    ],
    [
      'needs modes and a size',
      template({}),
      [
        `${at}.spec.accessModes: Required value: at least 1 access mode is required`,
        `${at}.spec.resources[storage]: Required value`,
      ],
    ],
    [
      'needs a size above 0',
      template({ ...right, resources: { requests: { storage: '0' } } }),
      [`${at}.spec.resources[storage]: Invalid value: "0": must be greater than zero`],
    ],
    [
      'has known modes',
      template({ ...right, accessModes: ['X'], volumeMode: 'Raw' }),
      [
        `${at}.spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"`,
        `${at}.spec.volumeMode: Unsupported value: "Raw": supported values: "Block", "Filesystem"`,
      ],
    ],
    [
      'is for one pod or for more',
      template({ ...right, accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] }),
      [`${at}.spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes`],
    ],
    [
      'names class and source',
      template({ ...right, storageClassName: 'A', dataSource: { kind: 'X', name: '' } }),
      [
        /storageClassName: Invalid value: "A"/,
        `${at}.spec.dataSource.name: Required value`,
        /dataSource: Invalid value: .*: must be a core type/,
      ],
    ],
    [
      'has one source of data',
      template({
        ...right,
        dataSource: { apiGroup: 'a.b', kind: 'X', name: 'x' },
        dataSourceRef: { apiGroup: 'a.b', kind: 'X', name: 'y' },
      }),
      [/must match dataSourceRef$/],
    ],
  ]);

  test('of a pod is not one that its other volumes make', () => {
    const volumes = [
      { name: 'v', ephemeral: { volumeClaimTemplate: { spec: right } } },
      { name: 'p', persistentVolumeClaim: { claimName: 'web-v' } },
    ];
    expect(faultsOfSpec({ volumes })).toEqual([]);
    expect(faultsOfSpec({ volumes }, { podName: 'web' })).toEqual([
      'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "web-v": must not reference a PVC that gets created for an ephemeral volume',
    ]);
  });
});

describe('a volume of a driver', () => {
  hold([
    ['names it', { csi: { driver: '' } }, ['csi.driver: Required value', /^csi.driver: Invalid value: "": a lower/]],
    ['names it in any case', { csi: { driver: 'CSI.example.com' } }, []],
    ['names it in short', { csi: { driver: 'd'.repeat(64) } }, ['csi.driver: Too long: may not be more than 63 bytes']],
    [
      'names its Secret',
      { csi: { driver: 'd', nodePublishSecretRef: {} } },
      ['csi.nodePublishSecretRef.name: Required value'],
    ],
  ]);
});

describe('a volume of a storage system', () => {
  const requires = (source: string, ...members: string[]): Row => [
    `${source} needs ${members.join(' and ')}`,
    { [source]: {} },
    members.map((member) => `${source}.${member}: Required value`),
  ];
  hold([
    requires('gitRepo', 'repository'),
    requires('gcePersistentDisk', 'pdName'),
    requires('awsElasticBlockStore', 'volumeID'),
    requires('glusterfs', 'endpoints', 'path'),
    requires('rbd', 'monitors', 'image'),
    requires('cinder', 'volumeID'),
    requires('cephfs', 'monitors'),
    requires('flexVolume', 'driver'),
    requires('azureFile', 'secretName', 'shareName'),
    requires('vsphereVolume', 'volumePath'),
    requires('photonPersistentDisk', 'pdID'),
    requires('portworxVolume', 'volumeID'),
    requires('azureDisk', 'diskName', 'diskURI'),
    requires('storageos', 'volumeName'),
    requires('scaleIO', 'gateway', 'system', 'volumeName'),
    requires('iscsi', 'targetPortal', 'iqn'),
    [
      'nfs needs server and absolute path',
      { nfs: { server: '', path: 'a' } },
      ['nfs.server: Required value', 'nfs.path: Invalid value: "a": must be an absolute path'],
    ],
    [
      'gitRepo checks out below the volume',
      { gitRepo: { repository: 'r', directory: '../x' } },
      ['gitRepo.directory: Invalid value: "../x": must not contain \'..\''],
    ],
    [
      'disks have a partition up to 255',
      { gcePersistentDisk: { pdName: 'p', partition: 256 } },
      ['gcePersistentDisk.partition: Invalid value: 256: must be between 0 and 255, inclusive'],
    ],
    [
      'iscsi names are of three forms',
      { iscsi: { targetPortal: 'p', iqn: 'x', lun: 256, chapAuthSession: true, initiatorName: 'y' } },
      [
        'iscsi.iqn: Invalid value: "x": must be valid format',
        'iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
        'iscsi.secretRef: Required value',
        'iscsi.initiatorname: Invalid value: "y": must be valid format',
      ],
    ],
    [
      'iscsi is right',
      { iscsi: { targetPortal: '1.2.3.4:3260', iqn: 'iqn.2001-04.com.example:storage.a', lun: 0 } },
      [],
    ],
    [
      'flocker names a data set once',
      { flocker: { datasetName: 'a/b', datasetUUID: 'u' } },
      [
        'flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
        'flocker.datasetName: Invalid value: "a/b": must not contain \'/\'',
      ],
    ],
    [
      'flocker names a data set',
      { flocker: {} },
      ['flocker: Required value: one of datasetName and datasetUUID is required'],
    ],
    [
      'quobyte has hosts with ports',
      { quobyte: { registry: 'a:1,b', volume: '' } },
      [
        'quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas',
        'quobyte.volume: Required value',
      ],
    ],
    [
      'quobyte has a registry and a short tenant',
      { quobyte: { volume: 'v', tenant: 't'.repeat(65) } },
      [
        'quobyte.registry: Required value: must be a host:port pair or multiple pairs separated by commas',
        /^quobyte.tenant: Required value: must be a UUID/,
      ],
    ],
    [
      'fc has targets or wide names',
      { fc: {} },
      ['fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both'],
    ],
    [
      'fc has not both, and a lun',
      { fc: { targetWWNs: ['a'], wwids: ['b'] } },
      [/can not be specified simultaneously$/, 'fc.lun: Required value: lun is required if targetWWNs is specified'],
    ],
    [
      'flexVolume options are not those of Kubernetes',
      { flexVolume: { driver: 'd', options: { 'x.k8s.io/a': '1', 'Kubernetes.io': '2', 'example.com/a': '3' } } },
      [
        'flexVolume.options[Kubernetes.io]: Invalid value: "Kubernetes.io": kubernetes.io and k8s.io namespaces are reserved',
        /^flexVolume.options\[x.k8s.io\/a\]/,
      ],
    ],
    [
      'azureDisk has known modes and a fitting address',
      { azureDisk: { diskName: 'd', diskURI: 'x', cachingMode: 'All', kind: 'Managed' } },
      [
        /^azureDisk.cachingMode: Unsupported value: "All"/,
        /^azureDisk.diskURI: Unsupported value: "x": supported values: "\/subscriptions/,
      ],
    ],
    [
      'azureDisk blobs are on the web',
      { azureDisk: { diskName: 'd', diskURI: 'x', kind: 'Odd' } },
      [
        /^azureDisk.kind: Unsupported value: "Odd": supported values: "Dedicated", "Managed", "Shared"/,
        /"https:\/\/\{account-name\}/,
      ],
    ],
    [
      'storageos and cinder name their Secret',
      { cinder: { volumeID: 'v', secretRef: {} } },
      ['cinder.secretRef.name: Required value'],
    ],
    [
      'storageos has label names',
      { storageos: { volumeName: 'A', volumeNamespace: 'B' } },
      [/^storageos.volumeName: Invalid value: "A"/, /^storageos.volumeNamespace: Invalid value: "B"/],
    ],
  ]);
});
