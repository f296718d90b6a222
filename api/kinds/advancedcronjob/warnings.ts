// What is said about an AdvancedCronJob that is admitted, since OpenKruise has no rule against it, though its jobs will be
// refused when they are due (advancedcronjob 3.1 rule 10, 5.3).
import type { JsonObject } from '../../core/json.ts';
import type { AdvancedCronJob } from './schema.ts';
import { wording } from './wording.ts';

/** A name of a job has 63 characters at most, of which a dash and ten digits tell the scheduled time. */
const NAME_LENGTH = 52;

/** The warnings about an object in v1beta1 form that validation has nothing against. */
export function warnAdvancedCronJob(object: JsonObject): string[] {
  const { metadata, spec } = object as AdvancedCronJob;
  const { jobTemplate, broadcastJobTemplate } = spec?.template ?? {};
  const pods = (jobTemplate ?? broadcastJobTemplate)?.spec?.template;
  if (pods === undefined) return [];
  const warnings: string[] = [];
  if ((metadata?.name ?? '').length > NAME_LENGTH) warnings.push(wording.nameTooLong(NAME_LENGTH));
  if ((pods.spec?.restartPolicy ?? 'Always') === 'Always') warnings.push(wording.restartsAlways);
  return warnings;
}
