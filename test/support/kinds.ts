// Shorthands for the admission of SidecarSets: default one, validate one.
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { readVerdict, type Verdict } from './answer.ts';
import { NOW } from './injection.ts';
import { holdWebhooks } from './policy-module.ts';

/** The verdict of the validating webhook on creating (or, with `old`, updating) a SidecarSet in this cluster. */
export function validateSidecarSet(set: JsonObject, cluster: JsonObject[] = [], old?: JsonObject): Promise<Verdict> {
  return review('/validate-apps-kruise-io-sidecarset', set, cluster, old);
}

/** The SidecarSet as the mutating webhook leaves it. Throws if it is refused. */
export async function defaultSidecarSet(
  set: JsonObject,
  cluster: JsonObject[] = [],
  old?: JsonObject,
): Promise<JsonObject> {
  const verdict = await review('/mutate-apps-kruise-io-sidecarset', set, cluster, old);
  if (verdict.object === undefined) throw new Error(`the SidecarSet is refused: ${verdict.message}`);
  return verdict.object;
}

async function review(path: string, object: JsonObject, cluster: JsonObject[], old?: JsonObject): Promise<Verdict> {
  const webhooks = await holdWebhooks();
  for (const one of cluster) webhooks.apply(one);
  const [group = '', version = ''] = String(object.apiVersion).split('/');
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  const request: JsonObject = {
    uid: 'd0a2b1c3-0000-4000-8000-000000000002',
    kind: { group, version, kind: 'SidecarSet' },
    resource: { group, version, resource: 'sidecarsets' },
    requestKind: { group, version, kind: 'SidecarSet' },
    requestResource: { group, version, resource: 'sidecarsets' },
    name: metadata.name ?? '',
    operation,
    userInfo: { username: 'admin' },
    object,
    oldObject: old ?? null,
    dryRun: false,
    options: { kind: old === undefined ? 'CreateOptions' : 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
  };
  const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  return readVerdict(request, webhooks.answer(path, new TextEncoder().encode(body), NOW).body);
}
