// Pod templates of workloads. Full validation looks at everything, light validation at labels and annotations only; which
// kind uses which is told in admission-overview 8.1. Templates should have been defaulted.
import type { LabelSelector } from '../meta.ts';
import type { PodTemplateSpec } from '../pod.ts';
import { isEmptySelector, matchesSelector } from '../selector.ts';
import { Field } from './field.ts';
import { validateAnnotations, validateLabels } from './metadata.ts';
import { validatePodAnnotations, validateProfileAnnotations } from './pod-annotations.ts';
import { type PodSpecOptions, validatePodSpec } from './pod-spec.ts';
import { wording } from './wording.ts';

type TemplateOptions = Pick<PodSpecOptions, 'allowPrivileged'>;

/** Full validation of a template that stands at the field's path. (admission-overview 8.3) */
export function validatePodTemplate(template: Field<PodTemplateSpec | undefined>, options: TemplateOptions = {}): void {
  const spec = template.at('spec');
  validateTemplateMetadata(template);
  validatePodSpec(spec, options);
  validateProfileAnnotations(template.value?.metadata?.annotations, spec);
  if (spec.at('ephemeralContainers').isSet) {
    spec.at('ephemeralContainers').forbidden(wording.ephemeralContainersInTemplate);
  }
}

/** Light validation: the selector, then labels and annotations; the pod spec is not looked at. (admission-overview 8.2) */
export function validatePodTemplateLightly(
  template: Field<PodTemplateSpec | undefined>,
  selector: LabelSelector | undefined,
): void {
  validateTemplateLabels(template, selector);
  validateTemplateMetadata(template);
}

/** The workload's selector must match the template's labels. No selector matches nothing; an empty one is not looked at. */
export function validateTemplateLabels(
  template: Field<PodTemplateSpec | undefined>,
  selector: LabelSelector | undefined,
): void {
  if (selector !== undefined && isEmptySelector(selector)) return;
  const labels = template.at('metadata').at('labels');
  if (!matchesSelector(selector, labels.value ?? {})) labels.invalid(wording.selectorMismatch);
}

// Compatibility: errors stand at `labels` and `annotations` of the template, without `metadata`.
function validateTemplateMetadata(template: Field<PodTemplateSpec | undefined>): void {
  const metadata = template.value?.metadata;
  validateLabels(Field.below(template.place('labels'), metadata?.labels));
  const annotations = Field.below(template.place('annotations'), metadata?.annotations);
  validateAnnotations(annotations);
  validatePodAnnotations(annotations, template.at('spec'));
}
