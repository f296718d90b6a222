// What is said about an Advanced StatefulSet that is admitted, since OpenKruise has no rule against it, though nothing will
// come of it (admission-overview K6, advanced-statefulset 9.10).
import { type FieldError, formatFieldError } from '../../core/field-error.ts';
import type { JsonObject } from '../../core/json.ts';
import { boundedErrors, Field } from '../../core/validation/field.ts';
import { validatePodTemplate } from '../../core/validation/pod-template.ts';
import { defaultedCopy, longNameWarning, withClaims } from '../../core/validation/workload.ts';
import type { ValidationContext } from '../kind.ts';
import type { StatefulSet } from './schema.ts';
import { wording } from './wording.ts';

/** Clients show every one of them. */
const MOST = 10;

/** The warnings about a set in v1beta1 form that validation has nothing against. */
export function warnStatefulSet(
  object: JsonObject,
  _old: JsonObject | undefined,
  { gates }: ValidationContext,
): string[] {
  const { template, volumeClaimTemplates = [], ordinals } = (object as StatefulSet).spec ?? {};
  const warnings = longNameWarning((object as StatefulSet).metadata);
  if (ordinals !== undefined && gates.get('StatefulSetStartOrdinal') !== true) warnings.push(wording.startIgnored);
  else if ((ordinals?.start ?? 0) < 0) warnings.push(wording.startNegative);
  // What the API server will say about the pods.
  const errors = boundedErrors(() => {
    const found: FieldError[] = [];
    const pods = withClaims(defaultedCopy(template, gates), volumeClaimTemplates);
    validatePodTemplate(Field.root(pods, found, 'spec.template'));
    return found;
  });
  return [...new Set([...warnings, ...errors.slice(0, MOST).map(formatFieldError)])].slice(0, MOST);
}
