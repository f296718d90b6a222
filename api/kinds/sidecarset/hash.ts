// The two content hashes of a SidecarSet. Running pods carry them, so they must come out the same as ever (sidecarset 2).
import { OBJECT_LENGTH_MOST, TOO_LARGE } from '../../core/decode.ts';
import { encode } from '../../core/encode.ts';
import { contentHash } from '../../core/hashes.ts';
import type { Json } from '../../core/json.ts';
import { list } from '../../core/schema.ts';
import { DecodeFault } from '../kind.ts';
import { SidecarContainer, type SidecarSetSpec } from './schema.ts';

const containerList = list(SidecarContainer);
type Content = Pick<SidecarSetSpec, 'containers' | 'initContainers'>;

/**
 * Hashes of a defaulted spec: of the containers, and of the containers without their images. Throws DecodeFault if the
 * text is larger than objects may be.
 */
export function hashSidecarSet(spec: Content): { hash: string; hashWithoutImage: string } {
  const text = hashText(spec);
  if (text.length > OBJECT_LENGTH_MOST) throw new DecodeFault(TOO_LARGE, TOO_LARGE);
  return { hash: contentHash(text), hashWithoutImage: contentHash(hashText(withoutImages(spec))) };
}

/**
 * The text that is hashed. Init containers are part of it, all of them, only if one is a native sidecar; absent
 * containers are null.
 */
export function hashText(spec: Content): string {
  const hasNativeSidecar = spec.initContainers?.some((container) => container.restartPolicy === 'Always') ?? false;
  const initContainers = hasNativeSidecar ? `,"initContainers":${encodeContainers(spec.initContainers)}` : '';
  return `{"containers":${encodeContainers(spec.containers)}${initContainers}}`;
}

function encodeContainers(containers: SidecarContainer[] | undefined): string {
  return encode(containerList, containers as Json | undefined);
}

function withoutImages({ containers, initContainers }: Content): Content {
  const strip = (container: SidecarContainer): SidecarContainer => ({ ...container, image: '' });
  return {
    ...(containers !== undefined && { containers: containers.map(strip) }),
    ...(initContainers !== undefined && { initContainers: initContainers.map(strip) }),
  };
}
