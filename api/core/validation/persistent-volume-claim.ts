// Persistent volume claims: the spec of a claim, and the template of a claim inside a pod's ephemeral volume.
import { equalJson, type Json } from '../json.ts';
import type { ObjectMeta } from '../meta.ts';
import { parseQuantity } from '../quantity.ts';
import type { PersistentVolumeClaimSpec, Volume } from '../volumes.ts';
import { Field } from './field.ts';
import { validateLabelSelector } from './label-selector.ts';
import { validateAnnotations, validateLabels } from './metadata.ts';
import { dnsLabel, dnsSubdomain } from './names.ts';
import { validatePositiveAmount } from './resources.ts';
import { wording } from './wording.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];

type ClaimTemplate = NonNullable<Volume['ephemeral']>['volumeClaimTemplate'];

/** The claim that a pod's ephemeral volume makes: labels and annotations only, and the spec. */
export function validateClaimTemplate(template: Field<ClaimTemplate>): void {
  const metadata = template.at('metadata');
  validateAnnotations(metadata.at('annotations'));
  validateLabels(metadata.at('labels'));
  for (const member of Object.keys(metadata.value ?? {}) as (keyof ObjectMeta)[]) {
    if (member === 'annotations' || member === 'labels' || !metadata.at(member).isSet) continue;
    metadata.at(member).forbidden(wording.claimMetadata);
  }
  validateClaimSpec(template.at('spec'));
}

/** The spec of a claim: access modes, storage, class and sources. */
function validateClaimSpec(spec: Field<PersistentVolumeClaimSpec>): void {
  spec.at('accessModes').require(wording.accessModeRequired);
  validateLabelSelector(spec.at('selector'));
  validateAccessModes(spec.at('accessModes'));
  validateStorage(spec);
  spec.at('storageClassName').followIfSet(dnsSubdomain);
  if (spec.at('volumeMode').value !== undefined) spec.at('volumeMode').among(VOLUME_MODES);
  validateDataSources(spec);
  spec.at('volumeAttributesClassName').followIfSet(dnsSubdomain);
}

function validateAccessModes(field: Field<string[] | undefined>): void {
  const modes = field.value ?? [];
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) field.unsupported(ACCESS_MODES, mode);
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode));
  const exclusive = known.filter((mode) => mode === 'ReadWriteOncePod').length;
  if (exclusive > 0 && exclusive < known.length) field.forbidden(wording.exclusiveAccessMode);
}

// Compatibility: errors of the request stand at `resources[storage]`.
function validateStorage(spec: Field<PersistentVolumeClaimSpec>): void {
  const amount = spec.value?.resources?.requests?.storage;
  const place = spec.place('resources', '[storage]');
  if (amount === undefined) place.required();
  else if (parseQuantity(amount) !== undefined) validatePositiveAmount(Field.below(place, amount));
}

function validateDataSources(spec: Field<PersistentVolumeClaimSpec>): void {
  const source = spec.at('dataSource');
  const reference = spec.at('dataSourceRef');
  for (const field of [source, reference]) {
    if (!field.isSet) continue;
    const { apiGroup = null, kind = '' } = field.value ?? {};
    field.at('name').require();
    field.at('kind').require();
    if ((apiGroup ?? '') !== '') field.at('apiGroup').follow(dnsSubdomain);
    else if (kind !== 'PersistentVolumeClaim') field.invalid(wording.dataSourceGroup);
  }
  reference.at('namespace').followIfSet(dnsLabel);
  if (!source.isSet || !reference.isSet) return;
  if ((reference.value?.namespace ?? '') !== '') source.invalid(wording.dataSourceOtherNamespace);
  else if (!equalJson(source.value as Json, reference.value as Json))
    spec.invalid(wording.dataSourcesDiffer, source.value);
}
