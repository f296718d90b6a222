// The objects of the cluster that decisions need: in the module as the policies read them, and here as the kinds'
// validation asks for them. An object that a user wrote becomes what admission would have stored.

import { decode, formatDecodeError } from '../api/core/decode.ts';
import { aggregate } from '../api/core/field-error.ts';
import { isObject, type Json, type JsonObject } from '../api/core/json.ts';
import { findKind } from '../api/kinds/index.ts';
import { type Kind, parseApiVersion, type ValidationContext } from '../api/kinds/kind.ts';
import { hashSidecarSet } from '../api/kinds/sidecarset/hash.ts';
import { SidecarSet } from '../api/kinds/sidecarset/schema.ts';
import { SIDECARSET_HASH, SIDECARSET_HASH_WITHOUT_IMAGE, SIDECARSET_NAME } from '../api/names.ts';
import { InputError } from '../component/errors.ts';
import { KeptObjects } from './kept-objects.ts';
import type { ObjectReference, Policies, PolicySettings } from './policies.ts';

const encoder = new TextEncoder();

/** The kinds that decisions ask for: one that a user wrote goes through admission first. Others are as they are. */
const ADMITTED: ReadonlySet<string> = new Set(['SidecarSet']);

export class State {
  private readonly policies: Policies;
  private readonly settings: PolicySettings;
  private readonly sidecarSets = new Map<string, JsonObject>();
  private readonly revisions = new Map<string, JsonObject>();
  private readonly configMaps = new Map<string, JsonObject>();
  private readonly kept = new KeptObjects();

  constructor(policies: Policies, settings: PolicySettings) {
    this.policies = policies;
    this.settings = settings;
  }

  /**
   * Adds or replaces an object. One without the hash that admission writes counts as written by a user: it is
   * defaulted and validated first. Throws InputError naming the field; nothing has changed then.
   */
  apply(object: JsonObject): void {
    const { name, namespace } = identityOf(object);
    const kind = kindOf(object);
    const admitted = kind === undefined || !ADMITTED.has(kind.kind) ? completed(object) : this.admitted(kind, object);
    const reference = { apiVersion: String(admitted.apiVersion), kind: String(admitted.kind), namespace, name };
    const keep = this.kept.prepare(reference, admitted);
    this.policies.apply(encoder.encode(JSON.stringify(admitted)));
    keep();
    const key = `${namespace}/${name}`;
    if (kind !== undefined && kind.kind === 'SidecarSet') {
      this.sidecarSets.set(key, kind.convert(admitted, kind.storage));
    } else if (object.kind === 'ControllerRevision') {
      this.revisions.set(key, admitted);
    } else if (object.kind === 'ConfigMap') {
      this.configMaps.set(key, admitted);
    }
  }

  /** Forgets an object, if it is there. */
  remove(reference: ObjectReference): void {
    this.policies.remove(reference);
    this.kept.delete(reference);
    const key = `${reference.namespace ?? ''}/${reference.name}`;
    if (reference.kind === 'SidecarSet') this.sidecarSets.delete(key);
    if (reference.kind === 'ControllerRevision') this.revisions.delete(key);
    if (reference.kind === 'ConfigMap') this.configMaps.delete(key);
  }

  /** What validation may ask. */
  get context(): ValidationContext {
    const { policies, settings } = this;
    const prefix = `${settings.systemNamespace}/`;
    return {
      gates: settings.gates,
      systemNamespace: settings.systemNamespace,
      sidecarSets: () => [...this.sidecarSets.values()],
      controllerRevisions: () =>
        [...this.revisions].filter(([key]) => key.startsWith(prefix)).map(([, revision]) => revision),
      configMap: (namespace, name) => this.configMaps.get(`${namespace}/${name}`),
      objects: (group, kind, namespace) => this.kept.list(group, kind, namespace),
      object: (group, kind, namespace, name) => this.kept.find(group, kind, namespace, name),
      checkPattern: (pattern) => policies.checkPattern(pattern),
      checkExpression: (expression, variable) => policies.checkExpression(expression, variable),
      matchesPattern: (pattern, text) => policies.matchesPattern(pattern, text),
    };
  }

  private admitted(kind: Kind, object: JsonObject): JsonObject {
    const { version } = parseApiVersion(object.apiVersion);
    const { errors } = kind.decode(object, version);
    if (errors[0] !== undefined) throw new InputError(errors[0]);
    if (isStored(object)) return object;
    const defaulted = kind.applyDefaults(object, version, { gates: this.settings.gates });
    const stored = kind.convert(defaulted, kind.storage);
    const faults = kind.validate(stored, undefined, this.context);
    const [first] = faults;
    if (first !== undefined) throw new InputError(aggregate(faults), { field: first.path });
    return stored;
  }
}

/** Kinds of ours are known by group and kind, whatever the version. */
function kindOf(object: JsonObject): Kind | undefined {
  const { group } = parseApiVersion(object.apiVersion);
  return typeof object.kind === 'string' ? findKind(group, object.kind) : undefined;
}

/** Has the object been through admission? */
function isStored(object: JsonObject): boolean {
  const hash = member(member(object.metadata, 'annotations'), SIDECARSET_HASH);
  return typeof hash === 'string' && hash !== '';
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
