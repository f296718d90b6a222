// SidecarSets beside each other in the objects that decisions go by: conflicts are with those that are there now.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { effectiveGates } from '../../api/gates.ts';
import { Webhooks } from '../../evaluator/webhooks.ts';
import { sidecar, sidecarSet } from '../support/builders/sidecarset.ts';

const SETTINGS = { gates: effectiveGates(), systemNamespace: 'kruise-system' };

/** As the API server has it: it is not validated any more. */
const stored = (name: string, container: string, annotations: Record<string, string> = {}) =>
  sidecarSet(name, { containers: [sidecar(container)], annotations });

/** As a user writes it. */
const written = (name: string, container: string): JsonObject => ({ ...stored(name, container), metadata: { name } });

let webhooks: Webhooks;
beforeEach(async () => {
  webhooks = await Webhooks.load(SETTINGS);
});

/** Why a set is refused, beside all others; '' when it is not. */
function refusal(set: JsonObject): string {
  const resource = { group: 'apps.kruise.io', version: 'v1beta1', resource: 'sidecarsets' };
  const request = { uid: 'u', operation: 'CREATE', resource, object: set };
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  const body = Buffer.from(JSON.stringify(review));
  const mutated = webhooks.answer('/mutate-apps-kruise-io-sidecarset', body, 0);
  expect(mutated.status).toBe(200);
  const { body: answer } = webhooks.answer('/validate-apps-kruise-io-sidecarset', body, 0);
  const { response } = JSON.parse(Buffer.from(answer).toString()) as { response: { status: { [name: string]: Json } } };
  return response.status.code === 200 ? '' : String(response.status.message);
}

const reference = (name: string) => ({ apiVersion: 'apps.kruise.io/v1alpha1', kind: 'SidecarSet', name });
const taken = (name: string) => expect.stringContaining(`"agent": container agent already exist in ${name}`);

describe('a SidecarSet is refused', () => {
  const asked = sidecarSet('asked', {
    updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, partition: 0 },
    containers: [
      { ...sidecar('agent'), podInjectPolicy: 'BeforeAppContainer', shareVolumePolicy: { type: 'disabled' } },
    ],
  });

  test('for the last one listed; one that is replaced keeps its place, one that comes again is the last', () => {
    for (const name of ['b', 'a']) webhooks.apply(stored(name, 'agent'));
    webhooks.apply(stored('b', 'agent', { changed: 'yes' }));
    expect(refusal(asked)).toEqual(taken('a'));
    webhooks.remove(reference('b'));
    webhooks.apply(stored('b', 'agent'));
    expect(refusal(asked)).toEqual(taken('b'));
  });

  test('for no set that is gone, or has other sidecars by now', () => {
    for (const name of ['a', 'b', 'c']) webhooks.apply(stored(name, 'agent'));
    webhooks.remove(reference('c'));
    webhooks.apply(stored('b', 'other'));
    expect(refusal(asked)).toEqual(taken('a'));
    webhooks.remove(reference('a'));
    expect(refusal(asked)).not.toContain('already exist');
    webhooks.apply(stored('b', 'agent'));
    expect(refusal(asked)).toEqual(taken('b'));
  });

  test('for a set in another version, and not when that was refused itself', () => {
    webhooks.apply({ ...stored('a', 'agent'), apiVersion: 'apps.kruise.io/v1alpha1' });
    expect(refusal(asked)).toEqual(taken('a'));
    expect(() => webhooks.apply(written('late', 'agent'))).toThrow('already exist in a');
    expect(refusal(asked)).toEqual(taken('a'));
  });
});
