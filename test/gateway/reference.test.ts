// The reference page says what the tables say.

import { expect, test } from 'vitest';
import { gatewayReference } from '../../gateway/reference.ts';

test('the reference page of the gateway is the one that its tables make', async () => {
  const notice = 'Generated from gateway/flags.ts and gateway/metrics/rows.ts; do not edit.';
  await expect(`<!-- ${notice} -->\n\n${gatewayReference()}`).toMatchFileSnapshot('../../docs/reference/gateway.md');
});
