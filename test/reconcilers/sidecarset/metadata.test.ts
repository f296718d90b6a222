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
});
