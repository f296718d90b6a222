// C024: a patch that sets another priority class drops the number that the Priority plug-in had written before
// (openkruise/kruise#1607).
import { expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { fieldCase } from '../support/field-case.ts';
import { Injection } from '../support/injection.ts';

const { objects, request, object: pod } = fieldCase('C024');
const { object: _object, ...parts } = request;
const injection = await Injection.start();

function created(spec: JsonObject, held = objects): JsonObject {
  const object = { ...pod, spec: { ...(pod.spec as JsonObject), ...spec } };
  return injection.hold(...held).create(object, parts);
}

test('the pod goes to the subset that is not full, without a priority', () => {
  const { metadata, spec } = created({});
  expect(spec).toMatchObject({ priorityClassName: 'batch-low' });
  expect(spec).not.toHaveProperty('priority');
  expect((metadata as JsonObject).annotations).toEqual({
    'apps.kruise.io/matched-workloadspread': '{"name":"worker-spread","subset":"preemptible"}',
  });
});

test('nothing is booked', () => {
  created({});
  const reference = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    namespace: 'jobs',
    name: 'worker-spread',
  };
  expect(injection.object(reference)).not.toHaveProperty('status');
});

test('a pod that has the class already keeps its priority', () => {
  const { spec } = created({ priorityClassName: 'batch-low', priority: -1000 });
  expect(spec).toMatchObject({ priorityClassName: 'batch-low', priority: -1000 });
});

test('a patch of something else leaves the priority', () => {
  const other = objects.map((object) =>
    object.kind === 'WorkloadSpread'
      ? {
          ...object,
          spec: {
            ...(object.spec as JsonObject),
            subsets: [{ name: 'all', patch: { metadata: { labels: { a: 'b' } } } }],
          },
        }
      : object,
  );
  expect(created({}, other).spec).toMatchObject({ priority: 0 });
});
