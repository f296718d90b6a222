// Objects that clients would hardly write: whatever is sent gets a verdict in words, and defaulting is done once.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../../api/core/json.ts';
import type { AnyStruct } from '../../../api/core/schema.ts';
import { kinds } from '../../../api/kinds/index.ts';
import { webhookEntries } from '../../../api/webhooks.ts';
import { nearlyOf } from '../../support/arbitraries.ts';
import { container, pod } from '../../support/builders/pod.ts';
import { KindAdmission } from '../../support/kind-admission.ts';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start({ ImagePullJobGate: true, ResourceDistributionGate: true });
  const status = { phase: 'Running', containerStatuses: [{ name: 'a', containerID: 'x://1', restartCount: 0 }] };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
  const target = pod({ name: 'a', namespace: 'a', containers: [container('a')], spec: { nodeName: 'n' }, status });
  admission.hold(node, target);
});

// Lone surrogates are refused as no JSON, and the library that applies patches here takes members of every object's
// prototype for present.
const nearly = (schema: AnyStruct) =>
  nearlyOf(schema).filter((one) => !/__proto__|constructor|\\ud[89a-f]/.test(JSON.stringify(one)));

const versions = kinds.flatMap((kind) =>
  kind.description.versions.map(({ name, schema }) => [kind, name, schema] as const),
);

describe.each(versions.map((row) => [row[0].kind, row[1], row] as const))(
  '%s %s',
  (_kind, version, [kind, , schema]) => {
    const types = (['mutating', 'validating'] as const).filter((type) =>
      webhookEntries.some((one) => one.type === type && one.group === kind.group && one.resource === kind.plural),
    );
    const named = (value: Json): JsonObject => ({
      ...(isObject(value) ? value : { spec: value }),
      apiVersion: `${kind.group}/${version}`,
      kind: kind.kind,
    });
    const ask = (type: 'mutating' | 'validating', object: JsonObject, old?: JsonObject) =>
      type === 'mutating' ? admission.mutate(object, old) : admission.validate(object, old);

    test('whatever is sent gets a verdict, and refusals say why', () => {
      fc.assert(
        fc.property(nearly(schema), fc.option(nearly(schema), { nil: undefined }), (object, before) => {
          for (const type of types) {
            const verdict = ask(type, named(object), before === undefined ? undefined : named(before));
            if (verdict.allowed) continue;
            expect([400, 403, 422]).toContain(verdict.code);
            expect(verdict.message).not.toBe('');
          }
        }),
      );
    });

    // Others have no defaults, or look at the cluster for what they fill in.
    if (!types.includes('mutating') || kind.admit !== undefined) return;
    test('what was defaulted stays as it is', () => {
      fc.assert(
        fc.property(nearly(schema), (object) => {
          const first = admission.mutate(withoutEmptyContainers(named(object)));
          if (first.object !== undefined) expect(admission.mutate(first.object).operations).toEqual([]);
        }),
      );
    });
  },
);

/** An empty list of containers is hashed as it was sent and not stored, so its hash differs the next time (sidecarset 2). */
function withoutEmptyContainers(object: JsonObject): JsonObject {
  const { spec } = object;
  if (!isObject(spec) || !Array.isArray(spec.containers) || spec.containers.length > 0) return object;
  const { containers: _, ...rest } = spec;
  return { ...object, spec: rest };
}
