// Rules of what pulling images has in common for all kinds that ask for it (images 3.2, 3.3). The first rule that does not
// hold is the answer, in one plain sentence.
import { type FieldError, plainError, quote } from '../field-error.ts';
import type { ImageListPullJobSpec, PullTemplate } from '../image-pull.ts';
import { normalizeImage } from '../image-reference.ts';
import { selectorFault } from '../selector.ts';

const IMAGES_MOST = 255;
const INT32_MOST = 2147483647;

const wording = {
  namesAndLabels: 'can not set both names and labelSelector in this spec.selector',
  selector: (reason: string) => `invalid selector: ${reason}`,
  podSelector: (reason: string) => `invalid podSelector: ${reason}`,
  nameTwice: 'duplicated name in selector names',
  bothSelectors: 'can not set both selector and podSelector',
  imageMissing: 'image can not be empty',
  imageTwice: 'images cannot have duplicate values',
  tooManyImages: `images cannot have more than ${IMAGES_MOST} values`,
  image: (image: string, reason: string) => `invalid image ${image}: ${reason}`,
  percentage: 'parallelism does not support percentage value',
  notAnInteger: (text: string, reason: string) =>
    `parallelism must be a valid integer: strconv.ParseInt: parsing ${quote(text)}: ${reason}`,
  negative: 'parallelism must be non-negative',
  onlyWithAlways: 'activeDeadlineSeconds and ttlSecondsAfterFinished can only work with Always CompletionPolicyType',
  completionType: (type: string) => `unknown type of completionPolicy: ${type}`,
} as const;

/** The nodes: named or selected by labels, or those of pods, but not both. */
export function nodesFault({ selector, podSelector }: PullTemplate): FieldError | undefined {
  const { names, matchLabels, matchExpressions } = selector ?? {};
  if (selector !== undefined && (matchLabels !== undefined || matchExpressions !== undefined)) {
    if (names !== undefined) return plainError('spec.selector', wording.namesAndLabels);
    const fault = selectorFault(selector);
    if (fault !== undefined) return plainError('spec.selector', wording.selector(fault));
  }
  if (names !== undefined && new Set(names).size < names.length) {
    return plainError('spec.selector.names', wording.nameTwice);
  }
  if (podSelector === undefined) return undefined;
  if (selector !== undefined) return plainError('spec.podSelector', wording.bothSelectors);
  const fault = selectorFault(podSelector);
  return fault === undefined ? undefined : plainError('spec.podSelector', wording.podSelector(fault));
}

/** One image; it must be a reference. */
export function imageFault(image: string, path: string): FieldError | undefined {
  if (image === '') return plainError(path, wording.imageMissing);
  return referenceFault(image, path);
}

/** Some images, none twice, each a reference. */
export function imagesFault(images: ImageListPullJobSpec['images']): FieldError | undefined {
  const path = 'spec.images';
  const given = images ?? [];
  if (given.length === 0) return plainError(path, wording.imageMissing);
  if (new Set(given).size < given.length) return plainError(path, wording.imageTwice);
  if (given.length > IMAGES_MOST) return plainError(path, wording.tooManyImages);
  for (const [index, image] of given.entries()) {
    const fault = referenceFault(image, `${path}[${index}]`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A number or its digits, not negative and no percentage. */
export function parallelismFault({ parallelism }: PullTemplate): FieldError | undefined {
  const path = 'spec.parallelism';
  if (typeof parallelism === 'string') {
    if (parallelism.endsWith('%')) return plainError(path, wording.percentage);
    const reason = int32Fault(parallelism);
    if (reason !== undefined) return plainError(path, wording.notAnInteger(parallelism, reason));
  }
  return Number(parallelism ?? 0) < 0 ? plainError(path, wording.negative) : undefined;
}

/** The type is known, and what only works with Always is only given with it. */
export function completionFault({ completionPolicy }: PullTemplate): FieldError | undefined {
  const { type = '', activeDeadlineSeconds, ttlSecondsAfterFinished } = completionPolicy;
  const path = 'spec.completionPolicy';
  if (type === 'Always') return undefined;
  if (type !== 'Never') return plainError(`${path}.type`, wording.completionType(type));
  const isLimited = activeDeadlineSeconds !== undefined || ttlSecondsAfterFinished !== undefined;
  return isLimited ? plainError(path, wording.onlyWithAlways) : undefined;
}

function referenceFault(image: string, path: string): FieldError | undefined {
  const reference = normalizeImage(image);
  return typeof reference === 'string' ? plainError(path, wording.image(image, reference)) : undefined;
}

/** Why a text is no 32-bit decimal integer, in the words that clients know; undefined if it is one. */
function int32Fault(text: string): string | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return 'invalid syntax';
  const value = Number(text);
  return value < -INT32_MOST - 1 || value > INT32_MOST ? 'value out of range' : undefined;
}
