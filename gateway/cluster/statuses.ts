// Writes the statuses that decisions change: in one request, that holds only for the version that was decided on, and
// without a read before it. What became of a write that got no clear answer is found out by reading.

import type { JsonObject } from '../../api/core/json.ts';
import type { Written } from '../../evaluator/live-cluster.ts';
import type { Effect } from '../../evaluator/policies.ts';
import type { Client } from '../../kube/client.ts';
import type { Discovery } from '../../kube/discovery.ts';
import { type KubeObject, withoutManagedFields } from '../../kube/objects.ts';
import type { Resource } from '../../kube/resource.ts';
import { isAbsent, isConflict, isUncertain, messageOf } from './failures.ts';

/** A write that hangs must not hold up those behind it for as long as their callers wait. */
const WRITE_MS = 5_000;

export type StatusWriter = Pick<Client, 'get' | 'update'>;

export class Statuses {
  readonly #client: StatusWriter;
  readonly #discovery: Pick<Discovery, 'find'>;

  readonly #wrote: (kind: string, outcome: Written['outcome']) => void;

  constructor(
    client: StatusWriter,
    discovery: Pick<Discovery, 'find'>,
    wrote: (kind: string, outcome: Written['outcome']) => void,
  ) {
    this.#client = client;
    this.#discovery = discovery;
    this.#wrote = wrote;
  }

  /** Never rejects. */
  async write(effect: Effect, signal: AbortSignal): Promise<Written> {
    const written = await this.#write(effect, signal);
    this.#wrote(effect.kind, written.outcome);
    return written;
  }

  async #write(effect: Effect, signal: AbortSignal): Promise<Written> {
    const { apiVersion, kind, namespace = '', name, uid, resourceVersion, status } = effect;
    try {
      const resource = await this.#discovery.find(apiVersion, kind);
      if (resource === undefined) return { outcome: 'conflict', object: null };
      const object = { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion }, status };
      return await this.#put(resource, object, signal);
    } catch (error) {
      return { outcome: 'failed', error: messageOf(error) };
    }
  }

  async #put(resource: Resource, object: JsonObject, signal: AbortSignal): Promise<Written> {
    try {
      const stored = await this.#client.update(resource, object, {
        subresource: 'status',
        signal,
        timeoutMs: WRITE_MS,
      });
      return { outcome: 'done', object: jsonOf(stored) };
    } catch (error) {
      if (isAbsent(error)) return { outcome: 'conflict', object: null };
      if (!isConflict(error) && !isUncertain(error)) throw error;
      return { outcome: 'conflict', object: await this.#get(resource, object, signal) };
    }
  }

  async #get(resource: Resource, { metadata }: JsonObject, signal: AbortSignal): Promise<JsonObject | null> {
    const { namespace, name } = metadata as { namespace: string; name: string };
    try {
      return jsonOf(await this.#client.get(resource, { namespace, name }, { signal, timeoutMs: WRITE_MS }));
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }
}

function jsonOf(object: KubeObject): JsonObject {
  return withoutManagedFields(object) as unknown as JsonObject;
}
