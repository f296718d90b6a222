// A logger that says nothing.

import type { Logger } from '../../component/logger.ts';

const nothing = () => {};
export const silentLogger: Logger = {
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  isLevelEnabled: () => false,
};
