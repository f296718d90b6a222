// UnitedDeployment between its versions (uniteddeployment 1.1, acceptance 37).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { unitedDeployment } from '../../../../api/kinds/uniteddeployment/kind.ts';
import { UnitedDeployment, UnitedDeploymentV1alpha1 } from '../../../../api/kinds/uniteddeployment/schema.ts';
import { arbitraryOf } from '../../../support/arbitraries.ts';

const of = (version: string, members: JsonObject): JsonObject => ({
  apiVersion: `apps.kruise.io/${version}`,
  kind: 'UnitedDeployment',
  ...members,
});
const numbers = { replicas: 0, updatedReplicas: 0, currentRevision: '' };
const up = (status: JsonObject) =>
  unitedDeployment.convert(of('v1alpha1', { status: { ...numbers, ...status } }), 'v1beta1').status;
const down = (status: JsonObject) =>
  unitedDeployment.convert(of('v1beta1', { status: { ...numbers, ...status } }), 'v1alpha1').status;

describe('to v1beta1', () => {
  test('counts by subset go into the statuses of the subsets, which are added where they are missing', () => {
    const status = {
      subsetReplicas: { a: 3, c: 2 },
      updateStatus: { updatedRevision: 'r', currentPartitions: { a: 1, d: 4 } },
      subsetStatuses: [
        { name: 'a', replicas: 9, partition: 9, readyReplicas: 1 },
        { name: 'b', replicas: 3 },
      ],
    };
    expect(up(status)).toEqual({
      ...numbers,
      updatedRevision: 'r',
      subsetStatuses: [
        { name: 'a', replicas: 3, partition: 1, readyReplicas: 1 },
        { name: 'b', replicas: 3 },
        { name: 'c', replicas: 2 },
        { name: 'd', partition: 4 },
      ],
    });
  });

  test('a count of 0 takes the place of another', () => {
    const status = { subsetReplicas: { a: 0 }, subsetStatuses: [{ name: 'a', replicas: 9 }] };
    expect(up(status)).toEqual({ ...numbers, subsetStatuses: [{ name: 'a' }] });
  });

  test('nothing comes of nothing', () => {
    expect(up({})).toEqual(numbers);
    expect(unitedDeployment.convert(of('v1alpha1', {}), 'v1beta1')).toEqual(of('v1beta1', {}));
  });
});

describe('to v1alpha1', () => {
  test('every named subset is counted', () => {
    expect(down({ subsetStatuses: [{ name: 'x' }, { replicas: 3 }] })).toEqual({
      ...numbers,
      subsetReplicas: { x: 0 },
      subsetStatuses: [{ name: 'x' }, { replicas: 3 }],
      updateStatus: { currentPartitions: { x: 0 } },
    });
  });

  test('subsets without names give an update status that says nothing', () => {
    expect(down({ subsetStatuses: [{ replicas: 3 }] })).toEqual({
      ...numbers,
      subsetStatuses: [{ replicas: 3 }],
      updateStatus: {},
    });
  });

  test('a revision alone is kept', () => {
    expect(down({ updatedRevision: 'r' })).toEqual({ ...numbers, updateStatus: { updatedRevision: 'r' } });
  });
});

const typed = (schema: typeof UnitedDeployment | typeof UnitedDeploymentV1alpha1, version: string) =>
  arbitraryOf(schema).map((given) =>
    unitedDeployment.convert({ ...(given as JsonObject), ...of(version, {}) }, version),
  );

test('from v1beta1 and back nothing is lost', () => {
  fc.assert(
    fc.property(typed(UnitedDeployment, 'v1beta1'), (given) => {
      expect(unitedDeployment.convert(unitedDeployment.convert(given, 'v1alpha1'), 'v1beta1')).toEqual(given);
    }),
  );
});

test('from v1alpha1 and back nothing is lost but what its maps and lists say twice', () => {
  fc.assert(
    fc.property(typed(UnitedDeploymentV1alpha1, 'v1alpha1'), (given) => {
      const newer = unitedDeployment.convert(given, 'v1beta1');
      const back = unitedDeployment.convert(newer, 'v1alpha1');
      const { status: _old, ...rest } = given;
      const { status: _back, ...restBack } = back;
      expect(restBack).toEqual(rest);
      expect(unitedDeployment.convert(back, 'v1beta1')).toEqual(newer);
      const { subsetReplicas } = (given.status ?? {}) as { subsetReplicas?: { [name: string]: number } };
      const { subsetReplicas: kept = {} } = (back.status ?? {}) as { subsetReplicas?: { [name: string]: number } };
      for (const [name, count] of Object.entries(subsetReplicas ?? {})) {
        if (name !== '') expect(kept[name]).toBe(count);
      }
    }),
  );
});
