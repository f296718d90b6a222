// The template of a UnitedDeployment: exactly one, its labels selected, and what each kind of workload asks of it
// (uniteddeployment 3.1, rules 6 to 16). Templates of CloneSets are not looked at: the CloneSets made from them are.
import type { LabelSelector, ObjectMeta } from '../../core/meta.ts';
import type { PodTemplateSpec } from '../../core/pod.ts';
import { matchesSelector } from '../../core/selector.ts';
import { Field } from '../../core/validation/field.ts';
import {
  validatePodTemplate,
  validatePodTemplateLightly,
  validateTemplateLabels,
} from '../../core/validation/pod-template.ts';
import { defaultedCopy, validateAlwaysRunning } from '../../core/validation/workload.ts';
import type { Gates } from '../../gates.ts';
import { validateStatefulSetSpec } from './statefulset-validation.ts';
import type { SubsetTemplate } from './templates.ts';
import { wording } from './wording.ts';

type Template = Field<SubsetTemplate | undefined>;
type Selector = LabelSelector | undefined;

const ROLLING = 'RollingUpdate';

/** Rules of all templates; the selector must be one that can be used for matching. */
export function validateTemplate(template: Template, selector: Selector, gates: Gates): void {
  const value = template.value ?? {};
  const given = Object.values(value).filter((one) => one !== undefined);
  if (given.length === 0) template.required(wording.noTemplate);
  if (given.length > 1) template.invalid(wording.manyTemplates);
  if (value.statefulSetTemplate !== undefined) validateStatefulSetTemplate(template, selector);
  else if (value.advancedStatefulSetTemplate !== undefined) validateAdvancedStatefulSetTemplate(template, selector);
  else if (value.deploymentTemplate !== undefined) validateDeploymentTemplate(template, selector, gates);
}

function validateStatefulSetTemplate(parent: Template, selector: Selector): void {
  const template = parent.at('statefulSetTemplate');
  validateLabelsSelected(template.at('metadata'), selector);
  const spec = template.at('spec');
  const { type, rollingUpdate } = spec.value?.updateStrategy ?? {};
  refuseReplicas(spec.at('replicas'), 'statefulSetTemplate');
  if (type === ROLLING && rollingUpdate?.partition !== undefined) {
    const partition = spec.at('updateStrategy').at('rollingUpdate').at('partition');
    partition.invalid(wording.partitionUnused('statefulSetTemplate'));
  }
  validateStatefulSetSpec(spec, selector);
}

function validateAdvancedStatefulSetTemplate(parent: Template, selector: Selector): void {
  const template = parent.at('advancedStatefulSetTemplate');
  // Compatibility: the error stands at the other kind of StatefulSet.
  const place = parent.place('statefulSetTemplate', 'metadata');
  validateLabelsSelected(Field.below(place, template.value?.metadata), selector);
  const spec = template.at('spec');
  const { type, rollingUpdate } = spec.value?.updateStrategy ?? {};
  refuseReplicas(spec.at('replicas'), 'advancedStatefulSetTemplate');
  if (type === ROLLING && rollingUpdate?.partition !== undefined) {
    const partition = spec.at('updateStrategy').at('rollingUpdate').at('partition');
    partition.invalid(wording.partitionUnused('advancedStatefulSetTemplate'));
  }
  validatePodTemplateLightly(spec.at('template'), selector);
}

function validateDeploymentTemplate(parent: Template, selector: Selector, gates: Gates): void {
  const template = parent.at('deploymentTemplate');
  validateLabelsSelected(template.at('metadata'), selector);
  const spec = template.at('spec');
  refuseReplicas(spec.at('replicas'), 'deploymentTemplate');
  const place = spec.place('template');
  const pods = Field.below<PodTemplateSpec>(place, defaultedCopy(spec.value?.template, gates));
  validateTemplateLabels(pods, selector);
  validatePodTemplate(pods);
  validateAlwaysRunning(pods, wording.deadlineOfReplicaSet);
}

/** The workloads are found by their labels. */
function validateLabelsSelected(metadata: Field<ObjectMeta | undefined>, selector: Selector): void {
  const labels = metadata.at('labels');
  if (!matchesSelector(selector, labels.value ?? {})) labels.invalid(wording.labelsUnselected);
}

function refuseReplicas(replicas: Field<number | undefined>, template: keyof SubsetTemplate): void {
  if (replicas.value !== undefined) replicas.invalid(wording.replicasUnused(template));
}
