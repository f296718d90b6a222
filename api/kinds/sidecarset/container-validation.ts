// The containers of a SidecarSet: what is special about sidecars, computed resources, and all rules of a pod that would
// consist of them and the set's volumes. (sidecarset 4.3, 6.1)
import type { Container } from '../../core/containers.ts';
import type { PodSpec } from '../../core/pod.ts';
import { validateImageBlanks } from '../../core/validation/containers.ts';
import { conversionFault, validateSubscript } from '../../core/validation/environment.ts';
import { Field } from '../../core/validation/field.ts';
import { validatePodSpec } from '../../core/validation/pod-spec.ts';
import { wording as coreWording } from '../../core/validation/wording.ts';
import type { ValidationContext } from '../kind.ts';
import type { SidecarContainer, SidecarSetSpec, TransferEnv } from './schema.ts';
import { wording } from './wording.ts';

type Sidecar = Field<SidecarContainer>;
type Checks = Pick<ValidationContext, 'checkPattern' | 'checkExpression'>;

const INJECT_POLICIES = ['BeforeAppContainer', 'AfterAppContainer'];
const SHARE_POLICIES = ['enabled', 'disabled'];
const POD_NAME = 'test';
const PLACEHOLDER: Container = {
  name: 'test',
  image: 'busybox',
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePolicy: 'File',
};
/** Only labels and annotations of a pod can name a container. */
const NO_PATHS: ReadonlySet<string> = new Set();

/** All containers and volumes of the set. */
export function validateSidecarContainers(spec: Field<SidecarSetSpec | undefined>, checks: Checks): void {
  spec
    .at('initContainers')
    .items()
    .forEach((container, index) => {
      validateResourcesPolicy(container, spec.place(index, 'resourcesPolicy'), checks);
      if (container.value?.resourcesPolicy !== undefined && container.value.restartPolicy !== 'Always') {
        const place = spec.place(index, 'resourcesPolicy');
        place.invalid(wording.resourcesOfInitContainer, container.value.resourcesPolicy);
      }
    });
  spec
    .at('containers')
    .items()
    .forEach((container, index) => {
      validatePolicies(container, spec);
      for (const transfer of container.value?.transferEnv ?? []) {
        validateTransferSource(transfer, spec.place(index, 'transferEnv', 'fieldRef'));
      }
      validateResourcesPolicy(container, spec.place(index, 'resourcesPolicy'), checks);
    });
  validateAsPod(spec);
}

// Compatibility: no index, and `container` in the singular.
function validatePolicies(container: Sidecar, spec: Field<unknown>): void {
  const { podInjectPolicy = '', shareVolumePolicy } = container.value ?? {};
  const place = spec.place('container');
  if (!INJECT_POLICIES.includes(podInjectPolicy)) {
    place.place('podInjectPolicy').invalid(wording.podInjectPolicy, podInjectPolicy);
  }
  if (!SHARE_POLICIES.includes(shareVolumePolicy?.type ?? '')) {
    place.place('shareVolumePolicy').invalid(wording.shareVolumePolicy, shareVolumePolicy ?? {});
  }
}

function validateTransferSource({ sourceContainerNameFrom }: TransferEnv, place: Field<unknown>): void {
  if (sourceContainerNameFrom?.fieldRef === undefined) return;
  const reference = Field.below(place, sourceContainerNameFrom.fieldRef);
  const path = reference.value?.fieldPath ?? '';
  if (!reference.at('apiVersion').require() || !reference.at('fieldPath').require()) return;
  const fault = conversionFault(reference.value?.apiVersion ?? '', path, NO_PATHS);
  if (fault !== undefined) reference.at('fieldPath').invalid(coreWording.fieldPathUnconverted(fault));
  else validateSubscript(place, path);
}

function validateResourcesPolicy({ value: container }: Sidecar, place: Field<unknown>, checks: Checks): void {
  if (container?.resourcesPolicy === undefined) return;
  const policy = Field.below(place, container.resourcesPolicy);
  const { limits = {}, requests = {} } = container.resources ?? {};
  if (Object.keys(limits).length > 0 || Object.keys(requests).length > 0) {
    policy.invalid(wording.resourcesTwice);
    return;
  }
  const pattern = policy.at('targetContainersNameRegex');
  if (pattern.require(wording.targetsMissing)) {
    const fault = checks.checkPattern(pattern.value ?? '');
    if (fault !== undefined) pattern.invalid(wording.targetsPattern(fault));
  }
  const expressions = policy.at('resourcesExpr');
  if (!expressions.at('limits').isSet && !expressions.at('requests').isSet) {
    expressions.invalid(wording.expressionsMissing);
    return;
  }
  for (const kind of ['limits', 'requests'] as const) {
    for (const variable of ['cpu', 'memory'] as const) {
      const expression = expressions.at(kind).at(variable);
      const fault = expression.isSet ? checks.checkExpression(expression.value ?? '', variable) : undefined;
      if (fault !== undefined) expression.invalid(wording.expression(fault));
    }
  }
}

// Errors keep the paths of the pod, which are those of the set for containers, init containers and volumes.
function validateAsPod(spec: Field<SidecarSetSpec | undefined>): void {
  const { initContainers = [], containers = [], volumes = [] } = spec.value ?? {};
  const pod: PodSpec = {
    initContainers,
    containers: containers.length > 0 ? containers : [PLACEHOLDER],
    volumes,
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    terminationGracePeriodSeconds: 30,
  };
  const field = Field.below(spec, pod);
  validatePodSpec(field, { podName: POD_NAME });
  for (const container of [...field.at('containers').items(), ...field.at('initContainers').items()]) {
    validateImageBlanks(container);
  }
}
