// Rules of jobs, of images, of containers to restart and of probes that show where they meet: limits of numbers, several
// faults at once and their order, both versions.
import { describe } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { changed, holdRules, type Rule, stored, withoutEmpties } from '../../support/rule-table.ts';

const versions = ['v1alpha1', 'v1beta1'];
const object = (kind: string, spec: JsonObject, { version = 'v1beta1', ...metadata }: JsonObject = {}): JsonObject => ({
  apiVersion: `apps.kruise.io/${version}`,
  kind,
  metadata: { name: 'a', namespace: 'shop', ...metadata },
  spec,
});
const template = (spec: JsonObject = {}, labels: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app: 'a', ...labels } },
  spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'a:1' }], ...spec },
});

describe('a BroadcastJob', () => {
  const job = (spec: JsonObject, metadata: JsonObject = {}) =>
    object('BroadcastJob', { template: template(), ...spec }, metadata);
  holdRules([
    {
      rule: 'may be odd where nothing is asked',
      object: job({
        parallelism: -3,
        completionPolicy: { type: 'Sometimes', activeDeadlineSeconds: -1 },
        failurePolicy: { type: 'Once', restartLimit: -3 },
      }),
    },
    ...versions.map(
      (version): Rule => ({
        rule: `of ${version} is told of its name, its policy, its pods, their labels and the rest of them`,
        object: job(
          {
            completionPolicy: { type: 'Never', ttlSecondsAfterFinished: 0 },
            template: template({ restartPolicy: 'Always', containers: [] }, { 'broadcastjob-name': 'x', 'a b': 'c' }),
          },
          { version, name: 'a.b' },
        ),
        errors: [
          'metadata.name: Invalid value',
          'spec.completionPolicy.ttlSecondsAfterFinished: Invalid value',
          'spec.template.spec.restartPolicy: Invalid value',
          'spec.template.metadata.labels: Invalid value',
          'spec.template.labels: Invalid value',
          'spec.template.spec.containers: Required value',
        ],
      }),
    ),
    {
      rule: 'may have a reserved label that is empty',
      object: job({ template: template({}, { 'broadcastjob-name': '' }) }),
    },
    {
      rule: 'may be another one after an update',
      object: job({ template: template({ restartPolicy: 'OnFailure' }), parallelism: 1 }, { uid: 'other' }),
      before: stored(job({})),
    },
  ]);
});

describe('an AdvancedCronJob', () => {
  const ofJob = { jobTemplate: { spec: { template: template() } } };
  const ofBroadcast = { broadcastJobTemplate: { spec: { template: template() } } };
  const ofImages = (spec: JsonObject = {}) => ({ imageListPullJobTemplate: { spec: { images: ['a'], ...spec } } });
  const job = (spec: JsonObject, metadata: JsonObject = {}) =>
    object('AdvancedCronJob', { schedule: '* * * * *', template: ofJob, ...spec }, metadata);
  const pulling = (spec: JsonObject) => job({ template: ofImages(spec) });
  const images = 'spec.template.imageListPullJobTemplate.spec';
  const refused = (schedule: string, reason: string): Rule => ({
    rule: `does not run at ${JSON.stringify(schedule)}`,
    object: job({ schedule }),
    errors: `spec.schedule: Invalid value: ${JSON.stringify(schedule)}: ${reason}`,
  });
  const fixed = ['spec: Forbidden'];
  holdRules([
    ...['1,2,,3 * * * *', '*/70 * * * *', '5/15 * * * *', '+5 * * * *', '? ? ? ? ?', '*-5 * * * *', '@every -5s'].map(
      (schedule): Rule => ({ rule: `runs at ${schedule}`, object: job({ schedule }) }),
    ),
    refused('0 0 1 1 1-7', 'end of range (7) above maximum (6): 1-7'),
    refused('* * * 0 *', 'beginning of range (0) below minimum (1): 0'),
    refused('-1 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'),
    refused('*/-1 * * * *', 'negative number (-1) not allowed: -1'),
    refused('1-2-3 * * * *', 'too many hyphens: 1-2-3'),
    refused('*/2/3 * * * *', 'too many slashes: */2/3'),
    refused('@hourly x', 'unrecognized descriptor: @hourly x'),
    refused('@every x', 'failed to parse duration @every x: time: invalid duration "x"'),
    refused('CRON_TZ=Mars/X * * * * *', 'provided bad location Mars/X: unknown time zone Mars/X'),
    {
      rule: 'is told of its time, zone, templates and numbers',
      object: job({
        schedule: '* * * *',
        timeZone: '',
        template: { ...ofBroadcast, ...ofImages() },
        startingDeadlineSeconds: -1,
        failedJobsHistoryLimit: -1,
      }),
      errors: [
        'spec.schedule: Invalid value',
        'spec.timeZone: Invalid value',
        'spec.template: Forbidden',
        'spec.startingDeadlineSeconds: Invalid value',
        'spec.failedJobsHistoryLimit: Invalid value',
      ],
    },
    {
      rule: 'may give images as long as one attempt takes',
      object: pulling({ completionPolicy: { activeDeadlineSeconds: 600 } }),
    },
    {
      rule: 'gives images no less time than one attempt takes',
      object: pulling({ completionPolicy: { activeDeadlineSeconds: 599 } }),
      errors: [`${images}.completionPolicy.activeDeadlineSeconds: Invalid value`],
    },
    {
      rule: 'is told of the first fault of its images only',
      object: pulling({ images: [], selector: { names: ['a', 'a'] }, podSelector: {} }),
      errors: [`${images}.selector.names: Invalid value`],
    },
    { rule: 'may have a free list of images', object: stored(pulling({ images: ['z'] })), before: stored(pulling({})) },
    {
      rule: 'keeps the kind of what it starts',
      object: stored(job({ template: ofBroadcast })),
      before: stored(job({})),
      errors: fixed,
    },
    { rule: 'gets no list of images later', object: stored(pulling({})), before: stored(job({})), errors: fixed },
    {
      rule: 'keeps labels of its jobs',
      object: stored(job({ template: changed(ofJob, { jobTemplate: { metadata: { labels: { a: 'b' } } } }) })),
      before: stored(job({})),
      errors: fixed,
    },
    {
      rule: 'is told of labels on updates too',
      object: stored(job({}, { labels: { 'a b': 'c' } })),
      before: stored(job({})),
      errors: ['metadata.labels: Invalid value'],
    },
  ]);
});

describe('an ImagePullJob', () => {
  const job = (spec: JsonObject, metadata: JsonObject = {}) =>
    object('ImagePullJob', { image: 'a', ...spec }, metadata);
  holdRules([
    { rule: 'may stand still', object: job({ parallelism: '+0' }) },
    { rule: 'may take a negative time', object: job({ pullPolicy: { timeoutSeconds: -5, backoffLimit: -1 } }) },
    {
      rule: 'may name nodes beside an empty list of labels',
      object: job({ selector: { names: ['a'], matchExpressions: [] } }),
    },
    {
      rule: 'is told of nodes before images',
      object: job({ image: '', selector: {}, podSelector: {} }),
      errors: 'can not set both selector and podSelector',
    },
    {
      rule: 'has no image that could be an id',
      object: job({ image: 'a'.repeat(64) }),
      errors: `invalid image ${'a'.repeat(64)}: invalid repository name (${'a'.repeat(64)}), cannot specify 64-byte hexadecimal strings`,
    },
    {
      rule: 'keeps the order of its secrets, whatever else is wrong',
      object: stored(job({ image: '', pullSecrets: ['b', 'a'] })),
      before: stored(job({ pullSecrets: ['a', 'b'] })),
      errors: 'spec.pullSecrets is immutable',
    },
  ]);
});

describe('a ContainerRecreateRequest', () => {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
  const pod = (status: JsonObject, metadata: JsonObject = {}): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'shop', uid: 'p-1', ...metadata },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'app' }],
      initContainers: [{ name: 'proxy', restartPolicy: 'Always' }],
    },
    status: { containerStatuses: [{ name: 'app', containerID: 'x://1', restartCount: 0 }], ...status },
  });
  const request = (spec: JsonObject, metadata: JsonObject = {}) =>
    object('ContainerRecreateRequest', { podName: 'p', containers: [{ name: 'app' }], ...spec }, metadata);
  const running = [node, pod({ phase: 'Running' })];
  const gone = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  holdRules(
    versions.flatMap((version): Rule[] => [
      {
        rule: `of ${version} may be short`,
        object: request({ activeDeadlineSeconds: 3 }, { version }),
        cluster: running,
      },
      {
        rule: `of ${version} is told of its members before its pod`,
        object: request({ activeDeadlineSeconds: 2, strategy: { failurePolicy: 'x' } }, { version }),
        errors: 'activeDeadlineSeconds can not be less than 3s',
      },
      {
        rule: `of ${version} restarts nothing of a pod that goes`,
        object: request({}, { version }),
        cluster: [node, pod({ phase: 'Running' }, gone)],
        errors: 'not allowed to recreate containers in an inactive Pod',
      },
      {
        rule: `of ${version} restarts sidecars that were ended on purpose`,
        object: request({}, { version }),
        cluster: [node, pod({ phase: 'Succeeded', conditions: [{ type: 'SidecarTerminated', status: 'False' }] })],
      },
      {
        rule: `of ${version} restarts no init container`,
        object: request({ containers: [{ name: 'proxy' }] }, { version }),
        cluster: running,
        errors: 'not found proxy containerStatus in Pod Status',
      },
      {
        rule: `of ${version} brings no facts`,
        object: request(
          { containers: [{ name: 'app', statusContext: { containerID: '', restartCount: 0 } }] },
          { version },
        ),
        cluster: running,
        errors: 'preStop, ports, statusContext in container are ready-only fields',
      },
      {
        rule: `of ${version} gives no ports, not even none`,
        object: request({ containers: [{ name: 'app', ports: [] }] }, { version }),
        cluster: running,
        errors: 'preStop, ports, statusContext in container are ready-only fields',
      },
    ]),
  );
});

describe('a PodProbeMarker', () => {
  const probe = (members: JsonObject = {}): JsonObject => ({
    name: 'p',
    containerName: 'app',
    podConditionType: 'a/b',
    probe: { exec: { command: ['x'] } },
    ...members,
  });
  const marker = (...probes: JsonObject[]) =>
    object('PodProbeMarker', { selector: { matchLabels: { a: 'b' } }, probes }, { version: 'v1alpha1' });
  holdRules([
    {
      rule: 'overlooks a handler that it does not know beside one',
      object: marker(probe({ probe: { grpc: { port: 1 }, exec: { command: ['x'] } } })),
    },
    {
      rule: 'is told of malformed conditions one by one',
      object: marker(probe({ podConditionType: '-a' }), probe({ name: 'q', podConditionType: 'z!' })),
      errors: ['spec: Invalid value', 'spec: Invalid value'],
    },
    {
      rule: 'is told of nothing behind a state that comes twice',
      object: marker(
        probe({
          markerPolicy: [
            { state: 'Unknown' },
            { state: 'Failed', labels: { 'a b': 'c' }, annotations: { '/': '' } },
            { state: 'Failed' },
            { state: '' },
          ],
        }),
        probe({ name: '' }),
      ),
      errors: [
        'spec.markerPolicy.state: Required value',
        'spec.markerPolicy.labels: Invalid value',
        ...Array<string>(3).fill('spec.markerPolicy.annotations: Invalid value'),
        'spec.markerPolicy: Invalid value',
      ],
    },
    {
      rule: 'has a path that is a URL, a port with a letter and headers with names',
      object: marker(
        probe({
          probe: { httpGet: { path: '%zz', port: '80', scheme: 'HTTPS', httpHeaders: [{ name: '', value: '' }] } },
        }),
      ),
      errors: ['path', 'port', 'httpHeaders'].map((member) => `spec.probe.httpGet.${member}: Invalid value`),
    },
    {
      rule: 'keeps its selector, also where it is empty',
      object: stored(withoutEmpties(changed(marker(probe()), { spec: { selector: { matchExpressions: [] } } }))),
      before: stored(changed(marker(probe()), { spec: { selector: { matchExpressions: [] } } })),
      errors: ['selector: Invalid value'],
    },
  ]);
});

describe('an EphemeralJob', () => {
  const container = { name: 'x', image: 'x', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' };
  const job = (members: JsonObject) =>
    object(
      'EphemeralJob',
      { template: { ephemeralContainers: [{ ...container, ...members }] } },
      { version: 'v1alpha1' },
    );
  holdRules([
    { rule: 'may have resources that say nothing', object: job({ resources: {}, env: [], command: [], ports: null }) },
    ...[
      { ports: [] },
      { resizePolicy: [] },
      { resources: { limits: {} } },
      { resources: { claims: [] } },
      { restartPolicy: '' },
      { lifecycle: {} },
      { startupProbe: {} },
    ].map(
      (members): Rule => ({
        rule: `may not have ${JSON.stringify(members)}, though it is empty`,
        object: job(members as JsonObject),
        errors: [`ephemeralContainers[0].${Object.keys(members).join()}: Forbidden`],
      }),
    ),
  ]);
});
