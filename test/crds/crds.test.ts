// The CRDs in the chart are what the descriptions say, and clients find in them what was published before.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../api/core/json.ts';
import { customResourceDefinition } from '../../api/kinds/crd.ts';
import { kinds } from '../../api/kinds/index.ts';
import { shapeDifferences, shapeOf } from './shape.ts';

// Additions that no client stumbles over, as path prefixes, each with its reason.
const allowed: readonly { path: string; reason: string }[] = [];

const published = new URL('published/', import.meta.url);
const chart = new URL('../../charts/sluice/files/crds/', import.meta.url);

function publishedShape(name: string): JsonObject {
  return JSON.parse(readFileSync(new URL(`${name}.json`, published), 'utf8')) as JsonObject;
}

describe.each(kinds.map((kind) => [`${kind.plural}.${kind.group}`, kind] as const))('the CRD %s', (name, kind) => {
  test('has the shape that is published', () => {
    const differences = shapeDifferences(
      name,
      shapeOf(customResourceDefinition(kind.description)),
      publishedShape(name),
    );
    expect(differences.filter((line) => !allowed.some(({ path }) => line.startsWith(path)))).toEqual([]);
  });

  test('is in the chart as described', () => {
    const file = readFileSync(new URL(`${kind.group}_${kind.plural}.yaml`, chart), 'utf8');
    expect(parse(file)).toEqual(customResourceDefinition(kind.description));
  });

  test('is served and stored as the registry says', () => {
    const { spec } = customResourceDefinition(kind.description) as { spec: { versions: JsonObject[] } };
    expect(spec.versions.map((version) => version.name)).toEqual(kind.versions);
    expect(spec.versions.filter((version) => version.storage).map((version) => version.name)).toEqual([kind.storage]);
  });
});

test('the chart has no CRD beside those of the registry', () => {
  expect(readdirSync(chart).toSorted()).toEqual(kinds.map((kind) => `${kind.group}_${kind.plural}.yaml`).toSorted());
});

test('a difference is told with its path and both values', () => {
  const ours = { names: { shortNames: ['a'] }, versions: { v1: { served: true } } };
  const theirs = { names: { shortNames: ['a', 'b'] }, versions: { v1: { served: false } } };
  expect(shapeDifferences('x', ours, theirs)).toEqual([
    'x.names.shortNames.1: ours (absent), published "b"',
    'x.versions.v1.served: ours true, published false',
  ]);
});
