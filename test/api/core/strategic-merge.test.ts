// Strategic merge patches of pod templates (workloadspread 3.7).
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { PodTemplateSpec } from '../../../api/core/pod.ts';
import { strategicMerge } from '../../../api/core/strategic-merge.ts';
import { MERGES, REFUSED, REFUSED_ORIGINAL, withoutNulls } from '../../support/strategic-merges.ts';

const merge = (original: JsonObject, patch: Json) => strategicMerge(PodTemplateSpec, original, patch);

test.each(MERGES)('$rule', ({ original, patch, merged }) => {
  const before = structuredClone({ original, patch });
  expect(withoutNulls(merge(original, patch))).toEqual(merged);
  expect({ original, patch }).toEqual(before);
});

test('maps take members of any name for their own', () => {
  const patch = JSON.parse('{"metadata":{"labels":{"__proto__":"x","constructor":"y"}}}') as JsonObject;
  const merged = JSON.stringify(merge({ metadata: { labels: { a: 'b' } } }, patch));
  expect(merged).toBe('{"metadata":{"labels":{"a":"b","__proto__":"x","constructor":"y"}}}');
});

test.each(REFUSED)('%j cannot be applied', (patch, fault) => {
  expect(() => merge(REFUSED_ORIGINAL, patch)).toThrow(fault);
});
