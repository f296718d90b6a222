// PersistentPodState between its versions (persistentpodstate 1.1, case 4).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { persistentPodState } from '../../../../api/kinds/persistentpodstate/kind.ts';
import { typedObjects } from '../../../support/typed-objects.ts';

test('lists of keys change their name (4)', () => {
  const object = (version: string, keys: string): JsonObject => ({
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'PersistentPodState',
    metadata: { name: 'p' },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' },
      requiredPersistentTopology: { [keys]: ['zone'] },
      preferredPersistentTopology: [{ weight: 7, preference: { [keys]: ['host'] } }],
    },
    status: { observedGeneration: 1, podStates: { 'db-0': { nodeName: 'n' } } },
  });
  const [old, converted] = [object('v1alpha1', 'nodeTopologyKeys'), object('v1beta1', 'keys')];
  expect(persistentPodState.convert(old, 'v1beta1')).toEqual(converted);
  expect(persistentPodState.convert(converted, 'v1alpha1')).toEqual(old);
});

test.each([
  ['v1alpha1', 'v1beta1', 'nodeTopologyKeys'],
  ['v1beta1', 'v1alpha1', 'keys'],
])('from %s there and back again nothing is lost but empty lists of keys', (from, to, keys) => {
  fc.assert(
    fc.property(typedObjects(persistentPodState, from), (given) => {
      const back = persistentPodState.convert(persistentPodState.convert(given, to), from);
      expect(back).toEqual(withoutEmpty(given, keys));
    }),
  );
});

function withoutEmpty(object: JsonObject, keys: string): JsonObject {
  const text = JSON.stringify(object, (_name, value: Json) => {
    const list = typeof value === 'object' && value !== null && !Array.isArray(value) ? value[keys] : undefined;
    if (!Array.isArray(list) || list.length > 0) return value;
    const { [keys]: _empty, ...rest } = value as JsonObject;
    return rest;
  });
  return JSON.parse(text) as JsonObject;
}
