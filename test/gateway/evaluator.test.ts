// The real evaluator behind the gateway: hostile reviews are refused as documented and cost the next one nothing
// (faults F05, F30 to F33, F35).

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { effectiveGates } from '../../api/gates.ts';
import type { Evaluator } from '../../gateway/evaluation.ts';
import { loadEvaluator } from '../../gateway/load-evaluator.ts';
import { CODES, VERDICTS } from '../../gateway/metrics/counters.ts';
import { Peer, request, responseOf } from './support/peer.ts';
import { startServer, type TestServer } from './support/server.ts';

const SIDECAR_SET: JsonObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'logs' },
  spec: {
    selector: { matchLabels: { app: 'shop' } },
    containers: [{ name: 'logs', image: 'registry.example.com/logs:1' }],
  },
};

let server: TestServer;
let peer: Peer;

beforeAll(async () => {
  const evaluator = await loadEvaluator({ gates: effectiveGates(), systemNamespace: 'kruise-system' });
  evaluator.apply(SIDECAR_SET);
  server = await startServer({ evaluator: evaluator satisfies Evaluator });
  peer = await Peer.tls(server.port);
});

afterAll(async () => {
  peer?.close();
  await server?.close();
});

function pod(uid: string, annotations: Record<string, string> = {}): string {
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', labels: { app: 'shop' }, annotations },
    spec: { containers: [{ name: 'main', image: 'registry.example.com/main:1' }] },
  };
  const resource = { group: '', version: 'v1', resource: 'pods' };
  const review = {
    uid,
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource,
    namespace: 'default',
    operation: 'CREATE',
    object,
  };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: review });
}

async function ask(body: string | Uint8Array, path = '/mutate-pod?timeout=10s') {
  const bytes = Buffer.from(body as string);
  peer.send(request('', { path, headers: { 'Content-Length': String(bytes.length) } }));
  return peer.send(bytes).answer();
}

function patchOf(answer: { body: string }): string {
  const { patch } = (JSON.parse(answer.body) as { response: { patch?: string } }).response;
  return Buffer.from(patch ?? '', 'base64')
    .toString()
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME');
}

async function expectHealthy(): Promise<void> {
  const answer = await ask(pod('healthy'));
  expect(responseOf(answer)).toMatchObject({ uid: 'healthy', allowed: true });
  expect(patchOf(answer)).toContain('registry.example.com/logs:1');
}

const wrap = (object: string) => `{"request":{"uid":"u","operation":"CREATE","object":${object}}}`;
const hostile: [string, string | Uint8Array][] = [
  ['an empty object', '{}'],
  ['an array', '[]'],
  ['no JSON', 'review'],
  ['bytes behind the review', `${pod('u')}x`],
  ['two reviews', pod('u') + pod('u')],
  ['a review cut short', pod('u').slice(0, -1)],
  ['a response in place of a request', '{"response":{"uid":"u"}}'],
  ['a request that is null', '{"request":null}'],
  ['a uid that is a number', '{"request":{"uid":1,"operation":"CREATE","object":{}}}'],
  ['arrays 100,000 deep', wrap('['.repeat(1e5) + ']'.repeat(1e5))],
  ['objects 1,000,000 deep', wrap(`${'{"a":'.repeat(1e6)}1${'}'.repeat(1e6)}`)],
  ['a key that stands twice', '{"request":{"uid":"u","uid":"v","operation":"CREATE"}}'],
  ['a key that stands twice, escaped', '{"request":{"uid":"u","\\u0075id":"v","operation":"CREATE"}}'],
  ['invalid UTF-8', Buffer.concat([Buffer.from('{"request":{"uid":"u'), Buffer.of(0xff, 0xfe), Buffer.from('"}}')])],
  [
    'an overlong slash',
    Buffer.concat([Buffer.from('{"request":{"uid":"u'), Buffer.of(0xc0, 0xaf), Buffer.from('"}}')]),
  ],
  ['a byte order mark', `\ufeff${pod('u')}`],
  ['a raw NUL', wrap('{"metadata":{"name":"a\0"}}')],
];

for (const path of ['/mutate-pod', '/validate-apps-kruise-io-sidecarset', '/mutate-apps-kruise-io-sidecarset']) {
  test.each(hostile)(`${path} refuses %s, and the next review is answered as ever`, async (_name, body) => {
    const answer = await ask(body, `${path}?timeout=10s`);
    expect(answer.status).toBeLessThan(500);
    expect(responseOf(answer)).toMatchObject({ allowed: false, status: { code: 400 } });
    await expectHealthy();
  });
}

test('a pod of 6 MiB gets an answer that is none of another pod, and the next review is answered as ever', async () => {
  const answer = await ask(pod('large', { padding: 'p'.repeat(6 * 1024 * 1024) }));
  expect(responseOf(answer).uid).toBe('large');
  await expectHealthy();
});

test('nothing of one request shows in the answer to the next', async () => {
  await ask(pod('first', { secret: 'do-not-leak-this' }));
  const answer = await ask(pod('second'));
  expect(answer.body + patchOf(answer)).not.toContain('do-not-leak-this');
  const broken = await ask('{"request":{"uid":"third"');
  expect(broken.body).not.toContain('second');
});

test('a conversion counts as allowed when it succeeds, and as denied when not', async () => {
  const before = [...server.counters.reviews];
  for (const desiredAPIVersion of ['apps.kruise.io/v1alpha1', 'apps.kruise.io/v9']) {
    const review = { uid: 'c-1', desiredAPIVersion, objects: [SIDECAR_SET] };
    const body = JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request: review });
    await peer.send(request(body, { path: '/convert' })).answer();
  }
  const changes = server.counters.reviews.map((count, index) => count - (before[index] as number));
  const counted = [...changes.entries()].filter(([, change]) => change !== 0);
  const paths = (await loadEvaluator({ gates: effectiveGates(), systemNamespace: 'kruise-system' })).paths();
  const start = paths.indexOf('/convert') * VERDICTS.length * CODES.length;
  expect(counted).toEqual([
    [start + CODES.indexOf(200), 1],
    [start + CODES.length + CODES.indexOf(0), 1],
  ]);
});
