// Rights that are taken away from the running programs, one after the other, and given back (F13): that is told, nothing else
// suffers, and it heals without a restart.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { hasHelm } from '../charts/helm.ts';
import { createAccounts, type IsTaken, kubeconfigFor, revoke } from './bed/accounts.ts';
import { Bed } from './bed/bed.ts';
import { Budgets } from './bed/budgets.ts';
import { until } from './bed/installation.ts';
import { installUnserved, type LiveGateway, startLiveGateway, untilServed } from './bed/live-gateway.ts';
import type { Process } from './bed/process.ts';
import { Reconcilers } from './bed/reconcilers.ts';
import { missingPrograms } from './bed/required.ts';
import { ShortWatches } from './bed/short-watches.ts';

const missing = await missingPrograms();

/** F13. */
const HEAL_LIMIT_MS = 60_000;
const MUTATING =
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/kruise-mutating-webhook-configuration';
const SECRET = '/api/v1/namespaces/kruise-system/secrets/kruise-webhook-certs';
const SETS = '/apis/apps.kruise.io/v1beta1/sidecarsets';
const PODS = '/api/v1/namespaces/shop/pods';

const sidecarSet = (name: string): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name },
  spec: { selector: { matchLabels: { app: 'web' } }, containers: [{ name, image: 'agent:1' }] },
});

const taken: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const giveBack of taken.splice(0)) await giveBack();
});

/** Takes rights away until the test is over, or they are given back before. */
async function takeFrom(bed: Bed, account: string, isTaken: IsTaken): Promise<() => Promise<void>> {
  const giveBack = await revoke(bed, account, isTaken);
  taken.push(giveBack);
  return giveBack;
}

describe.skipIf(missing.length > 0 || !hasHelm)('a gateway', () => {
  let bed: Bed;
  let budgets: Budgets;
  let gateway: LiveGateway;
  // A watch that was allowed when it began lasts until it ends.
  let watches: ShortWatches;

  beforeAll(async () => {
    bed = await Bed.start();
    budgets = new Budgets(bed.client);
    watches = await ShortWatches.start(bed);
    await installUnserved(bed);
    await createAccounts(bed);
    gateway = await startLiveGateway(bed, {
      kubeconfig: await kubeconfigFor(bed, 'kruise-gateway', watches.url),
      environment: { WEBHOOK_CERT_WRITER: 'secret' },
    });
    await untilServed(bed);
    await bed.createNamespace('shop');
    await bed.client.must(bed.client.send('POST', SETS, sidecarSet('known')));
    await until('pods are injected', async () => (await injected()).includes('known'));
  });
  afterAll(async () => {
    await gateway?.process.end();
    await watches?.close();
    await bed?.close();
  });

  beforeEach(async () => {
    const isWell = async () => !(await gateway.health('/readyz?verbose')).includes('degraded');
    await until('nothing is wrong', isWell, HEAL_LIMIT_MS);
  });

  const take = (isTaken: IsTaken) => takeFrom(bed, 'kruise-gateway', isTaken);

  /** A budget that the gateway knows. */
  async function budget(name: string, units: number): Promise<void> {
    await budgets.create(name, units);
    const { items } = await bed.client.must(bed.client.get('/apis/policy.kruise.io/v1beta1/podunavailablebudgets'));
    const line = `sluice_mirror_objects{resource="podunavailablebudgets.policy.kruise.io"} ${(items as unknown[]).length}\n`;
    await until('the budget is known', async () => (await gateway.metrics()).includes(line));
  }

  async function injected(): Promise<string[]> {
    const pod = {
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'main:1' }] },
    };
    const { body } = await bed.client.send('POST', `${PODS}?dryRun=All`, pod);
    const { containers = [] } = (body.spec ?? {}) as { containers?: { name: string }[] };
    return containers.map(({ name }) => name);
  }

  /** Ready, and what has nothing to do with the right works. */
  async function expectRest(): Promise<void> {
    expect(await gateway.health('/readyz')).toBe('ok');
    expect(await injected()).toContain('known');
    expect(gateway.process.isEnded).toBe(false);
  }

  const notices = async () =>
    (await gateway.health('/readyz?verbose')).split('\n').filter((line) => line.startsWith('[!]'));

  /** What somebody else makes of the mutating webhooks; resolves to whether it stands. */
  async function edit(): Promise<() => Promise<boolean>> {
    const { webhooks, ...rest } = await bed.client.must(bed.client.get(MUTATING));
    const changed = (webhooks as JsonObject[]).map((webhook) => ({ ...webhook, timeoutSeconds: 7 }));
    await bed.client.must(bed.client.send('PUT', MUTATING, { ...rest, webhooks: changed }));
    return async () => {
      const { webhooks: present } = await bed.client.must(bed.client.get(MUTATING));
      return (present as JsonObject[]).some(({ timeoutSeconds }) => timeoutSeconds === 7);
    };
  }

  test('that may not write the status of budgets gives no unit, and says why', async () => {
    await budget('units', 1);
    await budgets.runningPods('units', 1);
    const giveBack = await take((_, resource) => resource === 'podunavailablebudgets/status');
    const { status, body } = await budgets.deletePod('units-0');
    expect(status).toBe(429);
    expect(body.message).toContain('cannot update resource "podunavailablebudgets/status"');
    expect(await gateway.metrics()).toMatch(
      /^sluice_unwritten_decisions_total\{[^}]*PodUnavailableBudget[^}]*\} [1-9]/m,
    );
    await expectRest();
    await giveBack();
    expect((await budgets.deletePod('units-0')).status).toBe(200);
  });

  test('that may not look pods up refuses evictions of which it does not know the pod', async () => {
    await budget('looked', 1);
    await budgets.runningPods('looked', 1);
    const giveBack = await take((verb, resource) => verb === 'get' && resource === 'pods');
    const { status, body } = await budgets.evict('looked-0');
    expect([status, body.message]).toEqual([400, expect.stringContaining('cannot get resource')]);
    await expectRest();
    await giveBack();
    expect(await budgets.evict('looked-0')).toMatchObject({ status: 201 });
  });

  test('that may not write events says so in its log, and tells of the next thing again', async () => {
    await budget('events', 0);
    await budgets.runningPods('events', 2);
    const giveBack = await take((_, resource) => resource === 'events');
    expect((await budgets.deletePod('events-0')).status).toBe(403);
    await until('it is logged', async () => /an event could not be recorded/.test(gateway.process.log));
    await expectRest();
    await giveBack();
    await until('it is told', async () => {
      await budgets.deletePod('events-1');
      const path = '/api/v1/namespaces/shop/events?fieldSelector=involvedObject.name%3Devents-1';
      const { items } = await bed.client.must(bed.client.get(path));
      return (items as unknown[]).length > 0;
    });
  });

  test('that may not write webhook configurations names what it could not, and puts it right afterwards', async () => {
    const giveBack = await take(
      (verb, resource) => verb === 'update' && /webhookconfigurations|customres/.test(resource),
    );
    const isEdited = await edit();
    await until('it is told', async () => {
      return (await notices()).some((line) => /webhook-configurations degraded: Mutating.*cannot update/.test(line));
    });
    await until('there is an event', () => isEvent('WebhookConfigurationFailed'));
    expect(await gateway.metrics()).toMatch(/^sluice_webhook_configuration_passes_total\{result="error"\} [1-9]/m);
    await expectRest();
    expect(await isEdited()).toBe(true);
    await giveBack();
    await until('the edit is gone', async () => !(await isEdited()), HEAL_LIMIT_MS);
    await until('it is told', async () => (await notices()).length === 0, HEAL_LIMIT_MS);
  });

  test('that may not touch its Secret serves on, and keeps up the webhook configurations', async () => {
    const giveBack = await take((_, resource) => resource === 'secrets');
    await bed.client.must(bed.client.delete(SECRET));
    const isEdited = await edit();
    await until('the edit is gone', async () => !(await isEdited()), HEAL_LIMIT_MS);
    await until('it is told', async () => (await notices()).some((line) => /cannot get resource "secrets"/.test(line)));
    await expectRest();
    await giveBack();
    await until('the Secret is back', async () => (await bed.client.get(SECRET)).status === 200, HEAL_LIMIT_MS);
    await until('it is told', async () => (await notices()).length === 0, HEAL_LIMIT_MS);
    await expectRest();
  });

  test('that may not write webhook configurations when it starts is not ready, says why, and ends in time', async () => {
    const giveBack = await take((verb, resource) => verb === 'update' && resource === 'mutatingwebhookconfigurations');
    await edit();
    const late = await startLiveGateway(bed, {
      name: 'late',
      isLate: true,
      kubeconfig: await kubeconfigFor(bed, 'kruise-gateway', watches.url),
      environment: { WEBHOOK_CERT_WRITER: 'secret' },
      arguments: ['--webhook-initialize-timeout', '10s'],
    });
    const pages: string[] = [];
    await until('it says why', async () => {
      pages.push(await late.health('/readyz?verbose').catch(() => ''));
      return /\[-\]webhook-ready failed: .*cannot update/.test(pages.at(-1) ?? '');
    });
    expect(pages.at(-1)).toContain('healthz check failed');
    expect(await late.process.ended()).toBe(1);
    expect(late.process.log).toMatch(/"reason":"[^\n]*cannot update[^\n]*not initialised within/);
    await giveBack();
  });

  test('and controllers that may follow nothing act by what they know, and know the rest when they may again', async () => {
    const kubeconfig = await kubeconfigFor(bed, 'kruise-manager', watches.url);
    const reconcilers = new Reconcilers(bed, ['--kubeconfig', kubeconfig]);
    try {
      reconcilers.start();
      const leader = await reconcilers.leader();
      await createPods(bed, ['web-0']);
      await until('pods are counted', async () => (await matched(bed)) === 1);
      const all: IsTaken = (verb) => verb === 'list' || verb === 'watch';
      const givesBack = [await take(all), await takeFrom(bed, 'kruise-manager', all)];
      await until('both tell', async () => (await areTold()) && (await isUnready(leader)), HEAL_LIMIT_MS);
      await until('there is an event', () => isEvent('MirrorFailed'));
      expect(await gateway.metrics()).toMatch(/^sluice_mirror_current\{resource="sidecarsets.apps.kruise.io"\} 0$/m);
      const events = await eventsAbout(bed, 'kruise-manager', 'kruise-system');
      expect(events.filter(({ reason }) => reason === 'MirrorFailed').length).toBeGreaterThan(0);
      await expectRest();
      await bed.client.must(bed.client.send('POST', SETS, sidecarSet('unknown')));
      expect(await injected()).not.toContain('unknown');
      await createPods(bed, ['web-1', 'web-2']);
      for (const giveBack of givesBack) await giveBack();
      await until('the new set is known', async () => (await injected()).includes('unknown'), HEAL_LIMIT_MS);
      await until('pods are counted', async () => (await matched(bed)) === 3, HEAL_LIMIT_MS);
      await until(
        'all is well',
        async () => (await notices()).length === 0 && !(await isUnready(leader)),
        HEAL_LIMIT_MS,
      );
      expect(leader.isEnded).toBe(false);
    } finally {
      await reconcilers.end();
    }
  }, 240_000);

  /** Is it told at the Service of the gateways? */
  async function isEvent(wanted: string): Promise<boolean> {
    return (await eventsAbout(bed, 'kruise-webhook-service', 'kruise-system')).some(({ reason }) => reason === wanted);
  }

  /** Has the gateway a line for each resource that it follows? */
  async function areTold(): Promise<boolean> {
    const resources = [
      ...['sidecarsets.apps.kruise.io', 'workloadspreads.apps.kruise.io', 'persistentpodstates.apps.kruise.io'],
      ...['podunavailablebudgets.policy.kruise.io', 'namespaces', 'controllerrevisions.apps', 'configmaps'],
    ];
    const lines = await notices();
    return resources.every((name) => lines.some((line) => line.startsWith(`[!]${name} degraded`)));
  }

  async function isUnready(leader: Process): Promise<boolean> {
    const lines = (await readyz(leader)).split('\n');
    return ['pods', 'sidecarsets.apps.kruise.io', 'nodes'].every((name) =>
      lines.some((line) => line.startsWith(`[-]mirror-${name} failed`)),
    );
  }
});

describe.skipIf(missing.length > 0 || !hasHelm)('controllers', () => {
  let bed: Bed;
  let reconcilers: Reconcilers;
  let leader: Process;
  let number = 0;

  beforeAll(async () => {
    bed = await Bed.start();
    await installUnserved(bed);
    await createAccounts(bed);
    for (const type of ['mutating', 'validating'])
      await bed.client.must(bed.client.delete(MUTATING.replaceAll('mutating', type)));
    await bed.createNamespace('shop');
    await bed.client.must(bed.client.send('POST', SETS, sidecarSet('known')));
    reconcilers = new Reconcilers(bed, ['--kubeconfig', await kubeconfigFor(bed, 'kruise-manager')]);
    reconcilers.start();
    leader = await reconcilers.leader();
    await createInjected();
    await until('pods are counted', async () => (await matched(bed)) === number);
  });
  afterAll(async () => {
    await reconcilers?.end();
    await bed?.close();
  });

  const take = (isTaken: IsTaken) => takeFrom(bed, 'kruise-manager', isTaken);

  /** One more pod, as it is when a gateway has injected it: here is none. */
  function createInjected(): Promise<void> {
    const annotations = { 'kruise.io/sidecarset-injected-list': 'known' };
    return createPods(bed, [`web-${number++}`], { annotations, containers: ['main', 'known'] });
  }

  test('that may not write a status tell of it on the object, and write it within a minute when they may again', async () => {
    const giveBack = await take((_, resource) => resource === 'sidecarsets/status');
    await createInjected();
    await createInjected();
    await until('it is told', async () => {
      const events = await eventsAbout(bed, 'known', 'default');
      return events.some(
        ({ reason, message }) => reason === 'ReconcileFailed' && String(message).includes('cannot update'),
      );
    });
    expect(await matched(bed)).toBe(number - 2);
    expect(await readyz(leader)).toContain('check passed');
    await giveBack();
    await until('it is written', async () => (await matched(bed)) === number, HEAL_LIMIT_MS);
    expect(leader.isEnded).toBe(false);
  });

  test('that may not renew the lease end, and those that come after lead when they may', async () => {
    const giveBack = await take((_, resource) => resource === 'leases');
    expect(await leader.ended()).toBe(1);
    reconcilers.start();
    leader = reconcilers.last;
    await until('it says why it does nothing', async () => {
      const text = await readyz(leader).catch(() => '');
      return /\[-\]leader-election failed: .*cannot get resource "leases"/.test(text);
    });
    await giveBack();
    expect(await reconcilers.leader()).toBe(leader);
    await createInjected();
    await until('pods are counted', async () => (await matched(bed)) === number, HEAL_LIMIT_MS);
  }, 120_000);
});

/** Creates pods that the known set is about. */
async function createPods(
  { client }: Bed,
  names: readonly string[],
  { annotations = {}, containers = ['main'] }: { annotations?: JsonObject; containers?: readonly string[] } = {},
): Promise<void> {
  for (const name of names) {
    const spec = { containers: containers.map((container) => ({ name: container, image: `${container}:1` })) };
    await client.must(client.send('POST', PODS, { metadata: { name, labels: { app: 'web' }, annotations }, spec }));
  }
}

/** How many pods the known set has, as its status says. */
async function matched({ client }: Bed): Promise<number> {
  const { status } = await client.must(client.get(`${SETS}/known`));
  return (status as { matchedPods?: number } | undefined)?.matchedPods ?? 0;
}

async function readyz(leader: Process): Promise<string> {
  const address = /"health-probe-addr":"([^"]+)"/.exec(leader.log)?.[1];
  return (await fetch(`http://${address}/readyz?verbose`)).text();
}

async function eventsAbout({ client }: Bed, name: string, namespace: string): Promise<JsonObject[]> {
  const path = `/api/v1/namespaces/${namespace}/events?fieldSelector=involvedObject.name%3D${name}`;
  return (await client.must(client.get(path))).items as JsonObject[];
}
