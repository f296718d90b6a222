// What a PersistentPodState must be to be admitted (persistentpodstate 1.3, 1.4).
import type { CustomWorkload } from '../../core/custom-workloads.ts';
import type { FieldError } from '../../core/field-error.ts';
import { equalJson, type Json, type JsonObject } from '../../core/json.ts';
import { groupOf, isSameTarget } from '../../core/references.ts';
import { Field } from '../../core/validation/field.ts';
import { APPS_GROUP, KRUISE_CONFIGURATION } from '../../names.ts';
import type { ValidationContext } from '../kind.ts';
import { listedWorkloads } from './listed-workloads.ts';
import type { PersistentPodState, PersistentPodStateSpec } from './schema.ts';
import { wording } from './wording.ts';

const STATEFULSET_GROUPS = ['apps', APPS_GROUP];

/** The field errors of an object in v1beta1 form, decoded; none if it may be admitted. `old` is given on UPDATE. */
export function validatePersistentPodState(
  object: JsonObject,
  old: JsonObject | undefined,
  context: ValidationContext,
): FieldError[] {
  const configuration = context.configMap(context.systemNamespace, KRUISE_CONFIGURATION);
  const workloads = listedWorkloads(configuration);
  // Compatibility: without the list nothing else is told, and this is told at no place.
  if (typeof workloads === 'string') {
    return [{ kind: 'InternalError', path: '[]', detail: wording.listUnreadable(workloads) }];
  }
  const errors: FieldError[] = [];
  const state = Field.root(object as PersistentPodState, errors);
  const spec = state.at('spec');
  const target = spec.at('targetRef');
  validateTarget(target, workloads);
  const { requiredPersistentTopology, preferredPersistentTopology = [] } = spec.value ?? {};
  if (requiredPersistentTopology === undefined && preferredPersistentTopology.length === 0) {
    spec.invalid(wording.noTopology);
  }
  if (old !== undefined) {
    const before = (old as PersistentPodState).spec?.targetRef;
    if (!equalJson((target.value ?? null) as Json, (before ?? null) as Json)) target.forbidden(wording.targetImmutable);
  }
  validateConflicts(state, context);
  return errors;
}

function validateTarget(
  target: Field<PersistentPodStateSpec['targetRef'] | undefined>,
  workloads: readonly CustomWorkload[],
): void {
  const { apiVersion = '', kind = '', name = '' } = target.value ?? {};
  if (apiVersion === '' || kind === '' || name === '') target.invalid(wording.targetIncomplete);
  const group = groupOf(apiVersion);
  const isStatefulSet = kind === 'StatefulSet' && STATEFULSET_GROUPS.includes(group);
  const isListed = workloads.some(({ Group = '', Kind = '' }) => Group === group && Kind === kind);
  if (!isStatefulSet && !isListed) target.invalid(wording.targetUnsupported);
}

// A workload has one such object. Only the first one that is in the way is told.
function validateConflicts(state: Field<PersistentPodState>, context: ValidationContext): void {
  const target = state.at('spec').at('targetRef');
  const { namespace = '', name } = state.value?.metadata ?? {};
  const others = context.objects(APPS_GROUP, 'PersistentPodState', namespace) as readonly PersistentPodState[];
  const taken = others.find((other) => {
    const { targetRef } = other.spec ?? {};
    if (other.metadata?.name === name || targetRef === undefined || target.value === undefined) return false;
    return isSameTarget(targetRef, target.value);
  });
  if (taken !== undefined) target.invalid(wording.targetTaken(taken.metadata?.name ?? ''));
}
