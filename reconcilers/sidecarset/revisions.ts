// The ControllerRevisions of a SidecarSet: which one is the latest, what it takes to make it so, which are no longer needed
// (sidecarset 8).

import { encodeSorted } from '../../api/core/encode.ts';
import { type Json, type JsonObject, parseVerbatim } from '../../api/core/json.ts';
import { revisionData, revisionIdentity } from '../../api/kinds/sidecarset/revision.ts';
import { CONTROLLER_REVISION_HASH, SIDECARSET_CUSTOM_VERSION, SIDECARSET_NAME } from '../../api/names.ts';
import { controllerOf, type KubeObject } from '../../kube/objects.ts';
import type { PlannedEffect } from '../../kube/plan.ts';
import type { IndexKeys } from '../../kube/reader.ts';
import { apiVersionOf, CONTROLLER_REVISIONS } from '../../kube/resource.ts';
import { SIDECAR_SETS, type State } from './state.ts';

/** SidecarSets that a ControllerRevision of the system namespace is, or may be, of: by its label and by its name. */
export function revisionKeys(systemNamespace: string): IndexKeys {
  return ({ metadata: { namespace, name, labels } }) => {
    if (namespace !== systemNamespace) return [];
    const keys = [labels?.[SIDECARSET_NAME], name.slice(0, Math.max(0, name.lastIndexOf('-')))];
    return [...new Set(keys)].filter((key) => key !== undefined && key !== '') as string[];
  };
}

export type Registration = {
  readonly latest: string;
  readonly collisionCount: number;
  /** True if the latest one does not exist yet. */
  readonly isNew: boolean;
  readonly effects: readonly PlannedEffect[];
  /** The revisions of the SidecarSet, the latest last. */
  readonly history: readonly KubeObject[];
};

/** Makes a revision of the present content, or the one that has it already, the latest. */
export function register(state: State): Registration {
  const data = revisionData(state.set);
  const own = ownRevisions(state);
  const collisionCount = state.set.status?.collisionCount ?? 0;
  const next = Number(own.at(-1)?.revision ?? 0) + 1;
  const equal = own.findLast((revision) => textOf(revision) === data);
  if (equal !== undefined) {
    const others = own.filter((revision) => revision !== equal);
    const isLast = equal === own.at(-1);
    return {
      latest: equal.metadata.name,
      collisionCount,
      isNew: false,
      effects: [...(isLast ? [] : [renumbered(equal, next)]), ...relabelled(state, equal)],
      history: [...others, equal],
    };
  }
  return createdOrTaken(state, { data, next, history: own });
}

/** Deletes the oldest revisions that nobody uses, as far as there are more than the limit. */
export function truncate(state: State, { history }: Registration): readonly PlannedEffect[] {
  const surplus = history.length - Math.max(1, state.set.spec?.revisionHistoryLimit ?? 10);
  if (surplus <= 0) return [];
  const used = usedRevisions(state, history);
  return history
    .slice(0, -1)
    .filter(({ metadata }) => !used.has(metadata.name) && metadata.deletionTimestamp === undefined)
    .slice(0, surplus)
    .map(({ metadata }) => ({
      type: 'delete',
      resource: CONTROLLER_REVISIONS,
      reference: { namespace: metadata.namespace, name: metadata.name },
      uid: metadata.uid,
    }));
}

function ownRevisions({ object, revisions }: State): readonly KubeObject[] {
  const { name, uid } = object.metadata;
  return revisions
    .filter((revision) => revision.metadata.labels?.[SIDECARSET_NAME] === name)
    .filter((revision) => [undefined, uid].includes(controllerOf(revision)?.uid))
    .sort(compareRevisions);
}

function compareRevisions(a: KubeObject, b: KubeObject): number {
  const [created, other] = [a, b].map(({ metadata }) => metadata.creationTimestamp ?? '') as [string, string];
  return (
    Number(a.revision ?? 0) - Number(b.revision ?? 0) ||
    compareTexts(created, other) ||
    compareTexts(a.metadata.name, b.metadata.name)
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function textOf(revision: KubeObject): string {
  return encodeSorted(revision.data as Json);
}

// A name that another content has is passed over; one that has this content is used, whoever owns it.
function createdOrTaken(
  state: State,
  { data, next, history }: { data: string; next: number; history: readonly KubeObject[] },
): Registration {
  const named = new Map(state.revisions.map((revision) => [revision.metadata.name, revision]));
  let collisionCount = state.set.status?.collisionCount ?? 0;
  const { hash } = revisionIdentity(state.set, collisionCount);
  for (;;) {
    const { name } = revisionIdentity(state.set, collisionCount);
    const taken = named.get(name);
    if (taken === undefined) {
      const object = revisionObject(state, { name, hash, data, revision: next });
      const create: PlannedEffect = { type: 'create', resource: CONTROLLER_REVISIONS, object };
      return { latest: name, collisionCount, isNew: true, effects: [create], history };
    }
    if (textOf(taken) === data) return { latest: name, collisionCount, isNew: false, effects: [], history };
    collisionCount++;
  }
}

function revisionObject(
  { object, set, systemNamespace }: State,
  { name, hash, data, revision }: { name: string; hash: string; data: string; revision: number },
): JsonObject {
  const { metadata } = object;
  const customVersion = set.spec?.customVersion ?? '';
  return {
    apiVersion: apiVersionOf(CONTROLLER_REVISIONS),
    kind: CONTROLLER_REVISIONS.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: {
        ...metadata.labels,
        [CONTROLLER_REVISION_HASH]: hash,
        [SIDECARSET_NAME]: metadata.name,
        ...(customVersion !== '' && { [SIDECARSET_CUSTOM_VERSION]: customVersion }),
      },
      annotations: { ...metadata.annotations },
      ownerReferences: [
        {
          apiVersion: apiVersionOf(SIDECAR_SETS),
          kind: SIDECAR_SETS.kind,
          name: metadata.name,
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    data: parseVerbatim(data),
    revision,
  };
}

function renumbered({ metadata }: KubeObject, revision: number): PlannedEffect {
  return patchOf(metadata, { metadata: { resourceVersion: metadata.resourceVersion }, revision });
}

function relabelled({ set }: State, { metadata }: KubeObject): readonly PlannedEffect[] {
  const customVersion = set.spec?.customVersion ?? '';
  if (customVersion === '' || metadata.labels?.[SIDECARSET_CUSTOM_VERSION] === customVersion) return [];
  return [patchOf(metadata, { metadata: { labels: { [SIDECARSET_CUSTOM_VERSION]: customVersion } } })];
}

function patchOf(metadata: KubeObject['metadata'], patch: JsonObject): PlannedEffect {
  const reference = { namespace: metadata.namespace, name: metadata.name };
  return { type: 'patch', resource: CONTROLLER_REVISIONS, reference, patch, patchType: 'merge' };
}

function usedRevisions({ set, pods }: State, history: readonly KubeObject[]): ReadonlySet<string> {
  const used = new Set(pods.map(({ revision }) => revision));
  const { revisionName, customVersion } = set.spec?.injectionStrategy?.revision ?? {};
  if (revisionName !== undefined) used.add(revisionName);
  const versioned = history.findLast(({ metadata }) => {
    const version = metadata.labels?.[SIDECARSET_CUSTOM_VERSION];
    return version !== undefined && version === customVersion;
  });
  if (versioned !== undefined) used.add(versioned.metadata.name);
  return used;
}
