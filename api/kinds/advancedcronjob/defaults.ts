// Defaults of an AdvancedCronJob (advancedcronjob 2). Those of the jobs that it starts are filled in when they are created;
// here only their pod templates are completed, and the pull job's policies.
import { defaultPullTemplate, dropEmptyMembers } from '../../core/image-pull.ts';
import type { JsonObject } from '../../core/json.ts';
import type { PodTemplateSpec } from '../../core/pod.ts';
import { defaultPodTemplate, isTemplateDefaulted } from '../../core/template-defaults.ts';
import type { DefaultsContext } from '../kind.ts';
import { type AdvancedCronJob, CronJobTemplate, CronJobTemplateV1alpha1 } from './schema.ts';

/** Completes a decoded AdvancedCronJob of either version and returns it, without its status. */
export function applyAdvancedCronJobDefaults(
  job: AdvancedCronJob,
  version: string,
  context: DefaultsContext,
): AdvancedCronJob {
  job.spec ??= { schedule: '' };
  const spec = job.spec;
  spec.template ??= {};
  const { jobTemplate, broadcastJobTemplate, imageListPullJobTemplate } = spec.template;
  const schema = version === 'v1alpha1' ? CronJobTemplateV1alpha1 : CronJobTemplate;
  const podTemplates = [completeJob(jobTemplate), completeBroadcastJob(broadcastJobTemplate)];
  if (isTemplateDefaulted(spec.template as JsonObject, schema, context)) {
    for (const template of podTemplates) if (template !== undefined) defaultPodTemplate(template, context.gates);
  }
  if (imageListPullJobTemplate !== undefined) defaultImageListTemplate(imageListPullJobTemplate);
  spec.concurrencyPolicy ??= imageListPullJobTemplate === undefined ? 'Allow' : 'Replace';
  spec.paused ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  // The status is not the client's to set.
  delete job.status;
  return job;
}

// Structs that are written even when empty; the pod template inside.

function completeJob(template: CronJobTemplate['jobTemplate']): PodTemplateSpec | undefined {
  if (template === undefined) return undefined;
  template.metadata ??= {};
  template.spec ??= {};
  return completePodTemplate(template.spec);
}

function completeBroadcastJob(template: CronJobTemplate['broadcastJobTemplate']): PodTemplateSpec | undefined {
  if (template === undefined) return undefined;
  template.metadata ??= {};
  template.spec ??= {};
  template.spec.completionPolicy ??= {};
  template.spec.failurePolicy ??= {};
  return completePodTemplate(template.spec);
}

function completePodTemplate(spec: { template?: PodTemplateSpec }): PodTemplateSpec {
  spec.template ??= {};
  spec.template.metadata ??= {};
  spec.template.spec ??= {};
  return spec.template;
}

// Compatibility: a template that gives the type of its completion policy gets none of the other defaults.
function defaultImageListTemplate(template: NonNullable<CronJobTemplate['imageListPullJobTemplate']>): void {
  template.metadata ??= {};
  template.spec ??= { completionPolicy: {} };
  dropEmptyMembers(template.spec);
  if (template.spec.completionPolicy.type !== undefined) return;
  defaultPullTemplate(template.spec);
  template.spec.imagePullPolicy ??= 'IfNotPresent';
}
