// The rules of injection told once more, in the plainest way and without regard to speed (sidecarset.md 5): what the
// policy module is compared with on generated pods. Leaves out resource policies and merge patches of annotations.
import { cloneJson, isObject, type Json, type JsonObject } from '../../api/core/json.ts';

type Entry = JsonObject & { name: string };
type Built = { entry: Entry; policy: string; isInit: boolean };

/**
 * The pod after injection of these SidecarSets; they all match it, none is paused and none asks for a revision.
 * `sorted`: the gate EnableSortSidecarContainerByName is on.
 */
export function inject(pod: JsonObject, sets: readonly JsonObject[], now: string, sorted = false): JsonObject {
  const result = cloneJson(pod);
  const metadata = result.metadata as JsonObject;
  const annotations: JsonObject = isObject(metadata.annotations) ? metadata.annotations : {};
  metadata.annotations = annotations;
  const inOrder = sets.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  for (const set of inOrder) patchAnnotations(annotations, list(specOf(set).patchPodMetadata));
  const asked = cloneJson(result);
  const spec = specOf(result);
  const working = parsed(annotations['kruise.io/sidecarset-working-hotupgrade-container']) ?? {};
  const hashes = entries(annotations['kruise.io/sidecarset-hash']);
  const hashesWithoutImage = entries(annotations['kruise.io/sidecarset-hash-without-image']);
  const listed = String(annotations['kruise.io/sidecarset-injected-list'] ?? '');
  const names = listed === '' ? [] : listed.split(',');
  const built: Built[] = [];
  const volumes: Entry[] = list(spec.volumes).map(copyOf);
  const secrets: JsonObject[] = [];
  addSecrets(secrets, spec.imagePullSecrets);

  for (const set of inOrder) {
    const sidecars: string[] = [];
    for (const [isInit, source] of sourcesOf(set)) {
      if (!isInit || source.restartPolicy === 'Always') sidecars.push(source.name);
      const entry = build(source, asked);
      for (const one of isHot(isInit, source) ? pair(source, entry, annotations, working) : [entry]) {
        built.push({ entry: one, policy: String(source.podInjectPolicy), isInit });
      }
      for (const mount of [...list(source.volumeMounts), ...list(source.volumeDevices)]) {
        const volume = list(specOf(set).volumes).find((one) => one.name === mount.name);
        if (volume !== undefined && !volumes.some((one) => one.name === volume.name)) volumes.push(copyOf(volume));
      }
    }
    addSecrets(secrets, specOf(set).imagePullSecrets);
    const { hash, hashWithoutImage, latestRevision } = identityOf(set);
    const common = { sidecarSetName: nameOf(set), sidecarList: sidecars.toSorted() };
    const revision = latestRevision === undefined ? {} : { controllerRevision: latestRevision };
    hashes[nameOf(set)] = { updateTimestamp: now, hash, ...common, ...revision };
    hashesWithoutImage[nameOf(set)] = { updateTimestamp: now, hash: hashWithoutImage, ...common };
    names.push(nameOf(set));
  }

  const inits = built.filter(({ isInit }) => isInit).toSorted(byName);
  const regular = built.filter(({ isInit }) => !isInit);
  assign(spec, 'initContainers', merge(list(spec.initContainers), inits));
  assign(spec, 'containers', merge(list(spec.containers), sorted ? regular.toSorted(byName) : regular));
  assign(spec, 'volumes', volumes);
  assign(spec, 'imagePullSecrets', secrets);
  annotations['kruise.io/sidecarset-hash'] = sortedText(hashes);
  annotations['kruise.io/sidecarset-hash-without-image'] = sortedText(hashesWithoutImage);
  annotations['kruise.io/sidecarset-injected-list'] = [...new Set(names)].toSorted().join(',');
  if (inOrder.flatMap(sourcesOf).some(([isInit, source]) => isHot(isInit, source))) {
    annotations['kruise.io/sidecarset-working-hotupgrade-container'] = sortedText(working);
  }
  return result;
}

function byName(one: Built, other: Built): number {
  return one.entry.name < other.entry.name ? -1 : Number(one.entry.name > other.entry.name);
}

function build(source: Entry, pod: JsonObject): Entry {
  const { podInjectPolicy, upgradeStrategy, shareVolumePolicy, shareVolumeDevicePolicy, transferEnv, ...kept } = source;
  const entry = copyOf(kept as Entry);
  const apps = list(specOf(pod).containers);
  const givers = apps.filter((app) => list(app.env).find(({ name }) => name === 'IS_INJECTED')?.value !== 'true');
  const extra: Entry[] = [];
  for (const transfer of list(transferEnv)) {
    const from = sourceName(transfer, pod);
    const wanted = new Set(
      [transfer.envName, ...((transfer.envNames ?? []) as Json[])].filter(
        (name) => typeof name === 'string' && name !== '',
      ),
    );
    for (const name of [...wanted].toSorted() as string[]) {
      const found = apps
        .filter((app) => app.name === from)
        .flatMap((app) => list(app.env).filter((one) => one.name === name));
      const last = found.at(-1);
      if (last !== undefined) extra.push(copyOf(last));
    }
  }
  const mounts = list(entry.volumeMounts);
  const devices = list(entry.volumeDevices);
  if (isEnabled(shareVolumePolicy)) {
    for (const app of givers) {
      for (const mount of list(app.volumeMounts)) {
        for (const [, name] of String(mount.subPathExpr ?? '').matchAll(/\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)/g)) {
          const needed = list(app.env).find((one) => one.name === name);
          if (needed !== undefined && !extra.some((one) => one.name === name)) extra.push(copyOf(needed));
        }
        const isTaken =
          mounts.some((one) => one.mountPath === mount.mountPath) ||
          devices.some((one) => one.devicePath === mount.mountPath);
        if (!isTaken) mounts.push(copyOf(mount));
      }
    }
  }
  if (isEnabled(shareVolumeDevicePolicy)) {
    for (const device of givers.flatMap((app) => list(app.volumeDevices))) {
      const isTaken =
        devices.some((one) => one.devicePath === device.devicePath) ||
        mounts.some((one) => one.mountPath === device.devicePath);
      if (!isTaken) devices.push(copyOf(device));
    }
  }
  const env = [...list(entry.env), { name: 'IS_INJECTED', value: 'true' } as Entry];
  for (const one of extra) if (!env.some(({ name }) => name === one.name)) env.push(one);
  assign(entry, 'volumeMounts', mounts);
  assign(entry, 'volumeDevices', devices);
  assign(entry, 'env', env);
  return entry;
}

function pair(source: Entry, entry: Entry, annotations: JsonObject, working: JsonObject): Entry[] {
  working[source.name] = `${source.name}-1`;
  return [1, 2].map((number) => {
    const name = `${source.name}-${number}`;
    annotations[`version.sidecarset.kruise.io/${name}`] = number === 1 ? '1' : '0';
    annotations[`versionalt.sidecarset.kruise.io/${name}`] = number === 1 ? '0' : '1';
    const twin = copyOf({ ...entry, name });
    if (number === 2) twin.image = (source.upgradeStrategy as JsonObject).hotUpgradeEmptyImage ?? '';
    const versions = [
      ['SIDECARSET_VERSION', 'version'],
      ['SIDECARSET_VERSION_ALT', 'versionalt'],
    ].map(([variable = '', prefix]) => ({
      name: variable,
      valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${prefix}.sidecarset.kruise.io/${name}']` } },
    }));
    twin.env = [...list(twin.env), ...versions];
    return twin;
  });
}

function merge(own: readonly Entry[], injected: readonly Built[]): Entry[] {
  const middle = own.map(copyOf);
  const front: Entry[] = [];
  const back: Entry[] = [];
  for (const { entry, policy } of injected) {
    const place = middle.findIndex((one) => one.name === entry.name);
    if (place >= 0) middle[place] = entry;
    else (policy === 'BeforeAppContainer' ? front : back).push(entry);
  }
  return [...front, ...middle, ...back];
}

function patchAnnotations(annotations: JsonObject, patches: readonly JsonObject[]): void {
  for (const { annotations: values, patchPolicy } of patches) {
    for (const [name, value] of Object.entries(isObject(values) ? values : {})) {
      if (patchPolicy === 'Overwrite' || !(name in annotations)) annotations[name] = value;
    }
  }
}

function sourceName(transfer: JsonObject, pod: JsonObject): Json | undefined {
  const from = transfer.sourceContainerNameFrom;
  if (!isObject(from) || !isObject(from.fieldRef)) return transfer.sourceContainerName;
  const match = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(String(from.fieldRef.fieldPath));
  const map = (pod.metadata as JsonObject)[match?.[1] ?? ''];
  return isObject(map) ? map[match?.[2] ?? ''] : undefined;
}

function sourcesOf(set: JsonObject): [boolean, Entry][] {
  const spec = specOf(set);
  return [
    ...list(spec.initContainers).map((one): [boolean, Entry] => [true, one]),
    ...list(spec.containers).map((one): [boolean, Entry] => [false, one]),
  ];
}

function isHot(isInit: boolean, source: Entry): boolean {
  const hot = isObject(source.upgradeStrategy) && source.upgradeStrategy.upgradeType === 'HotUpgrade';
  return hot && (!isInit || source.restartPolicy === 'Always');
}

function isEnabled(policy: Json | undefined): boolean {
  return isObject(policy) && policy.type === 'enabled';
}

function identityOf(set: JsonObject): { hash: Json; hashWithoutImage: Json; latestRevision: Json | undefined } {
  const { annotations } = set.metadata as { annotations: JsonObject };
  const status = isObject(set.status) ? set.status : {};
  return {
    hash: annotations['kruise.io/sidecarset-hash'] ?? '',
    hashWithoutImage: annotations['kruise.io/sidecarset-hash-without-image'] ?? '',
    latestRevision: status.latestRevision,
  };
}

function addSecrets(secrets: JsonObject[], more: Json | undefined): void {
  for (const secret of list(more)) if (!secrets.some((one) => one.name === secret.name)) secrets.push({ ...secret });
}

function assign(target: JsonObject, name: string, items: JsonObject[]): void {
  if (items.length > 0) target[name] = items;
}

function sortedText(map: JsonObject): string {
  return JSON.stringify(Object.fromEntries(Object.entries(map).toSorted(([one], [other]) => (one < other ? -1 : 1))));
}

function parsed(text: Json | undefined): JsonObject | undefined {
  try {
    return typeof text === 'string' ? (JSON.parse(text) as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Hash entries; the old form, name to hash, is brought into the new one. */
function entries(text: Json | undefined): JsonObject {
  const known = Object.entries(parsed(text) ?? {}).map(([name, entry]) => {
    if (typeof entry !== 'string') return [name, entry];
    return [name, { updateTimestamp: null, hash: entry, sidecarSetName: name, sidecarList: null }];
  });
  return Object.fromEntries(known) as JsonObject;
}

/** Sets that pin a namespace come first, then by name. */
function orderOf(set: JsonObject): string {
  const text = JSON.stringify(specOf(set).namespaceSelector ?? {});
  return `${text.includes('kubernetes.io/metadata.name') ? 0 : 1}${nameOf(set)}`;
}

function copyOf(entry: Entry): Entry {
  return cloneJson(entry) as Entry;
}

function list(value: Json | undefined): Entry[] {
  return (Array.isArray(value) ? value : []) as Entry[];
}

function specOf(object: JsonObject): JsonObject {
  return object.spec as JsonObject;
}

function nameOf(object: JsonObject): string {
  return String((object.metadata as JsonObject).name);
}
