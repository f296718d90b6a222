// The explorer itself, on a lamp and a counter.
import { expect, test } from 'vitest';
import { explore, type Model } from './explore.ts';

/** Counts up by one or two to `most`; `back` leads from there to zero. */
function counter(most: number, more: Partial<Model<number>> = {}): Model<number> {
  return {
    initial: 0,
    key: String,
    steps: (n) => [1, 2].filter((by) => n + by <= most).map((by) => ({ label: `+${by}`, to: n + by })),
    fault: () => undefined,
    faultAtRest: () => undefined,
    ...more,
  };
}

test('every state is looked at once', () => {
  expect(explore(counter(5), 10)).toEqual({
    states: 6,
    transitions: 9,
    ends: 1,
    depth: 3,
    counterExample: undefined,
  });
});

test('a fault is told with the shortest way to it', () => {
  const { counterExample } = explore(counter(9, { fault: (n) => (n === 5 ? 'five' : undefined) }), 100);
  expect(counterExample?.fault).toBe('five');
  expect(counterExample?.trace).toHaveLength(3);
});

test('a step that must not be taken, and an end that must not be, are faults', () => {
  const step = counter(3, { steps: (n) => [{ label: 'jump', to: n + 1, fault: n === 1 ? 'too far' : undefined }] });
  expect(explore(step, 10).counterExample).toEqual({ fault: 'too far', trace: ['jump', 'jump'] });
  const end = counter(2, { faultAtRest: (n) => `stays at ${n}` });
  expect(explore(end, 10).counterExample).toEqual({ fault: 'stays at 2', trace: ['+2'] });
});

test('a run that can go on for ever is a fault', () => {
  const { counterExample } = explore(counter(3, { steps: (n) => [{ label: 'on', to: (n + 1) % 3 }] }), 10);
  expect(counterExample?.fault).toBe('this can go on for ever');
});

test('more states than were allowed are an error', () => {
  expect(() => explore(counter(100), 50)).toThrow('there are more than 50 states');
});
