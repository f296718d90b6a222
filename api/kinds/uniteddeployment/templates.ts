// The templates of a UnitedDeployment, of which it has one: what the workload of each subset is made from
// (uniteddeployment 1.1). Both versions embed the v1beta1 forms of our own workloads.
import { AdvancedStatefulSetSpec } from '../../core/advanced-statefulset.ts';
import { CloneSetSpec } from '../../core/cloneset.ts';
import { ObjectMeta } from '../../core/meta.ts';
import { always, pointer, type Static, struct } from '../../core/schema.ts';
import { DeploymentSpec, StatefulSetSpec } from '../../core/workloads.ts';

const metadata = always(ObjectMeta, 'Labels and annotations of the workloads; the rest does not count.', {
  schemaless: true,
});
const specDoc = 'Spec of the workloads; selector and replicas are overwritten for each.';

/** The members, by the version whose types error texts name. */
export const subsetTemplate = (version: string) =>
  struct(`${version}.SubsetTemplate`, {
    statefulSetTemplate: pointer(
      struct(`${version}.StatefulSetTemplateSpec`, {
        metadata,
        spec: always(StatefulSetSpec, specDoc, { required: true, schemaless: true, keepUnknown: true }),
      }),
      'Makes StatefulSets.',
    ),
    advancedStatefulSetTemplate: pointer(
      struct(`${version}.AdvancedStatefulSetTemplateSpec`, {
        metadata,
        spec: always(AdvancedStatefulSetSpec, specDoc, { required: true }),
      }),
      'Makes Advanced StatefulSets.',
    ),
    cloneSetTemplate: pointer(
      struct(`${version}.CloneSetTemplateSpec`, {
        metadata,
        spec: always(CloneSetSpec, specDoc, { required: true }),
      }),
      'Makes CloneSets.',
    ),
    // Compatibility: unlike in the other templates, members that are not known are dropped.
    deploymentTemplate: pointer(
      struct(`${version}.DeploymentTemplateSpec`, {
        metadata,
        spec: always(DeploymentSpec, specDoc, { required: true, schemaless: true }),
      }),
      'Makes Deployments.',
    ),
  });
/** The template of either version. */
export const SubsetTemplate = subsetTemplate('v1beta1');
export type SubsetTemplate = Static<typeof SubsetTemplate>;
