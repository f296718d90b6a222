// The model of injection must itself be right: it is held to the recorded answers that it can tell.
import { expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { formatDifferences } from './compare/difference.ts';
import { type Case, compareCase, loadArea } from './corpus.ts';
import { inject } from './model.ts';
import * as see from './see.ts';

const NOW = '2026-07-02T08:00:00Z';
const nowMs = Date.parse(NOW);

const told = ['sidecarset', 'imagepullsecrets'].flatMap(loadArea).filter((question) => {
  const text = JSON.stringify(question.objects);
  const isBeyond =
    text.includes('resourcesPolicy') || text.includes('MergePatchJson') || text.includes('ControllerRevision');
  return !isBeyond && question.expect.allowed && question.better === undefined && injectedSets(question).length > 0;
});

test('the model covers a good part of the corpus', () => {
  expect(told.length).toBeGreaterThan(80);
});

test.each(told)('$area/$name', (question) => {
  const object = inject(question.request.object as JsonObject, injectedSets(question), NOW, true);
  (object.spec as JsonObject).readinessGates = [{ conditionType: 'KruisePodReady' }];
  const result = { allowed: true, object, window: { fromMs: nowMs, toMs: nowMs } };
  const { differences } = compareCase(question, result);
  if (differences.length > 0) expect.fail(formatDifferences(question.what, differences));
});

/** The SidecarSets that the recorded answer injects now. */
function injectedSets({ objects, expect: { object } }: Case): JsonObject[] {
  const text = see.annotations(object ?? {})['kruise.io/sidecarset-hash'];
  if (typeof text !== 'string' || !text.includes('<time>')) return [];
  const entries = Object.values(
    JSON.parse(text) as Record<string, { updateTimestamp: string; sidecarSetName: string }>,
  );
  const names = entries.filter((entry) => entry.updateTimestamp === '<time>').map((entry) => entry.sidecarSetName);
  return objects.filter(
    ({ kind, metadata }) => kind === 'SidecarSet' && isObject(metadata) && names.includes(String(metadata.name)),
  );
}
