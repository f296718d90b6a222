// C013: a sidecar from a private registry in a namespace without the secret (istio/istio#4870, k8tz/k8tz#49,
// database-mesh/pisanix#75): names are injected without a look-up.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { namespace } from '../support/builders/cluster.ts';
import { pod } from '../support/builders/pod.ts';
import { sidecar, sidecarSet } from '../support/builders/sidecarset.ts';
import { Injection } from '../support/injection.ts';
import * as see from '../support/see.ts';

const mesh = sidecarSet('mesh', { containers: [sidecar('mesh')], imagePullSecrets: ['regcred-mesh'] });
const secret: JsonObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'regcred-mesh', namespace: 'shop' },
  type: 'kubernetes.io/dockerconfigjson',
};

test.each([
  ['is missing', []],
  ['is there', [secret]],
  ['is in another namespace', [{ ...secret, metadata: { name: 'regcred-mesh', namespace: 'other' } }]],
])('the pod is admitted with the name of the secret, whether it %s', async (_where, secrets) => {
  const injection = (await Injection.start()).hold(namespace('shop'), mesh, ...secrets);
  expect(see.pullSecrets(injection.create(pod()))).toEqual(['regcred-mesh']);
});
