// The policy module with faults to order, for tests of its hosts: never shipped. A review of 1001 bytes never ends, one
// of 1002 hits what cannot be reached, one of 1003 takes memory until there is no more. All else is as in the module.

import '../json/stop';
import { review as decide } from '../index';

export * from '../index';

const ENDLESS: i32 = 1001;
const UNREACHABLE: i32 = 1002;
const GREEDY: i32 = 1003;

export function review(webhook: i32, length: i32, now: f64): i32 {
  while (length == ENDLESS) {
    // Only the counter of steps ends this.
  }
  if (length == UNREACHABLE) {
    unreachable();
  }
  while (length == GREEDY) {
    memory.fill(heap.alloc(1 << 20), 0xaa, 1 << 20);
  }
  return decide(webhook, length, now);
}
