// What an ImagePullJob must be to be admitted (images 3.2). The first rule that does not hold is the answer.
import { type FieldError, plainError } from '../../core/field-error.ts';
import { DEFAULT_PULL_TIMEOUT_SECONDS } from '../../core/image-pull.ts';
import { equalJson, type JsonObject, toNumber } from '../../core/json.ts';
import { completionFault, imageFault, nodesFault, parallelismFault } from '../../core/validation/image-pull.ts';
import type { ImagePullJob } from './schema.ts';

type Spec = NonNullable<ImagePullJob['spec']>;

const wording = {
  secretsImmutable: 'spec.pullSecrets is immutable',
  deadlineTooShort:
    'completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds' +
    `(default ${DEFAULT_PULL_TIMEOUT_SECONDS})`,
} as const;

/** At most one error, of a decoded job of either version; `old` is given on UPDATE. */
export function validateImagePullJob(object: JsonObject, old: JsonObject | undefined): FieldError[] {
  const spec = specOf(object);
  const fault =
    (old === undefined ? undefined : secretsFault(spec, specOf(old))) ??
    nodesFault(spec) ??
    imageFault(spec.image, 'spec.image') ??
    parallelismFault(spec) ??
    completionFault(spec) ??
    deadlineFault(spec);
  return fault === undefined ? [] : [fault];
}

function specOf(object: JsonObject): Spec {
  return (object as ImagePullJob).spec ?? { image: '', completionPolicy: {} };
}

// Compatibility: an empty list is not none. Whatever has passed the defaulting webhook has no empty list.
function secretsFault(spec: Spec, old: Spec): FieldError | undefined {
  const isSame = equalJson(spec.pullSecrets ?? null, old.pullSecrets ?? null);
  return isSame ? undefined : plainError('spec.pullSecrets', wording.secretsImmutable, 'Forbidden');
}

/** One attempt must fit into the deadline of the job. */
function deadlineFault({ completionPolicy, pullPolicy }: Spec): FieldError | undefined {
  const { type, activeDeadlineSeconds } = completionPolicy;
  if (type !== 'Always' || activeDeadlineSeconds === undefined) return undefined;
  const timeoutSeconds = pullPolicy?.timeoutSeconds ?? DEFAULT_PULL_TIMEOUT_SECONDS;
  const isTooShort = timeoutSeconds > toNumber(activeDeadlineSeconds);
  return isTooShort ? plainError('spec.completionPolicy.activeDeadlineSeconds', wording.deadlineTooShort) : undefined;
}
