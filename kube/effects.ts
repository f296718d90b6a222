// Carries out plans: the only place where controllers change the cluster. What is to be done is decided in plans; when to
// look again is the loop's decision.

import type { JsonObject } from '../api/core/json.ts';
import { ConnectionError, RetryError, StatusError, TerminalError } from '../component/errors.ts';
import type { Client } from './client.ts';
import type { EventRecorder } from './events.ts';
import type { KubeObject, ObjectReference } from './objects.ts';
import type { FailedEffect, Plan, PlannedEffect } from './plan.ts';
import { PODS, type Resource } from './resource.ts';

/** A change that the server took: what a mirror must have seen before its objects are the present. */
export type AppliedChange = {
  readonly type: 'created' | 'updated' | 'deleted';
  readonly resource: Resource;
  readonly reference: ObjectReference;
  readonly uid: string;
  /** After the change; of a deleted object it is not known. */
  readonly resourceVersion?: string;
};

export type Outcome = {
  readonly changes: readonly AppliedChange[];
  /** Of the group that was the last, and of the status. Nothing that stood behind that group was tried. */
  readonly failures: readonly FailedEffect[];
  /**
   * What the loop should make of it: RetryError for conflicts and for refusals with a time, TerminalError when trying
   * again cannot help, else the first failure as it was. Undefined when all was done.
   */
  readonly error: unknown;
};

export type EffectOptions = { readonly client: Client; readonly events: EventRecorder; readonly signal: AbortSignal };

/** Effects of a group that are under way at the same time, at most. */
const MOST_AT_ONCE = 64;
/** The API server itself tries an eviction for ten seconds when it meets a conflict. */
const EVICTION_TIMEOUT_MS = 30_000;

/** Rejects with the signal's reason, no sooner than what is under way has ended. */
export async function applyPlan(plan: Plan, options: EffectOptions): Promise<Outcome> {
  const changes: AppliedChange[] = [];
  const failures: FailedEffect[] = [];
  const { report } = plan;
  const isAllTried = report !== undefined;
  for (const group of plan.groups) {
    await applyGroup(group, options, { changes, failures, isAllTried });
    if (failures.length > 0 && !isAllTried) break;
  }
  const status = isAllTried ? report(failures) : plan.status;
  if (status !== undefined) await applyBatch([status], options, { changes, failures });
  return { changes, failures, error: failures[0] === undefined ? undefined : meaningOf(failures[0]) };
}

type Results = { readonly changes: AppliedChange[]; readonly failures: FailedEffect[] };

// One, then two, then four: when none can succeed (a quota, a webhook that refuses), few are tried in vain.
async function applyGroup(
  group: readonly PlannedEffect[],
  options: EffectOptions,
  results: Results & { readonly isAllTried: boolean },
): Promise<void> {
  let size = 1;
  for (
    let at = 0;
    at < group.length && (results.isAllTried || results.failures.length === 0);
    at += size, size = Math.min(2 * size, MOST_AT_ONCE)
  ) {
    await applyBatch(group.slice(at, at + size), options, results);
  }
}

async function applyBatch(batch: readonly PlannedEffect[], options: EffectOptions, results: Results): Promise<void> {
  options.signal.throwIfAborted();
  const settled = await Promise.allSettled(batch.map((effect) => apply(effect, options)));
  for (const [index, effect] of batch.entries()) {
    const outcome = settled[index];
    if (outcome?.status === 'fulfilled' && outcome.value !== undefined) results.changes.push(outcome.value);
    if (outcome?.status === 'rejected') {
      results.failures.push({ effect, error: outcome.reason });
      tellRefusal(effect, outcome.reason, options);
    }
  }
  options.signal.throwIfAborted();
}

function tellRefusal(effect: PlannedEffect, error: unknown, { events, signal }: EffectOptions): void {
  if (!('onRefusal' in effect) || effect.onRefusal === undefined || signal.aborted) return;
  const isStale = error instanceof StatusError && (error.code === 404 || error.code === 409);
  if (isStale) return;
  const reason = error instanceof Error ? error.message : String(error);
  events.record({ ...effect.onRefusal, message: `${effect.onRefusal.message}: ${reason}` });
}

async function apply(
  effect: PlannedEffect,
  { client, events, signal }: EffectOptions,
): Promise<AppliedChange | undefined> {
  switch (effect.type) {
    case 'create':
      return changeOf('created', effect.resource, await client.create(effect.resource, effect.object, { signal }));
    case 'update': {
      const { resource, object, subresource } = effect;
      return changeOf('updated', resource, await client.update(resource, object, { subresource, signal }));
    }
    case 'patch': {
      const { resource, reference, patch, patchType, subresource } = effect;
      const patched = await client.patch(resource, reference, patch, { patchType, subresource, signal });
      return changeOf('updated', resource, patched);
    }
    case 'delete': {
      const { resource, reference, uid, resourceVersion, propagationPolicy } = effect;
      await untilGone(client.delete(resource, reference, { uid, resourceVersion, propagationPolicy, signal }));
      return { type: 'deleted', resource, reference, uid };
    }
    case 'evict': {
      const { reference, uid } = effect;
      const options = { subresource: 'eviction', reference, signal, timeoutMs: EVICTION_TIMEOUT_MS };
      await untilGone(client.create(PODS, evictionOf(effect), options));
      return { type: 'deleted', resource: PODS, reference, uid };
    }
    case 'event':
      events.record(effect);
      return undefined;
  }
}

function changeOf(type: 'created' | 'updated', resource: Resource, { metadata }: KubeObject): AppliedChange {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { type, resource, reference: { namespace, name }, uid, resourceVersion };
}

/** How the API server says that another object has the name; each of its layers has words of its own. */
const OTHER_UID = /UID in (?:the )?precondition/;

// The one with this uid is gone if there is none of its name, or another.
async function untilGone(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    const isGone = error instanceof StatusError && (error.code === 404 || OTHER_UID.test(error.message));
    if (!isGone) throw error;
  }
}

function evictionOf({ reference: { name, namespace }, uid }: { reference: ObjectReference; uid: string }): JsonObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    deleteOptions: { preconditions: { uid } },
  };
}

function meaningOf({ effect, error }: FailedEffect): unknown {
  if (error instanceof ConnectionError || !(error instanceof StatusError)) return error;
  const message = `${effect.type}: ${error.message}`;
  const { causes, retryAfterSeconds } = error.details;
  if (causes?.includes('NamespaceTerminating') === true) return new TerminalError(message, { cause: error });
  if (retryAfterSeconds !== undefined) {
    return new RetryError(message, { cause: error, afterMs: retryAfterSeconds * 1000 });
  }
  return error.code === 409 ? new RetryError(message, { cause: error }) : error;
}
