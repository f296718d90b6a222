// Rules that the workloads share: their selector, what a template of pods that run for ever may say, and which changes of
// a template pods can be updated in place for (cloneset 1.6, advanced-statefulset 1.4, advanced-daemonset 1.3).

import type { Gates } from '../../gates.ts';
import { encode } from '../encode.ts';
import { cloneJson, equalJson, type Json } from '../json.ts';
import { type Change, changesOf } from '../json-changes.ts';
import type { LabelSelector, ObjectMeta } from '../meta.ts';
import { PodSpec, type PodTemplateSpec } from '../pod.ts';
import { isEmptySelector, selectorFault } from '../selector.ts';
import { defaultPodTemplate } from '../template-defaults.ts';
import type { PersistentVolumeClaim } from '../volumes.ts';
import type { Field } from './field.ts';
import { validateLabelSelector } from './label-selector.ts';
import { wording } from './wording.ts';

// The value of a label, and the end of the name of a revision behind the dash.
const LABEL_LENGTH = 63;
const HASH_LENGTH = 10;

/** A selector must be there, well formed and not empty. Returns whether it can be used for matching. */
export function requireSelector(selector: Field<LabelSelector | undefined>, emptyDetail: string): boolean {
  if (selector.value === undefined) {
    selector.required();
    return true;
  }
  validateLabelSelector(selector);
  if (isEmptySelector(selector.value)) selector.invalid(emptyDetail);
  if (selectorFault(selector.value) === undefined) return true;
  selector.invalid('');
  return false;
}

/** Pods that run for ever are always restarted, and have no deadline. */
export function validateAlwaysRunning(template: Field<PodTemplateSpec | undefined>, deadlineDetail: string): void {
  const spec = template.at('spec');
  const { restartPolicy = '', activeDeadlineSeconds } = spec.value ?? {};
  if (restartPolicy !== '' && restartPolicy !== 'Always') spec.at('restartPolicy').unsupported(['Always']);
  if (activeDeadlineSeconds !== undefined) spec.at('activeDeadlineSeconds').forbidden(deadlineDetail);
}

/** A copy of a template with all defaults, so that what is merely absent is no error. */
export function defaultedCopy(template: PodTemplateSpec | undefined, gates: Gates): PodTemplateSpec {
  const copy = cloneJson((template ?? {}) as Json) as PodTemplateSpec;
  defaultPodTemplate(copy, gates);
  return copy;
}

/**
 * The template with the claims that pods will have as volumes; they take the place of volumes of the same names, as in the
 * pods of a StatefulSet.
 */
export function withClaims(
  template: PodTemplateSpec,
  claimTemplates: readonly PersistentVolumeClaim[],
): PodTemplateSpec {
  const names = new Set(claimTemplates.map(({ metadata }) => metadata?.name ?? ''));
  const claims = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (template.spec?.volumes ?? []).filter(({ name }) => !names.has(name));
  return { ...template, spec: { ...template.spec, volumes: [...others, ...claims] } };
}

/** Reports at `spec` if one of the members that may not change did; absent and null are the same. */
export function validateImmutable<T extends object>(
  spec: Field<T | undefined>,
  old: T | undefined,
  { members, detail }: { members: readonly (keyof T & string)[]; detail: string },
): void {
  const value = (of: T | undefined, member: keyof T): Json => (of?.[member] ?? null) as Json;
  if (members.some((member) => !equalJson(value(spec.value, member), value(old, member)))) spec.forbidden(detail);
}

/** The first change of a pod spec that is more than another image of a container (`images` matches the paths of those). */
export function changeBeyondImages(
  before: PodSpec | undefined,
  after: PodSpec | undefined,
  images: RegExp,
): Change | undefined {
  // As Go writes them: members that only typing adds are no change.
  const [old, now] = [before, after].map((spec) => JSON.parse(encode(PodSpec, spec as Json | undefined)) as Json);
  return changesOf(old ?? null, now ?? null).find(({ op, path }) => op !== 'replace' || !images.test(path));
}

/** What is to be said about a name that makes a label of pods too long, the name of their revision. */
export function longNameWarning(metadata: ObjectMeta | undefined): string[] {
  const { name = '' } = metadata ?? {};
  return name.length <= LABEL_LENGTH - HASH_LENGTH - 1 ? [] : [wording.nameTooLongForPods];
}
