// Makes the evaluator of a command: the policy module and the kinds' own admission.

import type { Gates } from '../api/gates.ts';
import { Webhooks } from '../evaluator/webhooks.ts';
import type { Admission } from './admission.ts';

/** An evaluator that knows no objects. */
export async function loadAdmission(options: { gates: Gates; systemNamespace: string }): Promise<Admission> {
  return Webhooks.load(options);
}
