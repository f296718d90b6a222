// Opens the plain-HTTP ports of the gateway: those that were asked for, and the usual ones where they are free.

import type { Health } from '../component/health.ts';
import type { Logger } from '../component/logger.ts';
import type { Metrics } from '../component/metrics.ts';
import { openStatusPort, type StatusParts, type StatusPort } from '../component/status-port.ts';

const USUAL_HEALTH_PORT = 8000;
const USUAL_METRICS_PORT = 8080;

/** As the flags have them: a number, `off`, or undefined for the usual one. */
export type WantedPorts = {
  host: string;
  health: number | 'off' | undefined;
  metrics: number | 'off' | undefined;
};

/** The open ports; undefined where nothing listens. */
export type OpenPorts = { health: number | undefined; metrics: number | undefined; close(): Promise<void> };

/** Rejects when a port that was asked for cannot be had; a usual one is left out then. */
export async function openPorts(
  wanted: WantedPorts,
  health: Health,
  metrics: Metrics,
  logger: Logger,
): Promise<OpenPorts> {
  const open: StatusPort[] = [];
  const listen = async (port: number | 'off' | undefined, usual: number, parts: StatusParts) => {
    if (port === 'off') return undefined;
    try {
      const opened = await openStatusPort(wanted.host, port ?? usual, parts);
      open.push(opened);
      return opened.port;
    } catch (error) {
      if (port !== undefined || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      logger.warn({ port: usual, serves: Object.keys(parts).join() }, 'port is taken and left out');
      return undefined;
    }
  };
  const isShared = typeof wanted.health === 'number' && wanted.health !== 0 && wanted.health === wanted.metrics;
  const healthPort = await listen(wanted.health, USUAL_HEALTH_PORT, isShared ? { health, metrics } : { health });
  const metricsPort = isShared ? healthPort : await listen(wanted.metrics, USUAL_METRICS_PORT, { metrics });
  const close = async () => void (await Promise.all(open.map((port) => port.close())));
  return { health: healthPort, metrics: metricsPort, close };
}
