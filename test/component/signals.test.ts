// The first signal asks, the second insists.

import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { onTermination } from '../../component/signals.ts';

test.each([
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGTERM'],
])('%s asks for an end, %s after it forces one', (first, second) => {
  const source = new EventEmitter();
  const { requested, forced, dispose } = onTermination(source);
  expect([requested.aborted, forced.aborted]).toEqual([false, false]);
  source.emit(first);
  expect([requested.aborted, forced.aborted]).toEqual([true, false]);
  source.emit(second);
  expect([requested.aborted, forced.aborted]).toEqual([true, true]);
  dispose();
  expect(source.listenerCount('SIGTERM') + source.listenerCount('SIGINT')).toBe(0);
});
