// What a SidecarSet must be to be admitted (sidecarset 4): its metadata, canary pair, spec, what an update may change, and
// at last that it gets along with the other SidecarSets. The parts are in the files beside this one.
import { type FieldError, formatFieldError } from '../../core/field-error.ts';
import { equalJson, type Json, type JsonObject } from '../../core/json.ts';
import { Field } from '../../core/validation/field.ts';
import { type MetadataRules, validateObjectMeta } from '../../core/validation/metadata.ts';
import { labelValue, noLongerThan, patternRule } from '../../core/validation/names.ts';
import type { ValidationContext } from '../kind.ts';
import { validateCanary } from './canary.ts';
import { validateConflicts } from './conflicts.ts';
import type { SidecarContainer, SidecarSet } from './schema.ts';
import { validateSpec } from './spec-validation.ts';
import { wording } from './wording.ts';

const NAME_LENGTH = 63;
const UPDATE_TYPES = ['RollingUpdate', 'NotUpdate'];
const SHARE_POLICIES = ['enabled', 'disabled'];

const namePattern = patternRule(wording.name, '^[a-zA-Z0-9\\-]+$', 'example-com');
const nameRule = (name: string) => [...namePattern(name), ...noLongerThan(name, NAME_LENGTH)];
const METADATA: MetadataRules = { name: nameRule, generateName: nameRule, namespaced: false };

/**
 * The field errors of a SidecarSet in v1beta1 form, decoded and defaulted; none if it may be admitted. `old` is given on
 * UPDATE. Whether it conflicts with others is only asked if nothing else is wrong.
 */
export function validateSidecarSet(
  object: JsonObject,
  old: JsonObject | undefined,
  context: ValidationContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const set = Field.root(object as SidecarSet, errors);
  const before = old as SidecarSet | undefined;
  validateObjectMeta(set.at('metadata'), METADATA);
  // A set that only waits for its finalizers must not be held up by what has become of its surroundings.
  if (isUnchangedWhileDeleting(object as SidecarSet, before)) return errors;
  validateCanary(set, before, context);
  validateSpec(set, context);
  for (const error of newlyBroken(object as SidecarSet, before)) errors.push(error);
  if (before !== undefined) validateContainerChanges(set, before);
  if (errors.length === 0) validateConflicts(set, context.rivals(object) as readonly SidecarSet[]);
  return errors;
}

function isUnchangedWhileDeleting(set: SidecarSet, old: SidecarSet | undefined): boolean {
  const isDeleting = (set.metadata?.deletionTimestamp ?? null) !== null;
  return isDeleting && old !== undefined && equalJson(set.spec as Json, old.spec as Json);
}

/** Containers may be removed, but neither added nor renamed, and the way to upgrade one stays. Init containers are free. */
function validateContainerChanges(set: Field<SidecarSet>, old: SidecarSet): void {
  const place = set.place('spec', 'containers');
  const before = new Map((old.spec?.containers ?? []).map((container) => [container.name, container]));
  for (const { name, upgradeStrategy } of set.value?.spec?.containers ?? []) {
    const known = before.get(name);
    const type = known?.upgradeStrategy?.upgradeType ?? '';
    if (known === undefined) place.place('name').invalid(wording.containerAdded(name), name);
    else if (type !== '' && type !== upgradeStrategy?.upgradeType) {
      place.place('upgradeStrategy', 'upgradeType').invalid(wording.upgradeTypeImmutable(name), name);
    }
  }
}

/**
 * Errors of the rules that OpenKruise does not have, without those that the stored object has already: a set that it
 * admitted can still be updated.
 */
function newlyBroken(set: SidecarSet, old: SidecarSet | undefined): FieldError[] {
  const known = new Set(old === undefined ? [] : strictErrors(old).map(faultOf));
  return strictErrors(set)
    .filter((found) => !known.has(faultOf(found)))
    .map(({ error }) => error);
}

/** An error, and the container that it is about, '' if about none. */
type StrictError = { error: FieldError; container: string };

// Containers may move between an object and its update, so that the index in the path says nothing.
function faultOf({ error, container }: StrictError): string {
  return `${container} ${formatFieldError(error).replace(/\[\d+\]/, '')}`;
}

function strictErrors(set: SidecarSet): StrictError[] {
  const errors: FieldError[] = [];
  const spec = Field.root(set.spec ?? {}, errors, 'spec');
  spec.at('customVersion').followIfSet(labelValue);
  if (spec.at('updateStrategy').at('type').isSet) spec.at('updateStrategy').at('type').among(UPDATE_TYPES);
  const found = errors.splice(0).map((error): StrictError => ({ error, container: '' }));
  const regular = spec.at('containers').items();
  for (const [index, container] of [...regular, ...spec.at('initContainers').items()].entries()) {
    const type = container.at('shareVolumeDevicePolicy').at('type');
    if (type.isSet) Field.below(spec.place('container', 'shareVolumeDevicePolicy'), type.value).among(SHARE_POLICIES);
    // A plain init container is injected once, whatever its strategy says.
    if (index < regular.length || container.value?.restartPolicy === 'Always') requireEmptyImage(container);
    for (const error of errors.splice(0)) found.push({ error, container: container.value?.name ?? '' });
  }
  return found;
}

function requireEmptyImage(container: Field<SidecarContainer>): void {
  const strategy = container.at('upgradeStrategy');
  if (strategy.value?.upgradeType === 'HotUpgrade') {
    strategy.at('hotUpgradeEmptyImage').require(wording.emptyImageMissing);
  }
}
