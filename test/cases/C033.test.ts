// C033: turning the pod webhook off also turned the protection from deletion off (openkruise/kruise PR #1526).
import { expect, test } from 'vitest';
import { gateTable } from '../../api/gates.ts';
import { Deletions, labelled } from '../support/deletions.ts';

const precious = labelled('apps/v1', 'Deployment', 'Always');

test.each([
  [{ ResourcesDeletionProtection: true, PodWebhook: true }, false],
  [{ ResourcesDeletionProtection: true, PodWebhook: false }, false],
  [{ ResourcesDeletionProtection: false, PodWebhook: true }, true],
  [{ ResourcesDeletionProtection: false, PodWebhook: false }, true],
])('with gates %o a protected object goes: %s', async (gates, goes) => {
  expect((await Deletions.start(gates)).delete(precious).allowed).toBe(goes);
});

test('the gate is off unless it is turned on', async () => {
  expect(gateTable.find(({ name }) => name === 'ResourcesDeletionProtection')?.default).toBe(false);
  expect((await Deletions.start({})).delete(precious).allowed).toBe(true);
});
