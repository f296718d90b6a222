// `sluice crds`: the definitions of the chart, as documents that kubectl can apply.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { kinds } from '../../api/kinds/index.ts';
import { parseDocuments, readManifests } from '../../component/manifests.ts';
import { run } from './stand-in.ts';

const charts = fileURLToPath(new URL('../../charts/sluice/files/crds', import.meta.url));

async function crds(...given: string[]): Promise<JsonObject[]> {
  const { code, stdout, stderr } = await run(['crds', ...given]);
  expect([code, stderr]).toEqual([0, '']);
  return (await parseDocuments(Buffer.from(stdout), '-')).map(({ object }) => object);
}

const nameOf = ({ metadata }: JsonObject): unknown => (metadata as JsonObject).name;

describe('crds', () => {
  it('prints the definition of every kind, those of the chart, in the order of the registry', async () => {
    const printed = await crds();
    expect(printed.map(nameOf)).toEqual(kinds.map(({ plural, group }) => `${plural}.${group}`));
    const installed = new Map((await readManifests([charts])).map(({ object }) => [nameOf(object), object]));
    for (const definition of printed) expect(definition).toEqual(installed.get(nameOf(definition)));
  });

  it('prints only the kinds that are named: by kind, plural, short name or full name, each once', async () => {
    const names = ['SidecarSet', 'asts', 'clonesets', 'CLONE', 'podunavailablebudgets.policy.kruise.io'];
    expect((await crds(...names.flatMap((name) => ['--kind', name]))).map(nameOf)).toEqual([
      'clonesets.apps.kruise.io',
      'podunavailablebudgets.policy.kruise.io',
      'sidecarsets.apps.kruise.io',
      'statefulsets.apps.kruise.io',
    ]);
  });

  it('names the service that converts, where one does', async () => {
    const [one, two] = await crds('--kind', 'sidecarset', '--kind', 'ephemeraljob', '--service-namespace', 'admission');
    expect(one?.spec).not.toHaveProperty('conversion');
    expect(two?.spec).toHaveProperty('conversion.webhook.clientConfig.service', {
      namespace: 'admission',
      name: 'kruise-webhook-service',
      path: '/convert',
    });
    const [set] = await crds('--kind', 'sidecarset', '--service-name', 'gateway');
    expect(set?.spec).toHaveProperty('conversion.webhook.clientConfig.service.name', 'gateway');
  });

  it.each([
    [['--kind', 'Pod'], 'error: --kind: expected one of AdvancedCronJob, '],
    [['--service-name', 'a b'], 'error: --service-name: expected lower-case letters, digits and "-"'],
    [['--service-namespace', ''], 'error: --service-namespace: expected lower-case letters'],
    [['x'], 'error: too many arguments'],
  ])('refuses %j', async (given, message) => {
    const { code, stdout, stderr } = await run(['crds', ...given]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
