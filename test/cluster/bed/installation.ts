// Puts Sluice into a bed: the CRDs of the chart, converted by a gateway, and the webhook configurations.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isObject, type JsonObject } from '../../../api/core/json.ts';
import { CONVERT_PATH } from '../../../api/webhooks.ts';
import type { Client } from './client.ts';
import {
  clientConfig,
  configurationName,
  type Endpoint,
  servedPaths,
  webhookConfigurations,
} from './webhook-configurations.ts';

const FOLDER = new URL('../../../charts/sluice/files/crds/', import.meta.url).pathname;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
const LIMIT_MS = 30_000;

/** The CRDs of the chart, as they stand in their files. */
export function chartCrds(): JsonObject[] {
  return readdirSync(FOLDER)
    .sort()
    .map((file) => parse(readFileSync(join(FOLDER, file), 'utf8')) as JsonObject);
}

/** The same CRD, converted by this gateway if it is converted by a webhook. */
export function convertedBy(crd: JsonObject, endpoint: Endpoint): JsonObject {
  const spec = crd.spec as JsonObject;
  const conversion = isObject(spec.conversion) ? spec.conversion : {};
  if (conversion.strategy !== 'Webhook') return crd;
  const webhook = { ...(conversion.webhook as JsonObject), clientConfig: clientConfig(endpoint, CONVERT_PATH) };
  return { ...crd, spec: { ...spec, conversion: { ...conversion, webhook } } };
}

/** Creates CRDs, and resolves to them when all are served in all their versions. */
export async function createCrds(client: Client, crds: readonly JsonObject[]): Promise<JsonObject[]> {
  await Promise.all(crds.map((crd) => client.must(client.send('POST', CRDS, crd))));
  return Promise.all(crds.map((crd) => established(client, nameOf(crd))));
}

/** Installs all of it, and resolves when the API server asks the gateway. */
export async function install(client: Client, endpoint: Endpoint): Promise<void> {
  await createCrds(
    client,
    chartCrds().map((crd) => convertedBy(crd, endpoint)),
  );
  const served = await servedPaths(endpoint);
  const configurations = webhookConfigurations(endpoint, (path) => served.has(path));
  for (const configuration of configurations) await createConfiguration(client, configuration);
  await until('the webhooks are called', () => isAsked(client));
}

/** Creates a webhook configuration; it takes a moment until requests follow it. */
export async function createConfiguration(client: Client, configuration: JsonObject): Promise<void> {
  const resource = `${String(configuration.kind).toLowerCase()}s`;
  await client.must(client.send('POST', `${CONFIGURATIONS}/${resource}`, configuration));
}

/** Whether our mutating webhooks are asked again when others have changed an object after them. */
export async function setReinvocation(client: Client, reinvocationPolicy: 'Never' | 'IfNeeded'): Promise<void> {
  const path = `${CONFIGURATIONS}/mutatingwebhookconfigurations/${configurationName('mutating')}`;
  const { webhooks, ...rest } = await client.must(client.get(path));
  const changed = (webhooks as JsonObject[]).map((webhook) => ({ ...webhook, reinvocationPolicy }));
  await client.must(client.send('PUT', path, { ...rest, webhooks: changed }));
}

/** Resolves once `check` does to true; rejects, naming what was awaited, after the limit, half a minute unless given. */
export async function until(what: string, check: () => Promise<boolean>, limitMs = LIMIT_MS): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limitMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The state of a condition of a CRD: `True`, `False`, `Unknown`; undefined if it has none of the type. */
export function conditionOf(crd: JsonObject, type: string): JsonObject | undefined {
  const { conditions } = isObject(crd.status) ? crd.status : {};
  const all = Array.isArray(conditions) ? (conditions as JsonObject[]) : [];
  return all.find((condition) => condition.type === type);
}

async function established(client: Client, name: string): Promise<JsonObject> {
  let crd: JsonObject = {};
  await until(`${name} is served`, async () => {
    crd = await client.must(client.get(`${CRDS}/${name}`));
    const { group, names, versions } = crd.spec as { group: string; names: JsonObject; versions: JsonObject[] };
    if (conditionOf(crd, 'Established')?.status !== 'True') return false;
    const lists = versions.map((version) => client.get(`/apis/${group}/${version.name}/${names.plural}?limit=1`));
    return (await Promise.all(lists)).every(({ status }) => status === 200);
  });
  return crd;
}

// The API server learns of the two configurations one after the other. A SidecarSet that nobody defaults has no hash, and
// one with a wrong name is refused by nobody else.
async function isAsked(client: Client): Promise<boolean> {
  const create = (name: string) =>
    client.send('POST', '/apis/apps.kruise.io/v1beta1/sidecarsets?dryRun=All', {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'SidecarSet',
      metadata: { name },
      spec: { selector: { matchLabels: { app: 'probe' } }, containers: [{ name: 'probe', image: 'probe:1' }] },
    });
  const [mutated, validated] = await Promise.all([create('probe'), create('pro.be')]);
  const { metadata } = mutated.body;
  return validated.status >= 400 && isObject(metadata) && isObject(metadata.annotations);
}

function nameOf(object: JsonObject): string {
  return String((object.metadata as JsonObject).name);
}
