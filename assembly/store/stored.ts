// An object of the store: one block with this head, the object's bytes and its nodes.

import { View } from '../json/view';
import { Chained } from './table';

/** What the store knows to keep. The numbers are part of the keys, not of any interface. */
export const enum Stored {
  None,
  SidecarSet,
  Namespace,
  ControllerRevision,
  PodUnavailableBudget,
  PersistentPodState,
  PodProbeMarker,
  /** The one ConfigMap with the settings of an installation. */
  Configuration,
  WorkloadSpread,
}

export const HEAD_BYTES: i32 = 48;

@unmanaged
export class Entry extends Chained {
  kind: Stored;
  /** Bytes of the block. */
  size: u32;
  /** The object. */
  root: View;
  /** Its links in the index, one after the other. */
  links: usize;
  /** Number of the review that looked at it last, so that none looks twice. */
  seen: u32;
  /** What its policy has worked out of it; `none` when there is nothing. */
  prepared: View;
  /** Bytes of the block in which that stands. */
  preparedSize: u32;
  /** Has the policy been at it? */
  isPrepared: bool;
}
