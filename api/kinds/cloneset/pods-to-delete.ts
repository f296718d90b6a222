// The pods that a CloneSet names to be deleted first (cloneset 1.6, rules 8 and 9).
import type { JsonObject } from '../../core/json.ts';
import type { ObjectMeta } from '../../core/meta.ts';
import type { Field } from '../../core/validation/field.ts';
import type { ValidationContext } from '../kind.ts';
import type { CloneSet } from './schema.ts';
import { wording } from './wording.ts';

/**
 * No name may stand twice. If names are looked up, those that are not in the old list must be pods of the set that are
 * not terminating already.
 */
export function validatePodsToDelete(
  set: Field<CloneSet>,
  { old, context, areLookedUp }: { old: CloneSet | undefined; context: ValidationContext; areLookedUp: boolean },
): void {
  const field = set.at('spec').at('scaleStrategy').at('podsToDelete');
  const names = field.value ?? [];
  const seen = new Set<string>();
  const duplicated = new Set<string>();
  for (const name of names) (seen.has(name) ? duplicated : seen).add(name);
  if (duplicated.size > 0) field.invalid(wording.duplicatedPods([...duplicated].sort()));
  if (duplicated.size > 0 || !areLookedUp) return;
  const known = new Set(old?.spec?.scaleStrategy?.podsToDelete ?? []);
  const { namespace = '', uid = '' } = set.value?.metadata ?? {};
  for (const name of names.filter((one) => !known.has(one)).sort()) {
    const fault = podFault(context.object('', 'Pod', namespace, name), { name, uid });
    if (fault !== undefined) field.invalid(fault, name);
  }
}

function podFault(pod: JsonObject | undefined, { name, uid }: { name: string; uid: string }): string | undefined {
  if (pod === undefined) return wording.podMissing(name);
  const { deletionTimestamp = null, ownerReferences = [] } = (pod.metadata ?? {}) as ObjectMeta;
  if (deletionTimestamp !== null) return wording.podTerminating(name);
  const owner = ownerReferences.find(({ controller }) => controller === true);
  return owner === undefined || owner.uid !== uid ? wording.podOfOther(name) : undefined;
}
