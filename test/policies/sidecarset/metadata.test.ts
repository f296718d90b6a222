// Merge patches of annotations (sidecarset.md 5.6): results are exact to the byte.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { pod } from '../../support/builders/pod.ts';
import { sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { Injection } from '../../support/injection.ts';
import * as see from '../../support/see.ts';

function merging(text: string): JsonObject {
  return sidecarSet('logs', {
    containers: [sidecar('log-agent')],
    spec: { patchPodMetadata: [{ annotations: { note: text }, patchPolicy: 'MergePatchJson' }] },
  });
}

describe('a merge patch', async () => {
  const injection = await Injection.start();
  const merged = (before: string, patch: string) =>
    see.annotation('note')(injection.hold(merging(patch)).create(pod({ annotations: { note: before } })));

  test.each([
    ['sorts the level that it touches', '{"b":1,"a":2}', '{"c":3}', '{"a":2,"b":1,"c":3}'],
    ['writes compactly', '{ "b" : [ 1 , 2 ] }', '{"a": {"x" : 1}}', '{"a":{"x":1},"b":[1,2]}'],
    ['leaves the order of what it does not touch', '{"o":{"z":1,"a":2},"x":1}', '{"x":2}', '{"o":{"z":1,"a":2},"x":2}'],
    ['merges objects on every level', '{"o":{"z":1,"a":2}}', '{"o":{"m":3}}', '{"o":{"a":2,"m":3,"z":1}}'],
    ['sorts what it brings', '{"a":1}', '{"o":{"z":1,"a":{"c":1,"b":2}}}', '{"a":1,"o":{"a":{"b":2,"c":1},"z":1}}'],
    ['deletes by null', '{"a":1,"b":2}', '{"a":null,"c":null}', '{"b":2}'],
    ['brings no nulls inside of new objects', '{"a":1}', '{"o":{"x":null,"y":1}}', '{"a":1,"o":{"y":1}}'],
    ['keeps nulls that were there', '{"a":null,"b":1}', '{"c":1}', '{"a":null,"b":1,"c":1}'],
    [
      'keeps numbers as they were written',
      '{"a":1.50,"b":1e3,"c":-0}',
      '{"d":12345678901234567890}',
      '{"a":1.50,"b":1e3,"c":-0,"d":12345678901234567890}',
    ],
    ['escapes for HTML, old texts too', '{"a":"<b>&"}', '{"b":">"}', '{"a":"\\u003cb\\u003e\\u0026","b":"\\u003e"}'],
    ['keeps escapes as they were written', '{"a":"\\u0041\\/"}', '{"b":"\\u00e9"}', '{"a":"\\u0041\\/","b":"\\u00e9"}'],
    ['replaces a scalar by an object', '{"a":1}', '{"a":{"x":1}}', '{"a":{"x":1}}'],
    ['replaces an object by a scalar', '{"a":{"x":1}}', '{"a":2}', '{"a":2}'],
    ['replaces a document that is a list', '[1]', '{"a":1}', '{"a":1}'],
    ['that is empty sorts the document', '{"b":1,"a":2}', '{}', '{"a":2,"b":1}'],
    ['that is the text itself is merged all the same', '{ "b":1, "a":null}', '{ "b":1, "a":null}', '{"b":1}'],
    ['that is a list replaces the document', '{"a":1}', '[1, {"b":null}]', '[1,{"b":null}]'],
    ['brings a list where one was as it is written', '{"a":[1]}', '{"a":[{"x":null}]}', '{"a":[{"x":null}]}'],
    ['reads names as they are meant', '{"\\u0061":1}', '{"a":2}', '{"a":2}'],
    ['escapes what ends lines in scripts', '{"a":"\u2028"}', '{"b":1}', '{"a":"\\u2028","b":1}'],
    [
      'takes the last of names that stand twice',
      '{"b":1,"a":1,"b":2}',
      '{"c":1,"c":{"d":3}}',
      '{"a":1,"b":2,"c":{"d":3}}',
    ],
    ['leaves doubles where it does not touch them', '{"o":{"a":1,"a":2}}', '{"b":1}', '{"b":1,"o":{"a":1,"a":2}}'],
    [
      'keeps escapes for halves of characters, which are U+FFFD in names',
      '{"a":"\\ud800","\\udc00b":1}',
      '{"c":"\\ud83d\\u0041\\ud83d\\ude00"}',
      '{"a":"\\ud800","c":"\\ud83d\\u0041\\ud83d\\ude00","\ufffdb":1}',
    ],
    ['keeps a name that JavaScript knows', '{"__proto__":1}', '{"constructor":2}', '{"__proto__":1,"constructor":2}'],
  ])('%s', (_what, before, patch, after) => {
    expect(merged(before, patch)).toBe(after);
  });

  test('is set as it is where the annotation is empty', () => {
    expect(merged('', '{ "a": 1 }')).toBe('{ "a": 1 }');
  });

  test.each([
    ['a text that is no JSON', '{', '{"a":1}', 'Invalid JSON Document'],
    ['a text that is null', 'null', '{"a":1}', 'Invalid JSON Document'],
    ['a patch that is no JSON', '{}', '{', 'Invalid JSON Patch'],
    ['a patch that is null', '{}', 'null', 'Invalid JSON Patch'],
    ['a patch that is a scalar', '{}', '"a"', 'Invalid JSON Patch'],
    ['a text that is no JSON, like the patch', 'a', 'a', 'Invalid JSON Document'],
    ['a text that is a scalar, like the patch', '5', '5', 'Invalid JSON Patch'],
  ])('refuses the pod for %s', (_what, before, patch, message) => {
    const verdict = injection.hold(merging(patch)).review(pod({ annotations: { note: before } }));
    expect(verdict).toMatchObject({ allowed: false, message });
  });

  test('of a second set merges into what the first one put, though both are alike', () => {
    const text = '{ "b":1, "a":2}';
    const other = { ...merging(text), metadata: { ...(merging(text).metadata as JsonObject), name: 'other' } };
    expect(see.annotation('note')(injection.hold(merging(text), other).create(pod()))).toBe('{"a":2,"b":1}');
  });

  test('leaves a text that an earlier pass put as it is', () => {
    const text = '{ "b":1, "a":2}';
    const created = injection.hold(merging(text)).create(pod());
    expect(see.annotation('note')(injection.create(created))).toBe(text);
  });

  test('merges as RFC 7386 does, whatever the objects', () => {
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null));
    const document = fc.letrec<{ object: Record<string, unknown> }>((tie) => ({
      object: fc.dictionary(
        fc.constantFrom('a', 'b', 'c', 'é', '10', '9', 'a/b', '"', '<'),
        fc.oneof({ maxDepth: 3 }, leaf, fc.array(fc.integer(), { maxLength: 2 }), tie('object')),
        { maxKeys: 4 },
      ),
    })).object;
    fc.assert(
      fc.property(document, document, (before, patch) => {
        const after = JSON.parse(String(merged(JSON.stringify(before, null, 1), JSON.stringify(patch))));
        expect(after).toEqual(mergePatch(before, patch));
      }),
      { numRuns: 300 },
    );
  });

  test('gives the same text when it is applied again', () => {
    const document = fc.dictionary(fc.constantFrom('b', 'a', '<'), fc.oneof(fc.integer(), fc.string()), { maxKeys: 3 });
    fc.assert(
      fc.property(document, document, (before, patch) => {
        const once = String(merged(JSON.stringify(before), JSON.stringify(patch)));
        expect(merged(once, JSON.stringify(patch))).toBe(once);
      }),
      { numRuns: 150 },
    );
  });
});

type Members = Record<string, unknown>;

/** RFC 7386, section 2. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMembers(patch)) return patch;
  const merged = new Map(Object.entries(isMembers(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
