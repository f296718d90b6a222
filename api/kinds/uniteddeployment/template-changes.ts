// What an update may not change in the templates of StatefulSets (uniteddeployment 3.3). The others may change altogether,
// and one kind of template may take the place of another.
import { AdvancedStatefulSetSpec } from '../../core/advanced-statefulset.ts';
import { encode } from '../../core/encode.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { AnyStruct } from '../../core/schema.ts';
import type { Field } from '../../core/validation/field.ts';
import { StatefulSetSpec } from '../../core/workloads.ts';
import type { SubsetTemplate } from './templates.ts';
import { wording } from './wording.ts';

const MUTABLE = ['replicas', 'template', 'updateStrategy'];
const MUTABLE_IN_STATEFULSETS = [...MUTABLE, 'minReadySeconds', 'ordinals', 'persistentVolumeClaimRetentionPolicy'];

/** Compares templates of one kind only; with two pairs, that of StatefulSets counts. */
export function validateTemplateChanges(
  template: Field<SubsetTemplate | undefined>,
  old: SubsetTemplate | undefined,
): void {
  const { statefulSetTemplate, advancedStatefulSetTemplate } = template.value ?? {};
  if (statefulSetTemplate !== undefined && old?.statefulSetTemplate !== undefined) {
    const fixed = (spec: StatefulSetSpec | undefined) => fixedPart(StatefulSetSpec, spec, MUTABLE_IN_STATEFULSETS);
    if (fixed(statefulSetTemplate.spec) !== fixed(old.statefulSetTemplate.spec)) {
      template.at('statefulSetTemplate').at('spec').forbidden(wording.statefulSetImmutable);
    }
  } else if (advancedStatefulSetTemplate !== undefined && old?.advancedStatefulSetTemplate !== undefined) {
    const fixed = (spec: AdvancedStatefulSetSpec | undefined) => fixedPart(AdvancedStatefulSetSpec, spec, MUTABLE);
    if (fixed(advancedStatefulSetTemplate.spec) !== fixed(old.advancedStatefulSetTemplate.spec)) {
      template.at('advancedStatefulSetTemplate').at('spec').forbidden(wording.advancedStatefulSetImmutable);
    }
  }
}

/** What must stay, as Go writes it, so that only what counts is compared. */
function fixedPart(schema: AnyStruct, spec: object | undefined, mutable: readonly string[]): string {
  const fixed = { ...spec } as JsonObject;
  for (const member of mutable) delete fixed[member];
  return encode(schema, fixed as Json);
}
