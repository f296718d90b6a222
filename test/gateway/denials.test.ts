// Refusals that are decisions leave their traces: counters, lines of the protection log, Events.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { createLogger } from '../../component/logger.ts';
import { Metrics } from '../../component/metrics.ts';
import { Denials } from '../../gateway/denials/denials.ts';
import { ProtectionLog } from '../../gateway/denials/protection-log.ts';
import type { RecordedEvent } from '../../kube/events.ts';
import { controllerReference } from '../support/builders/policies.ts';
import { type HeldObjects, holdPolicies } from '../support/policy-module.ts';
import { bodyOf, NOW, protecting, requestAbout, running } from '../support/protection.ts';

const logger = createLogger('test', 'error');

describe('a pod that its budget keeps', () => {
  let policies: HeldObjects;
  const owned = running({ metadata: { ownerReferences: [controllerReference('ReplicaSet', 'web-5d4f', 'apps/v1')] } });
  beforeEach(async () => {
    policies = await holdPolicies();
    const disruptedPods = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`taken-${i}`, '2026-07-02T08:00:00Z']),
    );
    policies.hold([protecting({ status: { unavailableAllowed: 0, disruptedPods } }), owned]);
  });

  function denial(more: JsonObject = {}) {
    const request = requestAbout(owned, { operation: 'DELETE', object: null, oldObject: owned, ...more });
    policies.review('/validate-pod', bodyOf(request), NOW);
    return policies.denial();
  }

  test('is told by its controller, with who asked', () => {
    expect(denial()).toEqual({
      event: 'PodUnavailableBudget',
      kind: 'ReplicaSet',
      namespace: 'shop',
      name: 'web-5d4f',
      username: 'admin',
      pod: { name: 'web-0', namespace: 'shop', uid: 'uid-web-0' },
    });
  });

  test('is told the same when it is evicted', () => {
    const object = { metadata: { name: 'web-0', namespace: 'shop' } };
    const eviction = { operation: 'CREATE', subResource: 'eviction', object, oldObject: null };
    expect(denial(eviction)).toEqual(denial());
  });

  test.each([
    { dryRun: true },
    { options: { dryRun: ['All'] } },
    {
      operation: 'CREATE',
      subResource: 'eviction',
      oldObject: null,
      object: { metadata: { name: 'web-0' }, deleteOptions: { dryRun: ['All'] } },
    },
  ])('is not told of on a dry run: %j', (more) => {
    expect(denial(more as JsonObject)).toBeUndefined();
  });

  test('is explained to the audit log', () => {
    const request = requestAbout(owned, { operation: 'DELETE', object: null, oldObject: owned });
    const answer = policies.review('/validate-pod', bodyOf(request), NOW);
    const { response } = JSON.parse(Buffer.from(answer).toString()) as { response: { auditAnnotations: JsonObject } };
    expect(response.auditAnnotations).toEqual({
      budget: 'shop/web-pub',
      'desired-available': '7',
      'current-available': '8',
      'unavailable-allowed': '0',
      'taken-by': 'taken-0, taken-1, taken-2, taken-3, taken-4, taken-5, taken-6, taken-7, taken-8, taken-9 and 2 more',
      'pod-uid': 'uid-web-0',
      'owner-kind': 'ReplicaSet',
      'owner-name': 'web-5d4f',
    });
  });
});

describe('a protected object', () => {
  const object = (kind: string) => ({
    apiVersion: 'v1',
    kind,
    metadata: { name: 'shop', labels: { 'policy.kruise.io/delete-protection': 'Always' } },
    ...(kind === 'CustomResourceDefinition' && { spec: { group: 'example.com', names: { plural: 'shops' } } }),
  });
  let policies: HeldObjects;
  beforeEach(async () => {
    policies = await holdPolicies({ ResourcesDeletionProtection: true });
  });

  function denial(path: string, kind: string, more: JsonObject = {}) {
    const request = {
      uid: 'a',
      operation: 'DELETE',
      kind: { group: '', version: 'v1', kind },
      resource: { group: '', version: path.includes('kruise') ? 'v1beta1' : 'v1', resource: 'things' },
      name: 'shop',
      object: null,
      oldObject: object(kind),
      userInfo: { username: 'jane' },
      ...more,
    };
    policies.review(path, bodyOf(request), NOW);
    return policies.denial();
  }

  test.each([
    ['/validate-namespace', 'Namespace'],
    ['/validate-customresourcedefinition', 'CustomResourceDefinition'],
    ['/validate-apps-deployment', 'Deployment'],
    ['/validate-apps-replicaset', 'ReplicaSet'],
    ['/validate-apps-statefulset', 'StatefulSet'],
    ['/validate-apps-kruise-io-cloneset', 'CloneSet'],
    ['/validate-apps-kruise-io-statefulset', 'StatefulSet'],
    ['/validate-apps-kruise-io-uniteddeployment', 'UnitedDeployment'],
  ])('of %s that is kept is told, with who asked', (path, kind) => {
    expect(denial(path, kind)).toEqual({
      event: 'DeletionProtection',
      kind,
      namespace: '',
      name: 'shop',
      username: 'jane',
    });
    expect(denial(path, kind, { namespace: 'a"b', name: '' })).toMatchObject({ namespace: 'a"b', name: 'shop' });
    expect(denial(path, kind, { dryRun: true })).toBeUndefined();
    expect(denial(path, kind, { options: { dryRun: ['All'] } })).toBeUndefined();
    expect(denial(path, kind, { oldObject: { ...object(kind), metadata: { name: 'shop' } } })).toBeUndefined();
  });

  test('of which nothing can be read leaves no traces', () => {
    expect(denial('/validate-namespace', 'Namespace', { oldObject: { metadata: 7 } })).toBeUndefined();
    policies.review('/validate-namespace', Buffer.from('{'), NOW);
    expect(policies.denial()).toBeUndefined();
  });
});

describe('denials', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-denials-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const deletion = { event: 'DeletionProtection', namespace: '', name: 'shop', username: 'jane' } as const;
  const pod = { name: 'web-0', namespace: 'shop', uid: 'u' };
  const kept = {
    event: 'PodUnavailableBudget',
    kind: 'unknown',
    namespace: 'shop',
    name: 'web-0',
    username: 'jane',
    pod,
  } as const;

  test('are counted, logged and told', async () => {
    const metrics = new Metrics('test', '1');
    const events: RecordedEvent[] = [];
    const log = ProtectionLog.open(join(folder, 'log'), logger);
    const denials = new Denials(metrics, log, { record: (event) => void events.push(event) });
    denials.record(kept);
    denials.record(kept);
    denials.record({ ...deletion, kind: 'Namespace' });
    denials.record({ ...deletion, kind: 'CustomResourceDefinition', name: 'games.example.com' });
    denials.record({ ...deletion, kind: 'Deployment', namespace: 'shop', name: 'web' });
    denials.record({ ...deletion, kind: 'Service', namespace: 'shop', name: 'web' });
    log.close();
    const text = await metrics.expose();
    expect(text).toContain('pod_unavailable_budget{kind_namespace_name="unknown_shop_web-0",username="jane"} 2');
    expect(text).toContain('namespace_deletion_protection{name="shop",username="jane"} 1');
    expect(text).toContain('crd_deletion_protection{name="games.example.com",username="jane"} 1');
    expect(text).toContain('workload_deletion_protection{kind_namespace_name="Deployment_shop_web",username="jane"} 1');
    expect(text).not.toContain('Service');
    const lines = readFileSync(join(folder, 'log/protection.log'), 'utf8').trim().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe(
      '{"Event":"PodUnavailableBudget","Kind":"unknown","Namespace":"shop","Name":"web-0","UserAgent":"jane"}',
    );
    expect(events.map(({ reason, regarding }) => [reason, regarding.metadata.uid])).toEqual([
      ['PubPreventPodDeletion', 'u'],
      ['PubPreventPodDeletion', 'u'],
    ]);
  });

  test('of very many names are counted as others', async () => {
    const metrics = new Metrics('test', '1');
    const denials = new Denials(metrics, undefined, undefined);
    for (let i = 0; i < 1500; i++) denials.record({ ...deletion, kind: 'Namespace', name: `n-${i}` });
    const text = await metrics.expose();
    expect(text.match(/^namespace_deletion_protection\{/gm)).toHaveLength(1001);
    expect(text).toContain('namespace_deletion_protection{name="other",username="other"} 500');
  });

  test('go on in a new file when the log is long', () => {
    writeFileSync(join(folder, 'protection.log'), 'x'.repeat(33 * 1024 * 1024));
    const log = ProtectionLog.open(folder, logger);
    const line = { Event: 'DeletionProtection', Kind: 'Namespace', Namespace: '', Name: 'a', UserAgent: 'b' };
    log.write(line);
    log.close();
    expect(readFileSync(join(folder, 'protection.log'), 'utf8')).toBe(`${JSON.stringify(line)}\n`);
    expect(readFileSync(join(folder, 'protection.log.1'), 'utf8')).toHaveLength(33 * 1024 * 1024);
  });

  test('cannot be logged in a folder that is none', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => ProtectionLog.open(join(folder, 'file'), logger)).toThrow('is a file; expected a folder');
  });
});
