// What the module is told about a pod that a request only names: from the object as it is now, whatever is written in it, and
// for one review alone.
import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { effectiveGates } from '../../api/gates.ts';
import { factOf } from '../../evaluator/fact.ts';
import { Module, STATUS } from '../../evaluator/module.ts';
import { type Cluster, Policies, type Question } from '../../evaluator/policies.ts';
import type { Webhooks } from '../../evaluator/webhooks.ts';
import { SYSTEM_NAMESPACE } from '../support/builders/cluster.ts';
import { holdWebhooks, referenceTo } from '../support/policy-module.ts';
import { protecting, running } from '../support/protection.ts';

const PATH = '/validate-pod';
const WEBHOOK = Policies.paths.indexOf(PATH);

const budget = protecting({ status: { unavailableAllowed: 0 } });

/** One of the budget. */
function pod(name: string, more: { annotations?: Record<string, string>; ready?: string } = {}): JsonObject {
  const { annotations = {}, ready = 'True' } = more;
  return running({ name, annotations, status: { conditions: [{ type: 'Ready', status: ready }] } });
}

function eviction(name: string, uid = 'review-1'): Buffer {
  const request = {
    uid,
    kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    subResource: 'eviction',
    operation: 'CREATE',
    name,
    namespace: 'shop',
    userInfo: { username: 'admin' },
    object: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'shop' } },
    oldObject: null,
  };
  return Buffer.from(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }));
}

describe('an eviction is decided by the pod as it was handed in last', () => {
  let webhooks: Webhooks;
  const answer = (name: string) =>
    JSON.parse(Buffer.from(webhooks.answer(PATH, eviction(name), 0).body).toString()).response;

  beforeEach(async () => {
    webhooks = await holdWebhooks();
    webhooks.apply(budget);
  });

  test('a pod that was changed is not answered for as it was', () => {
    webhooks.apply(pod('a'));
    expect(answer('a')).toMatchObject({ allowed: false, status: { code: 403 } });
    webhooks.apply(pod('a', { ready: 'False' }));
    expect(answer('a')).toMatchObject({ allowed: true });
    webhooks.apply(pod('a'));
    expect(answer('a')).toMatchObject({ allowed: false, status: { code: 403 } });
  });

  test('a pod that is gone is not found', () => {
    webhooks.apply(pod('a'));
    expect(answer('a')).toMatchObject({ allowed: false, status: { code: 403 } });
    webhooks.remove(referenceTo(pod('a')));
    expect(answer('a')).toMatchObject({ allowed: false, status: { code: 400, message: 'Pod "a" not found' } });
  });

  test.each<[string, Record<string, string>]>([
    ['beyond ASCII', { 'größe.example.com/日本': '𝔘nicode — ✓ \u2028' }],
    ['to be escaped', { 'a"b\\c\n\u0001': '"}\\u0022,{\n\t' }],
    ['that looks like a fact', { x: '{"question":{"get":{}},"answer":null}' }],
    ['of great length', { x: 'ä'.repeat(300_000) }],
  ])('annotations with text %s change nothing of the decision', (_what, annotations) => {
    const object = pod('a', { annotations });
    webhooks.apply(object);
    expect(answer('a')).toMatchObject({ allowed: false, status: { code: 403 } });
    expect(webhooks.object(referenceTo(object))).toEqual(object);
  });

  test('each of many pods is answered for by itself, again and again', () => {
    const names = Array.from({ length: 600 }, (_, i) => `p${i}`);
    for (const [i, name] of names.entries()) webhooks.apply(pod(name, { ready: i % 2 === 0 ? 'True' : 'False' }));
    for (let round = 0; round < 2; round++) {
      expect(names.map((name) => answer(name).allowed)).toEqual(names.map((_, i) => i % 2 === 1));
    }
  });

  test('a denial tells of the pod that was asked for', () => {
    for (const name of ['a', 'b', 'a']) {
      webhooks.apply(pod(name));
      expect(webhooks.answer(PATH, eviction(name), 0).denial).toMatchObject({ name, pod: { uid: `uid-${name}` } });
    }
  });
});

describe('the module keeps facts for one review', async () => {
  const compiled = await WebAssembly.compile(await readFile(new URL('../../dist/policy.wasm', import.meta.url)));
  const question: Question = { get: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'a' } };
  let module: Module;
  const review = (body: Uint8Array = eviction('a')) => module.exports.review(WEBHOOK, module.write(body), 0);
  const fact = (object: JsonObject | null, of = question) =>
    module.exports.fact(module.write(...factOf(of, { answer: object })));
  const isAllowed = () => JSON.parse(module.resultText()).response.allowed;

  beforeEach(() => {
    module = Module.instantiate(compiled);
    const gates = Object.fromEntries(effectiveGates());
    module.exports.configure(module.writeText(JSON.stringify({ gates, systemNamespace: SYSTEM_NAMESPACE })));
    module.exports.apply(module.writeText(JSON.stringify(budget)));
  });

  test('the next one asks again', () => {
    expect(review()).toBe(STATUS.asks);
    expect(fact(pod('a', { ready: 'False' }))).toBe(STATUS.done);
    expect(review()).toBe(STATUS.done);
    expect(isAllowed()).toBe(true);
    expect(review()).toBe(STATUS.asks);
  });

  test('also when that one could not be read', () => {
    fact(pod('a', { ready: 'False' }));
    expect(review(Buffer.from('{"request":{}}'))).toBe(STATUS.done);
    expect(review()).toBe(STATUS.asks);
    fact(pod('a', { ready: 'False' }));
    expect(review(Buffer.from('{'))).toBe(STATUS.done);
    expect(review()).toBe(STATUS.asks);
  });

  test('whatever else is called before the review', () => {
    fact(pod('a', { annotations: { 'k\u0001': 'x' }, ready: 'False' }));
    module.exports.apply(
      module.writeText(JSON.stringify({ ...budget, metadata: { name: 'other', namespace: 'shop' } })),
    );
    module.exports.checkJson(module.writeText(`[${'"x",'.repeat(100_000)}1]`));
    fact(null, { get: { ...question.get, name: 'b' } });
    module.exports.remove(module.writeText('{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"x"}}'));
    expect(review()).toBe(STATUS.done);
    expect(isAllowed()).toBe(true);
  });

  test('the one that was given last counts', () => {
    fact(pod('a'));
    fact(pod('a', { ready: 'False' }));
    review();
    expect(isAllowed()).toBe(true);
  });

  test('their memory is used again', () => {
    const large = pod('a', { ready: 'False', annotations: { x: 'x'.repeat(200_000) } });
    const round = () => {
      for (let i = 0; i < 5; i++) fact(large);
      review();
    };
    round();
    const before = module.size;
    for (let i = 0; i < 200; i++) round();
    expect(isAllowed()).toBe(true);
    expect(module.size).toBe(before);
  });

  test('those of one review may be 24 MiB long together; what is too much is refused and the rest kept', () => {
    const large = pod('a', { ready: 'False', annotations: { x: 'x'.repeat(5 << 20) } });
    for (let i = 0; i < 4; i++) expect(fact(large)).toBe(STATUS.done);
    expect(fact(large)).toBe(STATUS.refused);
    expect(module.resultText()).toBe('the facts of a review are longer than 24 MiB');
    expect(review()).toBe(STATUS.done);
    expect(isAllowed()).toBe(true);
    expect(fact(large)).toBe(STATUS.done);
  });

  test('also those with as many values as such texts can hold', () => {
    const dense = pod('a', { ready: 'False' });
    const values = Array.from({ length: 3_400_000 }, () => 1);
    for (let i = 0; i < 3; i++) expect(fact({ ...dense, values })).toBe(STATUS.done);
    expect(review()).toBe(STATUS.done);
    expect(isAllowed()).toBe(true);
  });
});

describe('an answer of the cluster that the module cannot read', () => {
  let policies: Policies;

  beforeEach(async () => {
    policies = await Policies.load();
    policies.configure({ gates: effectiveGates(), systemNamespace: SYSTEM_NAMESPACE });
    policies.apply(Buffer.from(JSON.stringify(budget)));
  });

  test.each<[string, Json, string]>([
    ['nested deeper than requests may be', JSON.parse('['.repeat(511) + ']'.repeat(511)), 'answer.x[0][0]'],
    ['longer than requests may be', 'x'.repeat(8 << 20), '7 MiB'],
    ['longer than what there is room for', 'x'.repeat(65 << 20), '7 MiB'],
  ])('%s refuses the review with the reason, and counts for no other', (_what, x, reason) => {
    const cluster: Cluster = { answer: () => ({ answer: { ...pod('a'), x } }), commit: () => 'done' };
    const { response } = JSON.parse(Buffer.from(policies.review(PATH, eviction('a'), 0, cluster)).toString());
    expect(response).toMatchObject({ allowed: false, status: { code: 500 } });
    expect(response.status.message).toMatch(/^an answer of the cluster cannot be read: /);
    expect(response.status.message).toContain(reason);
    expect(policies.reviewAtOnce(PATH, eviction('a'), 0)).toBeUndefined();
    expect(policies.outstanding()).toHaveProperty('questions');
  });
});
