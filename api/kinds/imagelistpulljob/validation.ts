// What an ImageListPullJob must be to be admitted (images 3.3). The first rule that does not hold is the answer.
import type { FieldError } from '../../core/field-error.ts';
import type { JsonObject } from '../../core/json.ts';
import { completionFault, imagesFault, nodesFault, parallelismFault } from '../../core/validation/image-pull.ts';
import type { ImageListPullJob } from './schema.ts';

/** At most one error, of a decoded job of either version. Updates have no rules of their own. */
export function validateImageListPullJob(object: JsonObject): FieldError[] {
  const spec = (object as ImageListPullJob).spec ?? { completionPolicy: {} };
  const fault = nodesFault(spec) ?? imagesFault(spec.images) ?? parallelismFault(spec) ?? completionFault(spec);
  return fault === undefined ? [] : [fault];
}
