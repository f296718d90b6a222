// NodeImage between v1alpha1 and v1beta1: only the mode of pull secrets differs, and lists of tags are always there
// (images 1.1).
import type { NodeImage, NodeImageV1alpha1 } from './schema.ts';

/** To v1beta1, where pull secrets of v1alpha1 have no mode. Changes and returns the decoded object. */
export function toV1beta1(nodeImage: NodeImageV1alpha1): NodeImage {
  return withTags(nodeImage);
}

/**
 * To v1alpha1, without the mode of pull secrets. Compatibility: the mode is lost, as no annotation carries it. Changes and
 * returns the decoded object.
 */
export function toV1alpha1(nodeImage: NodeImage): NodeImageV1alpha1 {
  for (const { pullSecrets } of Object.values(nodeImage.spec?.images ?? {})) {
    for (const secret of pullSecrets ?? []) delete secret.mode;
  }
  return withTags(nodeImage);
}

function withTags<T extends NodeImage | NodeImageV1alpha1>(nodeImage: T): T {
  for (const image of Object.values(nodeImage.spec?.images ?? {})) image.tags ??= [];
  for (const image of Object.values(nodeImage.status?.imageStatuses ?? {})) image.tags ??= [];
  return nodeImage;
}
