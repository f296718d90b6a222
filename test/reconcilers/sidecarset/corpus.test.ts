// Revisions that the reference has written are taken over as they are: pods that name them are not upgraded again.
import { describe, expect, it } from 'vitest';
import { encodeSorted } from '../../../api/core/encode.ts';
import { revisionHash } from '../../../api/core/hashes.ts';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { controllerOf, type KubeObject } from '../../../kube/objects.ts';
import { register } from '../../../reconcilers/sidecarset/revisions.ts';
import { loadArea } from '../../support/corpus.ts';
import { stateOf } from './state.ts';

const objects = (['sidecarset', 'sidecarsets', 'imagepullsecrets'] as const)
  .flatMap((area) => loadArea(area))
  .map((one) => one.objects as unknown as KubeObject[]);
const revisions = new Map(
  objects
    .flat()
    .flatMap((one): [string, KubeObject][] => (one.kind === 'ControllerRevision' ? [[one.metadata.uid, one]] : [])),
);
const sets = new Map(
  objects
    .flat()
    .flatMap((one): [string, KubeObject][] =>
      one.kind === 'SidecarSet' && one.apiVersion.endsWith('v1beta1')
        ? [[`${one.metadata.uid} ${one.metadata.generation}`, one]]
        : [],
    ),
);

describe('recorded revisions', () => {
  it('are called as they are here', () => {
    expect(revisions.size).toBeGreaterThan(5);
    for (const { metadata, data } of revisions.values()) {
      const label = metadata.labels?.['controller.kubernetes.io/hash'];
      // Those without were written by hand.
      if (label === undefined) continue;
      const hash = revisionHash(encodeSorted(data as Json), 0);
      expect(metadata.name.endsWith(`-${hash}`)).toBe(true);
      expect(label).toBe(hash);
    }
  });

  it('stay the latest of their SidecarSets', () => {
    let found = 0;
    for (const object of sets.values()) {
      const own = [...revisions.values()].filter((revision) => controllerOf(revision)?.uid === object.metadata.uid);
      if (own.length === 0) continue;
      found++;
      const { latest, effects } = register(stateOf(object, [], own));
      expect([latest, effects]).toEqual([(object.status as JsonObject).latestRevision, []]);
    }
    expect(found).toBeGreaterThan(2);
  });
});
