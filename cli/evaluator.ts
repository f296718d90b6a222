// Makes the evaluators of the commands: the policy module and the kinds' own admission.

import { Creations } from '../evaluator/creations.ts';
import { type LoadOptions, Webhooks } from '../evaluator/webhooks.ts';
import type { Admission } from './admission.ts';
import type { KindAdmission, Settings } from './host.ts';

/** An evaluator that knows no objects. */
export async function loadAdmission(settings: Settings, options?: LoadOptions): Promise<Admission> {
  return Webhooks.load(settings, options);
}

/** A judge of creations that knows no objects. */
export async function loadKindAdmission(settings: Settings): Promise<KindAdmission> {
  return Creations.load(settings);
}
