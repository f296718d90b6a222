// Asks the kinds' own webhooks whether an object may be created, without a review around it: the command line then has
// every field error with its path. Objects that were admitted can be added to the cluster that later ones are judged by.

import type { FieldError } from '../api/core/field-error.ts';
import { isObject, type JsonObject } from '../api/core/json.ts';
import { applyPatch } from '../api/core/patch.ts';
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

  /** Defaults and validates an object of a kind; `now` is Unix time in milliseconds. The cluster stays as it is. */
  admit(kind: Kind, given: JsonObject, now: number): Creation {
    const { context } = this.state;
    const { version } = parseApiVersion(given.apiVersion);
    const namespace = isObject(given.metadata) ? (given.metadata.namespace ?? '') : '';
    const request: JsonObject = { operation: 'CREATE', resource: { version }, namespace, object: given };
    const warnings: string[] = [];
    for (const { type } of webhookEntries.filter((entry) => isAsked(entry, kind, version))) {
      const decide = type === 'mutating' ? mutateKind : validateKind;
      const verdict = decide({ kind, request, context, now });
      if (!verdict.allowed) return { allowed: false, message: verdict.message, errors: verdict.errors ?? [] };
      warnings.push(...(verdict.warnings ?? []));
      request.object = applyPatch(request.object ?? null, verdict.patch ?? []);
    }
    return { allowed: true, object: isObject(request.object) ? request.object : given, warnings };
  }
}

function isAsked({ group, resource, versions, operations }: WebhookEntry, kind: Kind, version: string): boolean {
  return (
    group === kind.group && resource === kind.plural && versions.includes(version) && operations.includes('CREATE')
  );
}
