// What a broadcast job is to run: the spec of a BroadcastJob, which AdvancedCronJob embeds as well (broadcastjob 1.2).
import { PodTemplateSpec } from './pod.ts';
import { always, boolean, int32, int64, intOrString, optional, pointer, type Static, struct, text } from './schema.ts';

/** The spec, by the version whose types error texts name. */
export const broadcastJobSpec = (version: string) =>
  struct(`${version}.BroadcastJobSpec`, {
    parallelism: pointer(
      intOrString(),
      'Number of pods that may be active at a time, or a percentage of status.desired, rounded up; no limit if absent.',
    ),
    template: always(PodTemplateSpec, 'The pod to run on every node that fits; restarted OnFailure or Never.', {
      required: true,
      schemaless: true,
      keepUnknown: true,
    }),
    completionPolicy: always(
      struct(`${version}.CompletionPolicy`, {
        type: optional(
          text(`${version}.CompletionPolicyType`),
          'Always ends the job once all pods are done; Never goes on and serves new nodes. Always if absent.',
        ),
        activeDeadlineSeconds: pointer(
          int64(),
          'Seconds after its start at which the job fails and its pods are deleted; only with Always.',
        ),
        ttlSecondsAfterFinished: pointer(
          int32(),
          'Seconds after its end at which the job is deleted; only with Always.',
        ),
      }),
      'When the job ends.',
    ),
    paused: optional(boolean(), 'While true no pods are created or deleted; running ones go on.'),
    failurePolicy: always(
      struct(`${version}.FailurePolicy`, {
        type: optional(
          text(`${version}.FailurePolicyType`),
          'FailFast ends the job, Pause pauses it, Continue goes on with other nodes. FailFast if absent.',
        ),
        restartLimit: optional(
          int32(),
          'How many restarts of its containers a pod with restartPolicy OnFailure may have before it counts as failed.',
        ),
      }),
      'What is done when a pod fails.',
    ),
  });

export const BroadcastJobSpec = broadcastJobSpec('v1beta1');
export type BroadcastJobSpec = Static<typeof BroadcastJobSpec>;
