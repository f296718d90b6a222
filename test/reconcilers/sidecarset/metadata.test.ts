// Upgrades put the same annotations on pods as the injection does: the recorded answers of the injection hold for both
// (sidecarset 5.6).
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { SidecarSet } from '../../../api/kinds/sidecarset/schema.ts';
import { patchedAnnotations } from '../../../reconcilers/sidecarset/metadata.ts';
import { loadArea } from '../../support/corpus.ts';

type Annotated = { metadata?: { annotations?: Record<string, string> } };

const cases = loadArea('sidecarset').filter(({ name }) => name.startsWith('metadata-'));

describe('annotations of a SidecarSet', () => {
  it.each(cases.map((one) => [one.name, one] as const))(
    '%s',
    (_name, { objects, request, expect: recorded, better }) => {
      const sets = objects.filter(({ kind }) => kind === 'SidecarSet') as SidecarSet[];
      const items = sets.flatMap(({ spec }) => spec?.patchPodMetadata ?? []);
      const own = (request.object as Annotated).metadata?.annotations ?? {};
      const patched = patchedAnnotations(items, own);
      if (recorded.allowed === false) {
        expect(typeof patched).toBe('string');
        return;
      }
      expect(better).toBe(undefined);
      const after = (recorded.object as Annotated & JsonObject).metadata?.annotations ?? {};
      for (const name of items.flatMap(({ annotations = {} }) => Object.keys(annotations))) {
        const value = (patched as ReadonlyMap<string, string>).get(name) ?? own[name];
        // What the injection itself writes comes after these.
        if (!name.startsWith('kruise.io/sidecarset-')) expect([name, value]).toEqual([name, after[name]]);
      }
    },
  );

  const merging = (patch: string) => [{ patchPolicy: 'MergePatchJson', annotations: { note: patch } }];

  it('come out compact and sorted, also where the injection has put the patch as it was', () => {
    const text = '{ "b":1, "a":null}';
    expect(patchedAnnotations(merging(text), { note: text })).toEqual(new Map([['note', '{"b":1}']]));
  });

  it('stay where the injection has put what cannot be merged with itself', () => {
    expect(patchedAnnotations(merging('plain text'), { note: 'plain text' })).toEqual(
      new Map([['note', 'plain text']]),
    );
    expect(patchedAnnotations(merging('{}'), { note: 'plain text' })).toBe('annotation note: its value is no JSON');
  });

  it('are merged with the last of names that stand twice', () => {
    expect(patchedAnnotations(merging('{"c":3}'), { note: '{"b":1,"b":2}' })).toEqual(
      new Map([['note', '{"b":2,"c":3}']]),
    );
  });
});
