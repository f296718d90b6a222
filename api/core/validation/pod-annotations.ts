// Annotations of pods that stand for fields: mirror pods, and the older forms of tolerations, seccomp and AppArmor.
import { readJsonText } from '../json-text.ts';
import { type PodSpec, Toleration } from '../pod.ts';
import { list, struct } from '../schema.ts';
import { Field, sortedKeys } from './field.ts';
import { allContainers } from './operating-system.ts';
import { descendingPath } from './paths.ts';
import { validateTolerations } from './scheduling.ts';
import { wording } from './wording.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const APPARMOR_CONTAINER = 'container.apparmor.security.beta.kubernetes.io/';
const LOCALHOST = 'localhost/';

const Tolerations = list(struct('core.Toleration', Toleration.fields));

type Annotations = { [key: string]: string };
type Profile = { type: string; localhostProfile?: string };
type Technology = 'seccomp' | 'apparmor';

/** What the annotations themselves must be. */
export function validatePodAnnotations(
  annotations: Field<Annotations | undefined>,
  spec: Field<PodSpec | undefined>,
): void {
  const map: Annotations = annotations.value ?? {};
  const own = (key: string) => (Object.hasOwn(map, key) ? map[key] : undefined);
  const mirror = own(MIRROR);
  if (mirror !== undefined && !spec.at('nodeName').isSet) {
    annotations.place(`[${MIRROR}]`).invalid(wording.mirrorNeedsNode, mirror);
  }
  if ((own(TOLERATIONS) ?? '') !== '') validateTolerationText(annotations, own(TOLERATIONS) ?? '');
  const pod = own(SECCOMP_POD);
  if (pod !== undefined) validateSeccompText(annotations.place(SECCOMP_POD), pod);
  const names = new Set(allContainers(spec).map((container) => container.value?.name ?? ''));
  for (const key of sortedKeys(map)) {
    if (key.startsWith(SECCOMP_CONTAINER)) validateSeccompText(annotations.place(key), map[key] ?? '');
  }
  for (const key of sortedKeys(map)) {
    if (key.startsWith(APPARMOR_CONTAINER)) validateAppArmorText(annotations, key, { names, text: map[key] ?? '' });
  }
}

/** Where an annotation and a field give a profile, they must agree. */
export function validateProfileAnnotations(annotations: Annotations = {}, spec: Field<PodSpec | undefined>): void {
  const keys = Object.keys(annotations);
  if (
    !keys.some((key) => key === SECCOMP_POD || key.startsWith(SECCOMP_CONTAINER) || key.startsWith(APPARMOR_CONTAINER))
  ) {
    return;
  }
  const own = (key: string) => (Object.hasOwn(annotations, key) ? annotations[key] : undefined);
  const containers = allContainers(spec);
  compareProfile('seccomp', own(SECCOMP_POD), spec.at('securityContext').at('seccompProfile'));
  for (const container of containers) {
    const field = container.at('securityContext').at('seccompProfile');
    compareProfile('seccomp', own(SECCOMP_CONTAINER + container.value?.name), field);
  }
  for (const container of containers) {
    const field = container.at('securityContext').at('appArmorProfile');
    compareProfile('apparmor', own(APPARMOR_CONTAINER + container.value?.name), field);
  }
}

function validateTolerationText(annotations: Field<unknown>, text: string): void {
  const read = readJsonText(Tolerations, text);
  if ('fault' in read) annotations.invalid(read.fault, TOLERATIONS);
  else validateTolerations(Field.below(annotations.place(TOLERATIONS), read.value ?? []));
}

function validateSeccompText(place: Field<unknown>, text: string): void {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(text)) return;
  if (!text.startsWith(LOCALHOST)) {
    place.invalid(wording.badSeccompProfile, text);
    return;
  }
  const file = text.slice(LOCALHOST.length);
  for (const detail of descendingPath(file)) place.invalid(detail, file);
}

function validateAppArmorText(
  annotations: Field<unknown>,
  key: string,
  { names, text }: { names: ReadonlySet<string>; text: string },
): void {
  const name = key.slice(APPARMOR_CONTAINER.length);
  const place = annotations.place(`[${key}]`);
  if (!names.has(name)) place.invalid(wording.containerNotFound, name);
  const isKnown = ['', 'runtime/default', 'unconfined'].includes(text) || text.startsWith(LOCALHOST);
  if (!isKnown) place.invalid(wording.badAppArmorProfile(text), text);
}

function compareProfile(
  technology: Technology,
  annotation: string | undefined,
  field: Field<Profile | undefined>,
): void {
  if (annotation === undefined || field.value === undefined) return;
  const { type, localhostProfile } = field.value;
  if (type === 'Localhost' && annotation.startsWith(LOCALHOST)) {
    const isSame = annotation.slice(LOCALHOST.length) === localhostProfile;
    if (!isSame) field.at('localhostProfile').forbidden(wording.profilesDiffer(technology));
    return;
  }
  if (!(ANNOTATIONS_OF[technology][type] ?? [annotation]).includes(annotation)) {
    field.at('type').forbidden(wording.profileTypesDiffer(technology));
  }
}

/** The annotation texts that mean the same as a type of the field; other types are reported elsewhere. */
const ANNOTATIONS_OF: Record<Technology, { [type: string]: readonly string[] }> = {
  seccomp: { Unconfined: ['unconfined'], RuntimeDefault: ['runtime/default', 'docker/default'], Localhost: [] },
  apparmor: { Unconfined: ['unconfined'], RuntimeDefault: ['runtime/default'], Localhost: [] },
};
