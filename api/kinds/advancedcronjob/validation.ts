// What an AdvancedCronJob must be to be admitted: metadata, schedule, exactly one template, limits, and what an update may
// not change (advancedcronjob 3).
import { encode } from '../../core/encode.ts';
import type { FieldError } from '../../core/field-error.ts';
import { cloneJson, type JsonObject } from '../../core/json.ts';
import type { PodTemplateSpec } from '../../core/pod.ts';
import { defaultPodTemplate } from '../../core/template-defaults.ts';
import { Field } from '../../core/validation/field.ts';
import { type MetadataRules, validateObjectMeta, validateObjectMetaUpdate } from '../../core/validation/metadata.ts';
import { noLongerThan, patternRule } from '../../core/validation/names.ts';
import { validatePodTemplate } from '../../core/validation/pod-template.ts';
import type { Gates } from '../../gates.ts';
import type { ValidationContext } from '../kind.ts';
import { validateImageListTemplate } from './image-list-validation.ts';
import { parseSchedule } from './schedule.ts';
import { type AdvancedCronJob, AdvancedCronJobSpec } from './schema.ts';
import { timeZoneFault } from './time-zone.ts';
import { wording } from './wording.ts';

type Spec = Field<AdvancedCronJobSpec | undefined>;

const NAME_LENGTH = 63;
const REPLACING = ['Replace', 'Forbid'];
const MUTABLE = [
  'schedule',
  'concurrencyPolicy',
  'successfulJobsHistoryLimit',
  'failedJobsHistoryLimit',
  'startingDeadlineSeconds',
  'paused',
  'timeZone',
] as const;

const namePattern = patternRule(wording.name, '^[a-zA-Z0-9\\-]+$', 'example-com');
const nameRule = (name: string) => [...namePattern(name), ...noLongerThan(name, NAME_LENGTH)];
const METADATA: MetadataRules = { name: nameRule, generateName: nameRule, namespaced: true };

/** The field errors of an AdvancedCronJob in v1beta1 form, decoded; none if it may be admitted. */
export function validateAdvancedCronJob(
  object: JsonObject,
  old: JsonObject | undefined,
  { gates }: ValidationContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const job = Field.root(object as AdvancedCronJob, errors);
  const before = old as AdvancedCronJob | undefined;
  const spec = job.at('spec');
  if (before === undefined) validateObjectMeta(job.at('metadata'), METADATA);
  else validateObjectMetaUpdate(job.at('metadata'), before.metadata ?? {});
  validateSchedule(spec);
  validateTimeZone(spec);
  validateTemplates(spec, gates);
  spec.at('startingDeadlineSeconds').notNegative();
  spec.at('successfulJobsHistoryLimit').notNegative();
  spec.at('failedJobsHistoryLimit').notNegative();
  if (before !== undefined && !isAllowedUpdate(spec.value, before.spec)) spec.forbidden(wording.immutable);
  return errors;
}

function validateSchedule(spec: Spec): void {
  const field = spec.at('schedule');
  const schedule = field.value ?? '';
  const timeZone = spec.value?.timeZone;
  if (schedule === '') field.invalid(wording.scheduleEmpty, schedule);
  const inZone = timeZone !== undefined && !schedule.includes('TZ') && timeZoneFault(timeZone) === undefined;
  const parsed = parseSchedule(inZone ? `TZ=${timeZone} ${schedule}` : schedule);
  if (typeof parsed === 'string') field.invalid(parsed, schedule);
  if (timeZone !== undefined && schedule.includes('TZ')) field.invalid(wording.twoTimeZones);
}

function validateTimeZone(spec: Spec): void {
  const field = spec.at('timeZone');
  if (field.value === undefined) return;
  if (field.value === '') {
    field.invalid(wording.timeZoneEmpty);
    return;
  }
  if (field.value.toLowerCase() === 'local') field.invalid(wording.timeZoneLocal);
  const fault = timeZoneFault(field.value);
  if (fault !== undefined) field.invalid(fault);
}

function validateTemplates(spec: Spec, gates: Gates): void {
  const template = spec.at('template');
  const { jobTemplate, broadcastJobTemplate, imageListPullJobTemplate } = template.value ?? {};
  const given = [jobTemplate, broadcastJobTemplate, imageListPullJobTemplate].filter((one) => one !== undefined);
  if (given.length === 0) template.forbidden(wording.noTemplate);
  else if (given.length > 1) template.forbidden(wording.manyTemplates);
  else if (jobTemplate !== undefined) validatePods(template, jobTemplate.spec?.template, gates);
  else if (broadcastJobTemplate !== undefined) validatePods(template, broadcastJobTemplate.spec?.template, gates);
  else validateImageList(spec);
}

function validateImageList(spec: Spec): void {
  const policy = spec.value?.concurrencyPolicy ?? '';
  if (!REPLACING.includes(policy)) {
    // Compatibility: the path has one step too many.
    spec.place('spec', 'concurrencyPolicy').invalid(wording.concurrency(policy), policy);
  }
  validateImageListTemplate(spec.at('template').at('imageListPullJobTemplate').at('spec'));
}

// Compatibility: errors stand at `spec.template`, without the template's own name, and a template is not defaulted first;
// except with the gate that keeps admission from doing so, where all short templates would be refused.
function validatePods(place: Field<unknown>, given: PodTemplateSpec | undefined, gates: Gates): void {
  const template = cloneJson((given ?? {}) as JsonObject) as PodTemplateSpec;
  if (gates.get('TemplateNoDefaults') === true) defaultPodTemplate(template, gates);
  validatePodTemplate(Field.below(place, template));
}

/** Whether nothing differs but the schedule, limits and policies, and the image list if there was one. */
function isAllowedUpdate(spec: AdvancedCronJobSpec | undefined, old: AdvancedCronJobSpec | undefined): boolean {
  const kept = { ...spec } as JsonObject;
  const before = { ...old } as JsonObject;
  for (const member of MUTABLE) {
    delete kept[member];
    delete before[member];
  }
  const list = old?.template?.imageListPullJobTemplate;
  if (list !== undefined) kept.template = { ...spec?.template, imageListPullJobTemplate: list } as JsonObject;
  return encode(AdvancedCronJobSpec, kept) === encode(AdvancedCronJobSpec, before);
}
