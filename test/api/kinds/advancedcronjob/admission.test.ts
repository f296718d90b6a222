// Acceptance cases 1 to 9, 25, 29 and 30 of advancedcronjob.md, and the rules behind them.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { advancedCronJob } from '../../../../api/kinds/advancedcronjob/kind.ts';
import { AdvancedCronJob, AdvancedCronJobV1alpha1 } from '../../../../api/kinds/advancedcronjob/schema.ts';
import { customResourceDefinition } from '../../../../api/kinds/crd.ts';
import { arbitraryOf } from '../../../support/arbitraries.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
let withoutDefaults: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
  withoutDefaults = await KindAdmission.start({ TemplateNoDefaults: true });
});

const pods = (image = 'nginx:1.25'): JsonObject => ({
  spec: { containers: [{ name: 'c', image }], restartPolicy: 'Never' },
});
const jobs = (spec: JsonObject = {}): JsonObject => ({ jobTemplate: { spec: { template: pods(), ...spec } } });
const broadcastJobs = (spec: JsonObject = {}): JsonObject => ({
  broadcastJobTemplate: { spec: { template: pods(), ...spec } },
});
const imageLists = (spec: JsonObject = {}): JsonObject => ({
  imageListPullJobTemplate: { spec: { images: ['nginx:1.25'], ...spec } },
});

function cron(spec: JsonObject = {}, version = 'v1beta1', metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'AdvancedCronJob',
    metadata: { name: 'cron', namespace: 'default', ...metadata },
    spec: { schedule: '*/5 * * * *', template: jobs(), ...spec },
  };
}

const stored = (object: JsonObject): JsonObject => ({
  ...admission.defaulted(object),
  metadata: { ...(object.metadata as JsonObject), uid: 'u', resourceVersion: '1', generation: 1 },
});

const policies = { paused: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 };
const completePods = {
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
};

describe('what says little is completed:', () => {
  test.each(['v1alpha1', 'v1beta1'])('jobs in %s', (version) => {
    expect(admission.defaulted(cron({}, version)).spec).toEqual({
      schedule: '*/5 * * * *',
      concurrencyPolicy: 'Allow',
      ...policies,
      template: { jobTemplate: { metadata: {}, spec: { template: completePods } } },
    });
  });

  test.each(['v1alpha1', 'v1beta1'])('broadcast jobs in %s, without the defaults of the jobs themselves', (version) => {
    expect(admission.defaulted(cron({ template: broadcastJobs() }, version)).spec).toMatchObject({
      concurrencyPolicy: 'Allow',
      template: {
        broadcastJobTemplate: {
          metadata: {},
          spec: { template: completePods, completionPolicy: {}, failurePolicy: {} },
        },
      },
    });
  });

  test('image lists', () => {
    expect(admission.defaulted(cron({ template: imageLists() })).spec).toEqual({
      schedule: '*/5 * * * *',
      concurrencyPolicy: 'Replace',
      ...policies,
      template: {
        imageListPullJobTemplate: {
          metadata: {},
          spec: {
            images: ['nginx:1.25'],
            completionPolicy: { type: 'Always' },
            pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
            imagePullPolicy: 'IfNotPresent',
          },
        },
      },
    });
  });

  test('image lists that give a completion type keep all else as it is, but for empty members of the selector', () => {
    const template = imageLists({ completionPolicy: { type: 'Always' }, selector: { names: [], matchLabels: {} } });
    expect(admission.defaulted(cron({ template })).spec).toMatchObject({
      template: {
        imageListPullJobTemplate: {
          spec: { images: ['nginx:1.25'], completionPolicy: { type: 'Always' }, selector: {} },
        },
      },
    });
  });

  test('zeros and false count as given', () => {
    const spec = {
      paused: true,
      successfulJobsHistoryLimit: 0,
      failedJobsHistoryLimit: 0,
      concurrencyPolicy: 'Forbid',
    };
    expect(admission.defaulted(cron(spec)).spec).toMatchObject(spec);
  });

  test('a status is not the client to set', () => {
    expect(admission.defaulted({ ...cron(), status: { type: 'Job' } })).not.toHaveProperty('status');
  });

  test('an image list is nothing that v1alpha1 knows', () => {
    const given = cron({ template: imageLists() }, 'v1alpha1');
    expect(admission.admit(given)).toMatchObject({
      allowed: false,
      message: expect.stringContaining('spec.template: Forbidden: spec must have one template'),
    });
  });
});

describe('pod templates', () => {
  const missing = /dnsPolicy: Required value/;

  test('are not defaulted on an update that leaves them alone', () => {
    const bare: JsonObject = { ...cron(), metadata: { name: 'cron', namespace: 'default', resourceVersion: '1' } };
    const paused = { ...bare, spec: { ...(bare.spec as JsonObject), paused: true } };
    expect(admission.defaulted(paused, bare).spec).toMatchObject({
      template: { jobTemplate: { spec: { template: { spec: pods().spec as JsonObject } } } },
    });
  });

  test('that nobody defaulted are refused at the path of no template', () => {
    for (const template of [jobs(), broadcastJobs()]) {
      const { message } = admission.validate(cron({ template }));
      expect(message).toMatch(missing);
      expect(message).toMatch(/^\[spec\.template\.spec\.terminationGracePeriodSeconds: Required value, /);
    }
  });

  test('are valid as they are with gate TemplateNoDefaults', () => {
    expect(withoutDefaults.admit(cron())).toMatchObject({ allowed: true });
    const { template } = withoutDefaults.defaulted(cron()).spec as JsonObject;
    expect(template).toEqual({ jobTemplate: { metadata: {}, spec: { template: { metadata: {}, ...pods() } } } });
  });

  test('may restart always here: the job will be refused', () => {
    const template = jobs({ template: { spec: { containers: [{ name: 'c', image: 'a' }] } } });
    expect(admission.admit(cron({ template }))).toMatchObject({ allowed: true });
  });

  test('keep members that only a newer Kubernetes knows', () => {
    const template = jobs({ fromTomorrow: 1 });
    expect(admission.defaulted(cron({ template })).spec).toMatchObject({
      template: { jobTemplate: { spec: { fromTomorrow: 1 } } },
    });
  });
});

const list = (spec: JsonObject): JsonObject => ({ template: imageLists(spec), concurrencyPolicy: 'Forbid' });
const always = (policy: JsonObject): JsonObject => ({ completionPolicy: { type: 'Always', ...policy } });
const at = 'spec.template.imageListPullJobTemplate.spec';

describe('refused is', () => {
  test.each<[string, JsonObject, string]>([
    [
      'a bad schedule',
      { schedule: '0 0 * * 7' },
      'spec.schedule: Invalid value: "0 0 * * 7": end of range (7) above maximum (6): 7',
    ],
    [
      'no schedule',
      { schedule: '' },
      '[spec.schedule: Invalid value: "": schedule cannot be empty, please provide valid cron schedule., spec.schedule: Invalid value: "": empty spec string]',
    ],
    [
      'no schedule in a zone',
      { schedule: '', timeZone: 'UTC' },
      '[spec.schedule: Invalid value: "": schedule cannot be empty, please provide valid cron schedule., spec.schedule: Invalid value: "": expected exactly 5 fields, found 0: []]',
    ],
    [
      'a zone in the schedule and beside it',
      { schedule: 'TZ=Asia/Tokyo 0 9 * * *', timeZone: 'UTC' },
      'spec.schedule: Invalid value: "TZ=Asia/Tokyo 0 9 * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
    ],
    ['an empty zone', { timeZone: '' }, 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
    [
      'the zone of the process',
      { timeZone: 'Local' },
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
    [
      'an unknown zone',
      { timeZone: 'Mars/Base' },
      'spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base',
    ],
    [
      'a zone in other case',
      { timeZone: 'asia/tokyo' },
      'spec.timeZone: Invalid value: "asia/tokyo": unknown time zone asia/tokyo',
    ],
    [
      'a zone that is a path',
      { timeZone: '../UTC' },
      'spec.timeZone: Invalid value: "../UTC": time: invalid location name',
    ],
    [
      'numbers below 0',
      { startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -2, failedJobsHistoryLimit: -3 },
      '[spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0, spec.successfulJobsHistoryLimit: Invalid value: -2: must be greater than or equal to 0, spec.failedJobsHistoryLimit: Invalid value: -3: must be greater than or equal to 0]',
    ],
    [
      'no template',
      { template: {} },
      'spec.template: Forbidden: spec must have one template, either JobTemplate or BroadcastJobTemplate or ImageListPullJobTemplate should be provided',
    ],
    [
      'two templates',
      { template: { ...jobs(), ...broadcastJobs() } },
      'spec.template: Forbidden: spec can have only one template, either JobTemplate or BroadcastJobTemplate or ImageListPullJobTemplate should be provided',
    ],
    [
      'image lists side by side',
      { template: imageLists(), concurrencyPolicy: 'Allow' },
      'spec.spec.concurrencyPolicy: Invalid value: "Allow": concurrencyPolicy should be Replace or Forbid, but current value is: Allow',
    ],
    [
      'nodes by name and label',
      list({ selector: { names: ['n'], matchLabels: { a: 'b' } } }),
      `${at}.selector: Invalid value`,
    ],
    [
      'an odd selector of nodes',
      list({ selector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } }),
      `${at}.selector.labelSelector: Invalid value`,
    ],
    [
      'a node twice',
      list({ selector: { names: ['n', 'n'] } }),
      `${at}.selector.names: Invalid value: ["n","n"]: duplicated name in selector names`,
    ],
    ['nodes and pods', list({ selector: { names: ['n'] }, podSelector: {} }), `${at}: Invalid value`],
    [
      'an odd selector of pods',
      list({ podSelector: { matchLabels: { a: ' ' } } }),
      `${at}.podSelector.labelSelector: Invalid value`,
    ],
    ['no images', list({ images: [] }), `${at}.images: Invalid value: []: image can not be empty`],
    [
      'an image twice',
      list({ images: ['a:1', 'a:1'] }),
      `${at}.images: Invalid value: ["a:1","a:1"]: images cannot have duplicate values`,
    ],
    ['256 images', list({ images: Array.from({ length: 256 }, (_, i) => `a:${i}`) }), `${at}.images: Invalid value`],
    ['what is no image', list({ images: ['a:1', 'Bad Image', 'Worse Image'] }), `${at}.images: Invalid value`],
    [
      'image lists that never end',
      list({ completionPolicy: { type: 'Never' } }),
      `${at}.completionPolicy.type: Invalid value: "Never": completionPolicy should be Always, but current value is: Never`,
    ],
    [
      'a deadline of more than a day',
      list(always({ activeDeadlineSeconds: 86401 })),
      `${at}.completionPolicy.activeDeadlineSeconds: Invalid value: 86401`,
    ],
    [
      'a deadline below the timeout',
      list({ ...always({ activeDeadlineSeconds: 300 }), pullPolicy: { timeoutSeconds: 600 } }),
      `${at}.completionPolicy.activeDeadlineSeconds: Invalid value: 300: completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds(600)`,
    ],
    [
      'a time to live',
      list(always({ ttlSecondsAfterFinished: 0 })),
      `${at}.completionPolicy.ttlSecondsAfterFinished: Invalid value: 0: ttlSecondsAfterFinished is not supported in advancedCronJob`,
    ],
  ])('%s', (_what, spec, message) => {
    const verdict = admission.admit(cron(spec));
    expect(verdict).toMatchObject({ allowed: false, code: 422 });
    expect(verdict.message?.slice(0, message.length)).toBe(message);
    // Of an image list, one fault is told.
    if (message.startsWith(at)) expect(verdict.message).not.toMatch(/^\[/);
  });

  test.each<[string, JsonObject]>([
    ['a dot in the name', { name: 'a.b' }],
    ['a name of 64 characters', { name: 'a'.repeat(64) }],
    ['an odd prefix', { generateName: 'a_' }],
  ])('%s', (_what, metadata) => {
    expect(admission.admit(cron({}, 'v1beta1', metadata))).toMatchObject({ allowed: false, code: 422 });
  });
});

describe('admitted is', () => {
  test.each<[string, JsonObject]>([
    ['a descriptor', { schedule: '@midnight' }],
    ['an interval', { schedule: '@every 5m' }],
    ['a day that never comes', { schedule: '0 0 31 2 *' }],
    ['a zone in the schedule', { schedule: 'CRON_TZ=Asia/Tokyo 0 9 * * *' }],
    ['a zone', { timeZone: 'Asia/Tokyo' }],
    ['a zone under an old name', { timeZone: 'Asia/Calcutta' }],
    ['UTC by its long name', { timeZone: 'Etc/UTC' }],
    ['an image list on named nodes', list({ selector: { names: ['n'] } })],
    ['an image list on nodes of pods', list({ podSelector: { matchLabels: { a: 'b' } } })],
    ['an image list with a deadline of a day', list(always({ activeDeadlineSeconds: 86400 }))],
    ['broadcast jobs of types that nobody knows', { template: broadcastJobs({ failurePolicy: { type: 'Other' } }) }],
  ])('%s', (_what, spec) => {
    expect(admission.admit(cron(spec))).toMatchObject({ allowed: true });
  });
});

describe('of jobs that will be refused when they are due', () => {
  const restarts = 'spec.template.spec.restartPolicy: jobs are refused unless it is OnFailure or Never';

  test.each<[string, JsonObject]>([
    ['jobs', jobs({ template: { spec: { containers: [{ name: 'c', image: 'a' }] } } })],
    ['broadcast jobs', broadcastJobs({ template: { spec: { containers: [{ name: 'c', image: 'a' }] } } })],
  ])('clients are warned: %s that restart always', (_what, template) => {
    expect(admission.admit(cron({ template }))).toMatchObject({ allowed: true, warnings: [restarts] });
  });

  test('clients are warned: names that leave no room for the time', () => {
    const warnings = ['metadata.name: jobs cannot be created for names of more than 52 characters'];
    const named = (length: number, template = jobs()) => cron({ template }, 'v1beta1', { name: 'a'.repeat(length) });
    expect(admission.admit(named(53))).toMatchObject({ allowed: true, warnings });
    expect(admission.admit(named(52))).not.toHaveProperty('warnings');
    expect(admission.admit(named(63, imageLists()))).not.toHaveProperty('warnings');
  });
});

describe('an update', () => {
  const forbidden = /^spec: Forbidden: updates to advancedcronjob spec for fields other than /;

  test.each<[string, JsonObject, JsonObject]>([
    ['of the image of a job', {}, { template: jobs({ template: pods('nginx:1.26') }) }],
    ['of the limits of a job', {}, { template: jobs({ backoffLimit: 3 }) }],
    ['from jobs to broadcast jobs', {}, { template: broadcastJobs() }],
    ['from jobs to image lists', {}, { template: imageLists() }],
    ['from image lists to jobs', { template: imageLists() }, { template: jobs() }],
    ['of a broadcast job', { template: broadcastJobs() }, { template: broadcastJobs({ parallelism: 1 }) }],
  ])('%s is refused', (_what, before, after) => {
    const verdict = admission.admit(stored(cron(after)), stored(cron(before)));
    expect(verdict).toMatchObject({ allowed: false, code: 422, message: expect.stringMatching(forbidden) });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['of when', {}, { schedule: '@daily', timeZone: 'UTC', startingDeadlineSeconds: 5, paused: true }],
    ['of how many', {}, { concurrencyPolicy: 'Forbid', successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 }],
    ['of the images of a list', { template: imageLists() }, { template: imageLists({ images: ['a:1'] }) }],
    ['that changes nothing', {}, {}],
  ])('%s is admitted', (_what, before, after) => {
    expect(admission.admit(stored(cron(after)), stored(cron(before)))).toMatchObject({ allowed: true });
  });

  test('is not asked for its name again', () => {
    const named = cron({}, 'v1beta1', { name: 'a.b' });
    expect(admission.admit(stored(named), stored(named))).toMatchObject({ allowed: true });
  });
});

describe('between the versions', () => {
  const objects = (schema: typeof AdvancedCronJob | typeof AdvancedCronJobV1alpha1, version: string) =>
    arbitraryOf(schema).map((given) =>
      advancedCronJob.convert(
        { ...(given as JsonObject), apiVersion: `apps.kruise.io/${version}`, kind: 'AdvancedCronJob' },
        version,
      ),
    );

  test('all is the same that both can say', () => {
    fc.assert(
      fc.property(objects(AdvancedCronJobV1alpha1, 'v1alpha1'), (given) => {
        const newer = advancedCronJob.convert(given, 'v1beta1');
        expect(newer).toEqual({ ...given, apiVersion: 'apps.kruise.io/v1beta1' });
        expect(advancedCronJob.convert(newer, 'v1alpha1')).toEqual(given);
      }),
    );
  });

  test('an image list has no place in v1alpha1', () => {
    const reason = 'imageListPullJobTemplate is not supported in v1alpha1';
    fc.assert(
      fc.property(objects(AdvancedCronJob, 'v1beta1'), (given) => {
        const { template = {} } = (given.spec ?? {}) as { template?: JsonObject };
        const convert = () => advancedCronJob.convert(given, 'v1alpha1');
        if (template.imageListPullJobTemplate === undefined) expect(convert().spec).toEqual(given.spec);
        else expect(convert).toThrow(reason);
      }),
    );
    expect(advancedCronJob.inexpressible?.(cron({ template: imageLists() }), 'v1alpha1')).toBe(reason);
    expect(advancedCronJob.inexpressible?.(cron(), 'v1alpha1')).toBeUndefined();
  });
});

test('the API server converts by itself, so that reading needs no webhook', () => {
  const { conversion } = customResourceDefinition(advancedCronJob.description).spec as JsonObject;
  expect(conversion).toEqual({ strategy: 'None' });
});
