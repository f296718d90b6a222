// How an installation is told from somebody's edits where the API server's records do not tell it.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { planConfiguration } from '../../../gateway/configurations/plan.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import { installed, settings } from './settings.ts';

const INSTALLED = 'sluice.dev/installed-webhooks';

type Configuration = KubeObject & { webhooks: JsonObject[] };

function revised(live: JsonObject): Configuration {
  const { update } = planConfiguration(live as unknown as KubeObject, settings());
  return (update ?? live) as unknown as Configuration;
}

/** Somebody writes other time limits, and says so or not. */
function withLimit(live: Configuration, timeoutSeconds: number, annotations: JsonObject): JsonObject {
  const metadata = { ...live.metadata, annotations: { ...live.metadata.annotations, ...annotations } };
  return {
    ...live,
    metadata,
    webhooks: live.webhooks.map((one) => ({ ...one, timeoutSeconds })),
  } as unknown as JsonObject;
}

const limits = ({ webhooks }: Configuration) => [...new Set(webhooks.map(({ timeoutSeconds }) => timeoutSeconds))];

test('a list that its installer has marked anew is the new template; unmarked it is an edit, and taken back', () => {
  const first = revised(installed('mutating', { [INSTALLED]: 'one' }));
  const [before] = limits(first);
  expect(limits(revised(withLimit(first, 7, {})))).toEqual([before]);
  const second = revised(withLimit(first, 7, { [INSTALLED]: 'two' }));
  expect(limits(second)).toEqual([7]);
  expect(limits(revised(withLimit(second, 8, {})))).toEqual([7]);
});

test('the template of another system gives way to the first list that is marked', () => {
  const old = installed('validating');
  const template = JSON.stringify(old.webhooks);
  const live = installed('validating', { template }) as unknown as Configuration;
  expect(limits(revised(withLimit(live, 7, { [INSTALLED]: 'one' })))).toEqual([7]);
});
