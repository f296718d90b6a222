// The rules of label selectors. Whether a selector matches is told in api/core/selector.ts.
import type { LabelSelector, LabelSelectorRequirement } from '../meta.ts';
import type { Field } from './field.ts';
import { validateLabels } from './metadata.ts';
import { labelValue, qualifiedName } from './names.ts';
import { wording } from './wording.ts';

/** `anyValues` lets values of expressions pass that are no label values (selectors of pod affinity in templates). */
export type SelectorOptions = { anyValues?: boolean };

/** Labels and expressions of a selector, if it is there. */
export function validateLabelSelector(
  selector: Field<LabelSelector | undefined>,
  { anyValues = false }: SelectorOptions = {},
): void {
  validateLabels(selector.at('matchLabels'));
  for (const requirement of selector.at('matchExpressions').items()) {
    validateOperator(requirement);
    requirement.at('key').follow(qualifiedName);
    if (!anyValues) for (const value of requirement.at('values').items()) value.follow(labelValue);
  }
}

function validateOperator(requirement: Field<LabelSelectorRequirement>): void {
  const operator = requirement.at('operator');
  const values = requirement.at('values');
  switch (operator.value) {
    case 'In':
    case 'NotIn':
      values.require(wording.valuesRequired);
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.isSet) values.forbidden(wording.valuesForbidden);
      break;
    default:
      operator.invalid(wording.badOperator, operator.value ?? '');
  }
}
