// PodUnavailableBudget between its versions (podunavailablebudget 1.4, 1.5, cases 42 and 43).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../api/core/decode.ts';
import type { JsonObject } from '../../../../api/core/json.ts';
import { podUnavailableBudget } from '../../../../api/kinds/podunavailablebudget/kind.ts';
import {
  OPERATIONS,
  PodUnavailableBudget,
  PodUnavailableBudgetV1alpha1,
} from '../../../../api/kinds/podunavailablebudget/schema.ts';
import { arbitraryOf } from '../../../support/arbitraries.ts';

const WORDS = 'kruise.io/pub-protect-operations';
const TOTAL = 'pub.kruise.io/protect-total-replicas';

const object = (version: string, members: JsonObject): JsonObject => ({
  apiVersion: `policy.kruise.io/${version}`,
  kind: 'PodUnavailableBudget',
  ...members,
});
const annotated = (annotations: JsonObject) => object('v1alpha1', { metadata: { name: 'b', annotations }, spec: {} });
const specOf = (annotations: JsonObject) => podUnavailableBudget.convert(annotated(annotations), 'v1beta1').spec;

test('annotations become members and stay (42)', () => {
  const given = annotated({ [WORDS]: ' DELETE , RESIZE,', [TOTAL]: '15' });
  const converted = podUnavailableBudget.convert(given, 'v1beta1');
  expect(converted).toEqual({
    ...given,
    apiVersion: 'policy.kruise.io/v1beta1',
    spec: { protectOperations: ['DELETE', 'RESIZE'], protectTotalReplicas: 15 },
  });
});

test('members become annotations (43)', () => {
  const metadata = { annotations: { keep: 'me', [WORDS]: 'EVICT', [TOTAL]: '1' } };
  const spec = { protectOperations: ['DELETE', '', 'RESIZE'], protectTotalReplicas: 9 };
  expect(podUnavailableBudget.convert(object('v1beta1', { metadata, spec }), 'v1alpha1')).toEqual(
    object('v1alpha1', { metadata: { annotations: { keep: 'me', [WORDS]: 'DELETE,RESIZE', [TOTAL]: '9' } }, spec: {} }),
  );
});

describe('annotations that say nothing usable', () => {
  test.each<[JsonObject, JsonObject]>([
    [{ [WORDS]: 'DELETE,DROP' }, { protectOperations: ['DELETE'] }],
    [{ [WORDS]: 'evict' }, {}],
    [{ [WORDS]: ' , ' }, {}],
    [{ [TOTAL]: 'x' }, {}],
    [{ [TOTAL]: '' }, {}],
    [{ [TOTAL]: '2147483648' }, {}],
    [{ [TOTAL]: '-3' }, { protectTotalReplicas: -3 }],
  ])('%j convert to %j', (annotations, spec) => {
    expect(specOf(annotations)).toEqual(spec);
  });

  test('come back as they were, unless they are blank', () => {
    const back = (annotations: JsonObject) =>
      podUnavailableBudget.convert(podUnavailableBudget.convert(annotated(annotations), 'v1beta1'), 'v1alpha1');
    expect(back({ [WORDS]: 'evict', [TOTAL]: 'x' })).toEqual(annotated({ [WORDS]: 'evict', [TOTAL]: 'x' }));
    expect(back({ [WORDS]: ' ,', [TOTAL]: '' })).toEqual(object('v1alpha1', { metadata: { name: 'b' }, spec: {} }));
  });
});

test('without its members, v1alpha1 shows the annotations that count', () => {
  const given = object('v1beta1', { metadata: { annotations: { [WORDS]: 'EVICT', [TOTAL]: '7' } }, spec: {} });
  expect(podUnavailableBudget.convert(given, 'v1alpha1').metadata).toEqual(given.metadata);
});

test('from v1alpha1 there and back again nothing is lost', () => {
  const alpha = arbitraryOf(PodUnavailableBudgetV1alpha1).map((given) => decode(PodUnavailableBudgetV1alpha1, given));
  fc.assert(
    fc.property(alpha, ({ value }) => {
      const before = object('v1alpha1', { spec: {}, ...(value as JsonObject) });
      const given = { ...before, apiVersion: 'policy.kruise.io/v1alpha1', kind: 'PodUnavailableBudget' };
      expect(podUnavailableBudget.convert(podUnavailableBudget.convert(given, 'v1beta1'), 'v1alpha1')).toEqual(given);
    }),
  );
});

test('from v1beta1 there and back again nothing is lost but the pods left out', () => {
  const beta = fc.tuple(
    arbitraryOf(PodUnavailableBudget).map((given) => decode(PodUnavailableBudget, given).value as JsonObject),
    fc.array(fc.constantFrom(...OPERATIONS), { maxLength: 4 }),
  );
  fc.assert(
    fc.property(beta, ([{ metadata = {}, spec = {}, status }, words]) => {
      const { ignoredPodSelector: _lost, protectOperations: _odd, ...rest } = spec as JsonObject;
      const given = object('v1beta1', {
        metadata,
        spec: { ...rest, ...(words.length > 0 && { protectOperations: words }) },
        ...(status !== undefined && { status }),
      });
      const converted = podUnavailableBudget.convert(podUnavailableBudget.convert(given, 'v1alpha1'), 'v1beta1');
      expect({ ...converted, metadata: withoutOurs(converted.metadata) }).toEqual({
        ...given,
        metadata: withoutOurs(metadata),
      });
    }),
  );
});

function withoutOurs(metadata: unknown): JsonObject {
  const { annotations = {}, ...rest } = metadata as { annotations?: JsonObject };
  const { [WORDS]: _words, [TOTAL]: _total, ...others } = annotations;
  return { ...rest, annotations: others };
}
