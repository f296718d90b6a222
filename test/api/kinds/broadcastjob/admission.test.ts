// Acceptance cases 1 to 6 and 26 of broadcastjob.md, and the rules behind them.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { broadcastJob } from '../../../../api/kinds/broadcastjob/kind.ts';
import { BroadcastJob } from '../../../../api/kinds/broadcastjob/schema.ts';
import { customResourceDefinition } from '../../../../api/kinds/crd.ts';
import { arbitraryOf } from '../../../support/arbitraries.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
let withoutDefaults: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
  withoutDefaults = await KindAdmission.start({ TemplateNoDefaults: true });
});

const template = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata,
  spec: { containers: [{ name: 'c', image: 'nginx:1.25' }], restartPolicy: 'Never', ...spec },
});

function job(spec: JsonObject = {}, version = 'v1beta1', metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'BroadcastJob',
    metadata: { name: 'job', namespace: 'default', ...metadata },
    spec: { template: template(), ...spec },
  };
}

const stored = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object.metadata as JsonObject), uid: 'u', resourceVersion: '1', generation: 1 },
});

describe('a job that says little', () => {
  test.each(['v1alpha1', 'v1beta1'])('is completed in %s', (version) => {
    expect(admission.defaulted(job({}, version)).spec).toEqual({
      template: {
        metadata: {},
        spec: {
          containers: [
            {
              name: 'c',
              image: 'nginx:1.25',
              imagePullPolicy: 'Always',
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
            },
          ],
          restartPolicy: 'Never',
          dnsPolicy: 'ClusterFirst',
          schedulerName: 'default-scheduler',
          securityContext: {},
          terminationGracePeriodSeconds: 30,
        },
      },
      completionPolicy: { type: 'Always' },
      failurePolicy: { type: 'FailFast' },
      parallelism: 2147483647,
    });
  });

  test('without a spec is completed all the same, and refused for want of containers', () => {
    const { spec: _none, ...bare } = job();
    expect(admission.admit(bare)).toMatchObject({
      allowed: false,
      code: 422,
      message: expect.stringContaining('spec.template.spec.containers: Required value'),
    });
  });

  test('keeps what it says, zeros too', () => {
    const spec = {
      parallelism: 0,
      completionPolicy: { type: 'Never' },
      failurePolicy: { type: 'Pause', restartLimit: 3 },
      paused: true,
    };
    expect(admission.defaulted(job(spec)).spec).toMatchObject(spec);
  });

  test('keeps members of its template that only a newer Kubernetes knows', () => {
    const defaulted = admission.defaulted(job({ template: template({ fromTomorrow: { a: 1 } }) }));
    expect(defaulted.spec).toMatchObject({ template: { spec: { fromTomorrow: { a: 1 } } } });
    expect(broadcastJob.convert(defaulted, 'v1alpha1').spec).toEqual(defaulted.spec);
  });

  test('cannot set its status', () => {
    expect(admission.defaulted({ ...job(), status: { active: 3, phase: 'running' } })).not.toHaveProperty('status');
  });
});

describe('the template is defaulted', () => {
  const dnsPolicyOf = (object: JsonObject) =>
    (object as { spec: { template: { spec: { dnsPolicy?: string } } } }).spec.template.spec.dnsPolicy;
  const bare = stored(job({ parallelism: 1, completionPolicy: { type: 'Always' }, failurePolicy: { type: 'Pause' } }));

  test('on an update that changes it', () => {
    const changed = { ...bare, spec: { ...(bare.spec as JsonObject), template: template({ hostPID: true }) } };
    expect(dnsPolicyOf(admission.defaulted(changed, bare))).toBe('ClusterFirst');
  });

  test('not on an update that leaves it alone', () => {
    const paused = { ...bare, spec: { ...(bare.spec as JsonObject), paused: true } };
    expect(dnsPolicyOf(admission.defaulted(paused, bare))).toBeUndefined();
  });

  test('not with gate TemplateNoDefaults, and is valid nevertheless', () => {
    const defaulted = withoutDefaults.defaulted(job());
    expect(dnsPolicyOf(defaulted)).toBeUndefined();
    expect(withoutDefaults.validate(defaulted)).toMatchObject({ allowed: true });
  });
});

const type = (completionPolicy: JsonObject): JsonObject => ({ completionPolicy });
const labelled = (labels: JsonObject): JsonObject => ({ template: template({}, { labels }) });

describe('refused is a job', () => {
  const name = "BroadcastJob name must consist of alphanumeric characters or '-'";
  const pattern = "(e.g. 'example-com', regex used for validation is '^[a-zA-Z0-9\\-]+$')";

  test.each<[string, JsonObject, string]>([
    [
      'whose pods always restart',
      job({ template: template({ restartPolicy: 'Always' }) }),
      'spec.template.spec.restartPolicy: Invalid value: "Always": pod restartPolicy can only be Never or OnFailure',
    ],
    [
      'that does not say when pods restart',
      job({ template: { spec: { containers: [{ name: 'c', image: 'a' }] } } }),
      'spec.template.spec.restartPolicy: Invalid value: "Always": pod restartPolicy can only be Never or OnFailure',
    ],
    [
      'with a dot in its name',
      job({}, 'v1beta1', { name: 'job.a' }),
      `metadata.name: Invalid value: "job.a": ${name} ${pattern}`,
    ],
    [
      'with a long name',
      job({}, 'v1beta1', { name: 'a'.repeat(64) }),
      `metadata.name: Invalid value: "${'a'.repeat(64)}": must be no more than 63 characters`,
    ],
    [
      'with a bad prefix of its name',
      job({}, 'v1beta1', { generateName: 'a_' }),
      `metadata.generateName: Invalid value: "a_": ${name} ${pattern}`,
    ],
    [
      'that never ends but has a deadline',
      job(type({ type: 'Never', activeDeadlineSeconds: 0 })),
      'spec.completionPolicy.activeDeadlineSeconds: Invalid value: 0: activeDeadlineSeconds can just work with Always CompletionPolicyType',
    ],
    [
      'that never ends but is deleted after its end',
      job(type({ type: 'Never', ttlSecondsAfterFinished: 10 })),
      'spec.completionPolicy.ttlSecondsAfterFinished: Invalid value: 10: ttlSecondsAfterFinished can just work with Always CompletionPolicyType',
    ],
    [
      'whose pods carry a label of its own',
      job(labelled({ 'broadcastjob-name': 'x' })),
      'spec.template.metadata.labels: Invalid value: {"broadcastjob-name":"x"}: "broadcastjob-name" and "broadcastjob-controller-uid" are not allowed to preset in pod labels',
    ],
    [
      'whose pod template is wrong',
      job({ template: template({ dnsPolicy: 'Local' }) }),
      'spec.template.spec.dnsPolicy: Unsupported value: "Local": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
    [
      'with ephemeral containers',
      job({ template: template({ ephemeralContainers: [{ name: 'e', image: 'a', imagePullPolicy: 'Always' }] }) }),
      'spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
    ],
  ])('%s', (_what, object, message) => {
    for (const one of [admission.admit(object), admission.admit(object, stored(job()))]) {
      expect(one).toMatchObject({ allowed: false, code: 422, message: expect.stringContaining(message) });
    }
  });
});

describe('admitted is a job', () => {
  test.each<[string, JsonObject]>([
    ['with upper case in its name', job({}, 'v1beta1', { name: 'Job-A' })],
    ['with an empty label of its own', job(labelled({ 'broadcastjob-name': '', 'broadcastjob-controller-uid': '' }))],
    ['with a deadline', job(type({ type: 'Always', activeDeadlineSeconds: 5, ttlSecondsAfterFinished: 0 }))],
    ['of types that nobody knows', job({ completionPolicy: { type: 'Some' }, failurePolicy: { type: 'Other' } })],
    ['with numbers that make no sense', job({ parallelism: 'many', failurePolicy: { restartLimit: -1 } })],
    ['whose pods restart on failure', job({ template: template({ restartPolicy: 'OnFailure' }) })],
  ])('%s', (_what, object) => {
    expect(admission.admit(object)).toMatchObject({ allowed: true });
  });

  test('whatever an update changes', () => {
    const other = job({ template: template({ containers: [{ name: 'other', image: 'b' }] }), parallelism: 1 });
    expect(admission.admit(other, stored(job()))).toMatchObject({ allowed: true });
  });
});

test('both versions are the same but for their name', () => {
  fc.assert(
    fc.property(arbitraryOf(BroadcastJob), (given) => {
      const named = { ...(given as JsonObject), apiVersion: 'apps.kruise.io/v1beta1', kind: 'BroadcastJob' };
      const typed = broadcastJob.convert(named, 'v1beta1');
      const older = broadcastJob.convert(typed, 'v1alpha1');
      expect(older).toEqual({ ...typed, apiVersion: 'apps.kruise.io/v1alpha1' });
      expect(broadcastJob.convert(older, 'v1beta1')).toEqual(typed);
    }),
  );
});

test('the API server converts by itself, so that reading needs no webhook', () => {
  const { conversion } = customResourceDefinition(broadcastJob.description).spec as JsonObject;
  expect(conversion).toEqual({ strategy: 'None' });
});
