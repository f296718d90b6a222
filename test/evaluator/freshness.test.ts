// What is newer, of an object that comes by several ways.
import { expect, test } from 'vitest';
import { Freshness } from '../../evaluator/freshness.ts';

test('what is older than what is held, or than its removal, does not count', () => {
  const freshness = new Freshness();
  expect([freshness.isNewer('a', '10'), freshness.isNewer('a', '9'), freshness.isNewer('a', '11')]).toEqual([
    true,
    false,
    true,
  ]);
  expect([freshness.isGone('a', '10'), freshness.isGone('a', '12')]).toEqual([false, true]);
  expect([freshness.isNewer('a', '12'), freshness.isNewer('a', '13')]).toEqual([false, true]);
});

test('once the data of the API server were put back, lower versions count again', () => {
  const freshness = new Freshness();
  freshness.isNewer('a', '200');
  freshness.isGone('b', '210');
  freshness.forget();
  expect([freshness.isNewer('a', '7'), freshness.isNewer('b', '8')]).toEqual([true, true]);
});
