// Acceptance cases 3 and 4 of cloneset.md, and what conversion keeps.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../api/core/decode.ts';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { cloneSet } from '../../../../api/kinds/cloneset/kind.ts';
import { CloneSet, CloneSetV1alpha1 } from '../../../../api/kinds/cloneset/schema.ts';
import { arbitraryOf } from '../../../support/arbitraries.ts';

const PREFIX = 'apps.kruise.io/image-predownload';
const EXCLUDE = 'apps.kruise.io/cloneset-scaling-exclude-preparing-delete';

function toBeta(members: JsonObject): JsonObject {
  return cloneSet.convert({ apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', ...members }, 'v1beta1');
}
function toAlpha(members: JsonObject): JsonObject {
  return cloneSet.convert({ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', ...members }, 'v1alpha1');
}
const strategyOf = ({ spec }: JsonObject): Json | undefined => (spec as JsonObject).updateStrategy;
const annotations = (given: { [name: string]: string }) => ({ annotations: given });

describe('the update type', () => {
  test.each<[string, JsonObject]>([
    ['', { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'ReCreate' } }],
    ['ReCreate', { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'ReCreate' } }],
    ['InPlaceIfPossible', { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible' } }],
    ['InPlaceOnly', { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } }],
    ['Canary', { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'ReCreate' } }],
    ['OnDelete', { type: 'OnDelete' }],
  ])('%j is split in two', (type, expected) => {
    expect(strategyOf(toBeta({ spec: { updateStrategy: { type } } }))).toEqual(expected);
  });

  test.each<[JsonObject, JsonObject]>([
    [{}, { type: 'ReCreate' }],
    [{ type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } }, { type: 'InPlaceOnly' }],
    [{ type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'Canary' } }, { type: 'ReCreate' }],
    [
      { type: 'OnDelete', rollingUpdate: { partition: '40%' } },
      { type: 'OnDelete', partition: '40%' },
    ],
  ])('%j becomes one', (updateStrategy, expected) => {
    expect(strategyOf(toAlpha({ spec: { updateStrategy } }))).toEqual(expected);
  });
});

describe('reuse of claims', () => {
  test.each<[JsonObject, JsonObject]>([
    [{}, { enablePVCReuse: true }],
    [{ disablePVCReuse: false }, { enablePVCReuse: true }],
    [{ disablePVCReuse: true }, {}],
  ])('%j of v1alpha1 is said the other way round', (scaleStrategy, expected) => {
    const { spec } = toBeta({ spec: { scaleStrategy } });
    expect((spec as JsonObject).scaleStrategy).toEqual(expected);
    const disabled = { disablePVCReuse: scaleStrategy.disablePVCReuse === true };
    const back = toAlpha({ spec: spec as JsonObject }).spec as JsonObject;
    expect({ disablePVCReuse: false, ...(back.scaleStrategy as JsonObject) }).toEqual(disabled);
  });

  test('the label for pods that are held back becomes a member, if it says true', () => {
    const scaling = (value: string) =>
      (toBeta({ metadata: { labels: { [EXCLUDE]: value } } }).spec as JsonObject).scaleStrategy;
    expect(scaling('true')).toEqual({ enablePVCReuse: true, excludePreparingDelete: true });
    expect(scaling('True')).toEqual({ enablePVCReuse: true });
  });
});

describe('pre-download of images', () => {
  const rolling = (converted: JsonObject) =>
    (strategyOf(converted) as { rollingUpdate: JsonObject }).rollingUpdate.inPlaceUpdateStrategy;

  test('is read from the annotations, as far as they are numbers', () => {
    const metadata = annotations({
      [`${PREFIX}-parallelism`]: '10',
      [`${PREFIX}-timeout-seconds`]: 'abc',
      [`${PREFIX}-min-updated-ready-pods`]: '2',
    });
    expect(rolling(toBeta({ metadata }))).toEqual({
      imagePreDownloadParallelism: 10,
      imagePreDownloadMinUpdatedReadyPods: 2,
    });
  });

  test.each([
    ['10%', '10%'],
    ['+7', 7],
    ['2147483648', '2147483648'],
  ])('reads parallelism %s as %j', (text, expected) => {
    const metadata = annotations({ [`${PREFIX}-parallelism`]: text });
    expect(rolling(toBeta({ metadata }))).toEqual({ imagePreDownloadParallelism: expected });
  });

  test('is not read from the strategy of v1alpha1', () => {
    const inPlaceUpdateStrategy = { gracePeriodSeconds: 3, imagePreDownloadParallelism: 5 };
    expect(rolling(toBeta({ spec: { updateStrategy: { inPlaceUpdateStrategy } } }))).toEqual({ gracePeriodSeconds: 3 });
  });

  test('is written into annotations, and leaves an empty strategy behind', () => {
    const inPlaceUpdateStrategy = { gracePeriodSeconds: 0, imagePreDownloadParallelism: 5 };
    const converted = toAlpha({ spec: { updateStrategy: { rollingUpdate: { inPlaceUpdateStrategy } } } });
    expect(converted.metadata).toEqual(annotations({ [`${PREFIX}-parallelism`]: '5' }));
    expect(strategyOf(converted)).toEqual({ type: 'ReCreate', inPlaceUpdateStrategy: {} });
  });

  test('leaves annotations alone when it says nothing', () => {
    const metadata = annotations({ [`${PREFIX}-parallelism`]: '1' });
    const rollingUpdate = { inPlaceUpdateStrategy: {} };
    const converted = toAlpha({ metadata, spec: { updateStrategy: { rollingUpdate } } });
    expect(converted.metadata).toEqual(metadata);
    expect(strategyOf(converted)).toEqual({ type: 'ReCreate' });
  });
});

const typed = (schema: typeof CloneSet | typeof CloneSetV1alpha1) =>
  arbitraryOf(schema).map((given) => decode(schema, given).value as JsonObject);

describe('there and back again', () => {
  test('nothing is lost from v1alpha1, but for the members of a rolling update beside OnDelete', () => {
    fc.assert(
      fc.property(typed(CloneSetV1alpha1), ({ metadata, spec = {}, status }) => {
        const { updateStrategy = {}, scaleStrategy = {}, ...rest } = spec as { [name: string]: JsonObject };
        const { type, inPlaceUpdateStrategy, ...amounts } = updateStrategy;
        const known = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'].includes(String(type))
          ? String(type)
          : 'ReCreate';
        const { gracePeriodSeconds } = (inPlaceUpdateStrategy ?? {}) as JsonObject;
        const before = { ...(metadata !== undefined && { metadata }), ...(status !== undefined && { status }) };
        const given = {
          ...before,
          spec: { ...rest, scaleStrategy, updateStrategy: { ...updateStrategy, type: known } },
        };
        expect(toAlpha(toBeta(given))).toEqual({
          apiVersion: 'apps.kruise.io/v1alpha1',
          kind: 'CloneSet',
          ...before,
          spec: {
            ...rest,
            scaleStrategy: withoutFalse(scaleStrategy),
            // A strategy without a grace period says nothing.
            updateStrategy: {
              ...amounts,
              type: known,
              ...(gracePeriodSeconds !== undefined && { inPlaceUpdateStrategy: { gracePeriodSeconds } }),
            },
          },
        });
      }),
    );
  });

  test('nothing is lost from v1beta1, but for what v1alpha1 has no word for', () => {
    fc.assert(
      fc.property(typed(CloneSet), ({ metadata, spec = {}, status }) => {
        const { updateStrategy = {}, scaleStrategy = {}, ...rest } = spec as { [name: string]: JsonObject };
        const { excludePreparingDelete: _lost, ...scaling } = scaleStrategy;
        const rollingUpdate = { podUpdatePolicy: 'ReCreate', ...(updateStrategy.rollingUpdate as JsonObject) };
        if (!['InPlaceIfPossible', 'InPlaceOnly'].includes(rollingUpdate.podUpdatePolicy)) {
          rollingUpdate.podUpdatePolicy = 'ReCreate';
        }
        const { inPlaceUpdateStrategy, ...amounts } = rollingUpdate as JsonObject;
        const saysSomething = Object.keys((inPlaceUpdateStrategy ?? {}) as JsonObject).length > 0;
        // No text is no annotation, and a number in a text becomes a number.
        const { imagePreDownloadParallelism: parallelism } = (inPlaceUpdateStrategy ?? {}) as JsonObject;
        fc.pre(typeof parallelism !== 'string' || !/^[+-]?\d*$/.test(parallelism));
        const given = {
          ...(metadata !== undefined && { metadata }),
          ...(status !== undefined && { status }),
          spec: { ...rest, scaleStrategy: scaling, updateStrategy: { type: 'RollingUpdate', rollingUpdate } },
        };
        const { metadata: newMetadata, ...back } = toBeta(toAlpha(given));
        expect(back).toEqual({
          apiVersion: 'apps.kruise.io/v1beta1',
          kind: 'CloneSet',
          ...(status !== undefined && { status }),
          spec: {
            ...rest,
            scaleStrategy: withoutFalse(scaling),
            updateStrategy: {
              type: 'RollingUpdate',
              rollingUpdate: { ...amounts, ...(saysSomething && { inPlaceUpdateStrategy }) },
            },
          },
        });
        expect(withoutPreDownload(newMetadata as JsonObject)).toEqual(withoutPreDownload(metadata as JsonObject));
      }),
    );
  });
});

test('members of a newer Kubernetes survive conversion', () => {
  const template = { spec: { containers: [{ name: 'a', newMember: 1 }], another: { x: [1] } } };
  expect(toBeta({ spec: { template } }).spec).toMatchObject({ template });
  expect(toAlpha({ spec: { template } }).spec).toMatchObject({ template });
});

function withoutFalse(strategy: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(strategy).filter(([, value]) => value !== false));
}

function withoutPreDownload({ annotations: given = {}, ...metadata }: JsonObject = {}): JsonObject {
  const others = Object.entries(given as JsonObject).filter(([name]) => !name.startsWith(PREFIX));
  return { ...metadata, annotations: Object.fromEntries(others) };
}
