// C012: which pods are concerned when only the pull secrets of a SidecarSet change (openkruise/kruise PR 675).
import { expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { pod } from '../support/builders/pod.ts';
import { fieldCase } from '../support/field-case.ts';
import { Injection } from '../support/injection.ts';
import { defaultSidecarSet, validateSidecarSet } from '../support/kinds.ts';
import * as see from '../support/see.ts';
import { SidecarCluster } from '../support/sidecar-cluster.ts';

const wanted = fieldCase('C012').objects[0] as JsonObject;

function withSpec(set: JsonObject, change: JsonObject): JsonObject {
  return { ...set, spec: { ...(set.spec as JsonObject), ...change } };
}

function hashes(set: JsonObject): unknown[] {
  return ['kruise.io/sidecarset-hash', 'kruise.io/sidecarset-hash-without-image'].map((name) =>
    see.annotation(name)(set),
  );
}

const before = (): Promise<JsonObject> =>
  defaultSidecarSet(withSpec(wanted, { imagePullSecrets: [{ name: 'regcred-old' }] }));

test('a change of the pull secrets is accepted and leaves both hashes as they are', async () => {
  const old = await before();
  const changed = await defaultSidecarSet(withSpec(old, { imagePullSecrets: [{ name: 'regcred-new' }] }), [old], old);
  expect(await validateSidecarSet(changed, [old], old)).toMatchObject({ allowed: true });
  expect(hashes(old).every((hash) => /^[a-z2-9]{64}$/.test(String(hash)))).toBe(true);
  expect(hashes(changed)).toEqual(hashes(old));
});

test('a change of the image alters the hash, but not the one without images', async () => {
  const old = await before();
  const containers = [{ name: 'vault-agent', image: 'registry.example.com/sec/vault-agent:1.10' }];
  const changed = await defaultSidecarSet(withSpec(old, { containers }), [old], old);
  expect(hashes(changed)[0]).not.toEqual(hashes(old)[0]);
  expect(hashes(changed)[1]).toEqual(hashes(old)[1]);
});

test('a pod that is created afterwards gets the new secret only', async () => {
  const set = await defaultSidecarSet(wanted);
  const created = (await Injection.start()).hold(set).create(pod({ labels: { vault: 'yes' } }));
  expect(see.pullSecrets(created)).toEqual(['regcred-new']);
  expect(see.containers(created)).toEqual(['vault-agent', 'app']);
});

const withSecret = (name: string) => withSpec(wanted, { imagePullSecrets: [{ name }] });
const secretsOf = (cluster: SidecarCluster) =>
  Object.values(cluster.pods).map(({ spec }) => (spec.imagePullSecrets as { name: string }[]).map(({ name }) => name));

/** Pods `one` and `two` as they were injected with the old secret, after the SidecarSet has got the new one. */
async function changed(): Promise<SidecarCluster> {
  const cluster = await SidecarCluster.start(['a', 'b'], Date.parse('2026-03-01T12:00:00Z'));
  await cluster.apply(withSecret('regcred-old'));
  await cluster.world.rest();
  for (const [namespace, name] of [
    ['a', 'one'],
    ['b', 'two'],
  ] as const) {
    cluster.create(pod({ namespace, name, labels: { vault: 'yes' } }));
  }
  await cluster.world.rest();
  await cluster.apply(withSecret('regcred-new'));
  return cluster;
}

test('pods that run are not written, and count as up to date; a revision records the secret', async () => {
  const cluster = await changed();
  const before = cluster.pods;
  const { latestRevision: latest } = cluster.status('vault-agent');
  await cluster.world.rest();
  expect(cluster.pods).toEqual(before);
  const status = cluster.status('vault-agent');
  expect(status).toMatchObject({ matchedPods: 2, updatedPods: 2, readyPods: 2, updatedReadyPods: 2 });
  expect(status.latestRevision).not.toBe(latest);
  const revision = cluster.revisions.find(({ metadata }) => metadata.name === status.latestRevision);
  expect(revision).toMatchObject({ data: { spec: { imagePullSecrets: [{ name: 'regcred-new' }] } } });
});

test('an image changed afterwards goes to one pod after the other, and no secret is touched', async () => {
  const cluster = await changed();
  await cluster.world.rest();
  const containers = [{ name: 'vault-agent', image: 'registry.example.com/sec/vault-agent:1.10' }];
  await cluster.apply(withSpec(withSecret('regcred-new'), { containers }));
  await cluster.world.rest();
  expect(new Set(Object.values(cluster.images('vault-agent')))).toEqual(new Set([containers[0]?.image]));
  expect(secretsOf(cluster)).toEqual([['regcred-old'], ['regcred-old']]);
});

test('an image that cannot be pulled with the old secret stops the upgrade at that pod', async () => {
  const cluster = await changed();
  await cluster.world.rest();
  const image = 'registry.example.com/sec/vault-agent:1.10';
  cluster.world.kubelet.brokenImages.add(image);
  const uids = Object.values(cluster.pods).map(({ metadata }) => metadata.uid);
  await cluster.apply(withSpec(withSecret('regcred-new'), { containers: [{ name: 'vault-agent', image }] }));
  await cluster.world.rest();
  expect(Object.values(cluster.images('vault-agent')).filter((one) => one === image)).toHaveLength(1);
  expect(Object.values(cluster.pods).map(({ metadata }) => metadata.uid)).toEqual(uids);
  expect(secretsOf(cluster)).toEqual([['regcred-old'], ['regcred-old']]);
  expect(cluster.status('vault-agent')).toMatchObject({ matchedPods: 2, updatedPods: 1, readyPods: 1 });
});
