// A cluster that lacks the namespace of the installation: what needs nothing of it serves, and what does says so.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bed } from './bed/bed.ts';
import { chartCrds, createConfiguration, createCrds, until } from './bed/installation.ts';
import { startLiveGateway, untilServed } from './bed/live-gateway.ts';
import { Process } from './bed/process.ts';
import { missingPrograms } from './bed/required.ts';
import { webhookConfigurations } from './bed/webhook-configurations.ts';

const missing = await missingPrograms();

const PROGRAM = new URL('../../cli/main.ts', import.meta.url).pathname;

describe.skipIf(missing.length > 0)('without namespace kruise-system', () => {
  let bed: Bed;
  const programs: Process[] = [];

  beforeAll(async () => {
    bed = await Bed.start();
    await createCrds(bed.client, chartCrds());
    const nowhere = { host: '127.0.0.1', port: 1, ca: '' };
    for (const one of webhookConfigurations(nowhere, () => true)) {
      const webhooks = one.webhooks as { clientConfig: { url: string } }[];
      const unserved = webhooks.map((webhook) => ({ ...webhook, clientConfig: { url: webhook.clientConfig.url } }));
      await createConfiguration(bed.client, { ...one, webhooks: unserved });
    }
  });
  afterAll(async () => {
    for (const program of programs) await program.end();
    await bed?.close();
  });

  function start(name: string, port: RegExp, given: readonly string[]): () => Promise<string> {
    const all = [PROGRAM, ...given, '--kubeconfig', bed.kubeconfig];
    const environment = { POD_NAMESPACE: 'kruise-system' };
    const program = Process.start({ folder: bed.folder, name, path: process.execPath, arguments: all, environment });
    programs.push(program);
    return async () => {
      const found = port.exec(program.log)?.[1];
      return found === undefined ? '' : await (await fetch(`http://127.0.0.1:${found}/readyz?verbose`)).text();
    };
  }

  test('a gateway with its certificate in a folder is ready', async () => {
    const gateway = await startLiveGateway(bed);
    programs.push(gateway.process);
    await until('it is ready', async () => (await gateway.health('/readyz')) === 'ok');
    await untilServed(bed);
  });

  test('one that keeps it in a Secret, and controllers, say what they lack until it is there', async () => {
    const gateway = start('in-secret', /"healthPort":(\d+)/, [
      ...['gateway', '--port', '0', '--health-port', '0', '--metrics-port', 'off'],
    ]);
    const reconcilers = start('reconcilers', /"health-probe-addr":"[^"]*:(\d+)"/, [
      ...['reconcilers', '--health-probe-addr', '127.0.0.1:0', '--metrics-addr', '0'],
    ]);
    const lacks = 'namespaces "kruise-system" not found';
    await until('the gateway tells', async () =>
      (await gateway()).includes(`[-]certificate failed: there is no certificate yet: ${lacks}`),
    );
    await until('all else is read', async () => !(await gateway()).includes('not read yet'));
    await until('the controllers tell', async () => (await reconcilers()).includes(lacks));
    expect(await reconcilers()).toMatch(/^\[-\]leader-election failed: /m);
    await bed.createNamespace('kruise-system');
    await until('the gateway has its certificate', async () => (await gateway()).includes('[+]certificate ok'));
    await until('the controllers lead', async () => (await reconcilers()).includes('healthz check passed'));
  });
});
