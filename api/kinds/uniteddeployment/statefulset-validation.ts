// The spec of a StatefulSet, as Kubernetes 1.32 validates it, in the template of a UnitedDeployment: selector and replicas
// are those that the subsets will have, policies the default ones where they are absent (uniteddeployment 3.1, rule 10).
import type { LabelSelector } from '../../core/meta.ts';
import { isEmptySelector } from '../../core/selector.ts';
import type { Field } from '../../core/validation/field.ts';
import { validateIntOrPercent, validateNotAbove100Percent } from '../../core/validation/int-or-percent.ts';
import { validatePodTemplateLightly } from '../../core/validation/pod-template.ts';
import type { StatefulSetSpec } from '../../core/workloads.ts';
import { wording } from './wording.ts';

type Spec = Field<StatefulSetSpec | undefined>;

const POLICIES = ['OrderedReady', 'Parallel'] as const;
const ROLLING = 'RollingUpdate';
const ON_DELETE = 'OnDelete';
const RETENTION = ['Retain', 'Delete'];

/** `selector` is that of the UnitedDeployment; it must be one that can be used for matching. */
export function validateStatefulSetSpec(spec: Spec, selector: LabelSelector | undefined): void {
  const policy = spec.at('podManagementPolicy');
  if (policy.isSet && !(POLICIES as readonly string[]).includes(policy.value ?? '')) {
    policy.invalid(wording.oneOf(...POLICIES));
  }
  validateUpdateStrategy(spec.at('updateStrategy'));
  const retention = spec.at('persistentVolumeClaimRetentionPolicy');
  if (retention.value !== undefined) {
    retention.at('whenDeleted').among(RETENTION);
    retention.at('whenScaled').among(RETENTION);
  }
  spec.at('minReadySeconds').notNegative();
  spec.at('ordinals').at('start').notNegative();
  if (selector === undefined) spec.at('selector').required();
  else if (isEmptySelector(selector)) spec.at('selector').invalid(wording.selectorEmpty, selector);
  validatePodTemplateLightly(spec.at('template'), selector);
  validateRunning(spec);
}

function validateUpdateStrategy(strategy: Field<NonNullable<StatefulSetSpec['updateStrategy']> | undefined>): void {
  const { type = ROLLING } = strategy.value ?? {};
  const rollingUpdate = strategy.at('rollingUpdate');
  if (type === ON_DELETE) {
    if (rollingUpdate.value !== undefined) rollingUpdate.invalid(wording.onlyFor(ROLLING));
  } else if (type !== ROLLING) {
    strategy.invalid(wording.oneOf(ROLLING, ON_DELETE));
  } else {
    const unavailable = rollingUpdate.at('maxUnavailable');
    validateIntOrPercent(unavailable);
    if (/^0+%?$/.test(String(unavailable.value ?? ''))) unavailable.invalid(wording.not0);
    validateNotAbove100Percent(unavailable);
  }
}

// Unlike in the other templates, defaults are not filled in first.
function validateRunning(spec: Spec): void {
  const pods = spec.at('template').at('spec');
  if (pods.value?.restartPolicy !== 'Always') pods.at('restartPolicy').unsupported(['Always']);
  if (pods.value?.activeDeadlineSeconds !== undefined) {
    pods.at('activeDeadlineSeconds').forbidden(wording.deadlineOfStatefulSet);
  }
}
