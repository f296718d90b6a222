// Right pods for tests of validation, each with what a row changes, and the errors that come of it.
import { decode } from '../../../../api/core/decode.ts';
import { type FieldError, formatFieldError } from '../../../../api/core/field-error.ts';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import type { LabelSelector } from '../../../../api/core/meta.ts';
import { PodSpec, PodTemplateSpec } from '../../../../api/core/pod.ts';
import { Field } from '../../../../api/core/validation/field.ts';
import { type PodSpecOptions, validatePodSpec } from '../../../../api/core/validation/pod-spec.ts';
import { validatePodTemplate, validatePodTemplateLightly } from '../../../../api/core/validation/pod-template.ts';

/** A container that is right but for `members`. */
export function container(members: JsonObject = {}): JsonObject {
  return {
    name: 'app',
    image: 'app:1',
    imagePullPolicy: 'Always',
    terminationMessagePolicy: 'File',
    ...members,
  };
}

/** A pod spec that is right but for `members`. */
export function podSpec(members: JsonObject = {}): JsonObject {
  return {
    containers: [container()],
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    terminationGracePeriodSeconds: 30,
    ...members,
  };
}

/** Errors of a pod spec, printed; it stands at `spec`. */
export function faultsOfSpec(members: JsonObject, options: PodSpecOptions = {}): string[] {
  const { value, errors: unreadable } = decode(PodSpec, podSpec(members));
  if (unreadable.length > 0) throw new Error(JSON.stringify(unreadable));
  const errors: FieldError[] = [];
  validatePodSpec(Field.root(value, errors, 'spec'), options);
  return errors.map(formatFieldError);
}

/** Errors of the one container of a pod, without the path of the container. */
export function faultsOfContainer(members: JsonObject, pod: JsonObject = {}, options: PodSpecOptions = {}): string[] {
  const faults = faultsOfSpec({ ...pod, containers: [container(members)] }, options);
  return faults.map((fault) => fault.replace('spec.containers[0].', ''));
}

/** Errors of the one volume of a pod, without the path of the volume. */
export function faultsOfVolume(source: JsonObject): string[] {
  const faults = faultsOfSpec({ volumes: [{ name: 'v', ...source }] });
  return faults.map((fault) => fault.replace('spec.volumes[0]', '').replace(/^\./, ''));
}

/** Errors of a template at `spec.template`, printed. */
export function faultsOfTemplate(template: { metadata?: Json; spec?: Json }): string[] {
  return faults(template, (field) => validatePodTemplate(field));
}

/** Errors of light validation of a template at `spec.template`, printed. */
export function lightFaultsOfTemplate(template: { metadata?: Json; spec?: Json }, selector?: LabelSelector): string[] {
  return faults(template, (field) => validatePodTemplateLightly(field, selector));
}

function faults(template: JsonObject, validate: (field: Field<PodTemplateSpec>) => void): string[] {
  const { value } = decode(PodTemplateSpec, template);
  const errors: FieldError[] = [];
  validate(Field.root(value, errors, 'spec.template'));
  return errors.map(formatFieldError);
}
