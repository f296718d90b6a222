// The versions of the Advanced StatefulSet: v1alpha1 has a part of what v1beta1 has.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode } from '../../../../api/core/decode.ts';
import type { JsonObject } from '../../../../api/core/json.ts';
import { statefulSet } from '../../../../api/kinds/statefulset/kind.ts';
import { StatefulSet, StatefulSetV1alpha1 } from '../../../../api/kinds/statefulset/schema.ts';
import { arbitraryOf } from '../../../support/arbitraries.ts';

const alphaHead = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'StatefulSet' };
const betaHead = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet' };
const ONLY_BETA = {
  spec: [
    'reserveOrdinals',
    'lifecycle',
    'scaleStrategy',
    'persistentVolumeClaimRetentionPolicy',
    'ordinals',
    'volumeClaimUpdateStrategy',
  ],
  status: ['updatedReadyReplicas', 'updatedAvailableReplicas', 'volumeClaims'],
};

const typed = (schema: typeof StatefulSet | typeof StatefulSetV1alpha1) =>
  arbitraryOf(schema).map((given) => {
    const { metadata = {}, spec = {}, status = {} } = decode(schema, given).value as JsonObject;
    return { metadata, spec, status } as { metadata: JsonObject; spec: JsonObject; status: JsonObject };
  });

// A status that is given has its required members.
const counters = { replicas: 0, readyReplicas: 0, availableReplicas: 0, currentReplicas: 0, updatedReplicas: 0 };

test('from v1alpha1 and back nothing is lost', () => {
  fc.assert(
    fc.property(typed(StatefulSetV1alpha1), (given) => {
      const before = { ...alphaHead, ...given, status: { ...counters, ...given.status } };
      expect(statefulSet.convert(statefulSet.convert(before, 'v1beta1'), 'v1alpha1')).toEqual(before);
    }),
  );
});

test('from v1beta1 and back nothing is lost but what v1alpha1 has no member for', () => {
  fc.assert(
    fc.property(typed(StatefulSet), (given) => {
      const before = { ...betaHead, ...given, status: { ...counters, ...given.status } };
      expect(statefulSet.convert(statefulSet.convert(before, 'v1alpha1'), 'v1beta1')).toEqual({
        ...before,
        spec: { ...without(before.spec, ONLY_BETA.spec), volumeClaimUpdateStrategy: {} },
        status: without(before.status, ONLY_BETA.status),
      });
    }),
  );
});

test('members of a newer Kubernetes survive conversion', () => {
  const template = { spec: { containers: [{ name: 'a', newMember: 1 }], another: { x: [1] } } };
  expect(statefulSet.convert({ ...alphaHead, spec: { template } }, 'v1beta1').spec).toMatchObject({ template });
  expect(statefulSet.convert({ ...betaHead, spec: { template } }, 'v1alpha1').spec).toMatchObject({ template });
});

function without(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
