// The arena: whatever was read before, a text of any length is read, and memory does not grow beyond the largest.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, JsonModule } from '../../support/module.ts';

/** An array of about this many bytes, with as many values as such a text can hold. */
function dense(length: number): string {
  return `[${'1,'.repeat(Math.max(0, (length >> 1) - 1))}1]`;
}

describe('the memory of the reader', () => {
  it('does not grow by reading the same again', () => {
    const module = new JsonModule();
    const text = dense(1 << 20);
    module.scan(text);
    const before = module.memoryBytes;
    for (let i = 0; i < 50; i++) expect(module.scan(text)).toEqual({ accepted: true });
    expect(module.memoryBytes).toBe(before);
  });

  it('reads texts of which each is a little longer than all before, up to the longest', () => {
    const module = new JsonModule();
    for (let length = 1000; length < 7 << 20; length += 250_000) {
      expect(module.scan(dense(length))).toEqual({ accepted: true });
    }
    expect(module.memoryBytes).toBeLessThan(80 << 20);
  });

  it('reads texts of any lengths in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3 << 20), { minLength: 2, maxLength: 12 }), (lengths) => {
        const module = new JsonModule();
        for (const length of lengths) expect(module.scan(dense(length))).toEqual({ accepted: true });
        expect(module.memoryBytes).toBeLessThan(40 << 20);
      }),
      { numRuns: 15 },
    );
  });

  it('is not written beyond the nodes by brackets that stay open at the end of a dense text', () => {
    // Every byte of the brackets is a node, and the lengths make the nodes end anywhere up to the end of memory.
    for (let values = 195_000; values < 240_000; values += 401) {
      const module = new JsonModule();
      const text = bytesOf(`[${'1,'.repeat(values)}${'['.repeat(511)}x`);
      expect(module.scan(text)).toMatchObject({ accepted: false, offset: text.length - 1 });
    }
  });

  it('keeps keys that were written with escapes apart from nodes that are written later', () => {
    const module = new JsonModule();
    const names = Array.from({ length: 2000 }, (_, i) => `k${i}`);
    const text = `{${names.map((name) => `"\\u006b${name.slice(1)}":[[[[{"\\n":{}}]]]]`).join()}}`;
    expect(JSON.parse(module.rewrite(text))).toEqual(JSON.parse(text));
  });

  it('gives the same after every kind of text that was refused', () => {
    const module = new JsonModule();
    const good = '{"a":[1,2,{"b":"c\\n"}],"d":null}';
    const expected = module.rewrite(good);
    for (const bad of ['[[[[', '{"a":{"b":[', '"\\', '{"a":1,"a":2}', dense(100_000).slice(0, -1), '[1,x', '\xff']) {
      expect(module.scan(bad).accepted).toBe(false);
      expect(module.rewrite(good)).toBe(expected);
    }
  });
});
