// Acceptance cases 23 and 24 of containerrecreaterequest.md, and that conversion keeps what the versions can say.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../api/core/decode.ts';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import type { AnyStruct } from '../../../../api/core/schema.ts';
import { containerRecreateRequest } from '../../../../api/kinds/containerrecreaterequest/kind.ts';
import {
  ContainerRecreateRequest,
  ContainerRecreateRequestV1alpha1,
} from '../../../../api/kinds/containerrecreaterequest/schema.ts';
import { arbitraryOf } from '../../../support/arbitraries.ts';

const STATUSES = 'crr.apps.kruise.io/sync-container-statuses';
const ACQUIRED = 'crr.apps.kruise.io/unready-acquired';
const TIME = '2024-05-01T10:00:00Z';

const object = (version: string, members: JsonObject): JsonObject => ({
  ...members,
  apiVersion: `apps.kruise.io/${version}`,
  kind: 'ContainerRecreateRequest',
});
const convert = (given: JsonObject, version: string) => containerRecreateRequest.convert(given, version);
const annotationsOf = (given: JsonObject): Json | undefined => ((given.metadata ?? {}) as JsonObject).annotations;

const snapshot = [{ name: 'app', ready: true, restartCount: 1, containerID: 'containerd://a2' }];
const grace = (status = 'True', lastTransitionTime: Json = TIME): JsonObject => ({
  type: 'PreRecreateGrace',
  status,
  lastTransitionTime,
  reason: 'PreRecreateGrace',
  message: 'Pod has been forced to not-ready for unreadyGracePeriodSeconds drain',
});

describe('to v1alpha1', () => {
  test('snapshot and grace become annotations, in place of those that are there', () => {
    const given = object('v1beta1', {
      metadata: { annotations: { [STATUSES]: 'old', [ACQUIRED]: 'old', mine: '1' } },
      status: { phase: 'Recreating', containerStatusSnapshot: snapshot, conditions: [grace()] },
    });
    expect(convert(given, 'v1alpha1')).toEqual(
      object('v1alpha1', {
        metadata: {
          annotations: {
            [STATUSES]: '[{"name":"app","ready":true,"restartCount":1,"containerID":"containerd://a2"}]',
            [ACQUIRED]: TIME,
            mine: '1',
          },
        },
        status: { phase: 'Recreating' },
      }),
    );
  });

  test.each<[string, JsonObject, Json | undefined]>([
    ['an empty snapshot is told', { containerStatusSnapshot: [] }, { [STATUSES]: '[]' }],
    [
      'an entry without ID has none',
      { containerStatusSnapshot: [{ name: 'a', ready: false, restartCount: 0 }] },
      { [STATUSES]: '[{"name":"a","ready":false,"restartCount":0}]' },
    ],
    ['a grace condition that does not hold is not told', { conditions: [grace('False')] }, undefined],
    [
      'a grace condition without time has the zero time',
      { conditions: [grace('True', null)] },
      { [ACQUIRED]: '0001-01-01T00:00:00Z' },
    ],
    ['nothing is told of nothing', {}, undefined],
  ])('%s', (_what, status, annotations) => {
    const converted = convert(
      object('v1beta1', { metadata: { name: 'r' }, status: { phase: '', ...status } }),
      'v1alpha1',
    );
    expect(annotationsOf(converted)).toEqual(annotations);
    expect(converted.status).toEqual({ phase: '' });
  });
});

describe('to v1beta1', () => {
  const read = (annotations: JsonObject) => convert(object('v1alpha1', { metadata: { annotations } }), 'v1beta1');

  test('annotations become members and stay', () => {
    const annotations = { [STATUSES]: JSON.stringify(snapshot), [ACQUIRED]: '2024-05-01T12:00:00+02:00' };
    const converted = read(annotations);
    expect(converted.status).toEqual({ phase: '', containerStatusSnapshot: snapshot, conditions: [grace()] });
    expect(annotationsOf(converted)).toEqual(annotations);
  });

  test.each(['', 'not json', 'null', '[]', '{}', '[1]', '[{"name":1}]', '[{"name":"a"'])(
    'the snapshot %j is passed over and stays',
    (text) => {
      const converted = read({ [STATUSES]: text });
      expect(converted.status).toBeUndefined();
      expect(annotationsOf(converted)).toEqual({ [STATUSES]: text });
    },
  );

  test.each(['', 'yesterday', '2024-05-01', '2024-13-01T00:00:00Z'])('the time %j is passed over and stays', (text) => {
    const converted = read({ [ACQUIRED]: text });
    expect(converted.status).toBeUndefined();
    expect(annotationsOf(converted)).toEqual({ [ACQUIRED]: text });
  });
});

const typed = (schema: AnyStruct) => arbitraryOf(schema).map((given) => decode(schema, given).value as JsonObject);

describe('there and back again nothing is lost', () => {
  test('of v1beta1, but for conditions that v1alpha1 cannot say', () => {
    const conditions = fc.constantFrom<Json[]>([], [grace()]);
    fc.assert(
      fc.property(typed(ContainerRecreateRequest), conditions, (given, kept) => {
        const { metadata = {}, status, ...rest } = given;
        const { containerStatusSnapshot, conditions: _other, ...progress } = (status ?? { phase: '' }) as JsonObject;
        const before = object('v1beta1', {
          ...rest,
          metadata,
          status: {
            ...progress,
            ...((containerStatusSnapshot as Json[] | undefined)?.length && { containerStatusSnapshot }),
            ...(kept.length > 0 && { conditions: kept }),
          },
        });
        const { metadata: after, ...others } = convert(convert(before, 'v1alpha1'), 'v1beta1');
        const { metadata: _before, ...expected } = before;
        expect(others).toEqual(expected);
        // The annotations that have carried it stay.
        const {
          [STATUSES]: _statuses,
          [ACQUIRED]: _acquired,
          ...annotations
        } = (annotationsOf({ metadata: after ?? {} }) ?? {}) as JsonObject;
        expect(annotations).toEqual(annotationsOf(before) ?? {});
      }),
    );
  });

  test('of v1alpha1, annotations that cannot be read included', () => {
    const carried = fc.record(
      {
        [STATUSES]: fc.constantFrom('not json', '[]', JSON.stringify(snapshot)),
        [ACQUIRED]: fc.constantFrom('yesterday', TIME),
        mine: fc.constant('1'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(typed(ContainerRecreateRequestV1alpha1), carried, (given, annotations) => {
        const metadata = { ...(given.metadata as JsonObject | undefined), annotations };
        const before = object('v1alpha1', { spec: {}, status: { phase: '' }, ...given, metadata });
        const typedBefore = convert({ ...before }, 'v1alpha1');
        expect(convert(convert(before, 'v1beta1'), 'v1alpha1')).toEqual(typedBefore);
      }),
    );
  });
});
