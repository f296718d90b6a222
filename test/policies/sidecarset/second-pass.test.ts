// A pod that passes the webhook a second time: what came meanwhile is covered, all else stays (C075).
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { container, env, mounts, pod } from '../../support/builders/pod.ts';
import { ownedBy, podState } from '../../support/builders/policies.ts';
import { SHARED_MOUNTS, type SidecarSetParts, sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { Injection } from '../../support/injection.ts';
import * as see from '../../support/see.ts';

const ORDERED = { 'apps.kruise.io/container-launch-priority': 'Ordered' };
const HOT = { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'example.com/empty:1' } };
const LIST = 'kruise.io/sidecarset-injected-list';

const set = (name: string, more: JsonObject = {}, parts: SidecarSetParts = {}): JsonObject =>
  sidecarSet(name, { containers: [sidecar(`of-${name}`, more)], ...parts });
const limited = (name: string, cpu: string): JsonObject => container(name, { resources: { limits: { cpu } } });
const prior = (name: string, priority: string): JsonObject =>
  container(name, { env: env({ KRUISE_CONTAINER_PRIORITY: priority }) });
const computed = {
  resourcesPolicy: {
    targetContainersMode: 'sum',
    targetContainersNameRegex: '.*',
    resourcesExpr: { limits: { cpu: 'cpu' } },
  },
};
const barriers = (created: JsonObject): Json =>
  see.containers(created).map((name) => {
    const variables = (see.containerOf(String(name))(created)?.env ?? []) as JsonObject[];
    const barrier = variables.find((one) => one.name === 'KRUISE_CONTAINER_BARRIER');
    return `${name} ${(barrier?.valueFrom as { configMapKeyRef: JsonObject } | undefined)?.configMapKeyRef.key}`;
  });

type Row = {
  rule: string;
  objects?: JsonObject[];
  gates?: Record<string, boolean>;
  pod?: JsonObject;
  /** What others do to the pod between the two passes. */
  meanwhile: (pod: { metadata: JsonObject; spec: { containers: JsonObject[] } }) => void;
  see: (created: JsonObject) => Json | undefined;
  expected: Json;
};

const rows: Row[] = [
  {
    rule: 'a container in front moves the others back in the order',
    pod: pod({ annotations: ORDERED, containers: [container('a'), container('b')] }),
    meanwhile: ({ spec }) => spec.containers.unshift(container('new')),
    see: barriers,
    expected: ['new p_0', 'a p_-1', 'b p_-2'],
  },
  {
    rule: 'a second container makes an order where there was none',
    pod: pod({ annotations: ORDERED }),
    meanwhile: ({ spec }) => spec.containers.push(container('new')),
    see: barriers,
    expected: ['app p_0', 'new p_-1'],
  },
  {
    rule: 'a container with a priority of its own joins the order',
    pod: pod({ containers: [container('a'), prior('b', '1')] }),
    meanwhile: ({ spec }) => spec.containers.push(prior('new', '5')),
    see: barriers,
    expected: ['a p_0', 'b p_1', 'new p_5'],
  },
  {
    rule: 'a sidecar that shares mounts gets those of the new container',
    objects: [set('s', SHARED_MOUNTS)],
    pod: pod({ containers: [container('app', { volumeMounts: mounts({ '/a': 'v' }) })] }),
    meanwhile: ({ spec }) => spec.containers.push(container('new', { volumeMounts: mounts({ '/n': 'w' }) })),
    see: see.mountsOf('of-s'),
    expected: ['/a v', '/n w'],
  },
  {
    rule: 'computed resources count the new container',
    objects: [set('s', computed)],
    pod: pod({ containers: [limited('app', '1')] }),
    meanwhile: ({ spec }) => spec.containers.push(limited('new', '2')),
    see: (created) => see.containerOf('of-s')(created)?.resources,
    expected: { limits: { cpu: '3' } },
  },
  {
    rule: 'a variable that came is transferred',
    objects: [set('s', { transferEnv: [{ sourceContainerName: 'app', envName: 'T' }] })],
    meanwhile: ({ spec }) => Object.assign(spec.containers[1] as JsonObject, { env: env({ T: '1' }) }),
    see: see.envOf('of-s'),
    expected: ['IS_INJECTED=true', 'T=1'],
  },
  {
    rule: 'a label that came brings the set that needs it',
    objects: [set('s'), set('r', {}, { selector: { matchLabels: { mesh: 'on' } } })],
    meanwhile: ({ metadata }) => Object.assign(metadata.labels as JsonObject, { mesh: 'on' }),
    see: (created) => [see.containers(created), see.annotation(LIST)(created) ?? null],
    expected: [['of-r', 'of-s', 'app'], 'r,s'],
  },
  {
    rule: 'a label that went takes no container away',
    objects: [set('s')],
    meanwhile: ({ metadata }) => Object.assign(metadata, { labels: {} }),
    see: (created) => [see.containers(created), see.annotation(LIST)(created) ?? null],
    expected: [['of-s', 'app'], 's'],
  },
  {
    rule: 'images of sidecars are those of the set again',
    objects: [set('s', HOT)],
    meanwhile: ({ spec }) => Object.assign(spec.containers[1] as JsonObject, { image: 'example.com/mirror:1' }),
    see: see.images,
    expected: [
      'of-s-1 registry.example.com/shop/of-s:1',
      'of-s-2 example.com/empty:1',
      'app registry.example.com/shop/app:1',
    ],
  },
  {
    rule: 'an annotation that others wrote anew is merged into again',
    objects: [
      set('s', {}, { spec: { patchPodMetadata: [{ patchPolicy: 'MergePatchJson', annotations: { k: '{"a":1}' } }] } }),
    ],
    meanwhile: ({ metadata }) => Object.assign(metadata.annotations as JsonObject, { k: '{"z":1,"b":2}' }),
    see: see.annotation('k'),
    expected: '{"a":1,"b":2,"z":1}',
  },
  {
    rule: 'a liveness probe that came is moved beside the one that was',
    gates: { EnhancedLivenessProbe: true },
    pod: pod({
      annotations: { 'apps.kruise.io/using-enhanced-liveness': 'true' },
      ...ownedBy('CloneSet'),
      containers: [container('app', { livenessProbe: { exec: { command: ['a'] } } })],
    }),
    meanwhile: ({ spec }) => spec.containers.unshift(container('new', { livenessProbe: { tcpSocket: { port: 1 } } })),
    see: see.annotation('apps.kruise.io/container-probe-context'),
    expected:
      '[{"name":"new","livenessProbe":{"tcpSocket":{"port":1}}},{"name":"app","livenessProbe":{"exec":{"command":["a"]}}}]',
  },
  {
    rule: 'node labels of a record are wanted again where others took them away',
    objects: [podState('s', { required: ['zone'], states: { 'db-0': { zone: 'a' } } })],
    pod: pod({ name: 'db-0', ...ownedBy('StatefulSet', 'db') }),
    meanwhile: ({ spec }) => Object.assign(spec, { nodeSelector: { zone: 'b', disk: 'c' } }),
    see: ({ spec }) => (spec as JsonObject).nodeSelector,
    expected: { zone: 'a', disk: 'c' },
  },
];

describe('a second pass', () => {
  test.each(rows)('$rule', async (row) => {
    const injection = (await Injection.start(row.gates)).hold(...(row.objects ?? []));
    const between = injection.create(row.pod ?? pod());
    row.meanwhile(between as Parameters<Row['meanwhile']>[0]);
    const second = injection.create(between);
    expect(row.see(second)).toEqual(row.expected);
    expect(injection.review(second).operations).toEqual([]);
  });
});
