// Opens the plain-HTTP ports of the gateway.

import type { Health } from '../component/health.ts';
import { listening } from '../component/listening.ts';
import type { Metrics } from '../component/metrics.ts';
import { openStatusPort, type StatusParts, type StatusPort } from '../component/status-port.ts';

/** As the flags have them: a number, or `off`. */
export type WantedPorts = { host: string; health: number | 'off'; metrics: number | 'off' };

/** The open ports; undefined where nothing listens. */
export type OpenPorts = { health: number | undefined; metrics: number | undefined; close(): Promise<void> };

/** Rejects when a port cannot be had, naming its flag; then none is open. */
export async function openPorts(wanted: WantedPorts, health: Health, metrics: Metrics): Promise<OpenPorts> {
  const open: StatusPort[] = [];
  const close = async () => void (await Promise.all(open.map((port) => port.close())));
  const listen = async (flag: string, port: number | 'off', parts: StatusParts) => {
    if (port === 'off') return undefined;
    const { host } = wanted;
    const opened = await listening({ host, port, flag, hostFlag: 'bind-address' }, () =>
      openStatusPort(host, port, parts),
    );
    open.push(opened);
    return opened.port;
  };
  const isShared = wanted.health !== 0 && wanted.health === wanted.metrics;
  try {
    const healthPort = await listen('health-port', wanted.health, isShared ? { health, metrics } : { health });
    const metricsPort = isShared ? healthPort : await listen('metrics-port', wanted.metrics, { metrics });
    return { health: healthPort, metrics: metricsPort, close };
  } catch (error) {
    await close();
    throw error;
  }
}
