// Objects that nobody means: as large as a body may be, or made to be slow. Their answers take time in proportion, and are
// not large themselves (docs/decisions/0014-large-objects-are-refused-early.md).
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import type { Verdict } from '../../support/answer.ts';
import { RECORDED_GATES } from '../../support/gates.ts';
import { holdWebhooks } from '../../support/policy-module.ts';

const NOW = Date.UTC(2026, 0, 1);
const webhooks = await holdWebhooks(RECORDED_GATES);

function ask(path: string, kind: string, object: Json): { bytes: number; response: Verdict & { status: JsonObject } } {
  const named = { group: 'apps.kruise.io', version: 'v1beta1', kind };
  const resource = { group: named.group, version: named.version, resource: `${kind.toLowerCase()}s` };
  const request = { uid: 'a', kind: named, resource, namespace: 'shop', operation: 'CREATE', object };
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  const { body } = webhooks.answer(path, new TextEncoder().encode(JSON.stringify(review)), NOW);
  return { bytes: body.length, response: JSON.parse(Buffer.from(body).toString()).response };
}

const many = (count: number, make: (index: number) => Json): Json[] => Array.from({ length: count }, (_, i) => make(i));

function cloneSet(podSpec: JsonObject, metadata: JsonObject = {}): JsonObject {
  const labels = { app: 'web' };
  const spec = { containers: [{ name: 'web', image: 'web:1' }], ...podSpec };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

const cronJob = (schedule: string): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'AdvancedCronJob',
  metadata: { name: 'a', namespace: 'shop' },
  spec: { schedule, template: {} },
});

const CLONESET = '/validate-apps-kruise-io-cloneset';
const CRONJOB = '/validate-apps-kruise-io-advancedcronjob';
const volume = (sizeLimit: string) => cloneSet({ volumes: [{ name: 'a', emptyDir: { sizeLimit } }] });
const constraint = (i: number) => ({ maxSkew: 1, topologyKey: `zone-${i}`, whenUnsatisfiable: 'DoNotSchedule' });

it.each<[string, string, string, (size: number) => Json]>([
  ['digits that end in a letter', CLONESET, 'CloneSet', (n) => volume(`${'9'.repeat(20 * n)}x`)],
  ['a quantity of many digits', CLONESET, 'CloneSet', (n) => volume(`${'9'.repeat(20 * n)}.5Gi`)],
  ['constraints', CLONESET, 'CloneSet', (n) => cloneSet({ topologySpreadConstraints: many(n, constraint) })],
  [
    'claims that no container may use',
    CLONESET,
    'CloneSet',
    (n) =>
      cloneSet({
        resourceClaims: many(n, (i) => ({ name: `a${i}`, resourceClaimName: 'a' })),
        containers: [{ name: 'web', image: 'a', resources: { claims: many(n, (i) => ({ name: `b${i}` })) } }],
      }),
  ],
  [
    'owners with long names',
    CLONESET,
    'CloneSet',
    (n) => {
      const owner = { apiVersion: 'v1', kind: 'Pod', uid: 'a', controller: true };
      const ownerReferences = many(n, (i) => ({ ...owner, name: i === 0 ? 'a'.repeat(n * 20) : `b${i}` }));
      return cloneSet({}, { ownerReferences });
    },
  ],
  [
    'spaces in a schedule',
    CRONJOB,
    'AdvancedCronJob',
    (n) => cronJob(`TZ=UTC ${' '.repeat(20 * n)}x${' '.repeat(20 * n)}x`),
  ],
  ['ranges in a schedule', CRONJOB, 'AdvancedCronJob', (n) => cronJob(`${'1-58,'.repeat(n * 4)}1 * * * *`)],
])('%s: time grows with their number, not with its square', (_, path, kind, make) => {
  const [small, large] = [make(5_000), make(40_000)];
  const timeOf = (object: Json): number => {
    const start = performance.now();
    ask(path, kind, object);
    return performance.now() - start;
  };
  timeOf(small);
  // Eight times the size: 64 times the time where each is compared with each. The best of some tries counts.
  let ratio = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && ratio > 24; attempt++) ratio = timeOf(large) / Math.max(timeOf(small), 2);
  expect(ratio).toBeLessThan(24);
});

it('an object that etcd does not store is refused before it is read', () => {
  const { response } = ask(CLONESET, 'CloneSet', cloneSet({ containers: many(500_000, () => ({})) }));
  expect(response).toMatchObject({ uid: 'a', allowed: false, status: { code: 413 } });
  const long = ask(CLONESET, 'CloneSet', cloneSet({}, { annotations: { a: 'x'.repeat(3 << 20) } }));
  expect(long.response).toMatchObject({
    uid: 'a',
    allowed: false,
    status: { code: 413, message: 'Request entity too large: limit is 1572864' },
  });
});

it('an object that its defaults make too large is refused', () => {
  const { bytes, response } = ask(
    '/mutate-apps-kruise-io-cloneset',
    'CloneSet',
    cloneSet({ containers: many(60_000, () => ({})) }),
  );
  expect(response).toMatchObject({ allowed: false, status: { code: 413 } });
  expect(bytes).toBeLessThan(1000);
});

it('the answer to an object with many errors is no larger than it must be, and says that there are more', () => {
  const containers = many(20_000, (i) => ({ name: `!${i}` }));
  const { bytes, response } = ask(CLONESET, 'CloneSet', cloneSet({ containers }));
  expect(bytes).toBeLessThan(1 << 20);
  expect(String(response.status.message)).toMatch(/^\[spec\.template.*, more errors are not told\]$/);
});

it('many defaults come as the list that they are in, not one by one', () => {
  const env = many(20_000, (i) => ({ name: `A${i}`, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }));
  const object = cloneSet({ containers: [{ name: 'web', image: 'a', env }] });
  const { bytes } = ask('/mutate-apps-kruise-io-cloneset', 'CloneSet', object);
  expect(bytes).toBeLessThan(2 * JSON.stringify(object).length);
});
