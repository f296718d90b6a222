// SidecarSets made to do harm (fault F34): refused at admission with the field, and harmless to all other pods if they
// are stored anyway. Odd pods are injected like others, and only once (F36).

import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import type { Webhooks } from '../../../evaluator/webhooks.ts';
import { container, pod } from '../../support/builders/pod.ts';
import { AFTER, sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { Injection } from '../../support/injection.ts';
import { holdWebhooks } from '../../support/policy-module.ts';

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** A sidecar whose CPU limit follows from containers whose names have a pattern. */
function derived(name: string, pattern: string, cpu = 'cpu*10%'): JsonObject {
  return sidecar(name, {
    resourcesPolicy: {
      targetContainersMode: 'sum',
      targetContainersNameRegex: pattern,
      resourcesExpr: { limits: { cpu } },
    },
  });
}

/** As costly as accepted patterns can be for the names of the pod below: each character leads to another set of states. */
const costly = (index: number) => `^(?:a?){${90 + index}}[a-z0-9]*$`;

const sets: Record<string, { set: JsonObject; refused?: RegExp; pod?: RegExp }> = {
  '1,000 containers': { set: sidecarSet('hostile', { containers: many(1000, (i) => sidecar(`c${i}`)) }) },
  '1,000 containers of one name': {
    set: sidecarSet('hostile', { containers: many(1000, () => sidecar('same')) }),
    refused: /^\[spec\.containers\[1\]\.name: Duplicate value: "same"/,
  },
  'a pattern that compiles to too much': {
    set: sidecarSet('hostile', { containers: [derived('c', '(a?){1000}(a?){1000}')] }),
    refused: /targetContainersNameRegex: Invalid value: .* expression too large \(at most 16384 bytes and 2000 instr/,
    pod: /no containers match the regex pattern/,
  },
  'a pattern that backtracks elsewhere': { set: sidecarSet('hostile', { containers: [derived('c', '(a+)+[0-9]*$')] }) },
  'a hundred costly patterns': {
    set: sidecarSet('hostile', { containers: many(100, (i) => derived(`c${i}`, costly(800 + i))) }),
  },
  'one costly pattern a hundred times': {
    set: sidecarSet('hostile', { containers: many(100, (i) => derived(`c${i}`, '(?:a?){990}b|.')) }),
  },
  'a hundred patterns with many classes': {
    set: sidecarSet('hostile', {
      containers: many(100, (i) => derived(`c${i}`, `(?i)^(?:${'[[:alpha:]]?\\pL?'.repeat(200)}${i}|.*)$`)),
    }),
  },
  'a hundred patterns with many names': {
    set: sidecarSet('hostile', {
      containers: many(100, (i) => derived(`c${i}`, `^(${many(150, (k) => `svc${i}-${k}`).join('|')}|[a-z0-9]+)$`)),
    }),
  },
  'a thousand costly patterns': {
    set: sidecarSet('hostile', { containers: many(1000, (i) => derived(`c${i}`, costly(i % 900))) }),
    pod: /^matching the containers of the pod with the regex pattern ".*" takes too long$/,
  },
  'an expression nested 100,000 deep': {
    set: sidecarSet('hostile', {
      containers: [derived('c', '.*', `${'('.repeat(1e5)}cpu${')'.repeat(1e5)}`)],
    }),
    refused: /resourcesExpr\.limits\.cpu: Invalid value/,
    pod: /^failed to evaluate CPU limits expression/,
  },
  'an annotation of 1 MiB': {
    set: sidecarSet('hostile', { containers: [sidecar('c')], annotations: { big: 'x'.repeat(1 << 20) } }),
    refused: /metadata\.annotations: Too long/,
  },
  'pod annotations of 1 MiB': {
    set: sidecarSet('hostile', {
      containers: [sidecar('c')],
      spec: { patchPodMetadata: [{ annotations: { big: 'x'.repeat(1 << 20) }, patchPolicy: 'Retain' }] },
    }),
    refused: /spec\.patchPodMetadata/,
  },
  '100,000 terms of a selector': {
    set: sidecarSet('hostile', {
      containers: [sidecar('c')],
      selector: { matchExpressions: many<Json>(100_000, (i) => ({ key: `k${i}`, operator: 'DoesNotExist' })) },
    }),
    refused: /^Request entity too large/,
  },
  'a selector of 100,000 values': {
    set: sidecarSet('hostile', {
      containers: [sidecar('c')],
      selector: {
        matchExpressions: [{ key: 'app', operator: 'In', values: ['web', ...many(100_000, (i) => `v${i}`)] }],
      },
    }),
  },
};

describe('a SidecarSet with', () => {
  let webhooks: Webhooks;
  beforeAll(async () => {
    webhooks = await holdWebhooks();
  });

  test.each(Object.entries(sets))('%s is refused at admission or harmless, and other sets act', async (_, row) => {
    const resource = { group: 'apps.kruise.io', version: 'v1beta1', resource: 'sidecarsets' };
    const request = { uid: 'u', operation: 'CREATE', resource, options: {}, object: row.set };
    const { body } = webhooks.answer(
      '/validate-apps-kruise-io-sidecarset',
      Buffer.from(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request })),
      0,
    );
    const { response } = JSON.parse(Buffer.from(body).toString());
    expect(response.allowed).toBe(row.refused === undefined);
    if (row.refused !== undefined) expect(response.status.message).toMatch(row.refused);

    const cluster = await Injection.start();
    const good = sidecarSet('good', { containers: [sidecar('good')], selector: { matchLabels: { team: 'good' } } });
    cluster.hold(row.set, good);
    const verdict = cluster.review(
      pod({
        containers: many(100, (i) =>
          container(`${'a'.repeat(58)}${String(i).padStart(5, '0')}`, { resources: { limits: { cpu: '1' } } }),
        ),
      }),
    );
    if (row.pod === undefined) expect(verdict).toMatchObject({ allowed: true });
    else expect(verdict).toMatchObject({ allowed: false, code: 500, message: expect.stringMatching(row.pod) });
    const other = cluster.create(pod({ labels: { app: 'other', team: 'good' } }));
    expect(JSON.stringify(other)).toContain('"name":"good"');
  });

  test('names that the injection itself uses does not get around it', async () => {
    const env = [
      { name: 'IS_INJECTED', value: 'false' },
      { name: 'SIDECARSET_VERSION', value: 'mine' },
    ];
    const set = sidecarSet('hostile', { containers: [sidecar('c', { env })], spec: { volumes: [{ name: 'data' }] } });
    const cluster = (await Injection.start()).hold(set);
    const first = cluster.create(pod({ volumes: [{ name: 'data', hostPath: { path: '/own' } }] }));
    const spec = first.spec as { containers: JsonObject[]; volumes: JsonObject[] };
    expect(spec.volumes).toEqual([{ name: 'data', hostPath: { path: '/own' } }]);
    expect(spec.containers.map(({ name }) => name)).toEqual(['c', 'app']);
    expect(cluster.review(first).operations).toEqual([]);
  });
});

const odd: Record<string, JsonObject> = {
  'on the network of its node': pod({ spec: { hostNetwork: true, hostPID: true } }),
  'for Windows': pod({ spec: { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' } } }),
  'with ephemeral containers': pod({ spec: { ephemeralContainers: [container('debug')] } }),
  'with a native sidecar': pod({ initContainers: [container('native', { restartPolicy: 'Always' })] }),
  'whose annotations are null': pod({ metadata: { annotations: null } }),
  'whose annotations are empty': pod({ annotations: {} }),
  'that carries the sidecar of another hand': pod({ containers: [container('app'), container('mesh')] }),
  'with a single generated name': pod({ metadata: { name: null, generateName: 'web-' } }),
  'whose init containers are null': pod({ spec: { initContainers: null, volumes: null, imagePullSecrets: null } }),
};

describe('a pod', () => {
  test.each(Object.entries(odd))('%s is injected once, with only the fields of injection changed', async (_, given) => {
    const set = sidecarSet('mesh', {
      containers: [sidecar('mesh', AFTER)],
      imagePullSecrets: ['pull'],
      spec: { volumes: [{ name: 'run', emptyDir: {} }] },
    });
    const cluster = (await Injection.start()).hold(set);
    const first = cluster.create(given);
    const spec = first.spec as { containers: JsonObject[] };
    expect(spec.containers.map(({ name }) => name)).toEqual(['app', 'mesh']);
    expect(cluster.review(first).operations).toEqual([]);
    expect(without(first.spec, 'containers', 'volumes', 'imagePullSecrets')).toEqual(
      without(given.spec, 'containers', 'volumes', 'imagePullSecrets'),
    );
    expect(without(first.metadata, 'annotations')).toEqual(without(given.metadata, 'annotations'));
  });
});

function without(object: Json | undefined, ...names: string[]): JsonObject {
  return Object.fromEntries(Object.entries(object as JsonObject).filter(([name]) => !names.includes(name)));
}
