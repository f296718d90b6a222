// SidecarSets of the corpus, once they are stored: admission and conversion leave them as they are.
import { beforeAll, describe, expect, test } from 'vitest';
import { isObject, type JsonObject, parseJson } from '../../../api/core/json.ts';
import type { Webhooks } from '../../../evaluator/webhooks.ts';
import { compareObjects } from '../../support/compare/objects.ts';
import { Placeholders } from '../../support/compare/placeholders.ts';
import { loadArea } from '../../support/corpus.ts';
import { RECORDED_GATES } from '../../support/gates.ts';
import { defaultSidecarSet } from '../../support/kinds.ts';
import { holdWebhooks } from '../../support/policy-module.ts';

const stored = ['sidecarset', 'imagepullsecrets', 'sidecarsets']
  .flatMap(loadArea)
  .flatMap(({ area, name, objects }) =>
    objects
      .filter(({ kind }) => kind === 'SidecarSet')
      .map((set) => ({ title: `${(set.metadata as JsonObject).name} of ${area}/${name}`, set })),
  );

function differences(expected: JsonObject, got: JsonObject | undefined): unknown[] {
  const placeholders = new Placeholders({ fromMs: 0, toMs: 0 });
  return compareObjects(expected, got, { root: '', volatile: [], placeholders, withoutZeroCounters: true });
}

describe('a stored SidecarSet', () => {
  let webhooks: Webhooks;
  beforeAll(async () => {
    webhooks = await holdWebhooks(RECORDED_GATES);
  });

  const convert = (object: JsonObject, version: string): JsonObject | undefined => {
    const request = { uid: 'u', desiredAPIVersion: `apps.kruise.io/${version}`, objects: [object] };
    const review = JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request });
    const { body } = webhooks.answer('/convert', new TextEncoder().encode(review), 0);
    const answer = parseJson(new TextDecoder().decode(body));
    if (!isObject(answer) || !isObject(answer.response)) return undefined;
    return (answer.response.convertedObjects as JsonObject[] | undefined)?.[0];
  };

  test.each(stored)('is not changed by defaulting it again: $title', async ({ set }) => {
    expect(differences(set, await defaultSidecarSet(set))).toEqual([]);
  });

  test.each(stored)('is the same after conversion there and back: $title', ({ set }) => {
    const old = convert(set, 'v1alpha1');
    expect(old?.apiVersion).toBe('apps.kruise.io/v1alpha1');
    expect(differences(set, convert(old as JsonObject, 'v1beta1'))).toEqual([]);
  });
});
