// What a UnitedDeployment must be to be admitted: metadata, selector, template, subsets, update strategy, and what an update
// may not change (uniteddeployment 3).
import { encode } from '../../core/encode.ts';
import type { FieldError } from '../../core/field-error.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { NodeSelectorTerm, Toleration } from '../../core/pod.ts';
import { type ListSchema, list } from '../../core/schema.ts';
import { validateNodeSelectorTerm } from '../../core/validation/affinity.ts';
import { Field } from '../../core/validation/field.ts';
import { type MetadataRules, validateObjectMeta, validateObjectMetaUpdate } from '../../core/validation/metadata.ts';
import { dnsLabel, dnsSubdomain } from '../../core/validation/names.ts';
import { validateTolerations } from '../../core/validation/scheduling.ts';
import { requireSelector } from '../../core/validation/workload.ts';
import type { Gates } from '../../gates.ts';
import type { ValidationContext } from '../kind.ts';
import { type UnitedDeployment, type UnitedDeploymentSpec, UPDATE_TYPES } from './schema.ts';
import { validateSubsetAmounts } from './subset-amounts.ts';
import { validateTemplateChanges } from './template-changes.ts';
import { validateTemplate } from './template-validation.ts';
import { wording } from './wording.ts';

type Spec = Field<UnitedDeploymentSpec | undefined>;
type Subset = NonNullable<NonNullable<UnitedDeploymentSpec['topology']>['subsets']>[number];

const ADAPTIVE = 'Adaptive';
const METADATA: MetadataRules = { name: dnsSubdomain, namespaced: true };
const tolerationList: ListSchema = list(Toleration);

/** The field errors of a UnitedDeployment in v1beta1 form, decoded; none if it may be admitted. */
export function validateUnitedDeployment(
  object: JsonObject,
  old: JsonObject | undefined,
  { gates }: ValidationContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const deployment = Field.root(object as UnitedDeployment, errors);
  const before = old as UnitedDeployment | undefined;
  const spec = deployment.at('spec');
  validateObjectMeta(deployment.at('metadata'), METADATA);
  validateSpec(spec, gates);
  if (before !== undefined) {
    validateObjectMetaUpdate(deployment.at('metadata'), before.metadata ?? {});
    validateTemplateChanges(spec.at('template'), before.spec?.template);
    validateSubsetChanges(spec, before.spec);
  }
  return errors;
}

function validateSpec(spec: Spec, gates: Gates): void {
  spec.at('replicas').notNegative();
  const isUsable = requireSelector(spec.at('selector'), wording.selectorEmpty);
  validateReservation(spec);
  if (isUsable) validateTemplate(spec.at('template'), spec.at('selector').value, gates);
  validateSubsetAmounts(spec.at('topology'), spec.value?.replicas);
  validateSubsets(spec);
  validateUpdateStrategy(spec);
}

/** Pods that wait in vain are only kept where others can take their place. */
function validateReservation(spec: Spec): void {
  const strategy = spec.at('topology').at('scheduleStrategy');
  const { type, adaptive } = strategy.value ?? {};
  const { deploymentTemplate, cloneSetTemplate } = spec.value?.template ?? {};
  if (type !== ADAPTIVE || adaptive?.reserveUnschedulablePods !== true) return;
  if ((deploymentTemplate ?? cloneSetTemplate) === undefined) strategy.invalid(wording.statefulReservation);
}

function validateSubsets(spec: Spec): void {
  const isAdaptive = spec.value?.topology?.scheduleStrategy?.type === ADAPTIVE;
  const seen = new Set<string>();
  for (const subset of spec.at('topology').at('subsets').items()) {
    validateName(subset.at('name'), seen);
    validateNodeSelectorTerm(subset.at('nodeSelectorTerm') as Field<NodeSelectorTerm>, { anyValues: true });
    validateTolerations(subset.at('tolerations'));
    if (isAdaptive && subset.value?.replicas !== undefined) {
      subset.at('replicas').forbidden(wording.replicasOfAdaptive);
    }
  }
}

function validateName(field: Field<string>, seen: Set<string>): void {
  const name = field.value ?? '';
  field.require();
  if (seen.has(name)) field.invalid(wording.nameTwice(name), name);
  seen.add(name);
  const details = dnsLabel(name);
  if (details.length > 0) field.invalid(wording.name(details.join(', ')), name);
}

function validateUpdateStrategy(spec: Spec): void {
  const strategy = spec.at('updateStrategy');
  if (strategy.at('type').isSet) strategy.at('type').among(UPDATE_TYPES);
  const names = new Set((spec.value?.topology?.subsets ?? []).map(({ name }) => name));
  const partitions = strategy.at('manualUpdate').at('partitions');
  for (const [name] of partitions.entries()) {
    if (!names.has(name)) partitions.invalid(wording.noSuchSubset(name));
  }
}

/** Where the pods of a subset run stays the same as long as there is a subset of that name. */
function validateSubsetChanges(spec: Spec, old: UnitedDeploymentSpec | undefined): void {
  const subsets = new Map((old?.topology?.subsets ?? []).map((subset) => [subset.name, subset]));
  const before = new Map([...subsets].map(([name, subset]) => [name, placeOf(subset)]));
  for (const field of spec.at('topology').at('subsets').items()) {
    const known = before.get(field.value?.name ?? '');
    if (known === undefined || field.value === undefined) continue;
    const now = placeOf(field.value);
    if (now.term !== known.term) field.at('nodeSelectorTerm').forbidden(wording.immutable);
    if (now.tolerations !== known.tolerations) field.at('tolerations').forbidden(wording.immutable);
  }
}

// As Go writes it, so that only what counts is compared.
function placeOf({ nodeSelectorTerm = {}, tolerations = [] }: Subset): { term: string; tolerations: string } {
  return {
    term: encode(NodeSelectorTerm, nodeSelectorTerm as Json),
    tolerations: encode(tolerationList, tolerations as Json),
  };
}
