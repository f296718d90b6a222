// The objects of the cluster that decisions need: in the module as the policies read them, and here as the kinds'
// validation asks for them. An object that a user wrote becomes what admission would have stored.

import { decode, formatDecodeError } from '../api/core/decode.ts';
import { aggregate, type FieldError } from '../api/core/field-error.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../api/core/json.ts';
import { applySchemaDefaults, readBySchema, validateAgainstSchema } from '../api/kinds/crd-validation.ts';
import { findKind } from '../api/kinds/index.ts';
import { type Kind, parseApiVersion, type ValidationContext } from '../api/kinds/kind.ts';
import { hashSidecarSet } from '../api/kinds/sidecarset/hash.ts';
import { Rivals } from '../api/kinds/sidecarset/rivals.ts';
import { SidecarSet } from '../api/kinds/sidecarset/schema.ts';
import { APPS_GROUP, SIDECARSET_HASH, SIDECARSET_HASH_WITHOUT_IMAGE, SIDECARSET_NAME } from '../api/names.ts';
import { InputError } from '../component/errors.ts';
import { commitTo } from './commit.ts';
import type { FactText } from './fact.ts';
import { requireFollowable } from './followable.ts';
import { keyOf } from './kept.ts';
import { Objects } from './objects.ts';
import type { Effect, FactAnswer, ObjectReference, Policies, PolicySettings, Question } from './policies.ts';

/** The kinds that decisions ask for: one that a user wrote goes through admission first. Others are as they are. */
const ADMITTED: ReadonlySet<string> = new Set(['SidecarSet']);

export class State {
  private readonly policies: Policies;
  private readonly settings: PolicySettings;
  private readonly objects = new Objects();
  private readonly rivals = new Rivals();

  constructor(policies: Policies, settings: PolicySettings) {
    this.policies = policies;
    this.settings = settings;
  }

  /**
   * Adds or replaces an object. One of our kinds without what storing gives it (the hash of a SidecarSet, the uid of
   * others) counts as written by a user: it gets the defaults of its schema and must obey it, and a SidecarSet is
   * defaulted and validated too. A SidecarSet by which no pod could be injected is refused in any case. Throws InputError
   * naming the field; nothing has changed then.
   */
  apply(given: JsonObject): void {
    const kind = kindOf(given);
    const object = kind?.scope === 'Namespaced' ? placed(given) : given;
    const { name, namespace } = identityOf(object);
    const isAdmitted = kind !== undefined && ADMITTED.has(kind.kind);
    if (kind !== undefined) requireDecodable(kind, object);
    const admitted = kind === undefined ? completed(object) : this.admitted(kind, object);
    const written = JSON.stringify(kind === undefined ? admitted : kind.convert(admitted, kind.storage));
    // An object that was built member by member takes three times the memory of one that was read.
    const stored = kind === undefined ? admitted : (parseJson(written) as JsonObject);
    if (isAdmitted) requireFollowable(decode(SidecarSet, stored).value, this.context);
    // The policies read a SidecarSet as it was given, with what its types do not know; the rest in one version.
    const read = isAdmitted ? JSON.stringify(admitted) : written;
    const isText = kind === undefined || isAdmitted;
    const isKept = this.policies.apply(read, isText ? read : stored, keyOf(stored));
    const identity = { apiVersion: String(object.apiVersion), kind: String(object.kind), namespace, name };
    const reference = placeOf(identity, kind);
    if (isAdmitted) this.putSet(reference, stored, read === written ? read : written);
    // What neither the policies nor the kinds go by is at most asked for, and then as text.
    else if (isText && !isKept) this.objects.putText(reference, stored, read);
    else this.objects.put(reference, stored);
  }

  /** Of thousands of SidecarSets a decision looks at few: they are kept as text, beside an index that finds those. */
  private putSet(reference: ObjectReference, set: JsonObject, text: string): void {
    this.rivals.put(set as SidecarSet, this.object(reference) as SidecarSet | undefined);
    this.objects.putText(reference, set, text);
  }

  /** Forgets an object, if it is there. */
  remove(given: ObjectReference): void {
    const isPlaced = given.namespace !== undefined && given.namespace !== '';
    const kind = findKind(parseApiVersion(given.apiVersion).group, given.kind);
    const reference = isPlaced || kind?.scope !== 'Namespaced' ? given : { ...given, namespace: 'default' };
    this.policies.remove(reference);
    const place = placeOf(reference, kind);
    const set = kind !== undefined && ADMITTED.has(kind.kind) ? this.object(place) : undefined;
    if (set !== undefined) this.rivals.delete(set as SidecarSet);
    this.objects.delete(place);
  }

  /** What a policy asks about the cluster. */
  answer(question: Question): FactAnswer | FactText {
    return this.objects.answer(question);
  }

  /** The object that a reference names, in the version in which it is stored. */
  object({ apiVersion, kind, namespace = '', name }: ObjectReference): JsonObject | undefined {
    return this.objects.find(parseApiVersion(apiVersion).group, kind, namespace, name);
  }

  /** Writes what a decision changes: all or, after a conflict, nothing. */
  commit(effects: readonly Effect[]): 'done' | 'conflict' {
    return commitTo(this.objects, effects, (object) => this.policies.apply(JSON.stringify(object), object));
  }

  /** What validation may ask. */
  get context(): ValidationContext {
    const { objects, policies, rivals, settings } = this;
    return {
      gates: settings.gates,
      systemNamespace: settings.systemNamespace,
      rivals: (set) =>
        rivals
          .of(set as SidecarSet)
          .map((name) => objects.find(APPS_GROUP, 'SidecarSet', '', name))
          .filter(isObject),
      controllerRevisions: () => objects.list('apps', 'ControllerRevision', settings.systemNamespace),
      configMap: (namespace, name) => objects.find('', 'ConfigMap', namespace, name),
      objects: (group, kind, namespace) => objects.list(group, kind, namespace),
      object: (group, kind, namespace, name) => objects.find(group, kind, namespace, name),
      checkPattern: (pattern) => policies.checkPattern(pattern),
      checkExpression: (expression, variable) => policies.checkExpression(expression, variable),
      matchesPattern: (pattern, text) => policies.matchesPattern(pattern, text),
    };
  }

  /** What is kept of an object that decodes: in the order of an API server, the schema is asked after defaulting. */
  private admitted(kind: Kind, object: JsonObject): JsonObject {
    const isAdmitted = ADMITTED.has(kind.kind);
    // What a kind's own decision fills in is not known here: such an object is as it is.
    if (isStored(kind, object) || kind.admit !== undefined) return object;
    const { version } = parseApiVersion(object.apiVersion);
    const read = readBySchema(kind, version, object);
    const defaulted = kind.applyDefaults(read, version, { gates: this.settings.gates });
    const filled = applySchemaDefaults(kind, version, defaulted);
    refuse(validateAgainstSchema(kind, version, filled));
    if (!isAdmitted) return read;
    const stored = kind.convert(filled, kind.storage);
    refuse(kind.validate(stored, undefined, this.context));
    return stored;
  }
}

/** Throws InputError if there are errors. */
function refuse(errors: readonly FieldError[]): void {
  const [first] = errors;
  if (first !== undefined) throw new InputError(aggregate(errors), { field: first.path.replace(/^\./, '') });
}

/** Kinds of ours are known by group and kind, whatever the version. */
function kindOf(object: JsonObject): Kind | undefined {
  const { group } = parseApiVersion(object.apiVersion);
  return typeof object.kind === 'string' ? findKind(group, object.kind) : undefined;
}

/** Throws InputError naming the field. */
function requireDecodable(kind: Kind, object: JsonObject): void {
  const { version } = parseApiVersion(object.apiVersion);
  const [fault] = kind.decode(object, version).errors;
  if (fault !== undefined) throw new InputError(fault);
}

/** An object that names no namespace is of the default one. */
function placed(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || (metadata.namespace ?? '') !== '') return object;
  return { ...object, metadata: { ...metadata, namespace: 'default' } };
}

/** Where an object is looked up: one of a cluster-scoped kind is in no namespace, whatever is written in it. */
function placeOf(reference: ObjectReference, kind: Kind | undefined): ObjectReference {
  return kind?.scope === 'Cluster' ? { ...reference, namespace: '' } : reference;
}

/** Has the object been through an API server, or at least through admission? */
function isStored({ kind }: Kind, object: JsonObject): boolean {
  const mark = ADMITTED.has(kind)
    ? member(member(object.metadata, 'annotations'), SIDECARSET_HASH)
    : member(object.metadata, 'uid');
  return typeof mark === 'string' && mark !== '';
}

/** A revision of a SidecarSet gets the hashes that its content has, if they are not recorded on it (sidecarset 5.7). */
function completed(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (object.kind !== 'ControllerRevision' || !isObject(metadata)) return object;
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
  const spec = member(object.data, 'spec');
  if (member(metadata.labels, SIDECARSET_NAME) === undefined || !isObject(spec) || annotations[SIDECARSET_HASH]) {
    return object;
  }
  const { value, errors } = decode(SidecarSet, { metadata: {}, spec });
  if (errors[0] !== undefined) throw new InputError(`data.${formatDecodeError(errors[0])}`);
  const { hash, hashWithoutImage } = hashSidecarSet(value.spec ?? {});
  const hashes = { [SIDECARSET_HASH]: hash, [SIDECARSET_HASH_WITHOUT_IMAGE]: hashWithoutImage };
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, ...hashes } } };
}

function identityOf(object: JsonObject): { name: string; namespace: string } {
  if (typeof object.apiVersion !== 'string') throw new InputError('expected the version', { field: 'apiVersion' });
  if (typeof object.kind !== 'string') throw new InputError('expected the kind', { field: 'kind' });
  const name = member(object.metadata, 'name');
  if (typeof name !== 'string' || name === '') {
    throw new InputError('expected the name of the object', { field: 'metadata.name' });
  }
  const namespace = member(object.metadata, 'namespace');
  return { name, namespace: typeof namespace === 'string' ? namespace : '' };
}

function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined;
}
