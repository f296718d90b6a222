// What a set brings into every pod alike is made once, for the first: no pod may see it changed by another pod, and
// all pods see it changed when the set is.

import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { Injection } from '../../support/injection.ts';

const sidecarSet = (parts: JsonObject, container: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'logs', annotations: { 'kruise.io/sidecarset-hash': 'h1' } },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    containers: [{ name: 'agent', image: 'agent:1', ...container }],
    ...parts,
  },
});

const pod = (annotations: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'shop', labels: { app: 'web' }, annotations },
  spec: { containers: [{ name: 'main', image: 'main:1' }] },
});

type Spec = { containers: JsonObject[]; volumes?: JsonObject[] };
const specOf = (object: JsonObject): Spec => object.spec as Spec;
const agentOf = (object: JsonObject): JsonObject | undefined => specOf(object).containers[1];

describe('a container that is the same for every pod', () => {
  let cluster: Injection;
  beforeEach(async () => {
    cluster = await Injection.start();
  });

  test('comes as the set has it, with the marker behind its own environment', () => {
    const env = [{ name: 'A\n"<', value: 'é\u2028' }];
    cluster.hold(sidecarSet({}, { env, shareVolumePolicy: { type: 'disabled' }, transferEnv: [] }));
    expect(agentOf(cluster.create(pod()))).toEqual({
      name: 'agent',
      image: 'agent:1',
      env: [...env, { name: 'IS_INJECTED', value: 'true' }],
    });
  });

  test('is not changed for later pods by what another policy does to it', () => {
    cluster.hold(sidecarSet({}));
    const first = cluster.create(pod());
    cluster.create(pod({ 'apps.kruise.io/container-launch-priority': 'Ordered' }));
    expect(cluster.create(pod())).toEqual(first);
  });

  test('is another once the set is applied again, with its hash and volumes', () => {
    cluster.hold(sidecarSet({}));
    cluster.create(pod());
    const mount = { volumeMounts: [{ name: 'spool', mountPath: '/spool' }] };
    const next = sidecarSet(
      { volumes: [{ name: 'spool', emptyDir: {} }, { name: 'unused' }] },
      { image: 'agent:2', ...mount },
    );
    cluster.apply({ ...next, metadata: { name: 'logs', annotations: { 'kruise.io/sidecarset-hash': 'h2' } } });
    const created = cluster.create(pod());
    expect(agentOf(created)?.image).toBe('agent:2');
    expect(specOf(created).volumes).toEqual([{ name: 'spool', emptyDir: {} }]);
    const { annotations } = created.metadata as { annotations: Record<string, string> };
    expect(JSON.parse(annotations['kruise.io/sidecarset-hash'] ?? '')).toMatchObject({ logs: { hash: 'h2' } });
  });

  test('comes the same from sets that are not prepared yet, as one is with each review', () => {
    const set = (name: string): JsonObject => ({ ...sidecarSet({}, { name }), metadata: { name } });
    cluster.hold(set('a'), set('b'), set('c'));
    const [first, ...others] = [1, 2, 3, 4].map(() => cluster.create(pod()));
    expect(others).toEqual([first, first, first]);
  });

  test('comes the same from a set that is too long to be prepared', () => {
    cluster.hold(sidecarSet({}));
    const short = cluster.create(pod());
    cluster.hold(
      sidecarSet({ patchPodMetadata: [{ patchPolicy: 'None', annotations: { long: 'x'.repeat(70_000) } }] }),
    );
    expect(cluster.create(pod())).toEqual(short);
  });
});
