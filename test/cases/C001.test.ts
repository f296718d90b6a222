// C001: the pod's template holds an older copy of the init container that is injected (openkruise/kruise#2013).
import { expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { fieldCase } from '../support/field-case.ts';
import { Injection, NOW } from '../support/injection.ts';
import * as see from '../support/see.ts';

const { objects, request, object: pod } = fieldCase('C001');
const { object: _object, ...parts } = request;
const entry = (hash: string, revision = '') =>
  `{"cert-prep":{"updateTimestamp":"2026-07-02T08:00:00Z","hash":"${hash}","sidecarSetName":"cert-prep","sidecarList":[]${revision}}}`;

test('an init container that is in the pod already is replaced at its place, not doubled', async () => {
  const created = (await Injection.start()).hold(...objects).create(pod, parts);
  const [before, after] = [pod.spec as JsonObject, created.spec as JsonObject];
  expect(after.initContainers).toEqual([
    {
      name: 'fetch-certs',
      image: 'registry.example.com/tools/fetch-certs:2.3',
      imagePullPolicy: 'IfNotPresent',
      command: ['sh', '-c', 'cp /seed/* /certs/'],
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      volumeMounts: [{ name: 'certs', mountPath: '/certs' }],
      env: [{ name: 'IS_INJECTED', value: 'true' }],
    },
    (before.initContainers as JsonObject[])[1],
  ]);
  expect({ ...after, initContainers: null }).toEqual({ ...before, initContainers: null });
  expect(see.annotations(created)).toEqual({
    'kruise.io/sidecarset-injected-list': 'cert-prep',
    'kruise.io/sidecarset-hash': entry('hash-cert-prep-4', ',"controllerRevision":"cert-prep-5d8f6c"'),
    'kruise.io/sidecarset-hash-without-image': entry('hashwi-cert-prep-4'),
  });
});

test('a second review of the injected pod changes nothing but the times', async () => {
  const injection = (await Injection.start()).hold(...objects);
  const once = injection.create(pod, parts);
  const twice = injection.create(once, parts, NOW + 60_000);
  expect(see.withoutTimes(twice)).toEqual(see.withoutTimes(once));
});
