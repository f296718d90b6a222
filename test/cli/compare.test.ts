// Descriptions of parts of objects.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../api/core/json.ts';
import { contains, described, inOrderOf } from '../../cli/compare.ts';

const pod: Json = {
  metadata: { name: 'web', labels: { app: 'web', tier: 'front' } },
  spec: {
    containers: [
      { name: 'mesh', image: 'mesh:1' },
      { name: 'app', image: 'app:1', env: [{ name: 'A', value: '1' }] },
      { name: 'log', image: 'log:1' },
    ],
    initContainers: [],
  },
};

describe('a description', () => {
  it.each<[string, Json, boolean]>([
    ['names some members', { metadata: { labels: { app: 'web' } } }, true],
    ['has another value', { metadata: { labels: { app: 'db' } } }, false],
    ['names items with others between', { spec: { containers: [{ name: 'mesh' }, { name: 'log' }] } }, true],
    ['names items in another order', { spec: { containers: [{ name: 'log' }, { name: 'mesh' }] } }, false],
    ['names an item twice', { spec: { containers: [{ name: 'log' }, { name: 'log' }] } }, false],
    ['says null of a member that is not there', { metadata: { annotations: null } }, true],
    ['says null of a member that is there', { metadata: { labels: null } }, false],
    ['says [] of an empty list', { spec: { initContainers: [] } }, true],
    ['says [] of a list that is not there', { spec: { volumes: [] } }, true],
    ['says [] of a list with items', { spec: { containers: [] } }, false],
    ['says {} of an object', { metadata: {} }, true],
    ['says {} of what is not there', { status: {} }, false],
    ['names a member of what is no object', { spec: { containers: { name: 'a' } } }, false],
    ['names a member that every object of JavaScript has', { toString: {} }, false],
  ])('that %s: %j fits %s', (_what, wanted, fits) => {
    expect(contains(wanted, pod)).toBe(fits);
  });

  it('of everything fits, and of the part that it is about', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = value as Json;
        expect(contains(json, json)).toBe(true);
        expect(contains(json, described(json, json))).toBe(true);
        expect(inOrderOf(json, json)).toEqual(json);
      }),
    );
  });

  it('shows the part that differs, by the names of items', () => {
    const wanted: Json = { spec: { containers: [{ name: 'app', image: 'app:2' }, { name: 'gone' }] } };
    expect(described(wanted, pod)).toEqual({ spec: { containers: [{ name: 'app', image: 'app:1' }] } });
  });
});
