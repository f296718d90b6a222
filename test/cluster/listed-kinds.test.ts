// Kinds that an operator lists in ConfigMap kruise-configuration, on a real API server: controllers follow them from then
// on, without a restart, and tell on the ConfigMap what cannot be followed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { Bed } from './bed/bed.ts';
import { chartCrds, createCrds, until } from './bed/installation.ts';
import { Reconcilers } from './bed/reconcilers.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();

const KRUISE = '/apis/apps.kruise.io/v1beta1/namespaces/shop';
const GAMESETS = '/apis/games.example.com/v1/namespaces/shop/gamesets';
const CONFIGURATION = '/api/v1/namespaces/kruise-system/configmaps';
const GAMES = { Group: 'games.example.com', Version: 'v1', Kind: 'GameSet' };

describe.skipIf(missing.length > 0)('kinds that are listed', () => {
  let bed: Bed;
  let reconcilers: Reconcilers;

  beforeAll(async () => {
    bed = await Bed.start();
    await createCrds(bed.client, [...chartCrds(), gameSets()]);
    for (const name of ['kruise-system', 'shop']) await bed.createNamespace(name);
    reconcilers = new Reconcilers(bed);
    reconcilers.start();
    await reconcilers.leader();
  });
  afterAll(async () => {
    await reconcilers?.end();
    await bed?.close();
  });

  const create = (path: string, object: JsonObject) => bed.client.must(bed.client.send('POST', path, object));
  const patch = (path: string, object: JsonObject) => bed.client.must(bed.client.send('PATCH', path, object));
  const followed = async () => (await reconcilers.metrics()).includes('{resource="gamesets.games.example.com"} 1');

  test('are followed: their spreads and their objects of state are looked after', async () => {
    const type = { apiVersion: 'games.example.com/v1', kind: 'GameSet' };
    const annotations = {
      'kruise.io/auto-generate-persistent-pod-state': 'true',
      'kruise.io/required-persistent-topology': 'zone',
    };
    await create(GAMESETS, { ...type, metadata: { name: 'arena', annotations }, spec: { size: 4 } });
    const subsets = [{ name: 'a', maxReplicas: '50%' }, { name: 'b' }];
    await create(`${KRUISE}/workloadspreads`, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'WorkloadSpread',
      metadata: { name: 'arena' },
      spec: { targetRef: { ...type, name: 'arena' }, subsets },
    });
    expect(await followed()).toBe(false);

    const workloads = JSON.stringify({ workloads: [{ ...GAMES, replicasPath: 'spec.size' }] });
    await create(CONFIGURATION, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kruise-configuration' },
      data: {
        WorkloadSpread_Watch_Custom_Workload_WhiteList: workloads,
        PPS_Watch_Custom_Workload_WhiteList: workloads,
      },
    });
    await until('the kind is followed', followed);
    await until('its object of state is made', async () => {
      const { status, body } = await bed.client.get(`${KRUISE}/persistentpodstates/arena`);
      return status === 200 && JSON.stringify(body).includes('"kind":"GameSet"');
    });
    const room = async () => {
      const { body } = await bed.client.get(`${KRUISE}/workloadspreads/arena`);
      const { subsetStatuses = [] } = (body.status ?? {}) as { subsetStatuses?: { missingReplicas: number }[] };
      return subsetStatuses[0]?.missingReplicas;
    };
    await until('half of them may be in the first subset', async () => (await room()) === 2);
    await patch(`${GAMESETS}/arena`, { spec: { size: 10 } });
    await until('it is half of ten', async () => (await room()) === 5);
    await patch(`${GAMESETS}/arena`, {
      metadata: { annotations: { 'kruise.io/auto-generate-persistent-pod-state': 'false' } },
    });
    await until('the object of state is taken back', async () => {
      return (await bed.client.get(`${KRUISE}/persistentpodstates/arena`)).status === 404;
    });
  });

  test('and are not there are told of', async () => {
    const workloads = JSON.stringify({ workloads: [{ ...GAMES, Kind: 'Tournament' }] });
    await patch(`${CONFIGURATION}/kruise-configuration`, {
      data: {
        WorkloadSpread_Watch_Custom_Workload_WhiteList: workloads,
        PPS_Watch_Custom_Workload_WhiteList: '{"workloads": 3}',
      },
    });
    await until('no kind is followed', async () => !(await followed()));
    const told = async () => {
      const { body } = await bed.client.get('/apis/events.k8s.io/v1/namespaces/kruise-system/events');
      const events = body.items as unknown as { reason: string; note: string; regarding: { name: string } }[];
      return events
        .filter(({ reason, regarding }) => reason === 'ListedKindFailed' && regarding.name === 'kruise-configuration')
        .map(({ note }) => note)
        .sort();
    };
    await until('both faults are told', async () => (await told()).length === 2);
    expect(await told()).toEqual([
      expect.stringMatching(/^PPS_Watch_Custom_Workload_WhiteList cannot be read: /),
      'WorkloadSpread_Watch_Custom_Workload_WhiteList: Tournament cannot be followed: the API server has no such kind in games.example.com/v1',
    ]);
  });
});

function gameSets(): JsonObject {
  const names = { plural: 'gamesets', singular: 'gameset', kind: 'GameSet', listKind: 'GameSetList' };
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gamesets.games.example.com' },
    spec: {
      group: 'games.example.com',
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}
