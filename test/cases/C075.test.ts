// C075: the webhook is called a second time for the same pod, to which another webhook has added a container meanwhile
// (istio/istio#25931, #55691, Azure/azure-workload-identity#1744, aws/amazon-eks-pod-identity-webhook#61).
// Here: sidecars, readiness, launch barriers and the spread.
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { fieldCase } from '../support/field-case.ts';
import { Injection, NOW } from '../support/injection.ts';
import * as see from '../support/see.ts';

const { objects, request, object: pod } = fieldCase('C075');
const { object: _object, ...parts } = request;
let injection: Injection;
let second: JsonObject;
beforeAll(async () => {
  injection = (await Injection.start()).hold(...objects);
  second = injection.create(pod, parts);
});

describe('the second review of a pod', () => {
  test('leaves each container once, at its place', () => {
    expect(see.containers(second)).toEqual(['log-agent', 'map', 'late-proxy']);
  });

  test('marks the sidecar once', () => {
    const names = see.envOf('log-agent')(second);
    expect(names.filter((name) => name === 'IS_INJECTED=true')).toHaveLength(1);
    expect(names.filter((name) => name === 'KRUISE_CONTAINER_PRIORITY=10')).toHaveLength(1);
  });

  test('leaves volumes, mounts, pull secrets, tolerations and node terms once', () => {
    expect(see.volumes(second)).toEqual(['spool']);
    expect(see.mountsOf('log-agent')(second)).toEqual(['/spool spool']);
    expect(see.pullSecrets(second)).toEqual(['regcred-log']);
    const [before, after] = [pod.spec as JsonObject, second.spec as JsonObject];
    expect(after.tolerations).toEqual(before.tolerations);
    expect(after.affinity).toEqual(before.affinity);
  });

  test('adds no second readiness gate', () => {
    expect((second.spec as JsonObject).readinessGates).toEqual([
      { conditionType: 'InPlaceUpdateReady' },
      { conditionType: 'KruisePodReady' },
    ]);
  });

  test('keeps annotations, in its own ones all but the time', () => {
    expect(see.annotations(see.withoutTimes(second))).toEqual(see.annotations(see.withoutTimes(pod)));
  });

  test('is followed by a third that changes nothing but the times', () => {
    const third = injection.create(second, parts, NOW + 60_000);
    expect(see.withoutTimes(third)).toEqual(see.withoutTimes(second));
    expect(injection.review(second, parts, NOW + 60_000).operations).toEqual([]);
  });

  test('leaves one launch barrier for each container, and gives one to the new container', () => {
    const { name } = second.metadata as JsonObject;
    const barriers = see.containers(second).map((one) => {
      const env = (see.containerOf(String(one))(second)?.env ?? []) as JsonObject[];
      return env.filter((entry) => entry.name === 'KRUISE_CONTAINER_BARRIER').map(({ valueFrom }) => valueFrom);
    });
    const key = (priority: number) => [{ configMapKeyRef: { name: `${name}-barrier`, key: `p_${priority}` } }];
    expect(barriers).toEqual([key(10), key(0), key(0)]);
  });

  test('finds the pod booked in its subset and books nothing', () => {
    const stored = objects.find(({ kind }) => kind === 'WorkloadSpread') as JsonObject;
    const reference = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'WorkloadSpread',
      namespace: 'geo',
      name: 'map-spread',
    };
    expect(injection.object(reference)?.status).toEqual(stored.status);
  });
});
