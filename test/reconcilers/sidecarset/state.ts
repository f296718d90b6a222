// States of SidecarSets for tables of plans, and what a plan does to pods.
import { decode } from '../../../api/core/decode.ts';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { revisionData, revisionIdentity } from '../../../api/kinds/sidecarset/revision.ts';
import { SidecarSet } from '../../../api/kinds/sidecarset/schema.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import type { Plan, PlannedEffect } from '../../../kube/plan.ts';
import type { Pod } from '../../../reconcilers/shared/pod.ts';
import { planSidecarSet } from '../../../reconcilers/sidecarset/plan.ts';
import { setOfPods, sidecarPod } from '../../../reconcilers/sidecarset/pods.ts';
import type { State } from '../../../reconcilers/sidecarset/state.ts';

export const NOW = Date.parse('2026-03-01T12:00:00Z');

/** The state of a set whose latest revision is registered already, unless revisions are given. */
export function stateOf(object: KubeObject, pods: readonly Pod[], revisions?: readonly KubeObject[]): State {
  const set = decode(SidecarSet, object as unknown as Json).value;
  const about = setOfPods(object, set);
  return {
    object,
    set,
    systemNamespace: 'kruise-system',
    pods: pods.map((pod) => sidecarPod({ read: () => pod }, about)),
    revisions: revisions ?? [revisionOf(object, 1)],
    knownSets: new Set([object.metadata.name]),
  };
}

/** The ControllerRevision of the set as the API server has it. */
export function revisionOf(set: KubeObject, revision: number, parts: JsonObject = {}): KubeObject {
  const typed = decode(SidecarSet, set as unknown as Json).value;
  const { name } = revisionIdentity(typed);
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace: 'kruise-system',
      uid: `uid-${name}`,
      resourceVersion: '7',
      labels: { 'kruise.io/sidecarset-name': set.metadata.name },
      ownerReferences: [
        {
          apiVersion: 'apps.kruise.io/v1beta1',
          kind: 'SidecarSet',
          name: set.metadata.name,
          uid: set.metadata.uid,
          controller: true,
        },
      ],
    },
    data: JSON.parse(revisionData(typed)),
    revision,
    ...parts,
  } as unknown as KubeObject;
}

export function plan(object: KubeObject, pods: readonly Pod[]): Plan {
  return planSidecarSet(stateOf(object, pods), NOW);
}

type PodWrite = { name: string; images: Record<string, string>; annotations: Record<string, string> };

/** The writes to pods, in order. */
export function podWrites({ groups }: Plan): PodWrite[] {
  return patches(groups.flat(), 'pods')
    .filter(({ subresource }) => subresource === undefined)
    .map(({ reference, patch }) => {
      const { metadata, spec } = patch as {
        metadata: { annotations: Record<string, string> };
        spec?: { containers: { name: string; image: string }[] };
      };
      const images = Object.fromEntries((spec?.containers ?? []).map(({ name, image }) => [name, image]));
      return { name: reference.name, images, annotations: metadata.annotations };
    });
}

/** Names of the pods that get new images. */
export function upgraded(found: Plan): string[] {
  return podWrites(found).map(({ name }) => name);
}

/** The conditions that are written, by pod. */
export function conditions({ groups }: Plan): Record<string, JsonObject> {
  const written = patches(groups.flat(), 'pods').filter(({ subresource }) => subresource === 'status');
  return Object.fromEntries(
    written.map(({ reference, patch }) => [
      reference.name,
      (patch as unknown as { status: { conditions: [JsonObject] } }).status.conditions[0],
    ]),
  );
}

/** Reasons of the events, in order. */
export function events({ groups }: Plan): string[] {
  return groups.flat().flatMap((effect) => (effect.type === 'event' ? [effect.reason] : []));
}

/** What the status is set to; undefined if it is not written. */
export function statusOf({ status }: Plan): JsonObject | undefined {
  return status?.type === 'update' ? (status.object.status as JsonObject) : undefined;
}

type Patch = Extract<PlannedEffect, { type: 'patch' }>;

function patches(effects: readonly PlannedEffect[], plural: string): Patch[] {
  return effects.filter((effect): effect is Patch => effect.type === 'patch' && effect.resource.plural === plural);
}
