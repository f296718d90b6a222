// What comes first for each kind: its gates, decoding, or the operation; and which values errors quote when admission fills
// nothing in.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { RECORDED_GATES } from '../support/gates.ts';
import { KindAdmission } from '../support/kind-admission.ts';

/** Each kind that needs a gate: its group and version, the gate, and the code of the refusal without it. */
const gated = [
  ['WorkloadSpread', 'apps.kruise.io/v1beta1', ['WorkloadSpread'], 403],
  ['ResourceDistribution', 'apps.kruise.io/v1beta1', ['ResourceDistributionGate'], 403],
  ['ImagePullJob', 'apps.kruise.io/v1beta1', ['ImagePullJobGate'], 403],
  ['ImageListPullJob', 'apps.kruise.io/v1beta1', ['KruiseDaemon'], 403],
  ['NodeImage', 'apps.kruise.io/v1beta1', ['KruiseDaemon'], 403],
  ['PodProbeMarker', 'apps.kruise.io/v1alpha1', ['PodProbeMarkerGate'], 403],
  [
    'PodUnavailableBudget',
    'policy.kruise.io/v1beta1',
    ['PodUnavailableBudgetDeleteGate', 'PodUnavailableBudgetUpdateGate'],
    400,
  ],
] as const;

const of = (kind: string, apiVersion: string, spec: JsonObject | number): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'a', namespace: 'shop' },
  spec,
});

describe.each(gated)('a %s of %s without %j', (kind, apiVersion, gates, code) => {
  const withoutGates = () => KindAdmission.start(Object.fromEntries(gates.map((gate) => [gate, false])));

  test('is refused for the gate', async () => {
    const { allowed, code: answered, message } = (await withoutGates()).validate(of(kind, apiVersion, {}));
    expect({ allowed, answered }).toEqual({ allowed: false, answered: code });
    expect(message).toMatch(/^feature-gate/);
  });

  const first = kind === 'PodProbeMarker' ? 'that it cannot be read' : 'of the gate';
  test(`is told ${first} first`, async () => {
    const { message } = (await withoutGates()).validate(of(kind, apiVersion, 5));
    expect(message).toMatch(kind === 'PodProbeMarker' ? /^json: cannot unmarshal number/ : /^feature-gate/);
  });

  test('is refused for the gate whatever the operation, unless decoding comes first', async () => {
    const { allowed } = (await withoutGates()).delete(of(kind, apiVersion, {}));
    expect(allowed).toBe(kind === 'PodProbeMarker');
  });
});

describe('a deletion that is posted by hand', () => {
  const remove = async (kind: string, apiVersion: string, gates: Record<string, boolean> = {}) => {
    const { allowed, code, message } = (await KindAdmission.start({ ...RECORDED_GATES, ...gates })).delete(
      of(kind, apiVersion, {}),
    );
    return allowed ? 'allowed' : `${code} ${message}`;
  };

  test('of a WorkloadSpread has no object that could be read', async () => {
    expect(await remove('WorkloadSpread', 'apps.kruise.io/v1beta1')).toBe('400 there is no content to decode');
    expect(await remove('WorkloadSpread', 'apps.kruise.io/v1alpha1')).toBe('400 there is no content to decode');
    expect(await remove('WorkloadSpread', 'apps.kruise.io/v1beta1', { WorkloadSpread: false })).toMatch(/^403 /);
  });

  test.each(gated.slice(1))('of a %s passes', async (kind, apiVersion) => {
    expect(await remove(kind, apiVersion)).toBe('allowed');
  });
});

test('a BroadcastJob without restartPolicy is told of an empty one where admission fills nothing in', async () => {
  const admission = await KindAdmission.start({ TemplateNoDefaults: true });
  const containers = [{ name: 'a', image: 'a' }];
  const job = of('BroadcastJob', 'apps.kruise.io/v1beta1', { template: { spec: { containers } } });
  expect(admission.admit(job).message).toBe(
    'spec.template.spec.restartPolicy: Invalid value: "": pod restartPolicy can only be Never or OnFailure',
  );
});
