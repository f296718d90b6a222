// The spec of a SidecarSet: selectors, chosen revision, update strategy, annotations for pods. (sidecarset 4.3, 4.4)
import type { LabelSelector } from '../../core/meta.ts';
import { isEmptySelector, selectorFault } from '../../core/selector.ts';
import { Field } from '../../core/validation/field.ts';
import { validateIntOrPercent } from '../../core/validation/int-or-percent.ts';
import { validateLabelSelector } from '../../core/validation/label-selector.ts';
import { validateAnnotations } from '../../core/validation/metadata.ts';
import { priorityFault, scatterFault } from '../../core/validation/update-order.ts';
import { SIDECARSET_CUSTOM_VERSION, SIDECARSET_NAME } from '../../names.ts';
import type { ValidationContext } from '../kind.ts';
import { validateSidecarContainers } from './container-validation.ts';
import type { SidecarSet, SidecarSetSpec } from './schema.ts';
import { whitelistFault } from './whitelist.ts';
import { wording } from './wording.ts';

type Spec = Field<SidecarSetSpec | undefined>;

const ROLLING = 'RollingUpdate';

/** All rules of the spec, in the order in which their errors are told. */
export function validateSpec(set: Field<SidecarSet>, context: ValidationContext): void {
  const spec = set.at('spec');
  validateNativeSidecars(spec);
  if (spec.value?.selector === undefined) spec.at('selector').required(wording.selectorMissing);
  else validateSelector(spec.at('selector'));
  validateSelector(spec.at('namespaceSelector'));
  validateRevision(set, context);
  if (spec.value?.updateStrategy?.type === ROLLING) validateUpdateStrategy(spec.at('updateStrategy'));
  if (!spec.at('containers').isSet && !spec.at('initContainers').isSet) spec.required(wording.nothingToInject);
  else validateSidecarContainers(spec, context);
  validatePodMetadata(set, context);
}

// Init containers are never upgraded in running pods, so restartable ones need a strategy that does not try.
function validateNativeSidecars(spec: Spec): void {
  const strategy = spec.at('updateStrategy');
  if (strategy.value?.type !== ROLLING) return;
  for (const { restartPolicy } of spec.value?.initContainers ?? []) {
    if (restartPolicy === 'Always') strategy.required(wording.initContainersNotUpgraded);
  }
}

// Compatibility: a selector that cannot be used is reported twice, the second time at `selector` below it.
function validateSelector(field: Field<LabelSelector | undefined>): void {
  if (field.value === undefined) return;
  validateLabelSelector(field);
  if (isEmptySelector(field.value)) field.invalid(wording.selectorEmpty);
  if (selectorFault(field.value) !== undefined) field.place('selector').invalid('', field.value);
}

// Compatibility: the errors stand at `revision`, without the members above it.
function validateRevision(set: Field<SidecarSet>, context: ValidationContext): void {
  const revision = set.value?.spec?.injectionStrategy?.revision;
  if (revision === undefined) return;
  const { revisionName, customVersion, policy = '' } = revision;
  const place = set.place('revision');
  const name = set.value?.metadata?.name ?? '';
  if (revisionName === undefined && customVersion === undefined) {
    place.invalid(wording.revisionUnnamed, revision);
  } else if (!hasRevision(context, { revisionName, customVersion, set: name })) {
    place.invalid(wording.revisionMissing(revisionName ?? name), null);
  }
  if (!['', 'Always', 'Partial'].includes(policy)) {
    place.place('policy').invalid(wording.revisionPolicy(policy), policy);
  }
}

function hasRevision(
  context: ValidationContext,
  {
    revisionName,
    customVersion,
    set,
  }: { revisionName?: string | undefined; customVersion?: string | undefined; set: string },
): boolean {
  const revisions = context.controllerRevisions() as readonly Pick<SidecarSet, 'metadata'>[];
  if (revisionName !== undefined) return revisions.some(({ metadata }) => metadata?.name === revisionName);
  return revisions.some(({ metadata }) => {
    const labels = metadata?.labels ?? {};
    return labels[SIDECARSET_NAME] === set && labels[SIDECARSET_CUSTOM_VERSION] === customVersion;
  });
}

function validateUpdateStrategy(strategy: Field<SidecarSetSpec['updateStrategy']>): void {
  const { partition, selector, priorityStrategy, scatterStrategy } = strategy.value ?? {};
  // Compatibility: this one stands at `updateStrategy`, without `spec`.
  if (selector !== undefined && partition !== undefined && partition !== 0) {
    Field.root(strategy.value, strategy.errors, 'updateStrategy').invalid(wording.partitionWithSelector);
  }
  validateSelector(strategy.at('selector'));
  validateIntOrPercent(strategy.at('partition'));
  validateIntOrPercent(strategy.at('maxUnavailable'));
  const priority = priorityStrategy === undefined ? undefined : priorityFault(priorityStrategy);
  if (priority !== undefined) strategy.at('priorityStrategy').required(priority);
  const scatter = scatterFault(scatterStrategy ?? []);
  if (scatter !== undefined) strategy.at('scatterStrategy').required(scatter);
}

// Compatibility: every fault is a missing value of the list, except those of the annotations themselves.
function validatePodMetadata(set: Field<SidecarSet>, context: ValidationContext): void {
  const patches = set.at('spec').at('patchPodMetadata');
  const refusal = set.value === undefined ? undefined : whitelistFault(set.value, context);
  if (refusal !== undefined) patches.required(refusal);
  const seen = new Set<string>();
  for (const { annotations, patchPolicy = '' } of patches.value ?? []) {
    const keys = Object.keys(annotations ?? {}).sort();
    if (keys.length === 0) patches.required(wording.annotationsMissing);
    validateAnnotations(Field.root(annotations, set.errors, 'patchPodMetadata.annotations'));
    if (patchPolicy === '') patches.required(wording.patchPolicyMissing);
    for (const key of keys) {
      if (seen.has(key)) patches.required(wording.annotationTwice(key));
      seen.add(key);
    }
  }
}
