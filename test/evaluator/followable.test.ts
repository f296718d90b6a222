// One SidecarSet that was stored with something in it that no pod can be injected by takes no pod and no other set down
// (fault F34): it is left out as a whole, with the field.
import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { effectiveGates } from '../../api/gates.ts';
import { InputError } from '../../component/errors.ts';
import { LiveWebhooks } from '../../evaluator/live-webhooks.ts';
import { Policies } from '../../evaluator/policies.ts';
import { readVerdict } from '../support/answer.ts';
import { revision } from '../support/builders/cluster.ts';
import { container, pod } from '../support/builders/pod.ts';
import { sidecar, sidecarSet } from '../support/builders/sidecarset.ts';
import { LiveStore } from '../support/live-store.ts';
import { bodyOf, NOW, requestAbout } from '../support/protection.ts';

let webhooks: LiveWebhooks;
beforeEach(async () => {
  const settings = { gates: effectiveGates(new Map()), systemNamespace: 'kruise-system' };
  const live = { cluster: new LiveStore(), onWriteFailure: new Map(), observer: { unwritten: () => undefined } };
  webhooks = new LiveWebhooks(await Policies.load(), settings, live);
});

const versioned = (set: JsonObject, resourceVersion: string): JsonObject => ({
  ...set,
  metadata: { ...(set.metadata as JsonObject), resourceVersion },
});
const computed = (parts: JsonObject): JsonObject => ({
  resourcesPolicy: { targetContainersMode: 'sum', targetContainersNameRegex: '.*', ...parts },
});
const cpu = (expression: string) => ({ resourcesExpr: { limits: { cpu: expression } } });

/** Why the set is not taken over; undefined if it is. */
function refusal(set: JsonObject): string | undefined {
  try {
    webhooks.apply(set);
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return error.describe();
    throw error;
  }
}

/** Names of the containers of a pod after its creation. */
function created(): unknown {
  const given = pod({ containers: [container('app', { resources: { limits: { cpu: '1' } } })] });
  const request = requestAbout(given, { operation: 'CREATE', object: given, oldObject: null });
  const answer = webhooks.answer('/mutate-pod', bodyOf(request), NOW, 1000);
  if (answer instanceof Promise) throw new Error('nothing needs to be read');
  const { allowed, object } = readVerdict(request, answer.body);
  const { containers } = (object?.spec ?? {}) as { containers?: JsonObject[] };
  return allowed ? containers?.map(({ name }) => name) : allowed;
}

const partial = (updateStrategy: JsonObject) => {
  const spec = { injectionStrategy: { revision: { revisionName: 'bad-r0', policy: 'Partial' } } };
  return sidecarSet('bad', { containers: [sidecar('bad')], updateStrategy, spec });
};

const sets: Record<string, { set: JsonObject; field: RegExp }> = {
  'a pattern that cannot be read': {
    set: sidecarSet('bad', {
      containers: [sidecar('bad', computed({ targetContainersNameRegex: '(', ...cpu('cpu') }))],
    }),
    field: /^spec\.containers\[0\]\.resourcesPolicy\.targetContainersNameRegex: /,
  },
  'a pattern that compiles to too much': {
    set: sidecarSet('bad', {
      initContainers: [
        sidecar('bad', {
          restartPolicy: 'Always',
          ...computed({ targetContainersNameRegex: '(a?){1000}(a?){1000}', ...cpu('cpu') }),
        }),
      ],
    }),
    field: /^spec\.initContainers\[0\]\.resourcesPolicy\.targetContainersNameRegex: .*too large/,
  },
  'an expression that is none': {
    set: sidecarSet('bad', { containers: [sidecar('ok'), sidecar('bad', computed(cpu('cpu*')))] }),
    field: /^spec\.containers\[1\]\.resourcesPolicy\.resourcesExpr\.limits\.cpu: /,
  },
  'an expression nested 100,000 deep': {
    set: sidecarSet('bad', {
      containers: [sidecar('bad', computed(cpu(`${'('.repeat(1e5)}cpu${')'.repeat(1e5)}`)))],
    }),
    field: /^spec\.containers\[0\]\.resourcesPolicy\.resourcesExpr\.limits\.cpu: /,
  },
  'a partition that is no amount': {
    set: partial({ partition: 'half' }),
    field: /^spec\.updateStrategy\.partition: expected a number or a percentage$/,
  },
  'a selector of pods that get an old revision, which cannot be read': {
    set: partial({ selector: { matchExpressions: [{ key: 'app', operator: 'Like' }] } }),
    field: /^spec\.updateStrategy\.selector: "Like" is not a valid label selector operator$/,
  },
};

describe('a stored SidecarSet with', () => {
  test.each(Object.entries(sets))('%s is left out, told by its field, and other sets act', (_, { set, field }) => {
    webhooks.apply(revision({ name: 'bad-r0', of: sidecarSet('bad', { containers: [sidecar('bad')] }) }));
    webhooks.apply(sidecarSet('good', { containers: [sidecar('good')] }));
    expect(refusal(set)).toMatch(field);
    expect(created()).toEqual(['good', 'app']);
  });

  test('such a change does not count any more as it was before, and comes back when it is mended', () => {
    const good = sidecarSet('logs', { containers: [sidecar('logs')] });
    const bad = sidecarSet('logs', { containers: [sidecar('logs', computed(cpu('cpu*')))] });
    webhooks.apply(versioned(good, '1'));
    expect(created()).toEqual(['logs', 'app']);
    expect(refusal(versioned(bad, '2'))).toBeDefined();
    expect(created()).toEqual(['app']);
    webhooks.apply(versioned(good, '3'));
    expect(created()).toEqual(['logs', 'app']);
  });
});

test('a SidecarSet whose computation only fails for some pods is kept: those are refused with the reason', () => {
  const policy = computed({ targetContainersNameRegex: '^none$', ...cpu('cpu') });
  expect(refusal(sidecarSet('logs', { containers: [sidecar('logs', policy)] }))).toBeUndefined();
  expect(created()).toBe(false);
});
