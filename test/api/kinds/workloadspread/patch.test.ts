// Patches of subsets are tried on the workload that exists (workloadspread 2.3).
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
});

const AT = 'spec.subsets[0].patch';

const workload = (apiVersion: string, kind: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'w', namespace: 'n', uid: 'u' },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'main', image: 'i', imagePullPolicy: 'IfNotPresent' }] },
    },
    ...spec,
  },
});
const deployment = workload('apps/v1', 'Deployment');

/** What is told about a spread of the workload whose only subset has the patch. */
function told(patch: Json, target: JsonObject = deployment, ...cluster: JsonObject[]): string {
  const targetRef = { apiVersion: String(target.apiVersion), kind: String(target.kind), name: 'w' };
  const object = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { name: 's', namespace: 'n' },
    spec: { targetRef, subsets: [{ name: 'a', patch }] },
  };
  const { allowed, code, message } = admission.hold(...cluster).validate(object);
  return allowed ? 'allowed' : `${code} ${message}`;
}
const toldOf = (patch: Json) => told(patch, deployment, deployment);

describe('a patch', () => {
  test.each<[string, Json]>([
    ['that sets labels and resources', { metadata: { labels: { x: 'y' } }, spec: { containers: [{ name: 'main' }] } }],
    ['that adds a complete container', { spec: { containers: [{ name: 'b', image: 'i' }] } }],
    ['that says nothing', {}],
    ['that is absent', null],
  ])('%s is admitted', (_what, patch) => {
    expect(toldOf(patch)).toBe('allowed');
  });

  test.each<[string, Json, string]>([
    [
      'adds a container without an image',
      { spec: { containers: [{ name: 'b' }] } },
      `${AT}.containers[0].image: Required value`,
    ],
    [
      'mounts a volume that is not there',
      { spec: { containers: [{ name: 'main', volumeMounts: [{ name: 'x', mountPath: '/x' }] }] } },
      `${AT}.containers[0].volumeMounts[0].name: Not found: "x"`,
    ],
    [
      'is of the wrong type',
      { spec: { hostNetwork: 'yes' } },
      `${AT}: Invalid value: "{\\"spec\\":{\\"hostNetwork\\":\\"yes\\"}}": failed to unmarshal: json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool`,
    ],
    [
      'does not merge',
      { spec: { containers: [{ image: 'i' }] } },
      `${AT}: Invalid value: "{\\"spec\\":{\\"containers\\":[{\\"image\\":\\"i\\"}]}}": failed to merge patch: map: map[image:i] does not contain declared merge key: name`,
    ],
    ['is no object', 'text', `${AT}: Invalid value: "\\"text\\"": failed to merge patch: invalid JSON document`],
  ])('that %s is refused', (_what, patch, answer) => {
    expect(toldOf(patch)).toBe(`400 ${answer}`);
  });
});

describe('what the patch is tried on', () => {
  const mounting = { spec: { containers: [{ name: 'main', volumeMounts: [{ name: 'data', mountPath: '/d' }] }] } };
  const claims = { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] };

  test.each([
    ['apps.kruise.io/v1beta1', 'CloneSet'],
    ['apps/v1', 'StatefulSet'],
    ['apps.kruise.io/v1beta1', 'StatefulSet'],
  ])('has the claims of a %s %s as volumes', (apiVersion, kind) => {
    const target = workload(apiVersion, kind, claims);
    expect(told(mounting, target, target)).toBe('allowed');
    const without = workload(apiVersion, kind);
    expect(told(mounting, without, without)).toContain('volumeMounts[0].name: Not found: "data"');
  });

  test('is the kind that is meant, not one of the same name', () => {
    const ours = workload('apps.kruise.io/v1beta1', 'StatefulSet', claims);
    expect(told(mounting, ours, workload('apps/v1', 'StatefulSet'), ours)).toBe('allowed');
  });

  test('is nothing where the workload does not exist', () => {
    expect(told({ spec: { containers: [{ name: 'b' }] } })).toBe('allowed');
    const elsewhere = { ...deployment, metadata: { name: 'w', namespace: 'm' } };
    expect(told({ spec: { containers: [{ name: 'b' }] } }, deployment, elsewhere)).toBe('allowed');
  });

  test('is a workload of whatever version', () => {
    const stored = workload('apps.kruise.io/v1alpha1', 'CloneSet', claims);
    expect(told(mounting, workload('apps.kruise.io/v1beta1', 'CloneSet'), stored)).toBe('allowed');
  });
});
