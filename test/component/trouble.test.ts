// Trouble is told when it begins and when it is over, and not again and again.

import { expect, test } from 'vitest';
import { Trouble } from '../../component/trouble.ts';

function start() {
  const lines: string[] = [];
  const clock = { ms: 0 };
  const write = (keys: { reason?: string }, message: string) =>
    void lines.push([message, keys.reason].join(' ').trim());
  const logger = { info: write, warn: write, error: write, debug: write, isLevelEnabled: () => true };
  const options = { begins: 'it is broken', ends: 'it works again', monotonic: () => clock.ms };
  return { lines, clock, trouble: new Trouble({ ...options, logger: logger as never }) };
}

test('each reason is told once, and the end once', () => {
  const { lines, trouble } = start();
  trouble.end();
  trouble.begin('no way');
  trouble.begin('no way');
  trouble.begin('no bridge');
  trouble.end();
  trouble.end();
  expect(lines).toEqual(['it is broken no way', 'it is broken no bridge', 'it works again']);
});

test('trouble that comes and goes is told of once a minute, and its last end is told', () => {
  const { lines, clock, trouble } = start();
  for (let i = 0; i < 100; i++) {
    trouble.begin('no way');
    clock.ms += 500;
    trouble.end();
    clock.ms += 500;
  }
  const pair = ['it is broken no way', 'it works again'];
  expect(lines).toEqual([...pair, ...pair, pair[0]]);
  clock.ms += 60_000;
  trouble.end();
  expect(lines.at(-1)).toBe('it works again');
});
