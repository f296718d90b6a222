// Makes the registry entry of a kind from its description and its own functions: the parts that are the same for every
// kind (decoding by version, finding the version of an object, refusing wrong ones) are written here once.
import { decode, formatDecodeError } from '../core/decode.ts';
import type { FieldError } from '../core/field-error.ts';
import type { JsonObject } from '../core/json.ts';
import { boundedErrors } from '../core/validation/field.ts';
import type { RequestContext, ValidationContext, VersionDescription } from './kind.ts';
import { DecodeFault, type DefaultsContext, type Kind, type KindDescription, parseApiVersion } from './kind.ts';

/** What a kind itself brings. All get decoded objects, which they may change and return. */
export type KindFunctions = {
  /** Completes the object; `given` is what the client wrote, for what decoding does not keep. */
  applyDefaults(object: JsonObject, version: string, context: DefaultsContext, given: JsonObject): JsonObject;
  validate(object: JsonObject, old: JsonObject | undefined, context: ValidationContext): FieldError[];
  /** What is worth saying about an object that validation has nothing against; nothing if absent. */
  warnings?(object: JsonObject, old: JsonObject | undefined, context: ValidationContext): string[];
  /** From one version to another; apiVersion is set by the caller. */
  convert(object: JsonObject, fromVersion: string, toVersion: string): JsonObject;
  /** Gates that the kind needs; none if absent. */
  gates?: readonly string[];
  /** Whether decoding comes before the gates; no if absent. */
  decodesBeforeGates?: boolean;
  /** Whether requests of operations without rules are decoded too; no if absent. */
  decodesAlways?: boolean;
  /** Gates of which the kind needs one; none if absent. */
  anyGate?: readonly string[];
  /** HTTP code of a refusal by field errors; 422 if absent. */
  errorCode?: number;
  /** Whether `validate` takes objects in the version in which they were sent; no if absent. */
  validatesAsSent?: boolean;
  /** Whether a label protects objects from deletion; not if absent. */
  isDeletionProtected?: boolean;
  /** Why an object should not be converted, if it should not. */
  conversionFault?(object: JsonObject, version: string): string | undefined;
  /** Why an object cannot be said in another version, if it cannot. */
  inexpressible?(object: JsonObject, toVersion: string): string | undefined;
  /** The decision of the mutating webhook, if it is more than defaults; `given` is what the client wrote, `old` decoded. */
  admit?(object: JsonObject, version: string, context: RequestContext, given: JsonObject): JsonObject | FieldError[];
};

export function defineKind(description: KindDescription, functions: KindFunctions): Kind {
  const { group, kind, plural, scope, storage } = description;
  const { gates = [], anyGate = [], errorCode = 422, conversionFault, inexpressible, admit } = functions;
  const byName: ReadonlyMap<string, VersionDescription> = new Map(description.versions.map((v) => [v.name, v]));

  function decodeObject(object: JsonObject, version: string): ReturnType<Kind['decode']> {
    const described = byName.get(version);
    if (described === undefined) {
      const text = `unsupported version: ${version}`;
      return { object, errors: [text], goErrors: [text] };
    }
    const { value, errors } = decode(described.schema, object);
    return {
      object: value as JsonObject,
      errors: errors.map(formatDecodeError),
      goErrors: errors.map(({ path, goText }) => (version === storage ? goText : inPackage(described, path, goText))),
    };
  }

  function decodeOrThrow(object: JsonObject, version: string): JsonObject {
    const decoded = decodeObject(object, version);
    const [first] = decoded.errors;
    if (first !== undefined) throw new DecodeFault(first, decoded.goErrors[0] ?? first);
    return decoded.object;
  }

  function convertDecoded(decoded: JsonObject, toVersion: string): JsonObject {
    const from = parseApiVersion(decoded.apiVersion);
    if (from.version === toVersion) return decoded;
    const reason = inexpressible?.(decoded, toVersion);
    if (reason !== undefined) throw new Error(reason);
    const converted = functions.convert(decoded, from.version, toVersion);
    return { ...converted, apiVersion: `${group}/${toVersion}` };
  }

  return {
    group,
    kind,
    plural,
    scope,
    storage,
    description,
    gates,
    decodesBeforeGates: functions.decodesBeforeGates ?? false,
    decodesAlways: functions.decodesAlways ?? false,
    anyGate,
    errorCode,
    validatesAsSent: functions.validatesAsSent ?? false,
    isDeletionProtected: functions.isDeletionProtected ?? false,
    versions: description.versions.map((version) => version.name),
    decode: decodeObject,
    applyDefaults(object, version, context) {
      return functions.applyDefaults(decodeOrThrow(object, version), version, context, object);
    },
    ...(admit !== undefined && {
      admit(object, version, { old, ...context }) {
        const now = decodeOrThrow(object, version);
        const before = old === undefined ? {} : { old: decodeOrThrow(old, version) };
        return admit(now, version, { ...context, ...before }, object);
      },
    }),
    ...(conversionFault !== undefined && { conversionFault }),
    ...(inexpressible !== undefined && {
      inexpressible: (object, toVersion) => {
        const { version } = parseApiVersion(object.apiVersion);
        return inexpressible(decodeOrThrow(object, version), toVersion);
      },
    }),
    validate: (object, old, context) => boundedErrors(() => functions.validate(object, old, context)),
    ...(functions.warnings !== undefined && { warnings: functions.warnings }),
    convert(object, toVersion) {
      const from = parseApiVersion(object.apiVersion);
      if (from.group !== group || object.kind !== kind) {
        throw new Error(`expected ${group} ${kind}, got ${String(object.apiVersion)} ${String(object.kind)}`);
      }
      if (!byName.has(toVersion)) throw new Error(`unsupported version: ${toVersion}`);
      return convertDecoded(decodeOrThrow(object, from.version), toVersion);
    },
    convertDecoded,
  };
}

// What two versions share is described once, with the names that its types have in the storage version's package.
function inPackage({ name, embeds = [] }: VersionDescription, path: string, goText: string): string {
  const isEmbedded = embeds.some((member) => path.startsWith(`${member}.`) || path === member);
  return isEmbedded ? goText : goText.replace(/( of type [^ .]*\b)v1beta1(?=\.\w+$)/, `$1${name}`);
}
