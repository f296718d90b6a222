// When reviews are decided: together with those that come in meanwhile, and never later than it takes to know that none does.

import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Gathering } from '../../gateway/gathering.ts';

function gathering(callers: number) {
  const batches: string[][] = [];
  const gathered = new Gathering<string>(
    () => callers,
    (batch) => batches.push([...batch]),
  );
  return { batches, gathered };
}

const tick = () => new Promise<void>((resolve) => process.nextTick(resolve));

describe('reviews that come in', () => {
  it('are decided before the next turn of the event loop once no caller is left', async () => {
    const { batches, gathered } = gathering(2);
    gathered.add('a');
    await tick();
    expect(batches).toEqual([]);
    gathered.add('b');
    expect(batches).toEqual([]);
    await tick();
    expect(batches).toEqual([['a', 'b']]);
  });

  it('wait for nobody when their caller is the only one', async () => {
    const { batches, gathered } = gathering(1);
    gathered.add('a');
    await tick();
    gathered.add('b');
    await tick();
    expect(batches).toEqual([['a'], ['b']]);
  });

  it('are decided together as long as each turn brings more, in the order in which they came', async () => {
    const { batches, gathered } = gathering(8);
    gathered.add('a');
    await turn();
    gathered.add('b');
    await turn();
    gathered.add('c');
    await turn();
    await turn();
    await turn();
    expect(batches).toEqual([['a', 'b', 'c']]);
  });

  it('are decided again and again, whatever was still planned for those before', async () => {
    const { batches, gathered } = gathering(2);
    gathered.add('a');
    gathered.add('b');
    await tick();
    gathered.add('c');
    for (let i = 0; i < 4; i++) await turn();
    expect(batches).toEqual([['a', 'b'], ['c']]);
  });

  it('are decided once there are 32, so that the first does not wait for a hundred', async () => {
    const { batches, gathered } = gathering(100);
    for (let i = 0; i < 32; i++) gathered.add(String(i));
    await tick();
    expect(batches.map((batch) => batch.length)).toEqual([32]);
  });

  it('are decided at once when the server closes, and nothing is decided of nothing', async () => {
    const { batches, gathered } = gathering(8);
    gathered.finish();
    gathered.add('a');
    gathered.finish();
    for (let i = 0; i < 4; i++) await turn();
    expect(batches).toEqual([['a']]);
  });
});
