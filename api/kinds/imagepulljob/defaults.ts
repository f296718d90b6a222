// Defaults of an ImagePullJob (images 3.1).
import { defaultPullTemplate } from '../../core/image-pull.ts';
import { IMAGEPULLJOB_FINALIZER } from '../../names.ts';
import type { ImagePullJob } from './schema.ts';

/** Completes a decoded job, on creation or update. */
export function applyImagePullJobDefaults(job: ImagePullJob): ImagePullJob {
  job.spec ??= { image: '', completionPolicy: {} };
  defaultPullTemplate(job.spec);
  job.spec.imagePullPolicy ??= 'IfNotPresent';
  return job;
}

/**
 * The finalizer by which the controller gives back copies of Secrets.
 * Compatibility: admission sets it only on creation in v1alpha1; to all other jobs the controller adds it.
 */
export function addFinalizer(job: ImagePullJob): ImagePullJob {
  const finalizers = job.metadata?.finalizers ?? [];
  if (finalizers.includes(IMAGEPULLJOB_FINALIZER)) return job;
  return { ...job, metadata: { ...job.metadata, finalizers: [...finalizers, IMAGEPULLJOB_FINALIZER] } };
}
