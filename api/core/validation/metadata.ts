// Object metadata: names, labels, annotations, owners, finalizers, and what an update may not change.
// (admission-overview 8.4)
import { equalJson, type Json, toNumber } from '../json.ts';
import type { ObjectMeta, OwnerReference } from '../meta.ts';
import { type Field, sortedKeys } from './field.ts';
import { annotationKey, dnsLabel, labelValue, qualifiedName, type TextRule } from './names.ts';
import { wording } from './wording.ts';

/** The total size of all annotations of an object, keys and values, in bytes. */
const ANNOTATIONS_BYTES = 256 * 1024;

type Texts = { [key: string]: string };

/** What the kind asks of its objects' names, and whether they live in a namespace. */
export type MetadataRules = {
  name: TextRule;
  /** The rule for `generateName`; a prefix under the rule of names if absent. */
  generateName?: TextRule;
  namespaced: boolean;
};

/** Rules of an object's metadata on create and update alike. */
export function validateObjectMeta(meta: Field<ObjectMeta | undefined>, rules: MetadataRules): void {
  meta.at('generateName').followIfSet(rules.generateName ?? prefixOf(rules.name));
  if (meta.at('name').require(wording.nameRequired)) meta.at('name').follow(rules.name);
  validateNamespace(meta.at('namespace'), rules.namespaced);
  meta.at('generation').notNegative();
  validateLabels(meta.at('labels'));
  validateAnnotations(meta.at('annotations'));
  validateOwnerReferences(meta.at('ownerReferences'));
  validateFinalizers(meta.at('finalizers'));
}

/** What an update may not do to metadata, and what it must be afterwards: all but names, the namespace and finalizers. */
export function validateObjectMetaUpdate(meta: Field<ObjectMeta | undefined>, old: ObjectMeta): void {
  if ((old.deletionTimestamp ?? null) !== null) validateNoNewFinalizers(meta.at('finalizers'), old.finalizers ?? []);
  if (!meta.at('resourceVersion').isSet) meta.at('resourceVersion').invalid(wording.resourceVersionRequired, '');
  const generation = meta.at('generation');
  if (toNumber(generation.value ?? 0) < toNumber(old.generation ?? 0)) {
    generation.invalid(wording.generationDecremented, generation.value ?? 0);
  }
  for (const member of IMMUTABLE_MEMBERS) {
    const field = meta.at(member);
    if (equalJson((field.value ?? null) as Json, (old[member] ?? null) as Json)) continue;
    field.invalid(wording.immutable, field.value ?? (TEXT_MEMBERS.has(member) ? '' : null));
  }
  validateLabels(meta.at('labels'));
  validateAnnotations(meta.at('annotations'));
  validateOwnerReferences(meta.at('ownerReferences'));
}

const IMMUTABLE_MEMBERS = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;
const TEXT_MEMBERS: ReadonlySet<string> = new Set(['name', 'namespace', 'uid']);

/** Keys and values of labels; all errors stand at the map itself. */
export function validateLabels(labels: Field<Texts | undefined>): void {
  for (const [key, value] of labels.entries()) {
    validateLabelKey(labels, key);
    for (const detail of labelValue(value.value ?? '')) labels.invalid(detail, value.value ?? '');
  }
}

/** A label key, reported at `field`. */
export function validateLabelKey(field: Field<unknown>, key: string): void {
  for (const detail of qualifiedName(key)) field.invalid(detail, key);
}

/** Keys and total size of annotations; all errors stand at the map itself. */
export function validateAnnotations(annotations: Field<Texts | undefined>): void {
  const map: Texts = annotations.value ?? {};
  let bytes = 0;
  for (const key of sortedKeys(map)) {
    for (const detail of annotationKey(key)) annotations.invalid(detail, key);
    bytes += byteLength(key) + byteLength(map[key] ?? '');
  }
  if (bytes > ANNOTATIONS_BYTES) annotations.tooLong(ANNOTATIONS_BYTES);
}

/** Owner references: complete, of a kind that may own, and at most one controller. */
function validateOwnerReferences(owners: Field<OwnerReference[] | undefined>): void {
  let controller = '';
  for (const owner of owners.value ?? []) {
    validateOwnerReference(owners, owner);
    if (owner.controller !== true) continue;
    const name = `${owner.kind}/${owner.name}`;
    if (controller === '') controller = name;
    else owners.invalid(wording.oneController(controller, name));
  }
}

// Compatibility: the errors of a reference carry no index.
function validateOwnerReference(owners: Field<unknown>, owner: OwnerReference): void {
  const { apiVersion = '', kind = '', name = '', uid = '' } = owner;
  const slash = apiVersion.indexOf('/');
  const version = apiVersion.slice(slash + 1);
  if (version === '' || apiVersion.indexOf('/', slash + 1) > 0) {
    owners.place('apiVersion').invalid(wording.ownerVersionEmpty, apiVersion);
  }
  if (kind === '') owners.place('kind').invalid(wording.empty, kind);
  if (name === '') owners.place('name').invalid(wording.empty, name);
  if (uid === '') owners.place('uid').invalid(wording.empty, uid);
  if (apiVersion === 'v1' && kind === 'Event') owners.invalid(wording.disallowedOwner(version, kind), owner);
}

function validateFinalizers(finalizers: Field<string[] | undefined>): void {
  const names = finalizers.value ?? [];
  for (const name of names) validateLabelKey(finalizers, name);
  if (names.includes('orphan') && names.includes('foregroundDeletion')) {
    finalizers.invalid(wording.twoDeletionFinalizers);
  }
}

function validateNoNewFinalizers(finalizers: Field<string[] | undefined>, old: readonly string[]): void {
  const known = new Set(old);
  const added = [...new Set(finalizers.value ?? [])].filter((name) => !known.has(name)).sort();
  if (added.length > 0) finalizers.forbidden(wording.newFinalizers(added));
}

function validateNamespace(namespace: Field<string | undefined>, namespaced: boolean): void {
  if (!namespaced) {
    if (namespace.isSet) namespace.forbidden(wording.namespaceNotAllowed);
  } else if (namespace.require()) {
    namespace.follow(dnsLabel);
  }
}

// A generated name gets letters appended, so a prefix may end in a dash where a name may not.
function prefixOf(rule: TextRule): TextRule {
  return (text) => rule(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
