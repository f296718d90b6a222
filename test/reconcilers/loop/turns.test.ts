// Long work lets others have their turn, and ends when it is to end.
import { expect, test } from 'vitest';
import { inTurns } from '../../../reconcilers/loop/turns.ts';

function* steps(count: number, step: (index: number) => void): Iterable<number> {
  for (let index = 0; index < count; index++) {
    step(index);
    yield index;
  }
}

test('others get their turn after some milliseconds, and every step is done', async () => {
  let clock = 0;
  let turns = 0;
  const others = () => {
    turns++;
    setImmediate(others).unref();
  };
  setImmediate(others).unref();
  const done: number[] = [];
  const work = steps(100, (index) => {
    clock += 1;
    done.push(index);
  });
  await inTurns(work, () => clock, new AbortController().signal);
  expect(done).toHaveLength(100);
  expect(turns).toBeGreaterThanOrEqual(9);
});

test('what is short is done in one go', async () => {
  let turns = 0;
  setImmediate(() => turns++);
  await inTurns(
    steps(1000, () => undefined),
    () => 0,
    new AbortController().signal,
  );
  expect(turns).toBe(0);
});

test('it is broken off between two steps', async () => {
  const stop = new AbortController();
  let clock = 0;
  let last = -1;
  const work = steps(100, (index) => {
    clock += 5;
    last = index;
    if (index === 10) stop.abort(new Error('enough'));
  });
  await expect(inTurns(work, () => clock, stop.signal)).rejects.toThrow('enough');
  expect(last).toBeLessThan(14);
});
