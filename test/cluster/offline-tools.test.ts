// The sub-commands that only read a cluster, against a real API server: what a change would do, and what holds a drain.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { connect } from '../../cli/connect.ts';
import { loadAdmission } from '../../cli/evaluator.ts';
import { run } from '../cli/stand-in.ts';
import { Bed } from './bed/bed.ts';
import { chartCrds, createCrds } from './bed/installation.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();
/** More than fit on a page of a list. */
const PODS = 620;

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'registry.example.com/web:1' }] } };

const set = (image: string): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'agent' },
  spec: { selector: { matchLabels: labels }, containers: [{ name: 'agent', image, command: ['run'] }] },
});

const budget: JsonObject = {
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { selector: { matchLabels: labels }, maxUnavailable: 1 },
};

describe.skipIf(missing.length > 0)('in a real cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-tools-'));
  let bed: Bed;

  const create = (path: string, object: JsonObject) => bed.client.must(bed.client.send('POST', path, object));

  async function ready(name: string): Promise<void> {
    const status = {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        { name: 'app', image: 'registry.example.com/web:1', imageID: 'x', ready: true, restartCount: 0 },
      ],
    };
    await bed.client.must(bed.client.send('PATCH', `/api/v1/namespaces/shop/pods/${name}/status`, { status }));
  }

  function file(name: string, object: JsonObject): string {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(object));
    return path;
  }

  const command = (...given: string[]) =>
    run([...given, '--kubeconfig', bed.kubeconfig], { loadAdmission, connect: (choice) => connect(choice, {}) });

  beforeAll(async () => {
    bed = await Bed.start();
    await createCrds(bed.client, chartCrds());
    await bed.createNamespace('shop');
    await create('/apis/apps.kruise.io/v1beta1/sidecarsets', set('registry.example.com/agent:1'));
    const workload = { kind: 'ReplicaSet', apiVersion: 'apps/v1', metadata: { name: 'web', namespace: 'shop' } };
    const spec = { replicas: PODS, selector: { matchLabels: labels }, template };
    const { metadata } = await create('/apis/apps/v1/namespaces/shop/replicasets', { ...workload, spec });
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: (metadata as JsonObject).uid ?? '' };
    const ownerReferences = [{ ...owner, controller: true }];
    const annotations = { 'pub.kruise.io/related-pub': 'web' };
    await create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } });
    const names = Array.from({ length: PODS }, (_, index) => `web-${index}`);
    for (let at = 0; at < PODS; at += 20) {
      const made = names.slice(at, at + 20).map((name, index) =>
        create('/api/v1/namespaces/shop/pods', {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, labels, annotations, ownerReferences },
          spec: { ...template.spec, ...(at === 0 && index < 3 ? { nodeName: 'node-1' } : {}) },
        }),
      );
      await Promise.all(made);
    }
    await Promise.all(names.slice(0, 3).map(ready));
    await create('/apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets', budget);
    const status = { unavailableAllowed: 1, currentAvailable: 3, desiredAvailable: 2, totalReplicas: 3 };
    const path = '/apis/policy.kruise.io/v1beta1/namespaces/shop/podunavailablebudgets/web/status';
    await bed.client.must(bed.client.send('PATCH', path, { status: { ...status, observedGeneration: 1 } }));
  }, 120_000);

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await bed?.close();
  });

  test('a changed SidecarSet shows what it changes in all pods, over several pages, and writes nothing', async () => {
    const before = await bed.client.must(bed.client.get('/apis/apps.kruise.io/v1beta1/sidecarsets/agent'));
    const changed = file('new.json', set('registry.example.com/agent:2'));
    const { code, stdout, stderr } = await command('diff', '--objects', changed, '-o', 'diff');
    expect([code, stderr]).toEqual([1, `${PODS} pods looked at, ${PODS} would change\n`]);
    expect(stdout).toMatch(new RegExp(`^# ${PODS} pods of ReplicaSet web in shop: `));
    const images = ['-    image: registry.example.com/agent:1', '+    image: registry.example.com/agent:2'];
    expect(stdout.match(/^[-+] .*/gm)).toEqual(images);
    const after = await bed.client.must(bed.client.get('/apis/apps.kruise.io/v1beta1/sidecarsets/agent'));
    expect(after).toEqual(before);
  }, 60_000);

  test('the same SidecarSet changes nothing', async () => {
    const same = file('same.json', set('registry.example.com/agent:1'));
    const { code, stdout } = await command('diff', '--objects', same, '-n', 'shop');
    expect([code, stdout]).toEqual([0, '']);
  }, 60_000);

  test('a changed budget shows its numbers', async () => {
    const changed = { ...budget, spec: { ...(budget.spec as JsonObject), maxUnavailable: 2 } };
    const { code, stdout } = await command('diff', '--objects', file('budget.json', changed));
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^shop\/web +3 +3 +2 -> 1 +1 -> 2$/m)]);
  }, 60_000);

  test('the program ends by itself, however long connections might be kept', async () => {
    const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
    const given = [main, 'explain', 'drain', 'node-1', '--kubeconfig', bed.kubeconfig];
    const { stderr } = await promisify(execFile)(process.execPath, given, { timeout: 15_000 });
    expect(stderr).toBe('passes: 1, waits: 2, blocked: 0, stays: 0\n');
  }, 60_000);

  test('a drain lets as many pods of the node go as the budget has units', async () => {
    const { code, stdout, stderr } = await command('explain', 'drain', 'node-1', '-o', 'json');
    const { pods } = JSON.parse(stdout) as { pods: { pod: string; fate: string }[] };
    expect(pods.map(({ pod, fate }) => `${pod} ${fate}`)).toEqual(['web-0 passes', 'web-1 waits', 'web-2 waits']);
    expect([code, stderr]).toEqual([0, 'passes: 1, waits: 2, blocked: 0, stays: 0\n']);
    const evictable = await bed.client.must(bed.client.get('/api/v1/namespaces/shop/pods/web-0'));
    expect(evictable.metadata).not.toHaveProperty('deletionTimestamp');
  }, 60_000);
});
