// Pods as they stand in a cluster after SidecarSets were injected into them and the kubelet has started them.
import type { JsonObject } from '../../../api/core/json.ts';
import { applySidecarSetDefaults } from '../../../api/kinds/sidecarset/defaults.ts';
import type { SidecarSet } from '../../../api/kinds/sidecarset/schema.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import type { Pod } from '../../../reconcilers/shared/pod.ts';
import { container } from './pod.ts';

const HASH = 'kruise.io/sidecarset-hash';
const WITHOUT_IMAGE = 'kruise.io/sidecarset-hash-without-image';

/** A SidecarSet as it is stored: defaulted and hashed. It selects pods labelled `app: web` unless `spec` says otherwise. */
export function storedSet(
  name: string,
  spec: JsonObject,
  metadata: JsonObject = {},
  status: JsonObject = {},
): KubeObject {
  const set = applySidecarSetDefaults({
    metadata: { name, uid: `uid-${name}`, resourceVersion: '500', generation: 1, ...metadata },
    spec: structuredClone({ selector: { matchLabels: { app: 'web' } }, ...spec }),
  } as unknown as SidecarSet);
  return { apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet', ...set, status } as unknown as KubeObject;
}

export type InjectedParts = {
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** Since when it is ready; null if it is not. */
  readySince?: string | null;
  created?: string;
  nodeName?: string;
  phase?: string;
  /** Images that the sidecars run, by container, instead of those of the set. */
  running?: Record<string, string>;
  conditions?: JsonObject[];
  resourceVersion?: string;
};

/** A pod with one container of its own and the sidecars of these sets, in the version that the sets have here. */
export function injectedPod(name: string, sets: KubeObject | readonly KubeObject[], parts: InjectedParts = {}): Pod {
  const list = [sets].flat() as readonly KubeObject[];
  const { namespace = 'shop', readySince = '2026-03-01T06:00:00Z', created = '2026-03-01T05:00:00Z' } = parts;
  const sidecars = list.flatMap(containersOf);
  const containers = [container('app'), ...sidecars] as (JsonObject & { name: string; image: string })[];
  const isReady = readySince !== null;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: `uid-${namespace}-${name}`,
      resourceVersion: parts.resourceVersion ?? '100',
      creationTimestamp: created,
      labels: parts.labels ?? { app: 'web' },
      annotations: { ...annotationsOf(list, created), ...parts.annotations },
    },
    spec: { nodeName: parts.nodeName ?? 'node-1', containers },
    status: {
      phase: parts.phase ?? 'Running',
      conditions: [
        {
          type: 'Ready',
          status: isReady ? 'True' : 'False',
          lastTransitionTime: readySince ?? '2026-03-01T05:30:00Z',
        },
        ...(parts.conditions ?? []),
      ],
      containerStatuses: containers.map((one) => {
        const image = parts.running?.[one.name] ?? one.image;
        return {
          name: one.name,
          ready: true,
          restartCount: 0,
          image,
          imageID: imageId(image),
          containerID: `containerd://${one.name}-1`,
        };
      }),
    },
  } as unknown as Pod;
}

/** The id that a runtime gives an image: the same for the same text. */
export function imageId(image: string): string {
  const digest = [...image].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2 ** 32, 7).toString(16);
  const repository = image.includes('@') ? image.slice(0, image.indexOf('@')) : image.replace(/:[^:/]*$/, '');
  return image.includes('@') ? image : `${repository}@sha256:${digest.padStart(64, '0')}`;
}

type SetContainer = JsonObject & {
  name: string;
  image: string;
  upgradeStrategy?: { upgradeType?: string; hotUpgradeEmptyImage?: string };
};

function specContainers(set: KubeObject): SetContainer[] {
  return ((set.spec as { containers?: SetContainer[] }).containers ?? []) as SetContainer[];
}

function containersOf(set: KubeObject): JsonObject[] {
  return specContainers(set).flatMap((one): JsonObject[] => {
    const { upgradeStrategy, podInjectPolicy: _policy, shareVolumePolicy: _share, ...rest } = one;
    const injected = { ...rest, env: [{ name: 'IS_INJECTED', value: 'true' }] } as JsonObject;
    if (upgradeStrategy?.upgradeType !== 'HotUpgrade') return [injected];
    const empty = upgradeStrategy.hotUpgradeEmptyImage ?? '';
    return [
      { ...injected, name: `${one.name}-1` },
      { ...injected, name: `${one.name}-2`, image: empty },
    ];
  });
}

function annotationsOf(sets: readonly KubeObject[], time: string): Record<string, string> {
  const entries = (name: string) =>
    Object.fromEntries(
      sets.map((set) => [
        set.metadata.name,
        {
          updateTimestamp: time,
          hash: set.metadata.annotations?.[name] ?? '',
          sidecarSetName: set.metadata.name,
          sidecarList: specContainers(set).map((one) => one.name),
        },
      ]),
    );
  const hot = sets.flatMap((set) =>
    specContainers(set).filter((one) => one.upgradeStrategy?.upgradeType === 'HotUpgrade'),
  );
  const versions = hot.flatMap(({ name }) => [
    [`version.sidecarset.kruise.io/${name}-1`, '1'],
    [`versionalt.sidecarset.kruise.io/${name}-1`, '0'],
    [`version.sidecarset.kruise.io/${name}-2`, '0'],
    [`versionalt.sidecarset.kruise.io/${name}-2`, '1'],
  ]);
  const working = JSON.stringify(Object.fromEntries(hot.map(({ name }) => [name, `${name}-1`])));
  return {
    [HASH]: JSON.stringify(entries(HASH)),
    [WITHOUT_IMAGE]: JSON.stringify(entries(WITHOUT_IMAGE)),
    'kruise.io/sidecarset-injected-list': sets.map((set) => set.metadata.name).join(','),
    ...(hot.length > 0 && { 'kruise.io/sidecarset-working-hotupgrade-container': working }),
    ...Object.fromEntries(versions),
  };
}
