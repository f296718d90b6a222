// What the API server writes into injected containers between two calls of webhooks stays, and nothing else does.

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { pod } from '../../support/builders/pod.ts';
import { sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { Injection } from '../../support/injection.ts';

const TOKEN = {
  name: 'kube-api-access-x7k2p',
  readOnly: true,
  mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
};
const LOGS = { name: 'logs', mountPath: '/logs' };
const LIMITS = { cpu: '1', memory: '128Mi' };

/** The injected container of a pod, changed, and the patch of a second pass over that pod. */
async function secondPass(described: JsonObject, change: (container: JsonObject) => JsonObject): Promise<string[]> {
  const injection = await Injection.start();
  injection.hold(sidecarSet('logging', { containers: [sidecar('log-agent', described)] }));
  const once = injection.create(pod({}));
  const spec = once.spec as { containers: JsonObject[] };
  const containers = spec.containers.map((container) =>
    container.name === 'log-agent' ? change(container) : container,
  );
  const { operations } = injection.review({ ...once, spec: { ...spec, containers } });
  return operations.map(({ op, path }) => `${op} ${path}`);
}

const kept: Record<string, [JsonObject, (container: JsonObject) => JsonObject]> = {
  'the mounted token': [{}, (container) => ({ ...container, volumeMounts: [TOKEN] })],
  'the mounted token behind own mounts': [
    { volumeMounts: [LOGS] },
    (container) => ({ ...container, volumeMounts: [LOGS, TOKEN] }),
  ],
  'requests made from limits': [
    { resources: { limits: LIMITS } },
    (container) => ({ ...container, resources: { limits: LIMITS, requests: LIMITS } }),
  ],
};

test.each(Object.entries(kept))('%s stays', async (_name, [described, change]) => {
  expect(await secondPass(described, change)).toEqual([]);
});

const replaced: Record<string, [JsonObject, (container: JsonObject) => JsonObject]> = {
  'another mount': [{}, (container) => ({ ...container, volumeMounts: [LOGS] })],
  'a token that can be written': [{}, (container) => ({ ...container, volumeMounts: [{ ...TOKEN, readOnly: false }] })],
  'a mount less': [{ volumeMounts: [LOGS] }, (container) => ({ ...container, volumeMounts: [TOKEN] })],
  'requests that are no limits': [
    { resources: { limits: LIMITS } },
    (container) => ({ ...container, resources: { limits: LIMITS, requests: { cpu: '2' } } }),
  ],
  'a command': [{}, (container) => ({ ...container, command: ['sh'] })],
  'another image': [{}, (container) => ({ ...container, image: 'registry.example.com/other:1' })],
};

test.each(Object.entries(replaced))('%s does not stay', async (_name, [described, change]) => {
  expect(await secondPass(described, change)).toEqual(['replace /spec/containers/0']);
});
