// A client of an API server for tests: without limits, with the shortest waits between tries.

import { createLogger } from '../../component/logger.ts';
import { Client } from '../../kube/client.ts';
import type { Connection } from '../../kube/connection.ts';
import type { ClientOptions } from '../../kube/sender.ts';

export function createClient(connection: Connection, options: Partial<ClientOptions> = {}): Client {
  return new Client(connection, {
    userAgent: 'kruise-manager/test',
    qps: 0,
    burst: 1,
    timeoutMs: 10_000,
    random: () => 0,
    monotonic: () => performance.now(),
    logger: createLogger('test', 'error'),
    ...options,
  });
}
