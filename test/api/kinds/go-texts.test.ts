// What is said of a value of the wrong type is what Go's decoder says: the member from the root, without indices, the
// struct that holds it, and the type in the package of the version that was sent (admission-overview 1.4).
import { expect, test } from 'vitest';
import type { Json } from '../../../api/core/json.ts';
import { kinds } from '../../../api/kinds/index.ts';

const BOTH = ['v1alpha1', 'v1beta1'];

function textOf(kind: string, version: string, spec: Json): string | undefined {
  const found = kinds.find((one) => one.kind === kind);
  const [text] = found?.decode({ metadata: { name: 'a' }, spec }, version).goErrors ?? [];
  return text?.replace('json: cannot unmarshal ', '');
}

test.each<[string, Json, string]>([
  ['CloneSet', 'x', 'string into Go struct field CloneSet.spec of type #.CloneSetSpec'],
  [
    'CloneSet',
    { scaleStrategy: { podsToDelete: 'x' } },
    'string into Go struct field CloneSetScaleStrategy.spec.scaleStrategy.podsToDelete of type []string',
  ],
  ['CloneSet', { lifecycle: 5 }, 'number into Go struct field CloneSetSpec.spec.lifecycle of type pub.Lifecycle'],
  [
    'StatefulSet',
    { updateStrategy: [] },
    'array into Go struct field StatefulSetSpec.spec.updateStrategy of type #.StatefulSetUpdateStrategy',
  ],
  [
    'StatefulSet',
    { updateStrategy: { rollingUpdate: { unorderedUpdate: true } } },
    'bool into Go struct field RollingUpdateStatefulSetStrategy.spec.updateStrategy.rollingUpdate.unorderedUpdate of type #.UnorderedUpdateStrategy',
  ],
  [
    'DaemonSet',
    { updateStrategy: { rollingUpdate: 'x' } },
    'string into Go struct field DaemonSetUpdateStrategy.spec.updateStrategy.rollingUpdate of type #.RollingUpdateDaemonSet',
  ],
  [
    'SidecarSet',
    { containers: {} },
    'object into Go struct field SidecarSetSpec.spec.containers of type []#.SidecarContainer',
  ],
  [
    'SidecarSet',
    { containers: [{ ports: [{ containerPort: '80' }] }] },
    'string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
  ],
  [
    'UnitedDeployment',
    { topology: { subsets: 'x' } },
    'string into Go struct field Topology.spec.topology.subsets of type []#.Subset',
  ],
  [
    'UnitedDeployment',
    { template: { cloneSetTemplate: { spec: 'x' } } },
    'string into Go struct field CloneSetTemplateSpec.spec.template.cloneSetTemplate.spec of type v1beta1.CloneSetSpec',
  ],
  [
    'UnitedDeployment',
    { template: { advancedStatefulSetTemplate: { spec: { scaleStrategy: 'x' } } } },
    'string into Go struct field StatefulSetSpec.spec.template.advancedStatefulSetTemplate.spec.scaleStrategy of type v1beta1.StatefulSetScaleStrategy',
  ],
  [
    'ContainerRecreateRequest',
    { containers: 'x' },
    'string into Go struct field ContainerRecreateRequestSpec.spec.containers of type []#.ContainerRecreateRequestContainer',
  ],
  [
    'ImagePullJob',
    { pullPolicy: 'x' },
    'string into Go struct field ImagePullJobSpec.spec.pullPolicy of type #.PullPolicy',
  ],
  ['NodeImage', { images: [] }, 'array into Go struct field NodeImageSpec.spec.images of type map[string]#.ImageSpec'],
  [
    'AdvancedCronJob',
    { template: { broadcastJobTemplate: { spec: { completionPolicy: 'x' } } } },
    'string into Go struct field BroadcastJobSpec.spec.template.broadcastJobTemplate.spec.completionPolicy of type #.CompletionPolicy',
  ],
  [
    'WorkloadSpread',
    { subsets: ['x'] },
    'string into Go struct field WorkloadSpreadSpec.spec.subsets of type #.WorkloadSpreadSubset',
  ],
  [
    'PodUnavailableBudget',
    { maxUnavailable: {} },
    'object into Go struct field PodUnavailableBudgetSpec.spec.maxUnavailable of type int32',
  ],
  [
    'PersistentPodState',
    { preferredPersistentTopology: 'x' },
    'string into Go struct field PersistentPodStateSpec.spec.preferredPersistentTopology of type []#.PreferredTopologyTerm',
  ],
])('%s with the spec %j', (kind, spec, text) => {
  for (const version of BOTH) expect(textOf(kind, version, spec)).toBe(text.replace('#', version));
});
