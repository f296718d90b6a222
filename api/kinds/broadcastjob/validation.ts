// What a BroadcastJob must be to be admitted, on create and update alike: nothing is immutable (broadcastjob 3).
import type { FieldError } from '../../core/field-error.ts';
import { cloneJson, type JsonObject } from '../../core/json.ts';
import type { PodTemplateSpec } from '../../core/pod.ts';
import { defaultPodTemplate } from '../../core/template-defaults.ts';
import { Field } from '../../core/validation/field.ts';
import { type MetadataRules, validateObjectMeta } from '../../core/validation/metadata.ts';
import { noLongerThan, patternRule } from '../../core/validation/names.ts';
import { validatePodTemplate } from '../../core/validation/pod-template.ts';
import { BROADCASTJOB_CONTROLLER_UID, BROADCASTJOB_NAME } from '../../names.ts';
import type { ValidationContext } from '../kind.ts';
import type { BroadcastJob } from './schema.ts';
import { wording } from './wording.ts';

const NAME_LENGTH = 63;

const namePattern = patternRule(wording.name, '^[a-zA-Z0-9\\-]+$', 'example-com');
const nameRule = (name: string) => [...namePattern(name), ...noLongerThan(name, NAME_LENGTH)];
const METADATA: MetadataRules = { name: nameRule, generateName: nameRule, namespaced: true };

/** The field errors of a BroadcastJob in v1beta1 form, decoded; none if it may be admitted. */
export function validateBroadcastJob(
  object: JsonObject,
  _old: JsonObject | undefined,
  { gates }: ValidationContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const job = Field.root(object as BroadcastJob, errors);
  const spec = job.at('spec');
  validateObjectMeta(job.at('metadata'), METADATA);
  validateCompletionPolicy(spec.at('completionPolicy'));
  validateRestartPolicy(spec.at('template'));
  validateReservedLabels(spec.at('template'));
  // Whatever admission fills in is there when the rules of pods are asked, also with gate TemplateNoDefaults.
  const given = (spec.value?.template ?? {}) as JsonObject;
  const template = Field.below<PodTemplateSpec>(spec.place('template'), cloneJson(given) as PodTemplateSpec);
  if (template.value !== undefined) defaultPodTemplate(template.value, gates);
  validatePodTemplate(template);
  return errors;
}

function validateCompletionPolicy(policy: Field<NonNullable<BroadcastJob['spec']>['completionPolicy']>): void {
  if (policy.value?.type !== 'Never') return;
  const { ttlSecondsAfterFinished, activeDeadlineSeconds } = policy.value;
  if (ttlSecondsAfterFinished !== undefined) policy.at('ttlSecondsAfterFinished').invalid(wording.ttlNeedsAlways);
  if (activeDeadlineSeconds !== undefined) policy.at('activeDeadlineSeconds').invalid(wording.deadlineNeedsAlways);
}

function validateRestartPolicy(template: Field<PodTemplateSpec | undefined>): void {
  const policy = template.at('spec').at('restartPolicy');
  if (policy.value !== 'Never' && policy.value !== 'OnFailure')
    policy.invalid(wording.restartPolicy, policy.value ?? '');
}

function validateReservedLabels(template: Field<PodTemplateSpec | undefined>): void {
  const labels = template.at('metadata').at('labels');
  const isTaken = [BROADCASTJOB_NAME, BROADCASTJOB_CONTROLLER_UID].some(
    (label) => (labels.value?.[label] ?? '') !== '',
  );
  if (isTaken) labels.invalid(wording.reservedLabels);
}
