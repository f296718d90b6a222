// WorkloadSpread between its versions (workloadspread 1.1, case 1).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { workloadSpread } from '../../../../api/kinds/workloadspread/kind.ts';
import { typedObjects } from '../../../support/typed-objects.ts';

const object = (version: string, spec: JsonObject, status: JsonObject = {}): JsonObject => ({
  apiVersion: `apps.kruise.io/${version}`,
  kind: 'WorkloadSpread',
  metadata: { name: 'w' },
  spec,
  status,
});
const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const term = { matchExpressions: [{ key: 'z', operator: 'Exists' }] };

test('node selectors change their names, a patch stays as it is (1)', () => {
  const patch = { spec: { odd: [1, null, '<'] } };
  const preferred = [{ weight: 1, preference: term }];
  const old = object('v1alpha1', {
    targetRef,
    subsets: [{ name: 'a', requiredNodeSelectorTerm: term, preferredNodeSelectorTerms: preferred, patch }],
  });
  const converted = object('v1beta1', {
    targetRef,
    subsets: [{ name: 'a', requiredNodeSelector: term, preferredNodeSelector: preferred, patch }],
  });
  expect(workloadSpread.convert(old, 'v1beta1')).toEqual(converted);
  expect(workloadSpread.convert(converted, 'v1alpha1')).toEqual(old);
});

test('a condition without a reason gets one (1)', () => {
  const counters = { name: 'a', replicas: 1, missingReplicas: 0 };
  const subset = { ...counters, conditions: [{ type: 'Schedulable', status: 'True' }] };
  const old = object('v1alpha1', { targetRef, subsets: [] }, { subsetStatuses: [subset] });
  expect(workloadSpread.convert(old, 'v1beta1').status).toEqual({
    subsetStatuses: [
      { ...counters, conditions: [{ type: 'Schedulable', status: 'True', reason: 'Unknown', message: '' }] },
    ],
  });
});

test('from v1alpha1 there and back again nothing is lost', () => {
  fc.assert(
    fc.property(typedObjects(workloadSpread, 'v1alpha1'), (given) => {
      const back = workloadSpread.convert(workloadSpread.convert(given, 'v1beta1'), 'v1alpha1');
      expect(back).toEqual(mapConditions(given, ({ reason = 'Unknown', ...condition }) => ({ ...condition, reason })));
    }),
  );
});

test('from v1beta1 there and back again nothing is lost but generations of conditions', () => {
  fc.assert(
    fc.property(typedObjects(workloadSpread, 'v1beta1'), (given) => {
      const back = workloadSpread.convert(workloadSpread.convert(given, 'v1alpha1'), 'v1beta1');
      const expected = mapConditions(given, ({ observedGeneration: _lost, reason, ...condition }) => ({
        ...condition,
        reason: reason === '' ? 'Unknown' : (reason as Json),
      }));
      expect(back).toEqual(expected);
    }),
  );
});

type Change = (condition: JsonObject) => JsonObject;
type Subsets = JsonObject[];

/** The object with all conditions of all subsets changed. */
function mapConditions(object: JsonObject, change: Change): JsonObject {
  const { status, ...rest } = object as JsonObject & {
    status?: { subsetStatuses?: Subsets; versionedSubsetStatuses?: { [version: string]: Subsets | null } };
  };
  if (status === undefined) return object;
  const { subsetStatuses, versionedSubsetStatuses, ...counters } = status;
  const mapAll = (subsets: Subsets | null): Json[] =>
    (subsets ?? []).map(({ conditions, ...subset }) => ({
      ...subset,
      ...(conditions !== undefined && { conditions: (conditions as JsonObject[]).map(change) }),
    }));
  const versions = Object.entries(versionedSubsetStatuses ?? {}).map(([version, all]) => [version, mapAll(all)]);
  return {
    ...rest,
    status: {
      ...counters,
      ...(subsetStatuses !== undefined && { subsetStatuses: mapAll(subsetStatuses) }),
      ...(versionedSubsetStatuses !== undefined && { versionedSubsetStatuses: Object.fromEntries(versions) }),
    },
  };
}
