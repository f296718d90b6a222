// Passes over certificates, webhook configurations and CRDs, and when they happen (operations.md 9.1, 10.1, 8.4, 22: cases 7,
// 13, 14, 16, 29; faults F4, F9, F14).

import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { StatusError } from '../../../component/errors.ts';
import {
  configurationName,
  DEFINITION_NAMES,
  type WebhookConfigurations,
} from '../../../gateway/configurations/configurations.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, MUTATING_WEBHOOK_CONFIGURATIONS } from '../../../kube/resource.ts';
import { ObjectStore } from '../../support/object-store.ts';
import { eventually } from '../support/eventually.ts';
import { BUNDLE, CA_BUNDLE, installed, installedStore, RESOURCES, replica, SERVICE, webhook } from './settings.ts';

const MUTATING = { name: configurationName('mutating') };
const STATEFUL_SETS = { name: 'statefulsets.apps.kruise.io' };

/** A CRD as the manifests have it. */
function definition(
  conversion: JsonObject,
  group = 'apps.kruise.io',
  plural = 'statefulsets',
  kind = 'StatefulSet',
): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, names: { kind, plural }, versions: [{ name: 'v1alpha1' }, { name: 'v1beta1' }], conversion },
  };
}

const PLACEHOLDER = {
  strategy: 'Webhook',
  webhook: {
    clientConfig: { service: { namespace: 'system', name: 'webhook-service', path: '/convert' }, caBundle: 'Cg==' },
    conversionReviewVersions: ['v1'],
  },
};
const CONVERTED = {
  strategy: 'Webhook',
  webhook: {
    clientConfig: { service: { ...SERVICE, path: '/convert', port: 443 }, caBundle: CA_BUNDLE },
    conversionReviewVersions: ['v1', 'v1beta1'],
  },
};

function conversion(store: ObjectStore, reference = STATEFUL_SETS): unknown {
  return store.object<{ spec: JsonObject }>(CUSTOM_RESOURCE_DEFINITIONS, reference)?.spec.conversion;
}

describe('a pass', () => {
  test('points everything here, and the next one writes nothing', async () => {
    const store = installedStore();
    store.put(CUSTOM_RESOURCE_DEFINITIONS, definition(PLACEHOLDER));
    const one = replica(store);
    expect(one.fault()).toBe('not reconciled yet');
    const { written } = await one.reconcile();
    expect(written).toEqual([
      `MutatingWebhookConfiguration ${configurationName('mutating')}`,
      `ValidatingWebhookConfiguration ${configurationName('validating')}`,
      `CustomResourceDefinition ${STATEFUL_SETS.name}`,
    ]);
    expect(one.fault()).toBeUndefined();
    expect(conversion(store)).toEqual(CONVERTED);
    expect((await one.reconcile()).written).toEqual([]);
    expect(store.writes).toBe(3);
  });

  test('converts CRDs of both groups, outside of a cluster by URL', async () => {
    const store = installedStore();
    const budgets = definition(
      { strategy: 'Webhook' },
      'policy.kruise.io',
      'podunavailablebudgets',
      'PodUnavailableBudget',
    );
    store.put(CUSTOM_RESOURCE_DEFINITIONS, budgets);
    await replica(store, { address: { host: '10.0.0.5:9876' } }).reconcile();
    expect(conversion(store, { name: 'podunavailablebudgets.policy.kruise.io' })).toMatchObject({
      webhook: { clientConfig: { url: 'https://10.0.0.5:9876/convert', caBundle: CA_BUNDLE } },
    });
  });

  test.each<[string, JsonObject]>([
    ['that converts by itself', definition({ strategy: 'None' })],
    ['of somebody else with our name', definition(PLACEHOLDER, 'apps.kruise.io', 'statefulsets', 'Other')],
  ])('leaves a CRD %s alone', async (_which, crd) => {
    const store = installedStore();
    store.put(CUSTOM_RESOURCE_DEFINITIONS, crd);
    const before = conversion(store);
    await replica(store).reconcile();
    expect(conversion(store)).toEqual(before);
  });

  test('without a configuration fails, says so, and brings the rest up to date', async () => {
    const store = installedStore();
    store.put(CUSTOM_RESOURCE_DEFINITIONS, definition(PLACEHOLDER));
    store.remove(MUTATING_WEBHOOK_CONFIGURATIONS, MUTATING);
    const one = replica(store);
    await expect(one.reconcile()).rejects.toThrow(`MutatingWebhookConfiguration ${MUTATING.name}: `);
    expect(one.fault()).toContain('not found');
    expect(conversion(store)).toEqual(CONVERTED);
    store.put(MUTATING_WEBHOOK_CONFIGURATIONS, installed('mutating'));
    await one.reconcile();
    expect(one.fault()).toBeUndefined();
  });

  test('that may not read reports that, and not that there is nothing', async () => {
    const store = installedStore();
    store.before = (_verb, resource) => {
      if (resource === MUTATING_WEBHOOK_CONFIGURATIONS) throw new StatusError(403, 'Forbidden', 'you may not');
    };
    await expect(replica(store).reconcile()).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('you may not'),
    });
  });

  test('reads again when another replica wrote in between', async () => {
    const store = installedStore();
    const other = replica(store);
    let interfered = false;
    store.before = async (verb) => {
      if (verb !== 'update' || interfered) return;
      interfered = true;
      await other.reconcile();
    };
    const writes = (await replica(store).reconcile()).written;
    expect(writes).toEqual([]);
    expect(store.writes).toBe(2);
  });

  test('needs certificates', async () => {
    const certificates = { sync: () => Promise.reject(new Error('no Secret')) };
    const one = replica(installedStore(), { certificates });
    await expect(one.reconcile()).rejects.toThrow('no Secret');
    expect(one.fault()).toBe('no Secret');
  });
});

describe('callers are known to trust an authority', () => {
  test('once a pass found it everywhere, anew after every change, and not while passes fail', async () => {
    const store = installedStore();
    let [bundle, now] = ['one', 1000];
    const one = replica(store, { certificates: { sync: async () => bundle }, now: () => now });
    expect(one.trustedSince('one')).toBeUndefined();
    await one.reconcile();
    now = 2000;
    await one.reconcile();
    expect(one.trustedSince('one')).toBe(1000);
    expect(one.trustedSince('two')).toBeUndefined();
    bundle = 'two';
    await one.reconcile();
    expect([one.trustedSince('one'), one.trustedSince('two')]).toEqual([undefined, 2000]);
    now = 3000;
    store.put(MUTATING_WEBHOOK_CONFIGURATIONS, installed('mutating'));
    await one.reconcile();
    expect(one.trustedSince('two')).toBe(3000);
    store.remove(MUTATING_WEBHOOK_CONFIGURATIONS, MUTATING);
    await one.reconcile().catch(() => undefined);
    expect(one.trustedSince('two')).toBeUndefined();
  });
});

describe('a pass whose certificate cannot be looked after', () => {
  const refused = new StatusError(403, 'Forbidden', 'cannot get resource "secrets"');

  test('keeps all else right by the authorities as they were, says so, and heals', async () => {
    const store = installedStore();
    const sync = vi.fn(async () => BUNDLE);
    const told: string[] = [];
    const one = replica(store, { certificates: { sync }, onProblem: (message) => void told.push(message) });
    await one.reconcile();
    sync.mockRejectedValue(refused);
    store.put(MUTATING_WEBHOOK_CONFIGURATIONS, installed('mutating'));
    store.put(CUSTOM_RESOURCE_DEFINITIONS, definition(PLACEHOLDER));
    await expect(one.reconcile()).rejects.toThrow('cannot get resource "secrets"');
    expect(conversion(store)).toEqual(CONVERTED);
    const { webhooks = [] } = store.object<{ webhooks: JsonObject[] }>(MUTATING_WEBHOOK_CONFIGURATIONS, MUTATING) ?? {};
    expect(webhooks.map(({ clientConfig }) => (clientConfig as JsonObject).caBundle)).toEqual(
      webhooks.map(() => CA_BUNDLE),
    );
    expect([one.fault(), one.problem]).toEqual([undefined, refused.message]);
    await one.reconcile().catch(() => undefined);
    expect(told).toEqual([refused.message]);
    sync.mockResolvedValue(BUNDLE);
    await one.reconcile();
    expect(one.problem).toBeUndefined();
  });

  test('does nothing when it never had one', async () => {
    const store = installedStore();
    const one = replica(store, { certificates: { sync: () => Promise.reject(refused) } });
    await expect(one.reconcile()).rejects.toThrow(refused);
    expect(store.writes).toBe(0);
    expect(one.fault()).toBe(refused.message);
  });
});

describe('passes that only check', () => {
  const readyStore = async () => {
    const store = installedStore();
    store.put(CUSTOM_RESOURCE_DEFINITIONS, definition(PLACEHOLDER));
    await replica(store).reconcile();
    store.writes = 0;
    return store;
  };

  test('pass when all authorities are right, and write nothing', async () => {
    const store = await readyStore();
    await replica(store, { isExternal: true }).reconcile();
    expect(store.writes).toBe(0);
  });

  test('look at the certificates again once callers trust their authority', async () => {
    const store = await readyStore();
    const trusted: (number | undefined)[] = [];
    const one: WebhookConfigurations = replica(store, {
      isExternal: true,
      now: () => 5,
      certificates: {
        sync: async () => {
          trusted.push(one.trustedSince(BUNDLE));
          return BUNDLE;
        },
      },
    });
    await one.reconcile();
    await one.reconcile();
    expect(trusted).toEqual([undefined, 5, 5]);
  });

  test('look at the certificates again as soon as the configurations are right, before the CRDs are', async () => {
    const store = await readyStore();
    store.put(CUSTOM_RESOURCE_DEFINITIONS, definition(PLACEHOLDER));
    const trusted: (number | undefined)[] = [];
    const one: WebhookConfigurations = replica(store, {
      isExternal: true,
      now: () => 5,
      certificates: {
        sync: async () => {
          trusted.push(one.trustedSince(BUNDLE));
          return BUNDLE;
        },
      },
    });
    await expect(one.reconcile()).rejects.toThrow(`CustomResourceDefinition ${STATEFUL_SETS.name}: `);
    expect(trusted).toEqual([undefined, 5]);
  });

  test('name each entry and CRD with another authority, and pass once they are right', async () => {
    const store = await readyStore();
    const right = store.object(RESOURCES.mutating, MUTATING) ?? {};
    store.put(RESOURCES.mutating, { ...installed('mutating'), webhooks: [webhook('mpod.kb.io', '/mutate-pod')] });
    store.put(CUSTOM_RESOURCE_DEFINITIONS, definition(PLACEHOLDER));
    const one = replica(store, { isExternal: true });
    await expect(one.reconcile()).rejects.toThrow(
      `MutatingWebhookConfiguration ${MUTATING.name}: webhooks[mpod.kb.io].clientConfig.caBundle: not the ca.crt of the Secret; ` +
        `CustomResourceDefinition ${STATEFUL_SETS.name}: spec.conversion.webhook.clientConfig.caBundle: not the ca.crt of the Secret`,
    );
    expect(store.writes).toBe(0);
    store.put(RESOURCES.mutating, right);
    store.put(CUSTOM_RESOURCE_DEFINITIONS, definition(CONVERTED));
    await one.reconcile();
  });

  test.each<[string, JsonObject, boolean]>([
    ['may fail', { failurePolicy: 'Ignore' }, true],
    ['is for objects that ask for it', { objectSelector: { matchLabels: { a: 'b' } } }, true],
    ['would refuse every request', {}, false],
  ])('an entry that is not served and %s', async (_what, change, passes) => {
    const store = await readyStore();
    const entry = webhook('mpod.kb.io', '/mutate-pod', change);
    store.put(RESOURCES.mutating, { ...installed('mutating'), webhooks: [entry] });
    const one = replica(store, { isExternal: true, isServed: (path) => path !== '/mutate-pod' });
    const result = await one.reconcile().then(
      () => 'passes',
      (error: Error) => error.message,
    );
    if (passes) expect(result).toBe('passes');
    else expect(result).toContain('webhooks[mpod.kb.io]: /mutate-pod is not served with these feature gates');
  });
});

describe('passes happen', () => {
  const times = { resyncMs: 3_600_000, settleMs: 0, leastRetryMs: 1, mostRetryMs: 5 };

  async function running(
    store: ObjectStore,
    change: Parameters<typeof replica>[1],
    during: (one: ReturnType<typeof replica>) => Promise<void>,
  ) {
    const ending = new AbortController();
    const one = replica(store, { times, ...change });
    const run = one.run(ending.signal);
    try {
      await during(one);
    } finally {
      ending.abort();
      await run;
    }
  }

  test('at once when something changes, however often they only looked and found it wrong', async () => {
    const store = installedStore();
    const hour = { resyncMs: 3_600_000, settleMs: 0, leastRetryMs: 3_600_000, mostRetryMs: 3_600_000 };
    await running(store, { isExternal: true, times: hour }, async (one) => {
      await eventually(() => expect(one.figures.failures).toBe(1));
      await replica(store).reconcile();
      one.wake();
      await eventually(() => expect(one.figures.passes).toBe(1));
    });
  });

  test('when something changes, once for many changes', async () => {
    const store = installedStore();
    await running(store, {}, async (one) => {
      await eventually(() => expect(one.figures.passes).toBe(1));
      store.put(RESOURCES.mutating, installed('mutating'));
      one.wake();
      one.wake();
      one.wake();
      await eventually(() =>
        expect(store.object<{ webhooks: JsonObject[] }>(RESOURCES.mutating, MUTATING)?.webhooks[0]).toMatchObject({
          clientConfig: { caBundle: CA_BUNDLE },
        }),
      );
      await eventually(() => expect(one.figures.passes).toBe(2));
    });
  });

  test('again after a failure, with no end', async () => {
    const store = new ObjectStore();
    await running(store, {}, async (one) => {
      await eventually(() => expect(one.figures.failures).toBeGreaterThan(5));
      for (const type of ['mutating', 'validating'] as const) store.put(RESOURCES[type], installed(type));
      await eventually(() => expect(one.fault()).toBeUndefined());
    });
  });

  test('by the clock', async () => {
    const sync = vi.fn(async () => 'authority');
    await running(installedStore(), { certificates: { sync }, times: { ...times, resyncMs: 1 } }, async () => {
      await eventually(() => expect(sync.mock.calls.length).toBeGreaterThan(3));
    });
  });
});

test('all kinds with two versions may be converted', () => {
  expect(DEFINITION_NAMES).toHaveLength(15);
  expect(DEFINITION_NAMES).toContain('podunavailablebudgets.policy.kruise.io');
});
