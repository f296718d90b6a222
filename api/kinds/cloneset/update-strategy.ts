// How a CloneSet updates its pods: type, policy, amounts, order (cloneset 1.6).
import type { CloneSetRollingUpdate, CloneSetSpec } from '../../core/cloneset.ts';
import { parseInteger } from '../../core/integers.ts';
import { scaledUp } from '../../core/percentages.ts';
import type { InPlaceUpdateStrategy } from '../../core/update-strategies.ts';
import type { Field } from '../../core/validation/field.ts';
import { priorityFault, scatterFault } from '../../core/validation/update-order.ts';
import { wording as shared } from '../../core/validation/wording.ts';
import type { CloneSetV1alpha1 } from './schema.ts';
import { wording } from './wording.ts';

const TYPES = ['', 'RollingUpdate', 'OnDelete'];
const POLICIES = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'];
const IN_PLACE_ONLY = 'InPlaceOnly';

/** The members that both versions have, in v1alpha1 one level higher. */
type Amounts = Omit<CloneSetRollingUpdate, 'podUpdatePolicy' | 'inPlaceUpdateStrategy'>;
type Member = 'partition' | 'maxUnavailable' | 'maxSurge';

/** The strategy of v1beta1. What stands in rollingUpdate is looked at with OnDelete too. */
export function validateUpdateStrategy(spec: Field<CloneSetSpec | undefined>): void {
  const strategy = spec.at('updateStrategy');
  const { type = '', rollingUpdate } = strategy.value ?? {};
  if (!TYPES.includes(type)) strategy.at('type').invalid(wording.type);
  if (rollingUpdate === undefined) return;
  const rolling = strategy.at('rollingUpdate');
  const { podUpdatePolicy = '' } = rollingUpdate;
  if (!['', ...POLICIES].includes(podUpdatePolicy)) rolling.at('podUpdatePolicy').invalid(wording.podUpdatePolicy);
  validateAmounts(rolling as Field<Amounts>, {
    replicas: spec.value?.replicas ?? 1,
    isInPlaceOnly: podUpdatePolicy === IN_PLACE_ONLY,
  });
  validatePreDownload(rolling.at('inPlaceUpdateStrategy'));
}

/** The strategy of v1alpha1. */
export function validateUpdateStrategyV1alpha1(spec: Field<CloneSetV1alpha1['spec']>): void {
  const strategy = spec.at('updateStrategy');
  const { type = '' } = strategy.value ?? {};
  if (!POLICIES.includes(type)) strategy.at('type').invalid(wording.typeV1alpha1, type);
  validateAmounts(strategy as Field<Amounts | undefined>, {
    replicas: spec.value?.replicas ?? 1,
    isInPlaceOnly: type === IN_PLACE_ONLY,
  });
}

function validateAmounts(
  strategy: Field<Amounts | undefined>,
  { replicas, isInPlaceOnly }: { replicas: number; isInPlaceOnly: boolean },
): void {
  const { priorityStrategy, scatterStrategy = [], maxUnavailable } = strategy.value ?? {};
  validatePartition(strategy, replicas);
  const priority = priorityStrategy === undefined ? undefined : priorityFault(priorityStrategy);
  if (priority !== undefined) strategy.at('priorityStrategy').required(priority);
  const scatter = scatterFault(scatterStrategy);
  if (scatter !== undefined) strategy.at('scatterStrategy').required(scatter);
  const unavailable = amount(strategy, 'maxUnavailable', replicas);
  const surge = amount(strategy, 'maxSurge', replicas);
  if (isInPlaceOnly && surge > 0) {
    strategy.at('maxSurge').invalid(wording.noSurgeInPlace, String(strategy.value?.maxSurge));
  }
  if (replicas > 0 && unavailable < 1 && surge < 1) {
    strategy.at('maxUnavailable').invalid(wording.nothingMoves, maxUnavailable ?? null);
  }
}

// Compatibility: an absent partition is an error, for nothing fills it in where a rolling update is not used.
function validatePartition(strategy: Field<Amounts | undefined>, replicas: number): void {
  const partition = strategy.at('partition');
  const scaled = scaledUp(partition.value, replicas);
  if (typeof scaled !== 'number') {
    partition.invalid(wording.amount('partition', scaled.fault), partition.value ?? '<nil>');
  } else if (scaled < 0) {
    partition.invalid(shared.notNegative, scaled);
  }
}

/** What an amount comes to; 0 if it is absent or wrong. */
function amount(strategy: Field<Amounts | undefined>, member: Member, replicas: number): number {
  const field = strategy.at(member);
  if (field.value === undefined) return 0;
  const scaled = scaledUp(field.value, replicas);
  if (typeof scaled === 'number') return scaled;
  field.invalid(wording.amount(member, scaled.fault));
  return 0;
}

function validatePreDownload(strategy: Field<InPlaceUpdateStrategy | undefined>): void {
  const parallelism = strategy.at('imagePreDownloadParallelism');
  if (typeof parallelism.value === 'string') {
    const number = parseInteger(parallelism.value, 32);
    if (parallelism.value.endsWith('%')) parallelism.invalid(wording.noPercentage);
    else if (typeof number !== 'number') parallelism.invalid(wording.parallelism);
    else if (number < 0) parallelism.invalid(shared.notNegative, number);
  } else {
    parallelism.notNegative();
  }
  strategy.at('imagePreDownloadTimeoutSeconds').notNegative();
  strategy.at('imagePreDownloadMinUpdatedReadyPods').notNegative();
}
