// Asks the schema of the CRD and the kinds' own webhooks whether an object may be created, without a review around it: the
// command line then has every field error with its path. Objects that were admitted can be added to the cluster that later
// ones are judged by.

import { aggregate, type FieldError } from '../api/core/field-error.ts';
import { isObject, type JsonObject } from '../api/core/json.ts';
import { applyPatch } from '../api/core/patch.ts';
import { applySchemaDefaults, readBySchema, validateAgainstSchema } from '../api/kinds/crd-validation.ts';
import { type Kind, parseApiVersion } from '../api/kinds/kind.ts';
import { type WebhookEntry, webhookEntries } from '../api/webhooks.ts';
import { mutateKind, validateKind } from './kind-reviews.ts';
import { Policies, type PolicySettings } from './policies.ts';
import { State } from './state.ts';

/** The object as it would be stored, or why it is refused: `errors` are empty if the reason is not about fields. */
export type Creation =
  | { allowed: true; object: JsonObject; warnings: readonly string[] }
  | { allowed: false; message: string; errors: readonly FieldError[] };

export class Creations {
  private readonly state: State;

  private constructor(policies: Policies, settings: PolicySettings) {
    policies.configure(settings);
    this.state = new State(policies, settings);
  }

  /** With the module built beside this program, and a cluster without objects. */
  static async load(settings: PolicySettings): Promise<Creations> {
    return new Creations(await Policies.load(), settings);
  }

  /** Adds or replaces an object of the cluster. Throws InputError naming the field, and has then changed nothing. */
  apply(object: JsonObject): void {
    this.state.apply(object);
  }

  /**
   * Defaults and validates an object of a kind that decodes, in the order of an API server: the schema's defaults, the
   * mutating webhooks, the schema, the validating webhooks. Where the schema refuses, an API server asks no further; here
   * what validation says of other fields follows. `now` is Unix time in milliseconds. The cluster stays as it is.
   */
  admit(kind: Kind, given: JsonObject, now: number): Creation {
    const { context } = this.state;
    const { version } = parseApiVersion(given.apiVersion);
    const namespace = isObject(given.metadata) ? (given.metadata.namespace ?? '') : '';
    let object = readBySchema(kind, version, given);
    const request: JsonObject = { operation: 'CREATE', resource: { version }, namespace, object };
    const asked = webhookEntries.filter((entry) => isAsked(entry, kind, version));
    const warnings: string[] = [];
    for (const { type } of asked) {
      if (type !== 'mutating') continue;
      const verdict = mutateKind({ kind, request, context, now });
      if (!verdict.allowed) return { allowed: false, message: verdict.message, errors: verdict.errors ?? [] };
      warnings.push(...(verdict.warnings ?? []));
      object = applyPatch(object, verdict.patch ?? []) as JsonObject;
    }
    object = applySchemaDefaults(kind, version, object);
    request.object = object;
    const faults = validateAgainstSchema(kind, version, object);
    for (const { type } of asked) {
      if (type !== 'validating') continue;
      const verdict = validateKind({ kind, request, context, now });
      if (!verdict.allowed && faults.length > 0) faults.push(...elsewhere(verdict.errors ?? [], faults));
      else if (!verdict.allowed) return { allowed: false, message: verdict.message, errors: verdict.errors ?? [] };
      else warnings.push(...(verdict.warnings ?? []));
    }
    if (faults.length > 0) return { allowed: false, message: aggregate(faults), errors: faults };
    return { allowed: true, object, warnings };
  }
}

/** Those of other fields than what the schema has found: not of such a field, what is in it, or what it stands in. */
function elsewhere(errors: readonly FieldError[], found: readonly FieldError[]): FieldError[] {
  const paths = found.map(({ path }) => path.replace(/^\./, ''));
  return errors.filter(({ path }) => !paths.some((faulty) => isWithin(path, faulty) || path === parentOf(faulty)));
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['), 0));
}

function isAsked({ group, resource, versions, operations }: WebhookEntry, kind: Kind, version: string): boolean {
  return (
    group === kind.group && resource === kind.plural && versions.includes(version) && operations.includes('CREATE')
  );
}
