// Tries the patch of a subset on the pod template of the workload: the result must be a valid pod (workloadspread 2.3).
import { decode } from '../../core/decode.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { PodTemplateSpec } from '../../core/pod.ts';
import { PatchFault, strategicMerge } from '../../core/strategic-merge.ts';
import { defaultPodTemplate } from '../../core/template-defaults.ts';
import { Field } from '../../core/validation/field.ts';
import { validatePodSpec } from '../../core/validation/pod-spec.ts';
import type { Gates } from '../../gates.ts';
import { wording } from './wording.ts';

/**
 * Reports at the patch, and below it as if it were the spec of the pod. `template` is that of the workload (templateOf).
 */
export function validatePatch(patch: Field<Json | undefined>, template: JsonObject, gates: Gates): void {
  const given = patch.value ?? null;
  const merged = merge(template, given);
  if (typeof merged === 'string') {
    patch.invalid(wording.unmerged(merged), JSON.stringify(given));
    return;
  }
  const { value: patched, errors } = decode(PodTemplateSpec, merged);
  // Compatibility: what can be read of the pod is looked at all the same.
  if (errors[0] !== undefined) patch.invalid(wording.unreadable(errors[0].goText), JSON.stringify(given));
  defaultPodTemplate(patched, gates);
  validatePodSpec(Field.below(patch, patched.spec));
}

function merge(template: JsonObject, patch: Json): JsonObject | string {
  try {
    return strategicMerge(PodTemplateSpec, template, patch);
  } catch (error) {
    if (error instanceof PatchFault) return error.message;
    throw error;
  }
}

/** The pod template of a workload. Claim templates become volumes, as the workload makes them for its pods. */
export function templateOf(workload: JsonObject): JsonObject {
  const spec = isObject(workload.spec) ? workload.spec : {};
  const template = decode(PodTemplateSpec, spec.template ?? {}).value;
  const claims = Array.isArray(spec.volumeClaimTemplates) ? spec.volumeClaimTemplates : [];
  for (const claim of claims) {
    const metadata = isObject(claim) && isObject(claim.metadata) ? claim.metadata : {};
    const name = typeof metadata.name === 'string' ? metadata.name : '';
    template.spec ??= {};
    template.spec.volumes = [...(template.spec.volumes ?? []), { name, persistentVolumeClaim: { claimName: name } }];
  }
  return template as JsonObject;
}
