// What pulling images has in common for all kinds that ask for it: on which nodes, how many at once, how long. Embedded by
// ImagePullJob, ImageListPullJob and templates of the latter (images 1.2, 1.3).
import { LabelSelector } from './meta.ts';
import {
  int32,
  int64,
  intOrString,
  list,
  map,
  nullable,
  optional,
  pointer,
  required,
  type Static,
  struct,
  text,
} from './schema.ts';

// Of the members of this selector, an empty one counts as given.
const NodeSelector = struct(
  'v1beta1.ImagePullJobNodeSelector',
  {
    names: optional(list(text()), 'Names of the nodes; excludes labels and expressions.', { keepEmpty: true }),
    matchLabels: { ...LabelSelector.fields.matchLabels, options: { keepEmpty: true } },
    matchExpressions: { ...LabelSelector.fields.matchExpressions, options: { keepEmpty: true } },
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

const PullPolicy = struct('v1beta1.PullPolicy', {
  timeoutSeconds: pointer(int32(), 'Seconds that one attempt on a node may take; 600 if absent.'),
  backoffLimit: pointer(int32(), 'How often a node tries again after the first attempt; 3 if absent.'),
});

const CompletionPolicy = struct('v1beta1.CompletionPolicy', {
  type: optional(
    text('v1beta1.CompletionPolicyType'),
    'Always ends the job once all nodes are done; Never goes on, for new nodes too, and pulls again every day. ' +
      'Always if absent.',
  ),
  activeDeadlineSeconds: pointer(int64(), 'Seconds after its start at which the job is ended; only with Always.'),
  ttlSecondsAfterFinished: pointer(int32(), 'Seconds after its end at which the job is deleted; only with Always.'),
});

export const SandboxConfig = struct('v1beta1.SandboxConfig', {
  labels: optional(map(text()), 'Labels of the sandbox.'),
  annotations: optional(map(text()), 'Annotations of the sandbox.'),
});

/** Members of every spec that asks for images, in Go's order behind the images themselves. */
export const pullTemplate = {
  pullSecrets: optional(list(text()), 'Names of Secrets in the namespace of the job, for pulling.', {
    keepEmpty: true,
  }),
  selector: pointer(NodeSelector, 'Nodes to pull on, by name or by label; all nodes if absent. Excludes podSelector.'),
  podSelector: pointer(LabelSelector, 'Pods on whose nodes to pull. Excludes selector.'),
  parallelism: pointer(intOrString(), 'Number of nodes that pull at once; 1 if absent, none if 0.'),
  pullPolicy: pointer(PullPolicy, 'Limits of the task on each node.'),
  completionPolicy: required(CompletionPolicy, 'When the job ends; filled in by admission.'),
  sandboxConfig: pointer(SandboxConfig, 'Labels and annotations that the container runtime gets with the request.'),
  imagePullPolicy: optional(
    text('v1beta1.ImagePullPolicy'),
    'IfNotPresent skips nodes that have the image, Always does not; IfNotPresent if absent.',
  ),
};
const PullTemplate = struct('v1beta1.ImagePullJobTemplate', pullTemplate);
export type PullTemplate = Static<typeof PullTemplate>;

/** The spec of an ImageListPullJob, which is also that of its templates. */
export const ImageListPullJobSpec = struct('v1beta1.ImageListPullJobSpec', {
  images: nullable(list(text()), 'The images to pull; none twice, at most 255.'),
  ...pullTemplate,
});
export type ImageListPullJobSpec = Static<typeof ImageListPullJobSpec>;

/** Seconds and retries of a pull on a node. */
export type PullLimits = { timeoutSeconds?: number | undefined; backoffLimit?: number | undefined };

/** Limits with their defaults. */
export function defaultPullLimits<T extends PullLimits>(limits: T): T {
  limits.timeoutSeconds ??= DEFAULT_PULL_TIMEOUT_SECONDS;
  limits.backoffLimit ??= 3;
  return limits;
}

/** How long one attempt may take on a node unless the job says otherwise. */
export const DEFAULT_PULL_TIMEOUT_SECONDS = 600;

/** Completes the decoded members: the end of the job and the limits of its tasks (images 3.1). */
export function defaultPullTemplate(template: PullTemplate): void {
  template.completionPolicy.type ??= 'Always';
  template.pullPolicy = defaultPullLimits(template.pullPolicy ?? {});
  dropEmptyMembers(template);
}

/** Empty lists of secrets and members of the selector are told from none only by validation; they are not written. */
export function dropEmptyMembers(template: PullTemplate): void {
  if (template.pullSecrets?.length === 0) delete template.pullSecrets;
  const { selector } = template;
  if (selector === undefined) return;
  if (selector.names?.length === 0) delete selector.names;
  if (selector.matchExpressions?.length === 0) delete selector.matchExpressions;
  if (selector.matchLabels !== undefined && Object.keys(selector.matchLabels).length === 0) delete selector.matchLabels;
}
