// What an EphemeralJob must be to be admitted: only its ephemeral containers are looked at (ephemeraljob 2).
import type { FieldError } from '../../core/field-error.ts';
import type { JsonObject } from '../../core/json.ts';
import { validateDetachedContainers } from '../../core/validation/containers.ts';
import { Field } from '../../core/validation/field.ts';
import type { EphemeralJob } from './schema.ts';

/** The field errors of a decoded job. Updates have no rules of their own. */
export function validateEphemeralJob(object: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const containers = (object as EphemeralJob).spec?.template.ephemeralContainers;
  // Compatibility: errors stand at `ephemeralContainers`, without `spec.template`.
  validateDetachedContainers(Field.root(containers, errors, 'ephemeralContainers'), {
    allowPrivileged: true,
    hostUsers: true,
  });
  return errors;
}
