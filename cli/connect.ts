// The cluster of the sub-commands that ask one.

import type { Environment } from '../component/flags.ts';
import { createLogger } from '../component/logger.ts';
import { Client } from '../kube/client.ts';
import { readConnection } from '../kube/connection.ts';
import type { ClusterObjects } from './uninstall-check.ts';

const TIMEOUT_MS = 30_000;

/** Reads where the cluster is, as every program does. Throws InputError naming the file. */
export async function connect(kubeconfig: string | undefined, environment: Environment): Promise<ClusterObjects> {
  const monotonic = () => performance.now();
  const connection = await readConnection({ kubeconfig, environment, monotonic });
  const client = new Client(connection, {
    userAgent: 'sluice',
    qps: 20,
    burst: 40,
    timeoutMs: TIMEOUT_MS,
    random: Math.random,
    monotonic,
    logger: createLogger('sluice', 'error'),
  });
  return {
    some: async ({ group, storage: version, plural, kind, scope }, limit) => {
      const resource = { group, version, plural, kind, namespaced: scope === 'Namespaced' };
      const { items } = await client.list(resource, { limit, metadataOnly: true });
      return items.map(({ metadata: { name, namespace } }) => ({
        name,
        ...(namespace !== undefined && { namespace }),
      }));
    },
  };
}
