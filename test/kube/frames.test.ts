// Watch streams cut into events, however the network cuts them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, FrameError, LineCutter, readEvent } from '../../kube/frames.ts';

const text = (line: Uint8Array) => Buffer.from(line).toString('utf8');

describe('lines', () => {
  it('come out as they went in, wherever the stream was cut', () => {
    const lines = fc.array(fc.string({ unit: 'binary', minLength: 1 }).map((line) => line.replaceAll('\n', ' ')));
    fc.assert(
      fc.property(lines, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (wanted, sizes) => {
        const bytes = Buffer.from(wanted.map((line) => `${line}\n`).join(''));
        const cutter = new LineCutter();
        const found: string[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          for (const line of cutter.push(bytes.subarray(at, at + size))) found.push(text(line));
          at += size;
        }
        expect(found).toEqual(
          Buffer.from(wanted.join('\n'))
            .toString('utf8')
            .split('\n')
            .filter((line) => line !== ''),
        );
        expect(cutter.unfinished).toBe(false);
      }),
    );
  });

  it('are not kept without end', () => {
    const cutter = new LineCutter();
    const chunk = new Uint8Array(16 * 1024 * 1024).fill(0x20);
    const push = () => [...cutter.push(chunk)];
    for (let i = 0; i < 4; i++) push();
    expect(push).toThrow(FrameError);
  });

  it('left open at the end are noticed', () => {
    const cutter = new LineCutter();
    expect([...cutter.push(Buffer.from('a\n\nb'))].map(text)).toEqual(['a']);
    expect(cutter.unfinished).toBe(true);
  });
});

describe('events', () => {
  const read = (event: unknown) => readEvent(Buffer.from(JSON.stringify(event)));

  it('are read with every member', () => {
    const event = { type: 'ADDED', object: { metadata: { name: 'a', resourceVersion: '7' }, more: [1, 'ü'] } };
    expect(read(event)).toEqual(event);
    expect(read({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '7' } } }).type).toBe('BOOKMARK');
    expect(read({ type: 'ERROR', object: { code: 410 } }).type).toBe('ERROR');
  });

  it.each([
    [[]],
    [null],
    [{ type: 'ADDED' }],
    [{ type: 'added', object: {} }],
    [{ type: 'ADDED', object: {} }],
    [{ type: 'ADDED', object: { metadata: { name: 'a' } } }],
    [{ type: 'ADDED', object: { metadata: { resourceVersion: '7' } } }],
    [{ type: 'ADDED', object: { metadata: { name: 'a', resourceVersion: 7 } } }],
    [{ type: 'BOOKMARK', object: { metadata: {} } }],
    [{ type: 'ERROR' }],
    [{ object: { metadata: { name: 'a', resourceVersion: '7' } } }],
  ])('such as %j are refused', (event) => {
    expect(() => read(event)).toThrow(FrameError);
  });
});

describe('resourceVersions', () => {
  it('are ordered as their numbers, of any length', () => {
    const numbers = fc.bigInt({ min: 0n, max: 1n << 70n });
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(Math.sign(compareVersions(String(a), String(b)) ?? Number.NaN)).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it.each(['', 'x', '01', '-1', '1.0'])('such as %j have no order', (version) => {
    expect(compareVersions(version, '1')).toBe(undefined);
  });
});
