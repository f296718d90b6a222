// Defaults of a UnitedDeployment, the same in both versions (uniteddeployment 2). Of the templates only that of StatefulSets
// is completed: the workloads made from the others get their defaults when they are created.
import { AdvancedStatefulSetSpec } from '../../core/advanced-statefulset.ts';
import { CloneSetSpec } from '../../core/cloneset.ts';
import { decode } from '../../core/decode.ts';
import type { Json } from '../../core/json.ts';
import type { ObjectMeta } from '../../core/meta.ts';
import type { PodTemplateSpec } from '../../core/pod.ts';
import type { AnyStruct } from '../../core/schema.ts';
import { defaultClaimTemplate, defaultPodTemplate, isTemplateDefaulted } from '../../core/template-defaults.ts';
import type { PersistentVolumeClaim } from '../../core/volumes.ts';
import { DeploymentSpec, StatefulSetSpec } from '../../core/workloads.ts';
import type { DefaultsContext } from '../kind.ts';
import type { UnitedDeployment, UnitedDeploymentSpec, UnitedDeploymentV1alpha1 } from './schema.ts';
import { SubsetTemplate } from './templates.ts';

/** Completes a decoded UnitedDeployment of either version and returns it, without its status. */
export function applyUnitedDeploymentDefaults<T extends UnitedDeployment | UnitedDeploymentV1alpha1>(
  deployment: T,
  context: DefaultsContext,
): T {
  deployment.spec ??= {};
  const spec = deployment.spec;
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ??= 'Manual';
  if (spec.updateStrategy.type === 'Manual') spec.updateStrategy.manualUpdate ??= {};
  spec.topology ??= {};
  defaultLimits(spec.topology.subsets ?? []);
  spec.template ??= {};
  const isDefaulted = isTemplateDefaulted(spec.template as Json, SubsetTemplate, context);
  completeTemplate(spec.template);
  if (isDefaulted) defaultStatefulSetTemplate(spec.template.statefulSetTemplate, context);
  // The status is not the client's to set.
  delete deployment.status;
  return deployment;
}

type Subsets = NonNullable<NonNullable<UnitedDeploymentSpec['topology']>['subsets']>;

/** Where some subset has a limit and none has replicas, all have a lower limit. */
function defaultLimits(subsets: Subsets): void {
  const isLimited = subsets.some(({ minReplicas, maxReplicas }) => (minReplicas ?? maxReplicas) !== undefined);
  if (!isLimited || subsets.some(({ replicas }) => replicas !== undefined)) return;
  for (const subset of subsets) subset.minReplicas ??= 0;
}

// What is written even when empty. A selector that is missing is written as null, which the schema of the CRD refuses.
function completeTemplate(template: SubsetTemplate): void {
  const { statefulSetTemplate, advancedStatefulSetTemplate, cloneSetTemplate, deploymentTemplate } = template;
  if (statefulSetTemplate !== undefined) complete(statefulSetTemplate, StatefulSetSpec);
  if (advancedStatefulSetTemplate !== undefined) complete(advancedStatefulSetTemplate, AdvancedStatefulSetSpec);
  if (cloneSetTemplate !== undefined) complete(cloneSetTemplate, CloneSetSpec);
  if (deploymentTemplate !== undefined) complete(deploymentTemplate, DeploymentSpec);
  for (const { spec } of [advancedStatefulSetTemplate ?? {}, cloneSetTemplate ?? {}]) {
    if (spec !== undefined) spec.selector ??= null as never;
  }
}

type Workload = { template?: PodTemplateSpec; volumeClaimTemplates?: PersistentVolumeClaim[] };
type Template = { metadata?: ObjectMeta; spec?: Workload };

function complete(template: Template, schema: AnyStruct): void {
  template.metadata ??= {};
  template.spec ??= decode(schema, {}).value as Workload;
  template.spec.template ??= {};
  template.spec.template.metadata ??= {};
  template.spec.template.spec ??= {};
  for (const claim of template.spec.volumeClaimTemplates ?? []) {
    claim.metadata ??= {};
    claim.spec ??= {};
    claim.status ??= {};
  }
}

function defaultStatefulSetTemplate(template: SubsetTemplate['statefulSetTemplate'], { gates }: DefaultsContext): void {
  if (template?.spec === undefined) return;
  template.spec.template ??= {};
  defaultPodTemplate(template.spec.template, gates);
  for (const claim of template.spec.volumeClaimTemplates ?? []) defaultClaimTemplate(claim);
}
