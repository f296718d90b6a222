// What a kind is to the programs: its description, and the pure functions of its admission. The registry in index.ts has
// one entry for each.
import type { FieldError } from '../core/field-error.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { AnyStruct } from '../core/schema.ts';
import type { Gates } from '../gates.ts';

/** One printer column of `kubectl get`. */
export type Column = {
  name: string;
  type: 'integer' | 'string' | 'date' | 'boolean' | 'number';
  jsonPath: string;
  doc?: string;
  priority?: number;
  format?: string;
};

/** One version of a kind: everything that its CRD says about it. */
export type VersionDescription = {
  name: string;
  /** The whole object: apiVersion, kind, metadata, spec, status. */
  schema: AnyStruct;
  columns: readonly Column[];
  /** Paths of members that are those of another kind's storage version, in every version of this one. */
  embeds?: readonly string[];
  /** Paths of the scale sub-resource, if there is one. The status sub-resource always exists. */
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
};

/** What the CRD and the reference page of a kind are generated from. */
export type KindDescription = {
  group: string;
  kind: string;
  plural: string;
  shortNames?: readonly string[];
  scope: 'Cluster' | 'Namespaced';
  /** `None` if the API server converts by itself: it changes the version and drops what the other one has not. */
  conversion?: 'None';
  /** Name of the version in which objects are stored; validation and other kinds see this one. */
  storage: string;
  versions: readonly VersionDescription[];
  /** File that describes the kind, for the first line of generated files. */
  source: string;
  /** One sentence. */
  doc: string;
};

/** What defaulting may depend on besides the object. */
export type DefaultsContext = {
  gates: Gates;
  /** The object before an UPDATE, in the same version; absent on CREATE. */
  old?: JsonObject;
  /** Time of the request, Unix time in milliseconds; without it no times are filled in. */
  now?: number;
};

/** What validation may ask about the cluster and of the policy module. */
export type ValidationContext = {
  gates: Gates;
  systemNamespace: string;
  /**
   * SidecarSets in the order in which they came, all in v1beta1 form: at least those with which the given one may be in
   * conflict.
   */
  rivals(sidecarSet: JsonObject): readonly JsonObject[];
  /** All ControllerRevisions of the system namespace. */
  controllerRevisions(): readonly JsonObject[];
  configMap(namespace: string, name: string): JsonObject | undefined;
  /**
   * The objects of a kind in a namespace ('' for those in none), in the order in which they came; kinds of ours in the
   * storage version. Only of kinds that some rule asks for (evaluator/state.ts).
   */
  objects(group: string, kind: string, namespace: string): readonly JsonObject[];
  /** One of these objects. */
  object(group: string, kind: string, namespace: string, name: string): JsonObject | undefined;
  /** What is wrong with a regular expression (RE2 syntax), or undefined. */
  checkPattern(pattern: string): string | undefined;
  /** What is wrong with an expression of the resource calculator, or undefined. */
  checkExpression(expression: string, variable: 'cpu' | 'memory'): string | undefined;
  /** Unanchored search. */
  matchesPattern(pattern: string, text: string): boolean;
};

/** What a kind's own mutating decision is told: the cluster, and the request that it is about. */
export type RequestContext = ValidationContext & {
  /** Namespace of the request; '' for objects without one. */
  namespace: string;
  /** The object before an UPDATE, in the same version; absent on CREATE. */
  old?: JsonObject;
};

export type Kind = {
  group: string;
  kind: string;
  plural: string;
  scope: 'Cluster' | 'Namespaced';
  /** Served versions, oldest first. */
  versions: readonly string[];
  storage: string;
  description: KindDescription;
  /** Gates that must be on, else the webhook that validates refuses with 403; the first that is off is named. */
  gates: readonly string[];
  /** Whether an object that does not decode is told so before a gate that is off. */
  decodesBeforeGates: boolean;
  /** Whether the webhook that validates decodes what it is sent whatever the operation: a deletion has no object. */
  decodesAlways: boolean;
  /** Gates of which one must be on, else the webhook that validates refuses with `errorCode`; none if empty. */
  anyGate: readonly string[];
  /** HTTP code of a refusal by field errors. */
  errorCode: number;
  /** Whether a label may protect objects from deletion, with gate ResourcesDeletionProtection. */
  isDeletionProtected: boolean;
  /**
   * The typed form (core/decode.ts) of an object as a client wrote it. `errors` are texts such as
   * `spec.containers[0].name: expected string, got number`, or `unsupported version: v1`; with errors the object must
   * not be used. `goErrors` are the same in the words of the Go implementation.
   */
  decode(object: JsonObject, version: string): { object: JsonObject; errors: string[]; goErrors: string[] };
  /**
   * The typed form with defaults, and hashes if the kind has them. Takes the object as a client wrote it or decoded, and
   * does not change it. Throws DecodeFault if it does not decode.
   */
  applyDefaults(object: JsonObject, version: string, context: DefaultsContext): JsonObject;
  /**
   * The decision of the mutating webhook, of a kind whose mutating webhook validates too and looks at the cluster: the
   * object to go on with, or why it is refused. Takes the object as a client wrote it, and does not change it. Throws
   * DecodeFault if it or the old one does not decode.
   */
  admit?(object: JsonObject, version: string, context: RequestContext): JsonObject | FieldError[];
  /**
   * Why a decoded object is not to be taken over into the storage version, though `convert` makes something of it;
   * the webhook that validates refuses it with 400.
   */
  conversionFault?(object: JsonObject, version: string): string | undefined;
  /** Why an object that decodes cannot be said in another version, of kinds where that can be. */
  inexpressible?(object: JsonObject, toVersion: string): string | undefined;
  /**
   * Whether rules differ by version: `validate` then takes objects in the version in which they were sent, which their
   * apiVersion names, and not in the storage version.
   */
  validatesAsSent: boolean;
  /** Field errors of an object in the storage version, decoded and defaulted; `old` is given on UPDATE. */
  validate(object: JsonObject, old: JsonObject | undefined, context: ValidationContext): FieldError[];
  /** What is worth telling the client about an object that `validate` has nothing against, of kinds that know such. */
  warnings?(object: JsonObject, old: JsonObject | undefined, context: ValidationContext): string[];
  /**
   * The typed form in another version; a typed copy if it has that version already. Throws Error if the object does not
   * decode, has another kind, or cannot be expressed.
   */
  convert(object: JsonObject, toVersion: string): JsonObject;
  /** As `convert`, of an object of this kind that `decode` made, which is taken over: it must not be used any more. */
  convertDecoded(object: JsonObject, toVersion: string): JsonObject;
};

/** An object that is not what its kind describes: the first of the errors of `decode`, in both its forms. */
export class DecodeFault extends Error {
  override readonly name = 'DecodeFault';
  readonly goText: string;

  constructor(text: string, goText: string) {
    super(text);
    this.goText = goText;
  }
}

/** `group/version` of an object's apiVersion; the group is '' for the core group. */
export function parseApiVersion(apiVersion: Json | undefined): { group: string; version: string } {
  const text = typeof apiVersion === 'string' ? apiVersion : '';
  const slash = text.indexOf('/');
  return slash < 0 ? { group: '', version: text } : { group: text.slice(0, slash), version: text.slice(slash + 1) };
}
