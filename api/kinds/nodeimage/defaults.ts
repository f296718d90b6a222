// Defaults of a NodeImage, the same in both versions: the tasks are complete and in order (images 3.1).
import { compareBytewise } from '../../core/encode.ts';
import { defaultPullLimits } from '../../core/image-pull.ts';
import type { NodeImage, NodeImageV1alpha1 } from './schema.ts';

/**
 * Completes a decoded NodeImage and returns it. Tasks without time of creation get `now` (Unix time in milliseconds), if it
 * is known.
 */
export function applyNodeImageDefaults<T extends NodeImage | NodeImageV1alpha1>(nodeImage: T, now?: number): T {
  const createdAt = now === undefined ? undefined : `${new Date(now).toISOString().slice(0, 19)}Z`;
  nodeImage.spec ??= {};
  for (const { tags } of Object.values(nodeImage.spec.images ?? {})) {
    for (const tag of tags ?? []) {
      if (createdAt !== undefined && tag.createdAt === undefined) tag.createdAt = createdAt;
      tag.pullPolicy = defaultPullLimits(tag.pullPolicy ?? {});
    }
    tags?.sort(byTag);
  }
  for (const { tags } of Object.values(nodeImage.status?.imageStatuses ?? {})) tags?.sort(byTag);
  return nodeImage;
}

function byTag(a: { tag: string }, b: { tag: string }): number {
  return compareBytewise(a.tag, b.tag);
}
