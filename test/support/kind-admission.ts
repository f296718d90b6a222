// The webhooks of kinds in front of a small cluster: defaults an object, validates one, by the kind's own two paths.
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { findKind } from '../../api/kinds/index.ts';
import { parseApiVersion } from '../../api/kinds/kind.ts';
import { type WebhookEntry, webhookEntries } from '../../api/webhooks.ts';
import type { Webhooks } from '../../evaluator/webhooks.ts';
import { readVerdict, type Verdict } from './answer.ts';
import { NOW } from './injection.ts';
import { holdWebhooks, replacing } from './policy-module.ts';

type Operation = 'CREATE' | 'UPDATE' | 'DELETE';
const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;
const operationOn = (old: JsonObject | undefined): Operation => (old === undefined ? 'CREATE' : 'UPDATE');

export class KindAdmission {
  readonly #webhooks: Webhooks;
  readonly #replace: (objects: readonly JsonObject[]) => void;

  private constructor(webhooks: Webhooks) {
    this.#webhooks = webhooks;
    this.#replace = replacing(webhooks);
  }

  /** Gates are at their defaults but for those given. */
  static async start(gates: Record<string, boolean> = {}): Promise<KindAdmission> {
    return new KindAdmission(await holdWebhooks(gates));
  }

  /** Makes the cluster hold exactly these objects, as stored. */
  hold(...objects: JsonObject[]): this {
    this.#replace(objects);
    return this;
  }

  /** The verdict of the mutating webhook on a creation, or on an update of `old`. */
  mutate(object: JsonObject, old?: JsonObject): Verdict {
    return this.#review('mutating', operationOn(old), object, old);
  }

  /** The verdict of the validating webhook on a creation, or on an update of `old`. */
  validate(object: JsonObject, old?: JsonObject): Verdict {
    return this.#review('validating', operationOn(old), object, old);
  }

  /** The verdict of the validating webhook on the deletion of an object that is stored like this. */
  delete(stored: JsonObject): Verdict {
    return this.#review('validating', 'DELETE', stored, stored);
  }

  /** The object as the mutating webhook leaves it. Throws if it is refused. */
  defaulted(object: JsonObject, old?: JsonObject): JsonObject {
    const verdict = this.mutate(object, old);
    if (verdict.object === undefined) throw new Error(`refused: ${verdict.code} ${verdict.message}`);
    return verdict.object;
  }

  /** The object with the defaults of its kind, if the kind has any. */
  completed(object: JsonObject): JsonObject {
    return entryOf('mutating', object) === undefined ? object : this.defaulted(object);
  }

  /** What an API server would say: defaulted, then validated, by the webhooks that the kind has. */
  admit(object: JsonObject, old?: JsonObject): Verdict {
    const mutated = entryOf('mutating', object) === undefined ? undefined : this.mutate(object, old);
    const isRefused = mutated !== undefined && mutated.object === undefined;
    if (mutated !== undefined && (isRefused || entryOf('validating', object) === undefined)) return mutated;
    return this.validate(mutated?.object ?? object, old);
  }

  #review(type: WebhookEntry['type'], operation: Operation, object: JsonObject, old?: JsonObject): Verdict {
    const { group, version } = parseApiVersion(object.apiVersion);
    const kind = findKind(group, String(object.kind));
    const entry = entryOf(type, object);
    if (kind === undefined || entry === undefined) throw new Error(`no ${type} webhook for ${object.kind}`);
    const metadata = isObject(object.metadata) ? object.metadata : {};
    const named = { group, version, kind: kind.kind };
    const resource = { group, version, resource: kind.plural };
    const request: JsonObject = {
      uid: 'd0a2b1c3-0000-4000-8000-000000000003',
      kind: named,
      resource,
      requestKind: named,
      requestResource: resource,
      name: metadata.name ?? '',
      ...(kind.scope === 'Namespaced' && { namespace: metadata.namespace ?? 'default' }),
      operation,
      userInfo: { username: 'admin' },
      object: operation === 'DELETE' ? null : object,
      oldObject: old ?? null,
      dryRun: false,
      options: { kind: OPTIONS[operation], apiVersion: 'meta.k8s.io/v1' },
    };
    const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
    return readVerdict(request, this.#webhooks.answer(entry.path, new TextEncoder().encode(body), NOW).body);
  }
}

/** The entry of one of the two webhooks that the object's kind may have. */
function entryOf(type: WebhookEntry['type'], { apiVersion, kind }: JsonObject): WebhookEntry | undefined {
  const { group } = parseApiVersion(apiVersion);
  const plural = findKind(group, String(kind))?.plural;
  return webhookEntries.find((one) => one.type === type && one.group === group && one.resource === plural);
}
