// C007: no injection in some namespaces, and nobody knows why (openkruise/kruise#1264, #368, #1465).
// The policy itself leaves no namespace out; which pods are sent to it is said by the selectors of the webhook.
import { expect, test } from 'vitest';
import { namespace } from '../support/builders/cluster.ts';
import { pod } from '../support/builders/pod.ts';
import { sidecar, sidecarSet } from '../support/builders/sidecarset.ts';
import { Injection } from '../support/injection.ts';
import * as see from '../support/see.ts';

const logs = sidecarSet('logs', { containers: [sidecar('log-agent')] });

test.each([
  ['kube-system', {}],
  ['kube-public', {}],
  ['kruise-system', { 'control-plane': 'openkruise' }],
  ['shop', { 'control-plane': 'anything' }],
  ['default', {}],
])('a pod of namespace %s that reaches the webhook is injected', async (name, labels) => {
  const injection = (await Injection.start()).hold(namespace(name, labels), logs);
  expect(see.containers(injection.create(pod({ namespace: name })))).toEqual(['log-agent', 'app']);
});

test('a set that selects namespaces is held to its selector alone', async () => {
  const ofSystem = sidecarSet('logs', {
    containers: [sidecar('log-agent')],
    spec: {
      namespaceSelector: {
        matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['kube-system'] }],
      },
    },
  });
  const injection = (await Injection.start()).hold(namespace('kube-system'), namespace('shop'), ofSystem);
  expect(see.containers(injection.create(pod({ namespace: 'kube-system' })))).toEqual(['log-agent', 'app']);
  expect(see.containers(injection.create(pod({ namespace: 'shop' })))).toEqual(['app']);
});
