// What is parsed once, and when it is forgotten: memory is bounded, and texts that come once each push nothing out.

import { describe, expect, test } from 'vitest';
import { Remembered } from '../../evaluator/remembered.ts';

const textOf = (i: number) => JSON.stringify({ i });

/** With 256 texts. */
function filled(): { remembered: Remembered<object>; values: object[] } {
  const remembered = new Remembered<object>();
  return { remembered, values: Array.from({ length: 256 }, (_, i) => remembered.parse(textOf(i))) };
}

describe('texts that come again', () => {
  test('are parsed once', () => {
    const { remembered, values } = filled();
    expect(values[7]).toEqual({ i: 7 });
    values.forEach((value, i) => {
      expect(remembered.parse(textOf(i))).toBe(value);
    });
  });

  test('are parsed each time when they are long', () => {
    const remembered = new Remembered<object>();
    const long = JSON.stringify({ x: 'x'.repeat(1024) });
    expect(remembered.parse(long)).not.toBe(remembered.parse(long));
  });

  test('are known still after thousands that came once, none of which is remembered', () => {
    const { remembered, values } = filled();
    for (let i = 1000; i < 5000; i++) expect(remembered.parse(textOf(i))).toEqual({ i });
    expect(remembered.parse(textOf(0))).toBe(values[0]);
    expect(remembered.parse(textOf(4999))).not.toBe(remembered.parse(textOf(4999)));
  });

  test('give way to others that come again and again', () => {
    const { remembered, values } = filled();
    for (let i = 0; i < 4100; i++) remembered.parse(textOf(1000 + (i % 10)));
    expect(remembered.parse(textOf(1001))).toBe(remembered.parse(textOf(1001)));
    expect(remembered.parse(textOf(0))).not.toBe(values[0]);
  });
});
