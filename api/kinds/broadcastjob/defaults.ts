// Defaults of a BroadcastJob, the same in both versions (broadcastjob 2).
import type { JsonObject } from '../../core/json.ts';
import { PodTemplateSpec } from '../../core/pod.ts';
import { defaultPodTemplate, isTemplateDefaulted } from '../../core/template-defaults.ts';
import type { DefaultsContext } from '../kind.ts';
import type { BroadcastJob } from './schema.ts';

const NO_LIMIT = 2147483647;

/** Completes a decoded BroadcastJob of either version and returns it, without its status. */
export function applyBroadcastJobDefaults(job: BroadcastJob, context: DefaultsContext): BroadcastJob {
  job.spec ??= {};
  const spec = job.spec;
  spec.template ??= {};
  spec.template.metadata ??= {};
  spec.template.spec ??= {};
  if (isTemplateDefaulted(spec.template as JsonObject, PodTemplateSpec, context)) {
    defaultPodTemplate(spec.template, context.gates);
  }
  spec.completionPolicy ??= {};
  spec.completionPolicy.type ??= 'Always';
  spec.parallelism ??= NO_LIMIT;
  spec.failurePolicy ??= {};
  spec.failurePolicy.type ??= 'FailFast';
  // The status is not the client's to set.
  delete job.status;
  return job;
}
