// What the chart renders is what a real API server takes: every field known, every pod within its standard.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { hasHelm, render } from '../charts/helm.ts';
import { VALUE_SETS } from '../charts/value-sets.ts';
import { Bed } from './bed/bed.ts';
import { missingPrograms } from './bed/required.ts';

const missing = await missingPrograms();
/** Kinds of operators that this control plane does not have. */
const FOREIGN = /^(monitoring\.coreos\.com|cert-manager\.io)\//;

describe.skipIf(missing.length > 0 || !hasHelm)('a real API server', () => {
  let bed: Bed;

  beforeAll(async () => {
    bed = await Bed.start();
    for (const name of ['kruise-system', 'kruise', 'kruise-daemon-config']) await bed.createNamespace(name);
    await bed.createNamespace('strict', { 'pod-security.kubernetes.io/enforce': 'restricted' });
  });
  afterAll(async () => {
    await bed?.close();
  });

  const sets = Object.entries(VALUE_SETS).map(([name, values]) => ({ name, values }));

  test.each(sets)('takes all objects of the chart with $name, and knows their fields', async ({ values }) => {
    const objects = (await render(values)).filter(({ apiVersion, kind }) => {
      return kind !== 'Namespace' && !FOREIGN.test(String(apiVersion));
    });
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    const command = ['create', '--dry-run=server', '--validate=strict', '-f', '-'];
    const { code, stdout, stderr } = await bed.kubectl(command, JSON.stringify(list));
    expect([stderr, code]).toEqual(['', 0]);
    expect(stdout.trim().split('\n')).toHaveLength(objects.length);
  });

  test.each(sets)('lets the pods with $name into a restricted namespace', async ({ values }) => {
    for (const { kind, spec } of await render(values)) {
      if (kind !== 'Deployment' && kind !== 'Job') continue;
      const template = (spec as JsonObject).template as JsonObject;
      // Accounts and classes are those of the installation; the host's network is the user's own wish.
      const { serviceAccountName, priorityClassName, hostNetwork, ...pod } = template.spec as JsonObject;
      const object = { metadata: { name: 'pod' }, spec: { ...pod, restartPolicy: 'Never' } };
      const answer = await bed.client.send('POST', '/api/v1/namespaces/strict/pods?dryRun=All', object);
      expect([answer.body.message, answer.status]).toEqual([undefined, 201]);
    }
  });
});
