// What a NodeImage must be to be admitted (images 3.4). The first rule that does not hold is the answer.
import { type FieldError, plainError } from '../../core/field-error.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';
import { sortedKeys } from '../../core/validation/field.ts';
import type { NodeImage } from './schema.ts';

const IMAGES_MOST = 256;

type Images = NonNullable<NonNullable<NodeImage['spec']>['images']>;
type Tag = NonNullable<Images[string]['tags']>[number];

const wording = {
  tooManyImages: (count: number) => `spec images length ${count} can not be more than ${IMAGES_MOST}`,
  nameMissing: 'image name can not be empty',
  tagMissing: (image: string) => `tag for image ${image} can not be empty`,
  tagTwice: (tag: string, image: string) => `duplicated tag ${tag} for image ${image}`,
  createdAtMissing: (task: string) => `createAt field for ${task} can not be empty`,
  versionNegative: (task: string) => `version for ${task} can not be less than 0`,
  pullPolicyMissing: (task: string) => `pullPolicy for ${task} must set`,
  ttlMissing: (task: string) => `pullPolicy.ttlSecondsAfterFinished for ${task} must set`,
} as const;

/** At most one error, of a decoded NodeImage in v1beta1 form. Updates have no rules of their own. */
export function validateNodeImage(object: JsonObject): FieldError[] {
  const fault = imagesFault((object as NodeImage).spec?.images ?? {});
  return fault === undefined ? [] : [fault];
}

function imagesFault(images: Images): FieldError | undefined {
  const names = sortedKeys(images);
  if (names.length > IMAGES_MOST) return plainError('spec.images', wording.tooManyImages(names.length));
  for (const name of names) {
    const path = `spec.images[${name}]`;
    if (name === '') return plainError(path, wording.nameMissing);
    const fault = tagsFault(images[name]?.tags ?? [], name, `${path}.tags`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function tagsFault(tags: readonly Tag[], image: string, path: string): FieldError | undefined {
  const seen = new Set<string>();
  for (const [index, tag] of tags.entries()) {
    const at = `${path}[${index}]`;
    if (tag.tag === '') return plainError(`${at}.tag`, wording.tagMissing(image));
    if (seen.has(tag.tag)) return plainError(`${at}.tag`, wording.tagTwice(tag.tag, image));
    seen.add(tag.tag);
    const fault = taskFault(tag, `${image}/${tag.tag}`, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function taskFault({ createdAt, version = 0, pullPolicy }: Tag, task: string, path: string): FieldError | undefined {
  if (createdAt === undefined) return plainError(`${path}.createdAt`, wording.createdAtMissing(task));
  if (toNumber(version) < 0) return plainError(`${path}.version`, wording.versionNegative(task));
  if (pullPolicy === undefined) return plainError(`${path}.pullPolicy`, wording.pullPolicyMissing(task));
  if (pullPolicy.ttlSecondsAfterFinished !== undefined) return undefined;
  return plainError(`${path}.pullPolicy.ttlSecondsAfterFinished`, wording.ttlMissing(task));
}
