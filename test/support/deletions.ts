// Deletions before the webhooks: whether the stored object may go, with the objects of the cluster around it.
import type { JsonObject } from '../../api/core/json.ts';
import { parseApiVersion } from '../../api/kinds/kind.ts';
import { webhookEntries } from '../../api/webhooks.ts';
import type { Webhooks } from '../../evaluator/webhooks.ts';
import { readVerdict, type Verdict } from './answer.ts';
import { NOW } from './injection.ts';
import { holdWebhooks, replacing } from './policy-module.ts';

const PLURALS: Record<string, string> = { Ingress: 'ingresses' };

/** The beginning of every refusal that clients know. */
export const FORBIDDEN = 'forbidden by ResourcesProtectionDeletion for policy.kruise.io/delete-protection=';

/** Both gates of the protection are on, unless a test says otherwise. */
export const PROTECTED = { ResourcesDeletionProtection: true, DeletionProtectionForCRDCascadingGate: true };

export class Deletions {
  readonly #webhooks: Webhooks;
  readonly #replace: (objects: readonly JsonObject[]) => void;

  private constructor(webhooks: Webhooks) {
    this.#webhooks = webhooks;
    this.#replace = replacing(webhooks);
  }

  static async start(gates: Record<string, boolean> = PROTECTED): Promise<Deletions> {
    return new Deletions(await holdWebhooks(gates));
  }

  /** Makes the cluster hold exactly these objects. */
  hold(...objects: JsonObject[]): this {
    this.#replace(objects);
    return this;
  }

  paths(): readonly string[] {
    return this.#webhooks.paths();
  }

  /** The verdict on deleting this object; `parts` replace members of the request. */
  delete(object: JsonObject, parts: JsonObject = {}): Verdict {
    const { group, version } = parseApiVersion(object.apiVersion);
    const kindName = String(object.kind);
    const resourceName = PLURALS[kindName] ?? `${kindName.toLowerCase()}s`;
    const entry = webhookEntries.find(
      (one) => one.group === group && one.resource === resourceName && one.operations.includes('DELETE'),
    );
    if (entry === undefined) throw new Error(`no webhook judges the deletion of ${group} ${resourceName}`);
    const metadata = object.metadata as JsonObject;
    const kind = { group, version, kind: kindName };
    const resource = { group, version, resource: resourceName };
    const request: JsonObject = {
      uid: 'd0a2b1c3-0000-4000-8000-000000000003',
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name: metadata.name ?? '',
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      operation: 'DELETE',
      userInfo: { username: 'admin' },
      object: null,
      oldObject: object,
      dryRun: false,
      options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
      ...parts,
    };
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
    const { body } = this.#webhooks.answer(entry.path, new TextEncoder().encode(JSON.stringify(review)), NOW);
    return readVerdict(request, body);
  }
}

/** An object with the label and this value. */
export function labelled(apiVersion: string, kind: string, value: string | undefined, spec?: JsonObject): JsonObject {
  const labels = value === undefined ? {} : { 'policy.kruise.io/delete-protection': value };
  const metadata = { name: 'web', namespace: 'shop', labels };
  return { apiVersion, kind, metadata, ...(spec === undefined ? {} : { spec }) };
}

/** The same, on its way out already. */
export function leaving(object: JsonObject): JsonObject {
  const metadata = { ...(object.metadata as JsonObject), deletionTimestamp: '2026-07-01T08:00:00Z' };
  return { ...object, metadata };
}
