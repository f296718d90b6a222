// Short runs of bench/soak-store.ts and bench/soak-reviews.ts: memory is flat.

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { soakPolicies, soakReviews } from '../../bench/soak-reviews.ts';
import { soakStore } from '../../bench/soak-store.ts';
import { Module, STATUS } from '../../evaluator/module.ts';
import { bytesOf } from '../support/module.ts';

const compiled = await WebAssembly.compile(await readFile(new URL('../../dist/policy.wasm', import.meta.url)));

describe('the memory of the module', () => {
  it('is flat over changes of objects, and the store is empty when all are gone', () => {
    const { tenth, end, empty } = soakStore(Module.instantiate(compiled), 400_000);
    console.log(`store: ${tenth.memoryBytes} bytes after a tenth, ${end.memoryBytes} at the end`);
    // The most that was ever needed of each size may still creep up a little.
    expect(end.memoryBytes - tenth.memoryBytes).toBeLessThanOrEqual(1 << 20);
    expect(empty.objects).toBe(0);
    expect(empty.objectBytes).toBeLessThan(100_000);
  });

  it('is flat over reviews', async () => {
    const { tenth, end } = soakReviews(await soakPolicies(), 50_000);
    console.log(`reviews: ${tenth.memoryBytes} bytes after a tenth, ${end.memoryBytes} at the end`);
    expect(end.memoryBytes).toBe(tenth.memoryBytes);
  });

  it('is flat over the same object applied again and again', () => {
    const module = Module.instantiate(compiled);
    const object = bytesOf(
      JSON.stringify({
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'SidecarSet',
        metadata: { name: 'logs', annotations: { filler: 'x'.repeat(5000) } },
        spec: { selector: { matchLabels: { app: 'web' } } },
      }),
    );
    module.exports.apply(module.write(object));
    const before = { size: module.size, bytes: module.exports.objectBytes() };
    for (let i = 0; i < 100_000; i++) expect(module.exports.apply(module.write(object))).toBe(STATUS.done);
    expect({ size: module.size, bytes: module.exports.objectBytes() }).toEqual(before);
    expect(module.exports.objects()).toBe(1);
  });

  it('stays within bounds when ever longer reviews and more objects come in turn', () => {
    const module = Module.instantiate(compiled);
    const review = (length: number) => bytesOf(`[${'1,'.repeat(length >> 1)}1]`);
    for (let i = 1; i <= 20; i++) {
      for (let j = 0; j < 50; j++) {
        const name = `set-${i}-${j}`;
        const metadata = { name, annotations: { filler: 'x'.repeat(6000) } };
        const object = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet', metadata, spec: {} };
        expect(module.exports.apply(module.write(bytesOf(JSON.stringify(object))))).toBe(STATUS.done);
      }
      module.exports.review(0, module.write(review(i * 350_000)), 0);
      expect(module.resultText()).toContain('"allowed":false');
    }
    expect(module.exports.objects()).toBe(1000);
    expect(module.size).toBeLessThan(256 << 20);
  });

  it('holds again what it held, after objects came and went', () => {
    const module = Module.instantiate(compiled);
    const text = (name: string) =>
      JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { name } } });
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 2000; i++) module.exports.apply(module.write(bytesOf(text(`n${i}`))));
      expect(module.exports.objects()).toBe(2000);
      for (let i = 0; i < 2000; i++) {
        expect(module.exports.remove(module.write(bytesOf(text(`n${i}`))))).toBe(STATUS.done);
        expect(module.exports.remove(module.write(bytesOf(text(`n${i}`))))).toBe(STATUS.ignored);
      }
      expect(module.exports.objects()).toBe(0);
    }
  });
});
