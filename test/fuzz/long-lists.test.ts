// Pods with a hundred thousand of everything: the answer comes within the module's own bound of work, without a trap.

import { beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { effectiveGates } from '../../api/gates.ts';
import { Policies } from '../../evaluator/policies.ts';
import { container, pod } from '../support/builders/pod.ts';
import { bytesOf } from '../support/module.ts';
import { reviewOf, richObjects } from './review-subjects.ts';

const MANY = 100_000;
const HASH = 'kruise.io/sidecarset-hash';

let policies: Policies;

beforeAll(async () => {
  policies = await Policies.load();
  policies.configure({ gates: effectiveGates(new Map()), systemNamespace: 'kruise-system' });
  for (const object of richObjects()) policies.apply(bytesOf(JSON.stringify(object)));
});

function list(count: number, item: (i: number) => Json): Json[] {
  return Array.from({ length: count }, (_, i) => item(i));
}

/** Descending names: the worst for what sorts by insertion from the end. */
function map(count: number, value: Json): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${9_999_999 - i}`, value]));
}

function app(more: JsonObject): JsonObject[] {
  return [container('app', more)];
}

function annotated(key: string, value: Json): JsonObject {
  return pod({ annotations: { [key]: typeof value === 'string' ? value : JSON.stringify(value) } });
}

const PODS: readonly (readonly [string, () => JsonObject])[] = [
  ['containers', () => pod({ containers: list(MANY, (i) => ({ name: `app-${i}` })) as JsonObject[] })],
  ['containers of one name', () => pod({ containers: list(MANY, () => ({ name: 'app' })) as JsonObject[] })],
  ['init containers', () => pod({ initContainers: list(MANY, (i) => ({ name: `i${i}` })) as JsonObject[] })],
  ['variables', () => pod({ containers: app({ env: list(MANY, (i) => ({ name: `E${i}`, value: '$(E1)' })) }) })],
  [
    'devices',
    () => pod({ containers: app({ volumeDevices: list(MANY, (i) => ({ name: `d${i}`, devicePath: `/d${i}` })) }) }),
  ],
  [
    'mounts of one path',
    () => pod({ containers: app({ volumeMounts: list(MANY, (i) => ({ name: `v${i}`, mountPath: '/m' })) }) }),
  ],
  ['volumes', () => pod({ volumes: list(MANY, (i) => ({ name: `v${i}`, emptyDir: {} })) as JsonObject[] })],
  ['pull secrets of one name', () => pod({ imagePullSecrets: Array<string>(MANY).fill('key') })],
  ['labels', () => pod({ labels: { app: 'web', ...(map(MANY, 'x') as Record<string, string>) } })],
  ['annotations', () => pod({ annotations: map(MANY, 'x') as Record<string, string> })],
  ['owners', () => pod({ metadata: { ownerReferences: list(MANY, (i) => ({ kind: 'X', name: `${i}` })) } })],
  ['readiness gates', () => pod({ spec: { readinessGates: list(MANY, (i) => ({ conditionType: `g${i}` })) } })],
  ['names in the list of a hash', () => annotated(HASH, { s: { hash: 'h', sidecarList: list(MANY, (i) => `c${i}`) } })],
  ['digits in a quantity', () => pod({ containers: app({ resources: { limits: { cpu: '9'.repeat(MANY * 10) } } }) })],
  ['letters in a name', () => pod({ containers: [container('a'.repeat(MANY * 30))] })],
  ['quotes in a value', () => pod({ containers: app({ env: [{ name: 'E', value: '"'.repeat(MANY * 10) }] }) })],
];

/** What is still compared pair by pair, in the order that is worst for it. */
const PAIRS: readonly (readonly [string, (count: number) => JsonObject])[] = [
  [
    'mounts',
    (n) => pod({ containers: app({ volumeMounts: list(n, (i) => ({ name: `v${i}`, mountPath: `/m${i}` })) }) }),
  ],
  ['pull secrets', (n) => pod({ imagePullSecrets: Array.from({ length: n }, (_, i) => `key-${i}`) })],
  ['entries of a hash', (n) => annotated(HASH, map(n, { hash: 'h' }))],
  ['entries of a hash in the old form', (n) => annotated(HASH, map(n, 'h'))],
  ['injected sets', (n) => annotated('kruise.io/sidecarset-injected-list', Object.keys(map(n, '')).join())],
  ['working containers', (n) => annotated('kruise.io/sidecarset-working-hotupgrade-container', map(n, 'x'))],
  ['members of an annotation that is merged', (n) => annotated('example.com/list', map(n, 'x'))],
];

describe('a pod with a hundred thousand', () => {
  it.each(PODS)('%s is answered', (_, make) => {
    const body = bytesOf(JSON.stringify(reviewOf(make())));
    const answer = JSON.parse(new TextDecoder().decode(policies.review('/mutate-pod', body, 1.78e12)));
    expect(policies.traps).toBe(0);
    expect(answer.response).toMatchObject({ allowed: true });
  });
});

describe('a pod with a thousand', () => {
  it.each(PAIRS)('%s is answered', (_, make) => {
    const body = bytesOf(JSON.stringify(reviewOf(make(1000))));
    const answer = JSON.parse(new TextDecoder().decode(policies.review('/mutate-pod', body, 1.78e12)));
    expect(policies.traps).toBe(0);
    expect(answer.response).toMatchObject({ allowed: true });
  });
});
