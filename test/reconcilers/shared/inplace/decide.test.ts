// Which changes of a template are made in place, and how (inplace-update 2 and 14, cases 1-6).
import { describe, expect, it } from 'vitest';
import { decode } from '../../../../api/core/decode.ts';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { PodTemplateSpec } from '../../../../api/core/pod.ts';
import { templateRevisionData } from '../../../../api/core/template-revision.ts';
import { effectiveGates, type Gates, parseGates } from '../../../../api/gates.ts';
import type { KubeObject } from '../../../../kube/objects.ts';
import { type DecisionOptions, decideUpdate } from '../../../../reconcilers/shared/inplace/decide.ts';

const gates = (text = ''): Gates => effectiveGates(parseGates(text));
const VERTICAL = gates('InPlaceWorkloadVerticalScaling=true');

type Parts = { metadata?: JsonObject; main?: JsonObject; spec?: JsonObject; annotations?: Record<string, string> };

function revision(name: string, { metadata = {}, main = {}, spec = {}, annotations = {} }: Parts = {}): KubeObject {
  const template = { metadata, spec: { containers: [{ name: 'main', image: 'nginx:1.25', ...main }], ...spec } };
  const typed = decode(PodTemplateSpec, template as Json).value;
  return { metadata: { name, annotations }, data: JSON.parse(templateRevisionData(typed)) } as unknown as KubeObject;
}

function decide(before: Parts, after: Parts, options: Partial<DecisionOptions> = {}) {
  const found = decideUpdate(revision('demo-c', before), revision('demo-u', after), { gates: gates(), ...options });
  if (found === undefined) return undefined;
  const { metaDataPatch, ...spec } = found;
  return metaDataPatch === undefined ? spec : { ...spec, patch: Buffer.from(metaDataPatch, 'base64').toString() };
}

const resources = (limits: JsonObject, requests: JsonObject = {}): JsonObject => ({ resources: { limits, requests } });
const env = (name: string, fieldPath: string): JsonObject => ({
  env: [{ name, valueFrom: { fieldRef: { fieldPath } } }],
});

describe('in place goes', () => {
  it('an image', () => {
    expect(decide({}, { main: { image: 'nginx:1.26' } })).toEqual({
      revision: 'demo-u',
      containerImages: { main: 'nginx:1.26' },
    });
  });

  it('nothing', () => {
    expect(decide({}, {})).toEqual({ revision: 'demo-u' });
  });

  it('an image and a label', () => {
    const before = { metadata: { labels: { app: 'web' } } };
    const after = { metadata: { labels: { app: 'web', ver: '2' } }, main: { image: 'nginx:1.26' } };
    expect(decide(before, after)).toEqual({
      revision: 'demo-u',
      containerImages: { main: 'nginx:1.26' },
      patch: '{"metadata":{"labels":{"ver":"2"}}}',
    });
  });

  it.each([
    [{ labels: { k2: 'v2' } }, { labels: { k1: 'v1' } }, '{"metadata":{"labels":{"k1":"v1","k2":null}}}'],
    [{}, { labels: { k1: 'v1' } }, '{"metadata":{"labels":{"k1":"v1"}}}'],
    [{ annotations: { a: '1' } }, {}, '{"metadata":{"annotations":{"a":null}}}'],
    [
      { finalizers: ['fz1', 'fz2'] },
      { finalizers: ['fz2'] },
      '{"metadata":{"$deleteFromPrimitiveList/finalizers":["fz1"],"$setElementOrder/finalizers":["fz2"]}}',
    ],
    [
      { finalizers: ['fz1'] },
      { finalizers: ['fz1', 'fz2'] },
      '{"metadata":{"$setElementOrder/finalizers":["fz1","fz2"],"finalizers":["fz2"]}}',
    ],
  ])('metadata from %o to %o', (before, after, patch) => {
    expect(decide({ metadata: before as JsonObject }, { metadata: after as JsonObject })).toEqual({
      revision: 'demo-u',
      patch,
    });
  });

  it('a value that a container has in its environment, with that container', () => {
    const main = env('APP_CONFIG', "metadata.annotations['cfg']");
    const before = { metadata: { annotations: { cfg: 'v1', other: '1' } }, main };
    const after = { metadata: { annotations: { cfg: 'v2', other: '1' } }, main };
    expect(decide(before, after)).toEqual({
      revision: 'demo-u',
      containerRefMetadata: { main: { annotations: { cfg: 'v2' } } },
      updateEnvFromMetadata: true,
      patch: '{}',
    });
    expect(decide(before, after, { gates: gates('InPlaceUpdateEnvFromMetadata=false') })).toEqual({
      revision: 'demo-u',
      patch: '{"metadata":{"annotations":{"cfg":"v2"}}}',
    });
  });

  it('the first label of a template that a container reads', () => {
    const main = env('ZONE', "metadata.labels['zone']");
    expect(decide({ main }, { metadata: { labels: { zone: 'a' } }, main })).toMatchObject({
      containerRefMetadata: { main: { labels: { zone: 'a' } } },
    });
  });

  it('an annotation that only says the version of a sidecar, without a restart', () => {
    const main = env('SIDECARSET_VERSION', "metadata.annotations['v']");
    const found = decide(
      { metadata: { annotations: { v: '1' } }, main },
      { metadata: { annotations: { v: '2' } }, main },
    );
    expect(found).toEqual({ revision: 'demo-u', patch: '{"metadata":{"annotations":{"v":"2"}}}' });
  });

  it('cpu and memory, by a gate', () => {
    const before = { main: resources({ cpu: '1' }, { cpu: '500m' }) };
    const after = { main: resources({ cpu: '2' }, { cpu: '500m' }) };
    expect(decide(before, after)).toBe(undefined);
    expect(decide(before, after, { gates: VERTICAL })).toEqual({
      revision: 'demo-u',
      containerResources: { main: { limits: { cpu: '2' } } },
    });
  });
});

describe('pods are recreated for', () => {
  it.each<[string, Parts]>([
    ['the value of a variable', { main: { env: [{ name: 'A', value: '2' }] } }],
    [
      'another container',
      {
        spec: {
          containers: [
            { name: 'main', image: 'nginx:1.25' },
            { name: 'b', image: 'b' },
          ],
        },
      },
    ],
    ['the image of an init container', { spec: { initContainers: [{ name: 'i', image: 'i:2' }] } }],
    ['a grace period', { spec: { terminationGracePeriodSeconds: 5 } }],
    ['a readiness gate', { spec: { readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] } }],
    ['the name of a container', { main: { name: 'renamed' } }],
  ])('%s', (_what, after) => {
    expect(decide({ spec: { initContainers: [{ name: 'i', image: 'i:1' }] } }, after)).toBe(undefined);
  });

  it.each([
    ['a limit that was not there', resources({ cpu: '1' }), resources({ cpu: '1', memory: '1Gi' })],
    [
      'another class of quality',
      resources({ cpu: '1', memory: '1Gi' }, { cpu: '1', memory: '1Gi' }),
      resources({ cpu: '2', memory: '1Gi' }, { cpu: '1', memory: '1Gi' }),
    ],
    ['other resources', resources({ 'nvidia.com/gpu': '1' }), resources({ 'nvidia.com/gpu': '2' })],
  ])('%s', (_what, before, after) => {
    expect(decide({ main: before }, { main: after }, { gates: VERTICAL })).toBe(undefined);
  });

  it.each([
    ['1', '2', false, undefined],
    ['1', '2', true, 'in place'],
    [undefined, '2', false, 'in place'],
    ['', '2', false, undefined],
    ['2', '2', false, 'in place'],
  ])('claims with hashes %s and %s, ignored: %s', (before, after, ignoreClaimTemplates, expected) => {
    const hash = (value: string | undefined): Parts =>
      value === undefined ? {} : { annotations: { 'kruise.io/cloneset-volumeclaimtemplate-hash': value } };
    const options = { gates: gates('RecreatePodWhenChangeVCTInCloneSetGate=true'), ignoreClaimTemplates };
    expect(decide(hash(before), hash(after), options)).toEqual(
      expected === undefined ? undefined : { revision: 'demo-u' },
    );
    expect(decide(hash(before), hash(after))).toEqual({ revision: 'demo-u' });
  });

  it('a revision that is missing or says nothing', () => {
    const some = revision('demo-u');
    expect(decideUpdate(undefined, some, { gates: gates() })).toBe(undefined);
    expect(decideUpdate(some, undefined, { gates: gates() })).toBe(undefined);
    expect(decideUpdate({ ...some, data: null }, some, { gates: gates() })).toBe(undefined);
  });
});

describe('the workload says', () => {
  it('what it calls the revision, and how long the grace is', () => {
    expect(decide({}, {}, { revision: 'abc', graceSeconds: 10 })).toEqual({ revision: 'abc', graceSeconds: 10 });
  });
});
