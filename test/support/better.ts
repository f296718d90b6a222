// Where a recorded answer is a known fault and the better one is told in a sentence: that sentence as a check.
// Better answers that the corpus gives as an expectation are compared like any other and do not appear here.
import { cloneJson, type JsonObject } from '../../api/core/json.ts';
import { compareConversion } from './compare/conversion.ts';
import { type Difference, truth } from './compare/difference.ts';
import { fieldErrorsOf } from './compare/field-errors.ts';
import { compareObjects } from './compare/objects.ts';
import { Placeholders } from './compare/placeholders.ts';
import type { Case, CaseResult } from './corpus.ts';

type Reading = (recorded: Case, result: CaseResult) => Difference[];

/** How `result` differs from the better answer; undefined if nobody has read the sentence of this case yet. */
export function differsFromBetter(recorded: Case, result: CaseResult): Difference[] | undefined {
  return READINGS[`${recorded.area}/${recorded.name}`]?.(recorded, result);
}

/** The cases whose sentence has been read, as `area/name`. */
export function readSentences(): string[] {
  return Object.keys(READINGS);
}

const READINGS: Record<string, Reading> = {
  'clonesets/cloneset-default-unknown-member-a': withUnknownMembers,
  'clonesets/cloneset-not-defaulted-a': refusedAt('spec.updateStrategy.rollingUpdate.partition: '),
  'conversion/convert-daemonset-beta-scale-off': withoutProgressiveCreation,
  'containerrecreaterequests/crr-sleep-hook': withoutEmptyHook,
  'conversion/convert-pub-bad-operation': withoutUnknownOperations,
  'podunavailablebudgets/pub-update-bad-old': allowed,
  'resourcedistributions/resourcedistribution-ok-d': refusedAt('spec.resource: '),
  'workloadspreads/workloadspread-max-plain-string': refusedAt('spec.subsets[0].maxReplicas: '),
  'sidecarsets/sidecarset-policies-c': refusedAt('spec.container.shareVolumeDevicePolicy: '),
  'sidecarsets/sidecarset-update-strategy-e': refusedAt('spec.updateStrategy.type: '),
  'sidecarsets/sidecarset-default-empty-source': withoutEmptySource,
  'statefulsets/statefulset-not-defaulted-a': refusedAt('spec.podManagementPolicy: '),
  'statefulsets/statefulset-update-claims-e': refusedAt('spec.volumeClaimTemplates: '),
};

/** Refused, and among the field errors is one that starts so. */
function refusedAt(start: string): Reading {
  return (_recorded, result) => {
    if (result.allowed !== false) return truth('/allowed', false, result.allowed);
    const { code = 0, message = '' } = result;
    const errors = fieldErrorsOf(message);
    return [
      ...(code >= 400 && code <= 500 ? [] : truth('/code', '500 or 4xx', code)),
      ...(errors.some((error) => error.startsWith(start)) ? [] : truth('/errors', `one at ${start}`, errors)),
    ];
  };
}

/** As recorded, but for a `preStop` that says nothing. */
function withoutEmptyHook(recorded: Case, result: CaseResult): Difference[] {
  if (result.allowed !== true) return truth('/allowed', true, result.allowed);
  const expected = cloneJson(recorded.expect.object ?? {});
  for (const container of (expected.spec as { containers: JsonObject[] }).containers) delete container.preStop;
  const placeholders = new Placeholders(result.window);
  return compareObjects(expected, result.object, { root: '/object', volatile: recorded.volatile, placeholders });
}

/** Allowed, and nothing is changed. */
function allowed(_recorded: Case, result: CaseResult): Difference[] {
  return [...truth('/allowed', true, result.allowed), ...truth('/operations', 0, result.operations ?? 0)];
}

/** Words that are no operation are left out of the member; the annotation keeps them. */
function withoutUnknownOperations(recorded: Case, result: CaseResult): Difference[] {
  const [asked] = (recorded.request.request as { objects: JsonObject[] }).objects;
  const { result: outcome, convertedObjects } = (result.conversion ?? {}) as {
    result?: JsonObject;
    convertedObjects?: JsonObject[];
  };
  const expected = {
    ...asked,
    apiVersion: 'policy.kruise.io/v1beta1',
    spec: { ...(asked?.spec as JsonObject), protectOperations: ['DELETE'] },
  };
  const placeholders = new Placeholders(result.window);
  return [
    ...truth('/status', 'Success', outcome?.status),
    ...compareObjects(expected, convertedObjects?.[0], { root: '/objects/0', volatile: [], placeholders }),
  ];
}

/** What Kubernetes may know some day stays in the template; all else is as recorded. */
function withUnknownMembers(recorded: Case, result: CaseResult): Difference[] {
  if (result.allowed !== true) return truth('/allowed', true, result.allowed);
  const expected = structuredClone(recorded.expect.object) as { spec: { template: { spec: JsonObject } } };
  const asked = recorded.request.object as typeof expected;
  const { spec } = expected.spec.template;
  for (const [name, value] of Object.entries(asked.spec.template.spec)) spec[name] ??= value;
  const containers = asked.spec.template.spec.containers as JsonObject[];
  spec.containers = (spec.containers as JsonObject[]).map((container, i) => ({ ...containers[i], ...container }));
  const placeholders = new Placeholders(result.window);
  return compareObjects(expected, result.object, { root: '/object', volatile: recorded.volatile, placeholders });
}

/** The annotation is gone, since the member is not true; all else is as recorded. */
function withoutProgressiveCreation(recorded: Case, result: CaseResult): Difference[] {
  const [object] = structuredClone(recorded.expect.objects) as [{ metadata: { annotations?: JsonObject } }];
  delete object.metadata.annotations;
  const expect = { ...recorded.expect, objects: [object as JsonObject] };
  return compareConversion(recorded, expect, result, new Placeholders(result.window));
}

/** `sourceContainerNameFrom: {}` counts as absent, for the object and for its hashes. */
function withoutEmptySource(recorded: Case, result: CaseResult): Difference[] {
  if (result.allowed !== true) return truth('/allowed', true, result.allowed);
  const asked = recorded.request.object as JsonObject;
  const expected: JsonObject = {
    ...asked,
    metadata: {
      ...(asked.metadata as JsonObject),
      annotations: {
        'kruise.io/sidecarset-hash': 'z98z5fv9zx44c8424w86v5v299x4w42d57f454vcc555dwdb7x7wf4bvvx494745',
        'kruise.io/sidecarset-hash-without-image': 'czb4z9882cwc29684c62cd8w44z4fvcb5b49fx7v87w82c2d4dwx454x8bdzx4d5',
      },
    },
    spec: {
      selector: { matchLabels: { app: 'playlist' } },
      containers: [
        {
          name: 'track-agent',
          image: 'registry.example.com/media/playlist:2024.3',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
          podInjectPolicy: 'BeforeAppContainer',
          upgradeStrategy: { upgradeType: 'ColdUpgrade' },
          shareVolumePolicy: { type: 'disabled' },
          transferEnv: [{ envName: 'A' }],
        },
      ],
      updateStrategy: { type: 'RollingUpdate', partition: 0, maxUnavailable: 1 },
      injectionStrategy: {},
      revisionHistoryLimit: 10,
    },
  };
  const placeholders = new Placeholders(result.window);
  return compareObjects(expected, result.object, { root: '/object', volatile: recorded.volatile, placeholders });
}
