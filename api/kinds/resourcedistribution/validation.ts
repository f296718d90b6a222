// What a ResourceDistribution must be to be admitted (resourcedistribution 2).
import type { FieldError } from '../../core/field-error.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { groupOf } from '../../core/references.ts';
import { selectorFault } from '../../core/selector.ts';
import { Field } from '../../core/validation/field.ts';
import { validateObjectMeta } from '../../core/validation/metadata.ts';
import { dnsLabel, dnsSubdomain } from '../../core/validation/names.ts';
import type { ValidationContext } from '../kind.ts';
import { tryCreation } from './creation.ts';
import type { ResourceDistribution } from './schema.ts';
import { wording } from './wording.ts';

type Targets = NonNullable<ResourceDistribution['spec']>['targets'];

const SUPPORTED_KINDS = ['Secret', 'ConfigMap'];

/** The field errors of an object in v1beta1 form, decoded; none if it may be admitted. `old` is given on UPDATE. */
export function validateResourceDistribution(
  object: JsonObject,
  old: JsonObject | undefined,
  { systemNamespace }: ValidationContext,
): FieldError[] {
  const errors: FieldError[] = [];
  const distribution = Field.root(object as ResourceDistribution, errors);
  const spec = distribution.at('spec');
  validateObjectMeta(distribution.at('metadata'), { name: dnsSubdomain, namespaced: false });
  const place = spec.place('resource');
  const resource = readResource(spec.value?.resource, place);
  if (resource === undefined) return errors;
  const before = old === undefined ? undefined : readResource((old as ResourceDistribution).spec?.resource, place);
  validateResource(resource, { place, before, isNew: old === undefined, systemNamespace });
  validateTargets(spec.at('targets'));
  return errors;
}

/** The object to distribute; undefined, and reported, if it is none. */
function readResource(resource: Json | undefined, place: Field<undefined>): JsonObject | undefined {
  if (resource === undefined || resource === null) {
    place.invalid(wording.resourceEmpty);
    return undefined;
  }
  if (isObject(resource) && typeof resource.kind === 'string' && resource.kind !== '') return resource;
  const text = JSON.stringify(resource);
  const fault = isObject(resource) ? wording.noKind(text) : wording.notObject(text);
  place.errors.push({ kind: 'InternalError', path: place.path, detail: wording.unreadable(fault) });
  return undefined;
}

// Only the first rule that is broken is told.
function validateResource(
  resource: JsonObject,
  {
    place,
    before,
    isNew,
    systemNamespace,
  }: { place: Field<undefined>; before: JsonObject | undefined; isNew: boolean; systemNamespace: string },
): void {
  const kind = String(resource.kind);
  const group = groupOf(typeof resource.apiVersion === 'string' ? resource.apiVersion : '');
  if (group !== '' || !SUPPORTED_KINDS.includes(kind)) {
    place.bare((field) => field.invalid(wording.unsupported, group === '' ? kind : `${kind}.${group}`));
    return;
  }
  if (before !== undefined && identityOf(before) !== identityOf(resource)) {
    place.invalid(wording.immutable);
    return;
  }
  // Objects that OpenKruise admitted without a name can still be updated.
  if (isNew && nameOf(resource) === '') {
    place.invalid(wording.nameMissing);
    return;
  }
  const creation = tryCreation(resource, systemNamespace);
  if (creation.outcome === 'invalid') place.invalid(wording.refused(creation.message));
  if (creation.outcome === 'failed') {
    place.errors.push({ kind: 'InternalError', path: place.path, detail: creation.message });
  }
}

function validateTargets(targets: Field<Targets | undefined>): void {
  const { includedNamespaces, excludedNamespaces, namespaceSelector } = targets.value ?? {};
  const included = namesOf(includedNamespaces);
  const excluded = namesOf(excludedNamespaces);
  for (const name of included) {
    for (const detail of dnsLabel(name)) targets.at('includedNamespaces').invalid(detail, name);
  }
  for (const name of excluded) {
    for (const detail of dnsLabel(name)) targets.at('excludedNamespaces').invalid(detail, name);
  }
  const left = new Set(excluded);
  const both = [...new Set(included)].filter((name) => left.has(name));
  if (both.length > 0) targets.invalid(wording.targetsTwice(both));
  const fault = namespaceSelector === undefined ? undefined : selectorFault(namespaceSelector);
  if (fault !== undefined) targets.at('namespaceSelector').invalid(wording.selector(fault));
}

function namesOf(namespaces: Targets['includedNamespaces']): string[] {
  return (namespaces?.list ?? []).map(({ name = '' }) => name);
}

function identityOf(resource: JsonObject): string {
  return JSON.stringify([resource.apiVersion ?? '', resource.kind ?? '', nameOf(resource)]);
}

function nameOf({ metadata }: JsonObject): string {
  return isObject(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
}
