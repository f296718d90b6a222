// The schemas of the CRDs themselves, asked as an API server asks them.

import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../../../api/core/field-error.ts';
import type { JsonObject } from '../../../api/core/json.ts';
import { applySchemaDefaults, readBySchema, validateAgainstSchema } from '../../../api/kinds/crd-validation.ts';
import { findKind, kinds } from '../../../api/kinds/index.ts';
import type { Kind } from '../../../api/kinds/kind.ts';

const kindOf = (name: string): Kind => {
  const kind = findKind('apps.kruise.io', name) ?? findKind('policy.kruise.io', name);
  if (kind === undefined) throw new Error(name);
  return kind;
};
const wrong = (name: string, version: string, object: JsonObject): string[] =>
  validateAgainstSchema(kindOf(name), version, object).map(formatFieldError);

describe('the schema of', () => {
  it.each(kinds.flatMap((kind) => kind.versions.map((version) => [kind, version] as const)))(
    '$kind, in every version, uses only keywords that are checked',
    (kind, version) => {
      expect(() => validateAgainstSchema(kind, version, {})).not.toThrow();
    },
  );

  it('a version that does not exist cannot be asked', () => {
    expect(() => validateAgainstSchema(kindOf('CloneSet'), 'v9', {})).toThrow('CloneSet has no version v9');
  });

  it.each<[string, string, JsonObject, string]>([
    [
      'PodUnavailableBudget',
      'v1beta1',
      { spec: { protectOperations: ['PATCH'] } },
      'spec.protectOperations[0]: Unsupported value: "PATCH": supported values: "DELETE", "UPDATE", "EVICT", "RESIZE"',
    ],
    [
      'PodUnavailableBudget',
      'v1beta1',
      { spec: { protectTotalReplicas: 0 } },
      'spec.protectTotalReplicas: Invalid value: 0: spec.protectTotalReplicas in body should be greater than or equal to 1',
    ],
    [
      'SidecarSet',
      'v1alpha1',
      { spec: { injectionStrategy: { revision: { policy: 'Never' } } } },
      'spec.injectionStrategy.revision.policy: Unsupported value: "Never": supported values: "Always", "Partial"',
    ],
  ])('%s %s: %j', (name, version, object, expected) => {
    expect(wrong(name, version, object)).toContain(expected);
  });

  it('a kind with a scale sub-resource wants no negative number of replicas, unlike others', () => {
    const negative = '.spec.replicas: Invalid value: -1: should be a non-negative integer';
    expect(wrong('CloneSet', 'v1beta1', { spec: { replicas: -1 } })).toContain(negative);
    expect(wrong('SidecarSet', 'v1beta1', { spec: { replicas: -1 } })).not.toContain(negative);
  });
});

it('defaults are filled in, and the status is left as it is', () => {
  const kind = kindOf('SidecarSet');
  const given = {
    spec: { injectionStrategy: { paused: null, revision: {} } },
    status: { matchedPods: 'x', more: null },
  };
  const before = structuredClone(given);
  const read = { spec: { injectionStrategy: { revision: { policy: 'Always' } } }, status: given.status };
  expect(readBySchema(kind, 'v1beta1', given)).toEqual(read);
  expect(applySchemaDefaults(kind, 'v1beta1', read)).toEqual(read);
  expect(validateAgainstSchema(kind, 'v1beta1', given).filter(({ path }) => path.startsWith('status'))).toEqual([]);
  expect(given).toEqual(before);
});
