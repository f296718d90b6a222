// The patch that edits make, applied by an implementation of RFC 6902 that is not ours.

import fc from 'fast-check';
import { applyPatch, type Operation } from 'rfc6902';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../api/core/json.ts';
import { type Edit, JsonModule } from '../support/module.ts';
import { choices, editPlain, oddDocument } from './edit-scripts.ts';
import { oddValue } from './odd-json.ts';

const module = new JsonModule();

describe('the patch of a random series of edits', () => {
  it('makes of the document what the edits made of it', () => {
    fc.assert(
      fc.property(oddDocument, choices, (text, chosen) => {
        const expected = JSON.parse(text) as Json;
        const edits = editPlain(expected, chosen);
        const result = module.edit(text, edits);
        expect(JSON.parse(result.document)).toEqual(expected);
        const operations = JSON.parse(result.patch) as Operation[];
        const patched = JSON.parse(text) as Json;
        expect(applyPatch(patched, operations).filter((error) => error !== null)).toEqual([]);
        expect(patched).toEqual(expected);
      }),
      { numRuns: 3000 },
    );
  });

  it('has at most one operation an edit', () => {
    fc.assert(
      fc.property(oddDocument, choices, (text, chosen) => {
        const edits = editPlain(JSON.parse(text) as Json, chosen);
        const operations = JSON.parse(module.edit(text, edits).patch) as Operation[];
        expect(operations.length).toBeLessThanOrEqual(edits.length);
        expect(operations.every(({ op }) => op === 'add' || op === 'replace' || op === 'remove')).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('is empty when nothing was edited', () => {
    fc.assert(
      fc.property(oddDocument, (text) => {
        expect(module.edit(text, [])).toMatchObject({ patch: '[]' });
      }),
      { numRuns: 300 },
    );
  });
});

describe('what edits leave alone', () => {
  const members = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z~/]{0,4}$/u), oddValue(2)), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 8,
  });

  it('keeps every byte of the members that were not touched', () => {
    fc.assert(
      fc.property(members, fc.nat(), oddValue(1), (fields, place, value) => {
        const [touched] = fields[place % fields.length] ?? [''];
        const text = (list: typeof fields) => `{${list.map(([name, raw]) => `"${name}":${raw}`).join(',')}}`;
        const others = fields.filter(([name]) => name !== touched);
        const edit = { at: [], do: 'remove', name: touched } satisfies Edit;
        expect(module.edit(text(fields), [edit]).document).toBe(text(others));
        // A value put by an edit is written as the script has it: by JSON.stringify.
        const plain = JSON.parse(value) as Json;
        const after = fields.map(([name, raw]) => [name, name === touched ? JSON.stringify(plain) : raw]);
        const put = { at: [], do: 'put', name: touched, value: plain } satisfies Edit;
        expect(module.edit(text(fields), [put]).document).toBe(text(after as typeof fields));
      }),
      { numRuns: 1500 },
    );
  });

  it('keeps every byte of the items that were not touched', () => {
    fc.assert(
      fc.property(fc.array(oddValue(2), { minLength: 1, maxLength: 8 }), fc.nat(), (items, place) => {
        const index = place % items.length;
        const others = items.toSpliced(index, 1);
        const text = (list: string[]) => `{"list":[${list.join(',')}]}`;
        const drop = { at: ['list'], do: 'drop', index } satisfies Edit;
        const insert = { at: ['list'], do: 'insert', index, value: 'new' } satisfies Edit;
        expect(module.edit(text(items), [drop]).document).toBe(text(others));
        expect(module.edit(text(items), [insert]).document).toBe(text(items.toSpliced(index, 0, '"new"')));
      }),
      { numRuns: 1500 },
    );
  });
});
