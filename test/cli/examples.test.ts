// The examples run as they stand, against the built policy module.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../api/kinds/index.ts';
import { loadAdmission } from '../../cli/evaluator.ts';
import { run } from './stand-in.ts';

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const objects = ['--objects', `${examples}/sidecars`];
const real = { loadAdmission };

type Container = { name: string; env?: { name: string; value?: string }[]; volumeMounts?: { mountPath: string }[] };

async function admitted(
  file: string,
): Promise<{ containers: Container[]; initContainers?: Container[]; imagePullSecrets?: unknown }> {
  const { code, stdout, stderr } = await run(['review', '-f', `${examples}/${file}`, ...objects, '-o', 'json'], real);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout).spec;
}

const names = (containers: readonly Container[] = []): string[] => containers.map(({ name }) => name);

describe('the example', () => {
  it('checkout gets all three sidecars, with mounts, variables and pull secrets', async () => {
    const { containers, initContainers, imagePullSecrets } = await admitted('pods/checkout.yaml');
    expect(names(initContainers)).toEqual(['mesh-network']);
    expect(names(containers)).toEqual(['mesh-proxy', 'app', 'log-shipper', 'metrics-agent']);
    expect(imagePullSecrets).toEqual([{ name: 'shop-registry' }, { name: 'private-registry' }]);
    const shipper = containers.find(({ name }) => name === 'log-shipper');
    expect(shipper?.volumeMounts?.map(({ mountPath }) => mountPath)).toContain('/var/log/checkout');
    expect(shipper?.env?.map(({ name }) => name)).toEqual([
      'NODE_NAME',
      'IS_INJECTED',
      'LOG_LEVEL',
      'SERVICE_NAME',
      'POD_NAME',
    ]);
  });

  it('orders, a Deployment, gets the mesh', async () => {
    expect(names((await admitted('pods/orders.yaml')).containers)).toEqual(['mesh-proxy', 'app']);
  });

  it('report, a CronJob in a namespace without mesh, gets nothing, and explain says why', async () => {
    expect(names((await admitted('pods/report.yaml')).containers)).toEqual(['app']);
    const { stdout } = await run(['explain', '-f', `${examples}/pods/report.yaml`, ...objects, '-o', 'json'], real);
    const { explanations } = JSON.parse(stdout) as {
      explanations: { name: string; matched: boolean; reason: string }[];
    };
    expect(explanations.map(({ name, matched, reason }) => [name, matched, reason])).toEqual([
      ['log-shipper', false, 'SelectorMismatch'],
      ['mesh', false, 'NamespaceMismatch'],
      ['metrics-agent', false, 'SelectorMismatch'],
    ]);
  });

  it('every kind has an example without errors or unknown fields', async () => {
    const gates = ['--feature-gates', 'AllAlpha=true,AllBeta=true'];
    const { code, stdout, stderr } = await run(['lint', '-f', `${examples}/kinds`, ...gates], real);
    expect([stdout, stderr, code]).toEqual([
      '',
      `${kinds.length} objects checked, 0 errors, 0 warnings, 2 skipped\n`,
      0,
    ]);
  });

  it('review is answered with the same patch with and without --path', async () => {
    const given = ['review', '-f', `${examples}/reviews/pod.json`, ...objects, '-o', 'review'];
    const [all, one] = await Promise.all([run(given, real), run([...given, '--path', '/mutate-pod'], real)]);
    expect([all.code, one.code]).toEqual([0, 0]);
    expect(JSON.parse(one.stdout)).toMatchObject({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: {
        uid: JSON.parse(readFileSync(`${examples}/reviews/pod.json`, 'utf8')).request.uid,
        allowed: true,
        patchType: 'JSONPatch',
      },
    });
    expect(all.stdout).toBe(one.stdout);
  });

  it('SidecarSets are valid as they are written', async () => {
    const { code, stderr, stdout } = await run(
      ['review', '-f', `${examples}/sidecars`, ...objects, '-o', 'review'],
      real,
    );
    expect([code, stderr, stdout.trimEnd().split('\n').length]).toEqual([0, '', 5]);
  });
});
