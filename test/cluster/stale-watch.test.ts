// A gateway whose watches stand still while others take what it believes to be there (F17).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bed } from './bed/bed.ts';
import { Budgets, deletionReview } from './bed/budgets.ts';
import { HeldWatches } from './bed/held-watches.ts';
import { until } from './bed/installation.ts';
import { installUnserved, type LiveGateway, startLiveGateway, untilServed } from './bed/live-gateway.ts';
import { missingPrograms } from './bed/required.ts';
import { Service } from './bed/service.ts';

const missing = await missingPrograms();

describe.skipIf(missing.length > 0)('a gateway that hears of no changes', () => {
  let bed: Bed;
  let budgets: Budgets;
  let watches: HeldWatches;
  let service: Service;
  let gateway: LiveGateway;

  beforeAll(async () => {
    bed = await Bed.start();
    budgets = new Budgets(bed.client);
    await installUnserved(bed);
    const { port, origin } = new URL(bed.client.server);
    watches = await HeldWatches.start(Number(port));
    const kubeconfig = join(bed.folder, 'kubeconfig-held');
    const direct = readFileSync(bed.kubeconfig, 'utf8');
    writeFileSync(kubeconfig, direct.replaceAll(origin, `https://127.0.0.1:${watches.port}`), { mode: 0o600 });
    service = await Service.start();
    gateway = await startLiveGateway(bed, { kubeconfig, service: service.port });
    service.add(gateway.port);
    await until('it is ready', async () => (await gateway.health('/readyz')) === 'ok');
    await untilServed(bed);
    await bed.createNamespace('shop');
  });
  afterAll(async () => {
    await gateway?.process.end();
    await watches?.close();
    await service?.close();
    await bed?.close();
  });

  /** What became of the writes of statuses. */
  async function writes(outcome: string): Promise<number> {
    const name = `sluice_status_writes_total{kind="PodUnavailableBudget",outcome="${outcome}"} `;
    const line = (await gateway.metrics()).split('\n').find((one) => one.startsWith(name));
    return Number(line?.slice(name.length) ?? 0);
  }

  test('denies what is spent, and grants what has come back, by what is stored', async () => {
    await budgets.create('held', 1);
    const seen = 'sluice_mirror_objects{resource="podunavailablebudgets.policy.kruise.io"} 1\n';
    await until('the budget is seen', async () => (await gateway.metrics()).includes(seen));
    const [first = '', second = '', third = ''] = await budgets.runningPods('held', 3);
    const ask = async (pod: string, more = {}) => {
      const { response } = await gateway.ask('/validate-pod', { ...(await deletionReview(bed.client, pod)), ...more });
      return response;
    };
    await until('its unit is seen', async () => {
      const { allowed, auditAnnotations } = await ask(first, { dryRun: true });
      return allowed === true && auditAnnotations === undefined;
    });
    watches.hold();
    const budget = await budgets.get('held');
    const disruptedPods = { [third]: new Date().toISOString() };
    const spent = { currentAvailable: 2, desiredAvailable: 2, totalReplicas: 3, unavailableAllowed: 0, disruptedPods };
    await bed.client.must(budgets.write(budget, spent));
    const conflicts = await writes('conflict');
    const denied = await ask(first);
    expect(denied).toMatchObject({
      allowed: false,
      status: { code: 403 },
      auditAnnotations: { 'unavailable-allowed': '0', 'taken-by': third },
    });
    expect(await writes('conflict')).toBe(conflicts + 1);
    expect(await budgets.status('held')).toMatchObject(spent);

    // It has heard of the record now; that it was given up it has not.
    const back = { ...spent, disruptedPods: { [second]: new Date().toISOString() } };
    await bed.client.must(budgets.write(await budgets.get('held'), back));
    expect(await ask(third)).toMatchObject({ allowed: false, status: { code: 403 } });
    expect(await ask(second)).toMatchObject({ allowed: true });
    expect(await budgets.status('held')).toMatchObject(back);

    watches.release();
    const unit = { ...spent, unavailableAllowed: 1, disruptedPods: {} };
    await bed.client.must(budgets.write(await budgets.get('held'), unit));
    await until('it hears again', async () => (await ask(first)).allowed === true);
    const { unavailableAllowed, disruptedPods: taken = {} } = await budgets.status('held');
    expect([unavailableAllowed, Object.keys(taken)]).toEqual([0, [first]]);
  });
});
