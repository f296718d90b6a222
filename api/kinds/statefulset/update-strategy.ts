// How an Advanced StatefulSet updates its pods, and how many may be unavailable (advanced-statefulset 1.4).
import type { AdvancedStatefulSetSpec, StatefulSetRollingUpdate } from '../../core/advanced-statefulset.ts';
import { atoi } from '../../core/integers.ts';
import type { Field } from '../../core/validation/field.ts';
import { validateIntOrPercent } from '../../core/validation/int-or-percent.ts';
import { priorityFault } from '../../core/validation/update-order.ts';
import { IN_PLACE_UPDATE_READY } from '../../names.ts';
import { wording } from './wording.ts';

type Spec = Field<AdvancedStatefulSetSpec | undefined>;
type Rolling = Field<StatefulSetRollingUpdate | undefined>;

const POLICIES = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'];
const GREATEST_MIN_READY_SECONDS = 300;

/** All rules of updateStrategy. */
export function validateUpdateStrategy(spec: Spec, isParallel: boolean): void {
  const strategy = spec.at('updateStrategy');
  const rolling = strategy.at('rollingUpdate');
  switch (strategy.value?.type ?? '') {
    case '':
      strategy.required();
      break;
    case 'OnDelete':
      if (rolling.value !== undefined) rolling.invalid(wording.rollingUpdateOnly);
      break;
    case 'RollingUpdate':
      if (rolling.value !== undefined) validateRollingUpdate(spec, rolling, isParallel);
      break;
    default:
      strategy.invalid(wording.updateType);
  }
}

function validateRollingUpdate(spec: Spec, rolling: Rolling, isParallel: boolean): void {
  rolling.at('partition').notNegative();
  const minReadySeconds = rolling.at('minReadySeconds');
  minReadySeconds.notNegative();
  if ((minReadySeconds.value ?? 0) > GREATEST_MIN_READY_SECONDS) {
    minReadySeconds.invalid(wording.minReadySeconds(GREATEST_MIN_READY_SECONDS));
  }
  const maxUnavailable = rolling.at('maxUnavailable');
  if (maxUnavailable.value === undefined) maxUnavailable.required();
  else validateMaxUnavailable(maxUnavailable, isParallel);
  validatePodUpdatePolicy(spec, rolling);
  validateUnordered(rolling, isParallel);
}

/** An amount of pods that may be unavailable: at least 1, and only 1 unless the policy is Parallel. */
export function validateMaxUnavailable(field: Field<number | string | undefined>, isParallel: boolean): void {
  validateIntOrPercent(field);
  const { value = 0 } = field;
  const ofOne = typeof value === 'number' ? value : percentageOfOne(value);
  if (typeof ofOne === 'string') field.invalid(wording.amountUnreadable(ofOne), 0);
  else if (ofOne < 1) field.invalid(wording.amountTooSmall, ofOne);
  if (!isParallel && value !== 1) field.invalid(wording.parallelOnly);
}

// Compatibility: signs of percentage are left out wherever they stand, so `5` counts as 5% here.
function percentageOfOne(text: string): number | string {
  const percent = atoi(text.replaceAll('%', ''));
  if (typeof percent === 'number') return Math.ceil(percent / 100) + 0;
  return `invalid value for IntOrString: invalid value ${JSON.stringify(text)}: ${percent}`;
}

function validatePodUpdatePolicy(spec: Spec, rolling: Rolling): void {
  const field = rolling.at('podUpdatePolicy');
  const policy = field.value ?? '';
  if (!field.require()) return;
  if (!POLICIES.includes(policy)) {
    field.invalid(wording.podUpdatePolicy);
  } else if (policy !== 'ReCreate') {
    const gates = spec.at('template').at('spec').at('readinessGates');
    const isReady = gates.value?.some(({ conditionType }) => conditionType === IN_PLACE_UPDATE_READY) ?? false;
    if (!isReady) gates.invalid(wording.readinessGateMissing(policy), gates.value ?? []);
  }
}

function validateUnordered(rolling: Rolling, isParallel: boolean): void {
  const unordered = rolling.at('unorderedUpdate');
  if (unordered.value === undefined) return;
  if (!isParallel) unordered.required(wording.unorderedNeedsParallel);
  const { priorityStrategy } = unordered.value;
  const fault = priorityStrategy === undefined ? undefined : priorityFault(priorityStrategy);
  if (fault !== undefined) unordered.at('priorityStrategy').required(fault);
}
