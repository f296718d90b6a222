// Acceptance case 6 of advanced-daemonset.md, and what conversion keeps.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../api/core/decode.ts';
import type { JsonObject } from '../../../../api/core/json.ts';
import { daemonSet } from '../../../../api/kinds/daemonset/kind.ts';
import { DaemonSet, DaemonSetV1alpha1 } from '../../../../api/kinds/daemonset/schema.ts';
import { arbitraryOf } from '../../../support/arbitraries.ts';

const PROGRESSIVE = 'daemonset.kruise.io/progressive-create-pod';

const toBeta = (members: JsonObject): JsonObject =>
  daemonSet.convert({ apiVersion: 'apps.kruise.io/v1alpha1', kind: 'DaemonSet', ...members }, 'v1beta1');
const toAlpha = (members: JsonObject): JsonObject =>
  daemonSet.convert({ apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet', ...members }, 'v1alpha1');
const annotated = (value: string) => ({ metadata: { annotations: { [PROGRESSIVE]: value, other: 'x' } } });

describe('progressive creation', () => {
  test('is a member in v1beta1 where the annotation says true', () => {
    expect(toBeta(annotated('true'))).toMatchObject({
      ...annotated('true'),
      spec: { scaleStrategy: { partitionedScaling: true } },
    });
    expect(toBeta(annotated('True')).spec).toEqual({});
  });

  test('is an annotation in v1alpha1', () => {
    const { metadata, spec } = toAlpha({ spec: { scaleStrategy: { partitionedScaling: true } } });
    expect(metadata).toEqual({ annotations: { [PROGRESSIVE]: 'true' } });
    expect(spec).toEqual({});
  });

  test.each<JsonObject>([{}, { scaleStrategy: {} }, { scaleStrategy: { partitionedScaling: false } }])(
    'that was switched off with %j does not come back by an old annotation',
    (spec) => {
      const converted = toAlpha({ ...annotated('true'), spec });
      expect(converted.metadata).toEqual({ annotations: { other: 'x' } });
      expect(toBeta(converted).spec).toEqual({});
    },
  );

  test('leaves other values of the annotation alone', () => {
    expect(toAlpha(annotated('yes')).metadata).toEqual(annotated('yes').metadata);
  });
});

test('Surging is Standard in v1beta1', () => {
  const rollingUpdate = { rollingUpdateType: 'Surging', maxSurge: 2 };
  expect(toBeta({ spec: { updateStrategy: { rollingUpdate } } }).spec).toEqual({
    updateStrategy: { rollingUpdate: { rollingUpdateType: 'Standard', maxSurge: 2 } },
  });
});

test('the hash of the status has another name in v1beta1', () => {
  expect(toBeta({ status: { daemonSetHash: 'h1' } }).status).toMatchObject({ updateRevision: 'h1' });
  expect(toAlpha({ status: { updateRevision: 'h2' } }).status).toMatchObject({ daemonSetHash: 'h2' });
});

const typed = (schema: typeof DaemonSet | typeof DaemonSetV1alpha1) =>
  arbitraryOf(schema).map((given) => decode(schema, given).value as { [name: string]: JsonObject });

describe('there and back again', () => {
  test('nothing is lost from v1alpha1', () => {
    fc.assert(
      fc.property(typed(DaemonSetV1alpha1), ({ metadata, spec = {}, status }) => {
        const given = {
          ...(metadata !== undefined && { metadata }),
          spec,
          ...(status !== undefined && { status }),
        };
        expect(toAlpha(toBeta(given))).toEqual({ apiVersion: 'apps.kruise.io/v1alpha1', kind: 'DaemonSet', ...given });
      }),
    );
  });

  test('nothing is lost from v1beta1, where progressive creation that is off is said by absence', () => {
    fc.assert(
      fc.property(typed(DaemonSet), fc.boolean(), ({ metadata = {}, spec = {}, status }, isProgressive) => {
        const { scaleStrategy: _replaced, ...rest } = spec;
        const { annotations = {} } = metadata as { annotations?: JsonObject };
        const given = {
          metadata: { ...metadata, annotations: { ...annotations, other: 'x' } },
          spec: { ...rest, ...(isProgressive && { scaleStrategy: { partitionedScaling: true } }) },
          ...(status !== undefined && { status }),
        };
        const back = toBeta(toAlpha(given));
        expect(back.spec).toEqual(given.spec);
        expect(back.status).toEqual(given.status);
        expect(back.metadata).toEqual({
          ...given.metadata,
          annotations: { ...given.metadata.annotations, ...(isProgressive && { [PROGRESSIVE]: 'true' }) },
        });
      }),
    );
  });
});
