// Acceptance cases 1 to 3 and 21 of persistentpodstate.md, and the rules behind them (1.3, 1.4).
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
});

const targetRef = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'db' };
const topology = { requiredPersistentTopology: { keys: ['zone'] } };
const state = (spec: { [member: string]: Json }, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'PersistentPodState',
  metadata: { name: 'p', namespace: 'ns', ...metadata },
  spec: { targetRef, ...topology, ...spec },
});
const listed = (text: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kruise-configuration', namespace: 'kruise-system' },
  data: { PPS_Watch_Custom_Workload_WhiteList: text },
});

/** What is told about creating, or updating, the object; 'allowed' if nothing is. */
function told(object: JsonObject, old?: JsonObject, ...others: JsonObject[]): string {
  const { allowed, code, message } = admission.hold(...others).validate(object, old);
  return allowed ? 'allowed' : `${code} ${message}`;
}

describe('some topology', () => {
  test('is needed (1)', () => {
    expect(told(state({}))).toBe('allowed');
    expect(told(state({ requiredPersistentTopology: null }))).toMatch(
      /^400 spec: Invalid value: .*: TopologyConstraint and TopologyPreference cannot be empty at the same time$/,
    );
    expect(told(state({ requiredPersistentTopology: null, preferredPersistentTopology: [] }))).toMatch(/^400 spec: /);
  });

  test('is enough, whatever it says', () => {
    const preferred = [{ weight: 200, preference: { keys: [] } }];
    expect(told(state({ requiredPersistentTopology: null, preferredPersistentTopology: preferred }))).toBe('allowed');
    expect(told(state({ requiredPersistentTopology: {} }))).toBe('allowed');
  });

  test('with a weight that pods cannot have is told of', () => {
    const preferred = [1, 0, 100, 101].map((weight) => ({ weight, preference: { keys: ['z'] } }));
    expect(admission.hold().validate(state({ preferredPersistentTopology: preferred })).warnings).toEqual([
      'spec.preferredPersistentTopology[1].weight: 0 is not usable: expected 1 to 100',
      'spec.preferredPersistentTopology[3].weight: 101 is not usable: expected 1 to 100',
    ]);
  });
});

describe('the target', () => {
  test.each<[string, JsonObject, string]>([
    ['a Deployment (1)', { ...targetRef, apiVersion: 'apps/v1', kind: 'Deployment' }, 'targetRef.Kind must be'],
    ['without a name (1)', { ...targetRef, name: '' }, 'empty targetRef is not valid for PersistentPodState.'],
    ['a StatefulSet of another group', { ...targetRef, apiVersion: 'example.com/v1' }, 'targetRef.Kind must be'],
  ])('is not %s', (_what, target, detail) => {
    expect(told(state({ targetRef: target }))).toMatch(new RegExp(`^400 spec.targetRef: Invalid value: .*: ${detail}`));
  });

  test('may be of a listed kind, whatever the version (21)', () => {
    const game = state({ targetRef: { apiVersion: 'game/v2', kind: 'GameServerSet', name: 'g' } });
    const list = JSON.stringify({ workloads: [{ Group: 'game', Version: 'v1', Kind: 'GameServerSet' }] });
    expect(told(game)).toMatch(/must be StatefulSet or in PPS_Watch_Custom_Workload_WhiteList$/);
    expect(told(game, undefined, listed(list))).toBe('allowed');
  });

  test('cannot be looked at without the list', () => {
    expect(told(state({ targetRef: { ...targetRef, name: '' } }), undefined, listed('nonsense'))).toBe(
      "400 []: Internal error: failed to get persistent pod state config white list, error: invalid character 'o' in literal null (expecting 'u')",
    );
  });

  test('has one object in its namespace (2)', () => {
    const other = (target: JsonObject, namespace = 'ns') =>
      state({ targetRef: target }, { name: 'other', namespace, uid: 'u' });
    const otherVersion = { ...targetRef, apiVersion: 'apps.kruise.io/v1alpha1' };
    expect(told(state({}), undefined, other(otherVersion))).toMatch(
      /^400 spec.targetRef: Invalid value: .*: targetRef is in conflict with other PersistentPodState other$/,
    );
    expect(told(state({}), undefined, other(otherVersion, 'elsewhere'))).toBe('allowed');
    expect(told(state({}), undefined, other({ ...targetRef, apiVersion: 'apps/v1' }))).toBe('allowed');
    expect(told(state({}), state({}), state({}, { uid: 'u' }))).toBe('allowed');
  });

  test('cannot be changed, not even its version (3)', () => {
    const answer = '400 spec.targetRef: Forbidden: targetRef is immutable';
    expect(told(state({ targetRef: { ...targetRef, name: 'x' } }), state({}))).toBe(answer);
    expect(told(state({ targetRef: { ...targetRef, apiVersion: 'apps.kruise.io/v1alpha1' } }), state({}))).toBe(answer);
    expect(told(state({ requiredPersistentTopology: { keys: ['rack'] } }), state({}))).toBe('allowed');
  });
});
