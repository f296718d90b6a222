// The template of an ImageListPullJob in an AdvancedCronJob: the first rule that does not hold is the answer
// (advancedcronjob 3.2).
import type { ImageListPullJobSpec } from '../../core/image-pull.ts';
import { normalizeImage } from '../../core/image-reference.ts';
import { toNumber } from '../../core/json.ts';
import { selectorFault } from '../../core/selector.ts';
import type { Field } from '../../core/validation/field.ts';
import { wording } from './wording.ts';

type Spec = Field<ImageListPullJobSpec | undefined>;

const IMAGES = 255;
const DEADLINE_SECONDS = 86400;

/** Reports at most one error. */
export function validateImageListTemplate(spec: Spec): void {
  const first = spec.errors.length;
  for (const rule of [validateNodes, validatePods, validateImages, validateCompletion]) {
    rule(spec);
    if (spec.errors.length === first) continue;
    spec.errors.length = first + 1;
    return;
  }
}

function validateNodes(spec: Spec): void {
  const selector = spec.at('selector');
  const { names, matchLabels, matchExpressions } = selector.value ?? {};
  const fault = selectorFault(selector.value ?? {});
  if (names !== undefined && (matchLabels !== undefined || matchExpressions !== undefined)) {
    selector.invalid(wording.namesAndLabels);
  } else if (fault !== undefined) {
    selector.place('labelSelector').invalid(wording.selector(fault), selector.value);
  } else if (new Set(names).size < (names ?? []).length) {
    selector.at('names').invalid(wording.nameTwice);
  }
}

function validatePods(spec: Spec): void {
  const selector = spec.at('podSelector');
  if (selector.value === undefined) return;
  const fault = selectorFault(selector.value);
  if (spec.at('selector').value !== undefined) spec.invalid(wording.twoSelectors);
  else if (fault !== undefined) selector.place('labelSelector').invalid(wording.podSelector(fault), selector.value);
}

function validateImages(spec: Spec): void {
  const field = spec.at('images');
  const images = field.value ?? [];
  if (images.length === 0) field.invalid(wording.imagesMissing, images);
  else if (images.length > IMAGES) field.invalid(wording.tooManyImages(IMAGES));
  else if (new Set(images).size < images.length) field.invalid(wording.imageTwice);
  for (const image of images) {
    const reference = normalizeImage(image);
    if (typeof reference === 'string') field.invalid(wording.image(image, reference));
  }
}

function validateCompletion(spec: Spec): void {
  const policy = spec.at('completionPolicy');
  const { type = '', activeDeadlineSeconds, ttlSecondsAfterFinished } = policy.value ?? {};
  const deadline = policy.at('activeDeadlineSeconds');
  const seconds = toNumber(activeDeadlineSeconds ?? 0);
  const timeout = spec.value?.pullPolicy?.timeoutSeconds ?? seconds;
  if (type !== 'Always') policy.at('type').invalid(wording.completionType(type), type);
  else if (seconds > DEADLINE_SECONDS) deadline.invalid(wording.deadlineTooLong(DEADLINE_SECONDS));
  else if (activeDeadlineSeconds !== undefined && timeout > seconds) {
    deadline.invalid(wording.deadlineTooShort(timeout));
  } else if (ttlSecondsAfterFinished !== undefined) policy.at('ttlSecondsAfterFinished').invalid(wording.ttl);
}
