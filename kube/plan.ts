// What a controller wants done, as data. `kube/effects.ts` carries it out; plans are made without any I/O.

import type { JsonObject } from '../api/core/json.ts';
import type { KubeObject, ObjectReference } from './objects.ts';
import type { Resource } from './resource.ts';

/** Something for people to read about an object. */
export type PlannedEvent = {
  readonly type: 'event';
  readonly regarding: KubeObject;
  readonly eventType: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
};

/**
 * One change of the cluster. Objects to be created or updated are whole, in the version of their resource. `onRefusal` is told,
 * with the reason behind its message, when the change fails for another reason than that its object has changed or is gone.
 */
export type PlannedEffect =
  | { readonly type: 'create'; readonly resource: Resource; readonly object: JsonObject }
  /** Replaces the object if it still has the resourceVersion that `object.metadata` names. */
  | {
      readonly type: 'update';
      readonly resource: Resource;
      readonly object: JsonObject;
      readonly subresource?: 'status';
    }
  | {
      readonly type: 'patch';
      readonly resource: Resource;
      readonly reference: ObjectReference;
      readonly patch: JsonObject;
      readonly patchType: 'merge' | 'strategic';
      readonly subresource?: 'status' | 'resize';
      readonly onRefusal?: PlannedEvent;
    }
  /** Deletes the object with this uid, if it still has the resourceVersion; another one of the same name stays. */
  | {
      readonly type: 'delete';
      readonly resource: Resource;
      readonly reference: ObjectReference;
      readonly uid: string;
      readonly resourceVersion?: string;
      readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
      readonly onRefusal?: PlannedEvent;
    }
  | { readonly type: 'evict'; readonly reference: ObjectReference; readonly uid: string }
  | PlannedEvent;

/** An effect that the API server refused, or of which nobody knows whether it took it. */
export type FailedEffect = { readonly effect: PlannedEffect; readonly error: unknown };

/**
 * Groups are carried out one after the other; what is in one may be carried out at the same time. A group that is refused or
 * fails is the last, but `status` is written in any case.
 */
export type Plan = {
  readonly groups: readonly (readonly PlannedEffect[])[];
  readonly status?: PlannedEffect;
  /**
   * In place of `status`, where that tells how the effects ended: all of them are tried then, whatever becomes of others,
   * and what this gives for those that failed is written. Pure.
   */
  readonly report?: (failures: readonly FailedEffect[]) => PlannedEffect | undefined;
  /** When to look again though nothing has changed. */
  readonly requeueAfterMs?: number;
};
