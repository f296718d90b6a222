// What a revision of a CloneSet says about the claims beside its template (cloneset 3.7).
import { encode } from '../../core/encode.ts';
import { deepHash } from '../../core/hashes.ts';
import type { Json } from '../../core/json.ts';
import { list } from '../../core/schema.ts';
import { PersistentVolumeClaim } from '../../core/volumes.ts';

const claimList = list(PersistentVolumeClaim);

/** Hash of names and specs of the claim templates in the order of their names; '' if there are none. */
export function claimTemplatesHash(claims: readonly PersistentVolumeClaim[]): string {
  if (claims.length === 0) return '';
  const reduced = claims
    .map(({ metadata: { name = '' } = {}, spec = {} }) => ({ metadata: { name }, spec }))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0));
  return String(deepHash(new TextEncoder().encode(encode(claimList, reduced as Json))));
}
