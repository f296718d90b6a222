// The recorded questions to an API server, asked of a real one. What the cluster holds beforehand is written into its
// store as it was recorded.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { findKind } from '../../api/kinds/index.ts';
import { formatDifferences } from '../support/compare/difference.ts';
import { type Case, type CaseResult, compareCase } from '../support/corpus.ts';
import { coveredCases } from '../support/coverage.ts';
import { RECORDED_GATES } from '../support/gates.ts';
import { type ServedWebhooks, serveWebhooks } from '../support/served-webhooks.ts';
import { Bed } from './bed/bed.ts';
import type { Answer } from './bed/client.ts';
import { install } from './bed/installation.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();

const questions = coveredCases('gateway').filter(({ via }) => via === 'apiserver');

describe.skipIf(missing.length > 0)('a real API server answers as recorded:', () => {
  let bed: Bed;
  let webhooks: ServedWebhooks;

  beforeAll(async () => {
    bed = await Bed.start();
    webhooks = await serveWebhooks(RECORDED_GATES);
    await install(bed.client, webhooks.endpoint);
    const namespaces = new Set(questions.flatMap(({ path }) => /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? []));
    for (const name of namespaces) await bed.createNamespace(name);
  });
  afterAll(async () => {
    await bed?.close();
    await webhooks?.close();
  });

  test.each(questions)('$area/$name', async (question) => {
    webhooks.hold(question.objects);
    const objects = question.objects.flatMap(stored);
    for (const [key, object] of objects) await bed.etcd.put(key, object);
    try {
      const { differences } = compareCase(question, await ask(question));
      if (differences.length > 0) expect.fail(formatDifferences(`${question.what} (${question.spec})`, differences));
    } finally {
      for (const [key] of objects) await bed.etcd.remove(key);
    }
  });

  async function ask({ path, request }: Case): Promise<CaseResult> {
    const { method, body, contentType } = request;
    if ((method !== 'POST' && method !== 'PATCH') || !isObject(body)) throw new Error(`${method} ${path} is not known`);
    const fromMs = Date.now();
    const type = typeof contentType === 'string' ? [contentType] : [];
    const answer = await bed.client.send(method, path, body, ...type);
    return { ...resultOf(answer), window: { fromMs, toMs: Date.now() } };
  }
});

function resultOf({ status, body }: Answer): Omit<CaseResult, 'window'> {
  if (status < 300) return { allowed: true, code: status, object: asRecorded(body) };
  const { code, reason, message, details } = body;
  const causes = isObject(details) && Array.isArray(details.causes) ? { causes: details.causes } : {};
  return {
    allowed: false,
    code: Number(code),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...causes,
  };
}

/** What only storing numbers, and who wrote which field, was not recorded. */
function asRecorded(object: JsonObject): JsonObject {
  const { resourceVersion: _version, managedFields: _fields, ...metadata } = object.metadata as JsonObject;
  return { ...object, metadata };
}

/** The object with the key under which the API server stores it, if its kind is one of ours; of others only the gateway is told. */
function stored(object: JsonObject): [key: string, object: JsonObject][] {
  const [group = ''] = String(object.apiVersion).split('/');
  const kind = findKind(group, String(object.kind));
  if (kind === undefined) return [];
  const { name, namespace } = object.metadata as JsonObject;
  const place = kind.scope === 'Cluster' ? '' : `${namespace}/`;
  return [[`/registry/${group}/${kind.plural}/${place}${name}`, object]];
}
