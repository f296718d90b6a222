// The writes of an update in place, one after the other (inplace-update 3, 4 and 14, cases 7-20 and 27-29).
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { effectiveGates, parseGates } from '../../../../api/gates.ts';
import type { PlannedEffect } from '../../../../kube/plan.ts';
import { PODS } from '../../../../kube/resource.ts';
import type { UpdateContext } from '../../../../reconcilers/shared/inplace/apply.ts';
import { hasResizeSubresource } from '../../../../reconcilers/shared/inplace/resize.ts';
import type { UpdateSpec } from '../../../../reconcilers/shared/inplace/state.ts';
import { refreshUpdate, startUpdate } from '../../../../reconcilers/shared/inplace/update.ts';
import type { Pod } from '../../../../reconcilers/shared/pod.ts';
import { SimulatedCluster } from '../../../support/simulated-cluster.ts';

const START = Date.parse('2026-07-02T08:00:00Z');
const STATE = 'apps.kruise.io/inplace-update-state';
const GRACE = 'apps.kruise.io/inplace-update-grace';
const GATES = effectiveGates();
const VERTICAL = effectiveGates(parseGates('InPlaceWorkloadVerticalScaling=true'));
const LABELS = { labels: { 'controller-revision-hash': 'demo-u' }, annotations: { note: 'updating' } };
const gate = { readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] };

function container(name: string, image: string, more: JsonObject = {}): JsonObject {
  return { name, image, resources: {}, ...more };
}

const barrier = (key: string): JsonObject => ({
  env: [{ name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef: { name: 'p-barrier', key } } }],
});

/** A pod in a cluster of its own that is updated step by step. */
class Updating {
  readonly cluster = new SimulatedCluster({ seed: 1, now: START, fresh: true });
  context: Omit<UpdateContext, 'now'> = { gates: GATES, resizeSubresource: false };

  static async of(
    spec: JsonObject,
    metadata: JsonObject = {},
    context: Partial<UpdateContext> = {},
  ): Promise<Updating> {
    const updating = new Updating();
    updating.context = { ...updating.context, ...context };
    const labels = { app: 'web', 'controller-revision-hash': 'demo-c', ...(metadata.labels as JsonObject) };
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'shop', ...metadata, labels },
      spec,
    };
    updating.cluster.create(PODS, object);
    await updating.cluster.rest();
    const opened = updating.refresh();
    if (opened.effect !== undefined) updating.apply(opened.effect);
    await updating.cluster.rest();
    return updating;
  }

  get pod(): Pod {
    return this.cluster.get(PODS, { namespace: 'shop', name: 'p' }) as Pod;
  }

  next(spec: UpdateSpec): PlannedEffect {
    return startUpdate(this.pod, spec, LABELS, { ...this.context, now: this.cluster.now });
  }

  refresh(isOfRevision = (_revision: string) => true) {
    return refreshUpdate(this.pod, isOfRevision, { ...this.context, now: this.cluster.now });
  }

  apply(effect: PlannedEffect): void {
    if (effect.type === 'patch' && effect.subresource === 'resize') {
      // The simulated API server knows no resize: it is a patch of the spec here.
      const { subresource: _resize, ...patch } = effect;
      this.cluster.apply({ groups: [[patch]] });
    } else this.cluster.apply({ groups: [[effect]] });
  }

  /** All writes until the pod carries the new revision, as subresources and patches. */
  start(spec: UpdateSpec): string[] {
    const writes: string[] = [];
    while (this.pod.metadata.labels?.['controller-revision-hash'] !== 'demo-u') {
      const effect = this.next(spec);
      writes.push(effect.type === 'patch' ? (effect.subresource ?? 'pod') : effect.type);
      this.apply(effect);
    }
    return writes;
  }

  condition(type: string) {
    return this.pod.status?.conditions?.find((one) => one.type === type);
  }

  annotation(name: string): JsonObject | undefined {
    const text = this.pod.metadata.annotations?.[name];
    return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
  }

  images(): Record<string, string | undefined> {
    return Object.fromEntries(this.pod.spec.containers.map(({ name, image }) => [name, image]));
  }

  idOf(name: string): string {
    return this.pod.status?.containerStatuses?.find((one) => one.name === name)?.imageID ?? '';
  }
}

const image = (to: string, more: Partial<UpdateSpec> = {}): UpdateSpec => ({
  revision: 'demo-u',
  containerImages: { main: to },
  ...more,
});
const onePod = (more: JsonObject = {}): JsonObject => ({
  ...gate,
  containers: [container('main', 'nginx:1.25', more)],
});

describe('an update of an image', () => {
  it('takes the pod out of service and then changes all in one write', async () => {
    const updating = await Updating.of(onePod());
    const before = updating.idOf('main');
    expect(updating.condition('Ready')?.status).toBe('True');
    updating.apply(updating.next(image('nginx:1.26')));
    expect(updating.condition('InPlaceUpdateReady')).toEqual({
      type: 'InPlaceUpdateReady',
      status: 'False',
      reason: 'StartInPlaceUpdate',
      lastTransitionTime: '2026-07-02T08:00:00Z',
    });
    expect(updating.condition('Ready')).toMatchObject({ status: 'False', reason: 'ReadinessGatesNotReady' });
    expect(updating.images()).toEqual({ main: 'nginx:1.25' });
    updating.apply(updating.next(image('nginx:1.26')));
    expect(updating.images()).toEqual({ main: 'nginx:1.26' });
    expect(updating.pod.metadata).toMatchObject({
      labels: { app: 'web', ...LABELS.labels },
      annotations: LABELS.annotations,
    });
    expect(updating.pod.metadata.annotations?.[STATE]).toBe(
      `{"revision":"demo-u","updateTimestamp":"2026-07-02T08:00:00Z","lastContainerStatuses":{"main":{"imageID":"${before}"}},` +
        '"updateImages":true,"containerBatchesRecord":[{"timestamp":"2026-07-02T08:00:00Z","containers":["main"]}]}',
    );
  });

  it('brings the pod back when the container runs the image, without a trace of the reason', async () => {
    const updating = await Updating.of(onePod());
    updating.start(image('nginx:1.26'));
    expect(updating.refresh()).toEqual({});
    await updating.cluster.rest();
    updating.apply(updating.refresh().effect as PlannedEffect);
    expect(updating.condition('InPlaceUpdateReady')).toEqual({
      type: 'InPlaceUpdateReady',
      status: 'True',
      lastTransitionTime: '2026-07-02T08:00:00Z',
    });
    await updating.cluster.rest();
    expect(updating.condition('Ready')?.status).toBe('True');
    expect(updating.refresh()).toEqual({});
  });

  it('needs no write of the status where the pod has no gate', async () => {
    const updating = await Updating.of({ containers: [container('main', 'nginx:1.25')] });
    expect(updating.start(image('nginx:1.26'))).toEqual(['pod']);
    await updating.cluster.rest();
    expect(updating.refresh()).toEqual({});
  });

  it('replaces the annotations of old releases', async () => {
    const annotations = {
      'inplace-update-state': '{"revision":"r","updateTimestamp":null,"lastContainerStatuses":null}',
    };
    const updating = await Updating.of(onePod(), { annotations });
    updating.start(image('nginx:1.26'));
    expect(Object.keys(updating.pod.metadata.annotations ?? {}).sort()).toEqual([STATE, 'note']);
  });

  it('is bound to the pod that was seen', async () => {
    const updating = await Updating.of(onePod());
    const effect = updating.next(image('nginx:1.26'));
    updating.cluster.change(PODS, updating.pod.metadata, (object) => ({
      ...object,
      spec: { ...(object.spec as JsonObject), nodeName: 'n' },
    }));
    expect(() => updating.apply(effect)).toThrow(/modified|[Cc]onflict/);
  });
});

describe('a new pod', () => {
  it('comes into service by its first refresh', async () => {
    const updating = await Updating.of(onePod());
    expect(updating.condition('InPlaceUpdateReady')?.status).toBe('True');
    expect(updating.condition('Ready')?.status).toBe('True');
  });
});

describe('metadata', () => {
  it('is merged into the pod, and what others put there stays', async () => {
    const patch = { metadata: { labels: { gone: null, ver: '2' }, '$deleteFromPrimitiveList/finalizers': ['a'] } };
    const updating = await Updating.of(onePod(), { labels: { gone: '1', theirs: '1' }, finalizers: ['a', 'b'] });
    updating.start({ revision: 'demo-u', metaDataPatch: Buffer.from(JSON.stringify(patch)).toString('base64') });
    expect(updating.pod.metadata).toMatchObject({ finalizers: ['b'] });
    expect(updating.pod.metadata.labels).toEqual({
      app: 'web',
      theirs: '1',
      ver: '2',
      'controller-revision-hash': 'demo-u',
    });
    expect(updating.annotation(STATE)).toMatchObject({ containerBatchesRecord: [{ containers: [] }] });
    expect(updating.annotation(STATE)).not.toHaveProperty('updateImages');
    expect(updating.refresh().effect).toMatchObject({ subresource: 'status' });
  });

  it('that containers read is written with them', async () => {
    const updating = await Updating.of(onePod(), { annotations: { cfg: 'v1' } });
    updating.start({
      revision: 'demo-u',
      containerRefMetadata: { main: { annotations: { cfg: 'v2' } } },
      updateEnvFromMetadata: true,
      metaDataPatch: Buffer.from('{}').toString('base64'),
    });
    expect(updating.pod.metadata.annotations).toMatchObject({ cfg: 'v2' });
    expect(updating.annotation(STATE)).toMatchObject({ updateEnvFromMetadata: true, lastContainerStatuses: null });
    await updating.cluster.rest();
    expect(updating.refresh()).toEqual({});
  });
});

describe('a grace period', () => {
  const graceful = image('nginx:1.26', { graceSeconds: 10 });

  it('leaves the containers until it is over', async () => {
    const updating = await Updating.of(onePod());
    updating.start(graceful);
    expect(updating.images()).toEqual({ main: 'nginx:1.25' });
    expect(updating.pod.metadata.annotations?.[GRACE]).toBe(
      '{"revision":"demo-u","containerImages":{"main":"nginx:1.26"},"graceSeconds":10}',
    );
    expect(updating.pod.metadata.annotations?.[STATE]).toBe(
      '{"revision":"demo-u","updateTimestamp":"2026-07-02T08:00:00Z","lastContainerStatuses":null,"updateImages":true}',
    );
    updating.cluster.now = START + 4200;
    expect(updating.refresh()).toEqual({ requeueAfterMs: 6000 });
    updating.cluster.now = START + 10_000;
    updating.apply(updating.refresh().effect as PlannedEffect);
    expect(updating.images()).toEqual({ main: 'nginx:1.26' });
    expect(updating.annotation(GRACE)).toBe(undefined);
    expect(updating.annotation(STATE)).toMatchObject({ containerBatchesRecord: [{ containers: ['main'] }] });
  });

  it('ends without a change when the pod became one of another revision', async () => {
    const updating = await Updating.of(onePod());
    updating.start(graceful);
    updating.apply(updating.refresh(() => false).effect as PlannedEffect);
    expect(updating.annotation(GRACE)).toBe(undefined);
    expect(updating.annotation(STATE)).toBeDefined();
    expect(updating.images()).toEqual({ main: 'nginx:1.25' });
  });

  it.each([
    [GRACE, '{', /after the grace period cannot be read/],
    [STATE, '{', /state .* cannot be read/],
    [STATE, undefined, /missing/],
  ])('says why it cannot end with %s %o', async (name, text, fault) => {
    const updating = await Updating.of(onePod());
    updating.start(graceful);
    updating.cluster.change(PODS, updating.pod.metadata, (object) => {
      const { [name]: _old, ...annotations } = (object.metadata as { annotations: Record<string, string> }).annotations;
      const changed = text === undefined ? annotations : { ...annotations, [name]: text };
      return { ...object, metadata: { ...(object.metadata as JsonObject), annotations: changed } };
    });
    expect(updating.refresh().fault).toMatch(fault);
  });
});

describe('containers with launch priorities', () => {
  const three = { a: barrier('p_10'), b: barrier('p_5'), c: {} };
  const spec = (more: Record<string, JsonObject> = three): JsonObject => ({
    ...gate,
    containers: Object.entries(more).map(([name, one]) => container(name, `${name}:1`, one)),
  });
  const images = (names: readonly string[]): UpdateSpec => ({
    revision: 'demo-u',
    containerImages: Object.fromEntries(names.map((name) => [name, `${name}:2`])),
  });

  it('are changed batch by batch', async () => {
    const updating = await Updating.of(spec());
    updating.start(images(['a', 'b', 'c']));
    expect(updating.images()).toEqual({ a: 'a:2', b: 'b:1', c: 'c:2' });
    expect(updating.annotation(STATE)).toMatchObject({
      nextContainerImages: { b: 'b:2' },
      preCheckBeforeNext: { containersRequiredReady: ['a', 'c'] },
    });
    expect(updating.refresh()).toEqual({});
    await updating.cluster.rest();
    updating.apply(updating.refresh().effect as PlannedEffect);
    expect(updating.images()).toEqual({ a: 'a:2', b: 'b:2', c: 'c:2' });
    expect(updating.annotation(STATE)).not.toHaveProperty('nextContainerImages');
    expect(updating.annotation(STATE)?.containerBatchesRecord).toMatchObject([
      { containers: ['a', 'c'] },
      { containers: ['b'] },
    ]);
    expect(updating.condition('InPlaceUpdateReady')?.status).toBe('False');
    await updating.cluster.rest();
    updating.apply(updating.refresh().effect as PlannedEffect);
    expect(updating.condition('InPlaceUpdateReady')?.status).toBe('True');
  });

  it('go together when they read the same label', async () => {
    const updating = await Updating.of(spec());
    const labels = { x: '2' };
    updating.start({
      revision: 'demo-u',
      containerRefMetadata: { a: { labels }, b: { labels } },
      updateEnvFromMetadata: true,
    });
    expect(updating.annotation(STATE)?.containerBatchesRecord).toMatchObject([{ containers: ['a', 'b'] }]);
    expect(updating.pod.metadata.labels).toMatchObject(labels);
  });

  it('that cannot be read count as zero, and one that names no key as none', async () => {
    const updating = await Updating.of(spec({ a: barrier('p_x'), b: barrier('p'), c: barrier('p_-1') }));
    updating.start(images(['a', 'b', 'c']));
    expect(updating.images()).toEqual({ a: 'a:2', b: 'b:2', c: 'c:1' });
  });
});

describe('resources', () => {
  const policy = (resourceName: string, restartPolicy: string) => ({ resizePolicy: [{ resourceName, restartPolicy }] });
  const cpu: UpdateSpec = { revision: 'demo-u', containerResources: { main: { limits: { cpu: '2' } } } };
  const sized = (more: JsonObject = {}) => onePod({ resources: { limits: { cpu: '1', memory: '1Gi' } }, ...more });

  it.each([
    ['without a restart', policy('cpu', 'NotRequired'), ['resize', 'pod']],
    ['that need a restart', policy('cpu', 'RestartContainer'), ['status', 'resize', 'pod']],
    ['while others would need a restart', policy('memory', 'RestartContainer'), ['resize', 'pod']],
  ])('%s are changed by their subresource first', async (_what, more, writes) => {
    const updating = await Updating.of(sized(more), {}, { gates: VERTICAL, resizeSubresource: true });
    expect(updating.start(cpu)).toEqual(writes);
    expect(updating.pod.spec.containers[0]?.resources).toEqual({ limits: { cpu: '2', memory: '1Gi' } });
    expect(updating.annotation(STATE)).toMatchObject({ updateResources: true });
  });

  it('are changed with all the rest by older API servers', async () => {
    const updating = await Updating.of(sized(), {}, { gates: VERTICAL });
    const both = image('nginx:1.26', { ...cpu, containerImages: { main: 'nginx:1.26' } });
    expect(updating.start(both)).toEqual(['status', 'pod']);
    expect(updating.pod.spec.containers[0]).toMatchObject({ image: 'nginx:1.26', resources: { limits: { cpu: '2' } } });
  });

  it('of a later batch are not forgotten', async () => {
    const main = { ...barrier('p_1'), resources: { limits: { cpu: '1' } } };
    const first = container('first', 'f:1', barrier('p_9'));
    const updating = await Updating.of(
      { ...gate, containers: [first, container('main', 'm:1', main)] },
      {},
      { gates: VERTICAL },
    );
    updating.start({
      revision: 'demo-u',
      containerImages: { first: 'f:2' },
      containerResources: { main: { limits: { cpu: '2' } } },
    });
    await updating.cluster.rest();
    updating.apply(updating.refresh().effect as PlannedEffect);
    expect(updating.pod.spec.containers[1]?.resources).toEqual({ limits: { cpu: '2' } });
    await updating.cluster.rest();
    updating.apply(updating.refresh().effect as PlannedEffect);
    expect(updating.condition('InPlaceUpdateReady')?.status).toBe('True');
  });

  it.each([
    ['v1.31.9', false],
    ['v1.32.0+gke.1', true],
    ['1.33.4-eks-x', true],
    ['v1.33.1', true],
    ['v2.0.0', true],
    ['weird', false],
  ])('have a subresource in %s: %s', (version, expected) => {
    expect(hasResizeSubresource(version)).toBe(expected);
  });
});
