// JSON logs, one object a line, written at once: a line is never lost to a buffer when the process ends.

import { type DestinationStream, destination, type Logger as PinoLogger, pino } from 'pino';

/** How much is logged, from least to most. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A line is a constant message plus keys; never whole objects, bodies or secrets. */
export type Logger = Pick<PinoLogger, 'error' | 'warn' | 'info' | 'debug' | 'isLevelEnabled'>;

// Compatibility: `v` is the verbosity that log pipelines of the system we replace select by.
const VERBOSITY: Readonly<Record<string, number>> = { debug: 4 };

/**
 * A logger that writes to stderr, or to `stream`. Keys of every line: `ts` (milliseconds since 1970), `level`, `v`,
 * `caller` (the program), `msg`.
 */
export function createLogger(program: string, level: LogLevel, stream?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { caller: program },
      timestamp: () => `,"ts":${Date.now()}`,
      formatters: { level: (label) => ({ level: label, v: VERBOSITY[label] ?? 0 }) },
    },
    stream ?? destination({ fd: 2, sync: true }),
  );
}
