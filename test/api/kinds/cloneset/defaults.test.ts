// Acceptance cases 1 and 2 of cloneset.md, and the rules behind them.
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { storedWorkload, type WorkloadParts, workload } from '../../../support/builders/workload.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
let withoutTemplates: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
  withoutTemplates = await KindAdmission.start({ TemplateNoDefaults: true });
});

const specOf = (parts: WorkloadParts, old?: JsonObject): JsonObject =>
  admission.defaulted(workload('CloneSet', parts), old).spec as JsonObject;
const amounts = { partition: 0, maxUnavailable: '20%', maxSurge: 0 };

describe('a CloneSet that says little', () => {
  test('gets a strategy of one level in v1alpha1', () => {
    const spec = specOf({ version: 'v1alpha1' });
    expect(spec).toMatchObject({ replicas: 1, revisionHistoryLimit: 10 });
    expect(spec.updateStrategy).toEqual({ type: 'ReCreate', ...amounts });
  });

  test('gets a rolling update in v1beta1', () => {
    const spec = specOf({});
    expect(spec).toMatchObject({ replicas: 1, revisionHistoryLimit: 10, scaleStrategy: {} });
    expect(spec.updateStrategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { podUpdatePolicy: 'ReCreate', ...amounts },
    });
  });

  test('gets no deadlines and no limit for adding pods', () => {
    const { progressDeadlineSeconds, minReadySeconds, scaleStrategy } = specOf({});
    expect([progressDeadlineSeconds, minReadySeconds, scaleStrategy]).toEqual([undefined, undefined, {}]);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['v1alpha1', { type: 'InPlaceOnly' }, { type: 'InPlaceOnly', inPlaceUpdateStrategy: {}, ...amounts }],
    [
      'v1beta1',
      { rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible' } },
      {
        type: 'RollingUpdate',
        rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', inPlaceUpdateStrategy: {}, ...amounts },
      },
    ],
  ])('gets an empty strategy for updates in place in %s', (version, updateStrategy, expected) => {
    expect(specOf({ version, spec: { updateStrategy } }).updateStrategy).toEqual(expected);
  });

  test.each<[string, JsonObject]>([
    ['no rolling update', {}],
    ['one that is as it was', { rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } }],
  ])('has, with OnDelete, %s', (_what, rolling) => {
    const updateStrategy = { type: 'OnDelete', ...rolling };
    expect(specOf({ spec: { updateStrategy } }).updateStrategy).toEqual(updateStrategy);
  });
});

test('what is said stays, zeros too', () => {
  const spec = {
    replicas: 0,
    revisionHistoryLimit: 0,
    updateStrategy: {
      type: 'RollingUpdate',
      rollingUpdate: {
        podUpdatePolicy: 'ReCreate',
        partition: '30%',
        maxUnavailable: 0,
        maxSurge: '25%',
        paused: true,
      },
    },
  };
  expect(specOf({ spec })).toMatchObject(spec);
});

test('an absent selector is written as null, for the API server to refuse', () => {
  const { spec } = workload('CloneSet') as { spec: JsonObject };
  expect(specOf({ spec: { ...spec, selector: null } }).selector).toBeNull();
});

test('what was defaulted stays as it is, in either version', () => {
  for (const version of ['v1alpha1', 'v1beta1']) {
    expect(admission.mutate(admission.defaulted(workload('CloneSet', { version }))).operations).toEqual([]);
  }
});

describe('templates', () => {
  const policies = ({ template }: JsonObject): unknown[] =>
    ((template as JsonObject).spec as { containers: JsonObject[] }).containers.map((one) => one.imagePullPolicy);
  const bare = storedWorkload('CloneSet');
  const two = {
    containers: [
      { name: 'app', image: 'a:1' },
      { name: 'b', image: 'b:1' },
    ],
  };

  test('are defaulted on creation, claims with them', () => {
    const claim = { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1024Mi' } } } };
    const spec = specOf({ spec: { volumeClaimTemplates: [claim] } });
    expect(policies(spec)).toEqual(['Always']);
    expect(spec.volumeClaimTemplates).toEqual([
      {
        metadata: { name: 'data' },
        spec: { resources: { requests: { storage: '1Gi' } } },
        status: { phase: 'Pending' },
      },
    ]);
  });

  test('are left alone by an update that leaves them', () => {
    expect(policies(specOf({ spec: { replicas: 4 } }, bare))).toEqual([undefined]);
  });

  test('are defaulted by an update that changes them', () => {
    expect(policies(specOf({ pod: two }, bare))).toEqual(['Always', 'Always']);
  });

  test('are left alone with gate TemplateNoDefaults, and are valid all the same', () => {
    const object = withoutTemplates.defaulted(workload('CloneSet'));
    expect(policies(object.spec as JsonObject)).toEqual([undefined]);
    expect(withoutTemplates.validate(object).allowed).toBe(true);
  });

  test('keep what a newer Kubernetes knows, with the container that it belongs to', () => {
    const containers = [{ name: 'app', image: 'a:1', newMember: { on: true } }];
    const volumes = [{ name: 'v', newSource: { a: 1 } }];
    const spec = specOf({ pod: { containers, volumes, anotherMember: 'x' } });
    const template = (spec.template as JsonObject).spec as JsonObject;
    expect(template).toMatchObject({ containers, volumes, anotherMember: 'x', restartPolicy: 'Always' });
    expect((template.volumes as JsonObject[])[0]).not.toHaveProperty('emptyDir');
    expect(admission.admit(workload('CloneSet', { pod: { containers, volumes } })).allowed).toBe(true);
  });
});
