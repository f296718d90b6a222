// The canary pair: a SidecarSet that stands in for another one on pods that match both. (sidecarset 1.2, 4.2)
import type { Field } from '../../core/validation/field.ts';
import { APPS_GROUP, SIDECARSET_BASE, SIDECARSET_CANARY } from '../../names.ts';
import type { ValidationContext } from '../kind.ts';
import type { SidecarSet } from './schema.ts';
import { wording } from './wording.ts';

/** The name of the SidecarSet that this one is a canary of; undefined if it is none. */
export function canaryBaseOf(set: SidecarSet | undefined): string | undefined {
  if (annotationOf(set, SIDECARSET_CANARY) !== 'true') return undefined;
  const base = annotationOf(set, SIDECARSET_BASE);
  return base === '' ? undefined : base;
}

/** What a canary must be: its base is there, is another one, is no canary, stays, and only new pods get the canary. */
export function validateCanary(
  set: Field<SidecarSet>,
  old: SidecarSet | undefined,
  context: Pick<ValidationContext, 'object'>,
): void {
  const name = canaryBaseOf(set.value);
  if (name === undefined) return;
  const metadata = set.at('metadata');
  const report = (detail: string) => metadata.invalid(detail, metadata.value?.annotations);
  if (name === metadata.value?.name) report(wording.baseIsItself);
  if (old !== undefined && annotationOf(old, SIDECARSET_BASE) !== name) report(wording.baseImmutable);
  const base = context.object(APPS_GROUP, 'SidecarSet', '', name) as SidecarSet | undefined;
  if (base === undefined) report(wording.baseMissing(name));
  else if (canaryBaseOf(base) !== undefined) report(wording.baseIsCanary(name));
  const type = set.value?.spec?.updateStrategy?.type ?? '';
  if (type !== 'NotUpdate') report(wording.canaryType(type));
}

function annotationOf(set: SidecarSet | undefined, name: string): string {
  return set?.metadata?.annotations?.[name] ?? '';
}
