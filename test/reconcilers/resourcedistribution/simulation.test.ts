// Copies are where they should be once all is at rest, whatever was changed, refused or seen late in between; and what
// belongs to others is never touched.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { CONFIG_MAPS, NAMESPACES } from '../../../kube/resource.ts';
import { resourceDistribution } from '../../../reconcilers/resourcedistribution/controller.ts';
import { DISTRIBUTIONS } from '../../../reconcilers/resourcedistribution/state.ts';
import { SimulatedCluster } from '../../support/simulated-cluster.ts';

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);
const RD = { name: 'rd' };

function resource(value: string): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { k: value } };
}

/** Values of the copies by namespace. */
function copies(cluster: SimulatedCluster): Record<string, unknown> {
  const found = cluster.list(CONFIG_MAPS).filter(({ metadata }) => metadata.name === 'cm');
  return Object.fromEntries(found.map(({ metadata, data }) => [metadata.namespace, (data as JsonObject).k]));
}

describe.each(SEEDS)('with seed %i', (seed) => {
  it('copies follow the resource, the namespaces and whoever spoils them', async () => {
    const cluster = new SimulatedCluster({ seed, failures: 0.3, controllers: [resourceDistribution] });
    const team = (name: string) => ({ metadata: { name, labels: { team: 'x' } } });
    for (const name of ['a', 'b', 'theirs', 'kube-system']) cluster.create(NAMESPACES, team(name));
    cluster.create(CONFIG_MAPS, { metadata: { namespace: 'theirs', name: 'cm' }, data: { k: 'foreign' } });
    const targets = { namespaceSelector: { matchLabels: { team: 'x' } } };
    cluster.create(DISTRIBUTIONS, { metadata: RD, spec: { resource: resource('1'), targets } });
    // Things happen one after the other, at any time.
    const events = [
      () => cluster.create(NAMESPACES, team('late')),
      () => cluster.change(DISTRIBUTIONS, RD, (object) => ({ ...object, spec: { resource: resource('2'), targets } })),
      () =>
        cluster.change(NAMESPACES, { name: 'b' }, (object) => ({
          ...object,
          metadata: { ...(object.metadata as JsonObject), labels: {} },
        })),
      () => {
        const copy = { namespace: 'a', name: 'cm' };
        if (cluster.get(CONFIG_MAPS, copy) !== undefined)
          cluster.change(CONFIG_MAPS, copy, (object) => ({ ...object, data: { k: 'spoilt' } }));
      },
      () => {
        const copy = { namespace: 'late', name: 'cm' };
        if (cluster.get(CONFIG_MAPS, copy) !== undefined) cluster.delete(CONFIG_MAPS, copy);
      },
    ];
    const next = () => {
      const [first] = events;
      return first === undefined ? [] : [() => void (events.shift() === first && first())];
    };
    const invariant = () => {
      const found = copies(cluster);
      if (found.theirs !== 'foreign' || 'kube-system' in found) throw new Error(JSON.stringify(found));
    };
    await cluster.rest({ actors: [next], invariant });
    expect(copies(cluster)).toEqual({ a: '2', late: '2', theirs: 'foreign' });
    const status = () => cluster.get(DISTRIBUTIONS, RD)?.status;
    expect(status()).toMatchObject({ desired: 3, succeeded: 2, failed: 1, observedGeneration: 2 });
    expect(await cluster.outstanding()).toEqual({});

    cluster.delete(CONFIG_MAPS, { namespace: 'theirs', name: 'cm' });
    await cluster.rest();
    expect(copies(cluster)).toEqual({ a: '2', late: '2', theirs: '2' });
    expect(status()).toMatchObject({ desired: 3, succeeded: 3 });
    cluster.change(DISTRIBUTIONS, RD, (object) => ({ ...object, spec: { resource: resource('2'), targets: {} } }));
    await cluster.rest();
    expect(copies(cluster)).toEqual({});
    expect(await cluster.outstanding()).toEqual({});
  });
});
