// The cluster of the sub-commands that ask one.

import { InputError, StatusError } from '../component/errors.ts';
import type { Environment } from '../component/flags.ts';
import { createLogger } from '../component/logger.ts';
import { Client } from '../kube/client.ts';
import { readConnection } from '../kube/connection.ts';
import { Discovery } from '../kube/discovery.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { Resource } from '../kube/resource.ts';
import type { Cluster, ListOptions } from './cluster.ts';

const TIMEOUT_MS = 30_000;
const PAGE = 500;
/** Objects of a kind that are read. */
const OBJECTS_MOST = 500_000;

/** Which cluster: the kubeconfig and the context that were named, if any. */
export type ClusterChoice = { kubeconfig?: string | undefined; context?: string | undefined };

/** Reads where the cluster is, as every program does. Throws InputError naming the file. */
export async function connect({ kubeconfig, context }: ClusterChoice, environment: Environment): Promise<Cluster> {
  const monotonic = () => performance.now();
  const connection = await readConnection({ kubeconfig, context, environment, monotonic });
  const client = new Client(connection, {
    userAgent: 'sluice',
    qps: 20,
    burst: 40,
    timeoutMs: TIMEOUT_MS,
    random: Math.random,
    monotonic,
    logger: createLogger('sluice', 'error'),
  });
  const discovery = new Discovery(client, monotonic);
  return {
    list: async (apiVersion, kind, options = {}) => {
      const resource = await discovery.find(apiVersion, kind);
      if (resource === undefined) throw new StatusError(404, 'NotFound', `there is no kind ${kind} in ${apiVersion}`);
      if (options.limit !== undefined) return (await client.list(resource, { ...options })).items;
      return await listAll(client, resource, options);
    },
  };
}

// The pages of a list expire after some minutes: then it is read once more.
async function listAll(client: Client, resource: Resource, options: ListOptions): Promise<KubeObject[]> {
  try {
    return await listPages(client, resource, options);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 410) throw error;
    return await listPages(client, resource, options);
  }
}

async function listPages(client: Client, resource: Resource, options: ListOptions): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  let next: string | undefined;
  do {
    const { items, metadata } = await client.list(resource, { ...options, limit: PAGE, continue: next });
    objects.push(...items);
    next = metadata.continue === '' ? undefined : metadata.continue;
    if (objects.length > OBJECTS_MOST) {
      throw new InputError(`the cluster has more than ${OBJECTS_MOST} ${resource.plural}; name a namespace`);
    }
  } while (next !== undefined);
  return objects;
}
