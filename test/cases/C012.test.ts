// C012: which pods are concerned when only the pull secrets of a SidecarSet change (openkruise/kruise PR 675): what
// admission has to do with it. Pods that run, revisions and status are the controller's part.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { pod } from '../support/builders/pod.ts';
import { fieldCase } from '../support/field-case.ts';
import { Injection } from '../support/injection.ts';
import { defaultSidecarSet, validateSidecarSet } from '../support/kinds.ts';
import * as see from '../support/see.ts';

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
