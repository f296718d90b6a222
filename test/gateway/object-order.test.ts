// Policy objects that need each other, or that change places: what counts is the state that the files describe, not the
// way to it. Against the real evaluator.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { webhookEntries } from '../../api/webhooks.ts';
import type { Webhooks } from '../../evaluator/webhooks.ts';
import { applyChange, difference, type KeptObject, objectKey, referenceOf } from '../../gateway/objects/change.ts';
import { readVerdict } from '../support/answer.ts';
import { container, pod } from '../support/builders/pod.ts';
import { configuration } from '../support/builders/policies.ts';
import { holdWebhooks } from '../support/policy-module.ts';
import * as see from '../support/see.ts';

const PATH = webhookEntries.find(({ path }) => path === '/mutate-pod')?.path ?? '';
const NOW = Date.parse('2026-07-02T08:00:00Z');

/** As a user writes it. */
function written(name: string, containers: string[], spec: JsonObject = {}, annotations: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name, annotations },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      containers: containers.map((one) => ({ name: one, image: `example.com/${name}:1` })),
      ...spec,
    },
  };
}

const base = written('z-base', ['agent'], { patchPodMetadata: [{ annotations: { note: '1' } }] });
const canary = written(
  'a-canary',
  ['agent'],
  { updateStrategy: { type: 'NotUpdate' } },
  {
    'apps.kruise.io/sidecarset-canary': 'true',
    'apps.kruise.io/sidecarset-base': 'z-base',
  },
);
const pinned = written('a-pinned', ['now'], { injectionStrategy: { revision: { revisionName: 'old' } } });
const revision: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'old', namespace: 'kruise-system', labels: { 'kruise.io/sidecarset-name': 'a-pinned' } },
  data: {
    spec: {
      $patch: 'replace',
      containers: [{ name: 'once', image: 'example.com/once:1', podInjectPolicy: 'BeforeAppContainer' }],
    },
  },
  revision: 1,
};
const whitelist = configuration({
  SidecarSet_PatchPodMetadata_WhiteList: JSON.stringify({ rules: [{ allowedAnnotationKeyExprs: ['^note$'] }] }),
});

function state(...objects: JsonObject[]): Map<string, KeptObject> {
  return new Map(
    objects.map((object) => {
      const reference = referenceOf(object);
      return [objectKey(reference), { reference, text: JSON.stringify(object), file: 'f', line: 1 }];
    }),
  );
}

/** The containers of a pod that is created now. */
function created(evaluator: Webhooks): unknown {
  const request: JsonObject = {
    uid: 'd0a2b1c3-0000-4000-8000-000000000004',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    namespace: 'shop',
    operation: 'CREATE',
    object: pod({ containers: [container('app')] }),
  };
  const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  return see.containers(
    readVerdict(request, evaluator.answer(PATH, new TextEncoder().encode(body), NOW).body).object ?? {},
  );
}

describe('what is loaded together', async () => {
  test.each([
    [
      'a canary before its base, and its base before the list of annotations',
      [canary, base, whitelist],
      ['agent', 'app'],
    ],
    ['a set before its revision', [pinned, revision], ['once', 'app']],
  ])('may stand in any order: %s', async (_what, objects, containers) => {
    const evaluator = await holdWebhooks();
    applyChange(evaluator, difference(new Map(), state(...objects)), new Map());
    expect(created(evaluator)).toEqual(containers);
  });

  test('is refused if it is not all there, and leaves nothing behind', async () => {
    const evaluator = await holdWebhooks();
    const act = () => applyChange(evaluator, difference(new Map(), state(canary, pinned, revision)), new Map());
    expect(act).toThrow('"z-base" not found');
    expect(created(evaluator)).toEqual(['app']);
  });
});

describe('a change', async () => {
  const before = state(written('a', ['one']), written('b', ['two', 'three']));

  test('moves a container from one set to another, whichever is read first', async () => {
    const evaluator = await holdWebhooks();
    applyChange(evaluator, difference(new Map(), before), new Map());
    const there = state(written('a', ['one', 'two']), written('b', ['three']));
    applyChange(evaluator, difference(before, there), before);
    expect(created(evaluator)).toEqual(['one', 'two', 'three', 'app']);
    applyChange(evaluator, difference(there, before), there);
    expect(created(evaluator)).toEqual(['one', 'two', 'three', 'app']);
  });

  test('of two sets that get into each other’s way is refused as a whole', async () => {
    const evaluator = await holdWebhooks();
    applyChange(evaluator, difference(new Map(), before), new Map());
    const clash = state(written('a', ['one', 'new']), written('b', ['two', 'new']));
    expect(() => applyChange(evaluator, difference(before, clash), before)).toThrow('new already exist in a');
    expect(created(evaluator)).toEqual(['one', 'two', 'three', 'app']);
  });

  test('that is refused gives a canary and its base back', async () => {
    const evaluator = await holdWebhooks();
    const pair = state(canary, base, whitelist);
    applyChange(evaluator, difference(new Map(), pair), new Map());
    const wrong = state({ ...canary, spec: { selector: {} } }, written('z-base', ['other']));
    expect(() => applyChange(evaluator, difference(pair, wrong), pair)).toThrow('spec.selector');
    expect(created(evaluator)).toEqual(['agent', 'app']);
  });
});
