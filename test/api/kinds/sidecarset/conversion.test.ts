import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../api/core/decode.ts';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { sidecarSet } from '../../../../api/kinds/sidecarset/kind.ts';
import { SidecarSet, SidecarSetV1alpha1 } from '../../../../api/kinds/sidecarset/schema.ts';
import { SIDECARSET_CUSTOM_VERSION } from '../../../../api/names.ts';
import { arbitraryOf } from '../../../support/arbitraries.ts';

function object(version: string, members: JsonObject): JsonObject {
  return { apiVersion: `apps.kruise.io/${version}`, kind: 'SidecarSet', ...members };
}

describe('from v1alpha1 to v1beta1', () => {
  test('a namespace becomes a selector and the version label a member, and back comes the selector', () => {
    const labels = { [SIDECARSET_CUSTOM_VERSION]: 'v7', team: 'a' };
    const old = object('v1alpha1', { metadata: { name: 'x', labels }, spec: { namespace: 'shop' } });
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } };
    const converted = sidecarSet.convert(old, 'v1beta1');
    expect(converted).toEqual(
      object('v1beta1', {
        metadata: { name: 'x', labels: { team: 'a' } },
        spec: { namespaceSelector, customVersion: 'v7' },
      }),
    );
    expect(sidecarSet.convert(converted, 'v1alpha1')).toEqual(
      object('v1alpha1', { metadata: { name: 'x', labels }, spec: { namespaceSelector } }),
    );
  });

  test('a namespace wins over a selector beside it', () => {
    const spec = { namespace: 'a', namespaceSelector: { matchLabels: { env: 'prod' } } };
    expect(sidecarSet.convert(object('v1alpha1', { spec }), 'v1beta1').spec).toEqual({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'a' } },
    });
  });

  test('an empty version label goes without a trace, and so do the last labels', () => {
    const old = object('v1alpha1', { metadata: { name: 'x', labels: { [SIDECARSET_CUSTOM_VERSION]: '' } } });
    expect(sidecarSet.convert(old, 'v1beta1')).toEqual(object('v1beta1', { metadata: { name: 'x' }, spec: {} }));
  });
});

test('from v1beta1 the custom version overwrites the label, and without one the label stays', () => {
  const labels = { [SIDECARSET_CUSTOM_VERSION]: 'old' };
  const set = (spec: JsonObject) => sidecarSet.convert(object('v1beta1', { metadata: { labels }, spec }), 'v1alpha1');
  expect(set({ customVersion: 'new' }).metadata).toEqual({ labels: { [SIDECARSET_CUSTOM_VERSION]: 'new' } });
  expect(set({}).metadata).toEqual({ labels });
});

test('there and back again nothing is lost', () => {
  const beta = arbitraryOf(SidecarSet).map((given) => decode(SidecarSet, given).value as JsonObject);
  fc.assert(
    fc.property(beta, (given) => {
      const { metadata, spec = {}, status } = given;
      const before = object('v1beta1', {
        ...(metadata !== undefined && { metadata }),
        spec,
        ...(status !== undefined && { status }),
      });
      expect(sidecarSet.convert(sidecarSet.convert(before, 'v1alpha1'), 'v1beta1')).toEqual({
        ...before,
        // A version member makes labels, hence metadata.
        ...(metadata === undefined && (spec as JsonObject).customVersion !== undefined && { metadata: {} }),
      });
    }),
  );
  const alpha = arbitraryOf(SidecarSetV1alpha1).map((given) => decode(SidecarSetV1alpha1, given).value as JsonObject);
  fc.assert(
    fc.property(alpha, (given) => {
      const { namespace: _becomesSelector, ...spec } = (given.spec ?? {}) as { [name: string]: Json };
      const before = object('v1alpha1', { metadata: given.metadata ?? {}, spec });
      expect(sidecarSet.convert(sidecarSet.convert(before, 'v1beta1'), 'v1alpha1')).toEqual(before);
    }),
  );
});

test('what cannot be converted is refused with the reason', () => {
  expect(() => sidecarSet.convert(object('v1alpha1', {}), 'v2')).toThrow('unsupported version: v2');
  expect(() => sidecarSet.convert(object('v3', {}), 'v1beta1')).toThrow('unsupported version: v3');
  expect(() => sidecarSet.convert({ ...object('v1alpha1', {}), kind: 'CloneSet' }, 'v1beta1')).toThrow(
    'expected apps.kruise.io SidecarSet, got apps.kruise.io/v1alpha1 CloneSet',
  );
  expect(() => sidecarSet.convert(object('v1alpha1', { spec: { containers: 1 } }), 'v1beta1')).toThrow(
    'spec.containers: expected array, got number',
  );
});
