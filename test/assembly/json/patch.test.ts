// Which operations an edit costs: the API server pays for each, so there are as few as can be.

import { describe, expect, it } from 'vitest';
import { type Edit, JsonModule } from '../../support/module.ts';

const module = new JsonModule();

const DOCUMENT = '{"a":1,"list":["x","y","z"],"spec":{"labels":{"app":"web"},"empty":{},"none":[]},"n":null}';

function patch(...edits: Edit[]): unknown {
  return JSON.parse(module.edit(DOCUMENT, edits).patch);
}

const LIST = { at: ['list'] };
const LABELS = { at: ['spec', 'labels'] };

describe('the patch of an edit', () => {
  it.each<[string, Edit[], unknown[]]>([
    ['nothing edited', [], []],
    ['a member replaced', [{ at: [], do: 'put', name: 'a', value: 2 }], [{ op: 'replace', path: '/a', value: 2 }]],
    ['a member added', [{ at: [], do: 'put', name: 'b', value: 2 }], [{ op: 'add', path: '/b', value: 2 }]],
    ['a null member replaced', [{ at: [], do: 'put', name: 'n', value: 0 }], [{ op: 'replace', path: '/n', value: 0 }]],
    ['a member removed', [{ at: [], do: 'remove', name: 'a' }], [{ op: 'remove', path: '/a' }]],
    ['a member that is not there removed', [{ at: [], do: 'remove', name: 'zz' }], []],
    [
      'a deep member added',
      [{ ...LABELS, do: 'put', name: 'tier', value: 'x' }],
      [{ op: 'add', path: '/spec/labels/tier', value: 'x' }],
    ],
    [
      'a member of an empty object added',
      [{ at: ['spec', 'empty'], do: 'put', name: 'k', value: [] }],
      [{ op: 'add', path: '/spec/empty/k', value: [] }],
    ],
    ['an item appended', [{ ...LIST, do: 'append', value: 'w' }], [{ op: 'add', path: '/list/3', value: 'w' }]],
    [
      'an item of an empty array appended',
      [{ at: ['spec', 'none'], do: 'append', value: 1 }],
      [{ op: 'add', path: '/spec/none/0', value: 1 }],
    ],
    [
      'an item put in front',
      [{ ...LIST, do: 'insert', index: 0, value: 'w' }],
      [{ op: 'add', path: '/list/0', value: 'w' }],
    ],
    [
      'an item put between',
      [{ ...LIST, do: 'insert', index: 2, value: 'w' }],
      [{ op: 'add', path: '/list/2', value: 'w' }],
    ],
    [
      'an item replaced',
      [{ ...LIST, do: 'replace', index: 1, value: 'w' }],
      [{ op: 'replace', path: '/list/1', value: 'w' }],
    ],
    ['the first item dropped', [{ ...LIST, do: 'drop', index: 0 }], [{ op: 'remove', path: '/list/0' }]],
    ['the last item dropped', [{ ...LIST, do: 'drop', index: 2 }], [{ op: 'remove', path: '/list/2' }]],
  ])('has one operation or none: %s', (_, edits, operations) => {
    expect(patch(...edits)).toEqual(operations);
  });

  it.each<[string, Edit[], unknown[]]>([
    [
      'a member put twice',
      [
        { at: [], do: 'put', name: 'a', value: 2 },
        { at: [], do: 'put', name: 'a', value: 3 },
      ],
      [{ op: 'replace', path: '/a', value: 3 }],
    ],
    [
      'a new member put twice',
      [
        { at: [], do: 'put', name: 'b', value: 2 },
        { at: [], do: 'put', name: 'b', value: 3 },
      ],
      [{ op: 'add', path: '/b', value: 3 }],
    ],
    [
      'a new member that goes again',
      [
        { at: [], do: 'put', name: 'b', value: 2 },
        { at: [], do: 'remove', name: 'b' },
      ],
      [],
    ],
    [
      'a new object that is filled',
      [
        { at: [], do: 'put', name: 'b', value: {} },
        { at: ['b'], do: 'put', name: 'c', value: [] },
        { at: ['b', 'c'], do: 'append', value: 1 },
      ],
      [{ op: 'add', path: '/b', value: { c: [1] } }],
    ],
    [
      'an object that is edited and then removed',
      [
        { ...LABELS, do: 'put', name: 'tier', value: 'x' },
        { at: ['spec'], do: 'remove', name: 'labels' },
      ],
      [{ op: 'remove', path: '/spec/labels' }],
    ],
    [
      'a new item that goes again',
      [
        { ...LIST, do: 'append', value: 'w' },
        { ...LIST, do: 'drop', index: 3 },
      ],
      [],
    ],
    [
      'an item replaced twice',
      [
        { ...LIST, do: 'replace', index: 1, value: 'v' },
        { ...LIST, do: 'replace', index: 1, value: 'w' },
      ],
      [{ op: 'replace', path: '/list/1', value: 'w' }],
    ],
    [
      'an item replaced and then dropped',
      [
        { ...LIST, do: 'replace', index: 1, value: 'v' },
        { ...LIST, do: 'drop', index: 1 },
      ],
      [{ op: 'remove', path: '/list/1' }],
    ],
    [
      'a new item replaced',
      [
        { ...LIST, do: 'append', value: 'v' },
        { ...LIST, do: 'replace', index: 3, value: 'w' },
      ],
      [{ op: 'add', path: '/list/3', value: 'w' }],
    ],
    [
      'neighbours dropped',
      [
        { ...LIST, do: 'drop', index: 0 },
        { ...LIST, do: 'drop', index: 0 },
      ],
      [
        { op: 'remove', path: '/list/0' },
        { op: 'remove', path: '/list/0' },
      ],
    ],
    [
      'items in front and behind',
      [
        { ...LIST, do: 'insert', index: 0, value: 'v' },
        { ...LIST, do: 'append', value: 'w' },
      ],
      [
        { op: 'add', path: '/list/0', value: 'v' },
        { op: 'add', path: '/list/4', value: 'w' },
      ],
    ],
  ])('tells the end and not the way: %s', (_, edits, operations) => {
    expect(patch(...edits)).toEqual(operations);
  });

  it.each([
    ['a/b', '/a~1b'],
    ['m~n', '/m~0n'],
    ['~1', '/~01'],
    ['~0', '/~00'],
    ['/', '/~1'],
    ['~/', '/~0~1'],
    ['', '/'],
    [' ', '/ '],
    ['é\u{1f600}', '/é\u{1f600}'],
    ['quote"back\\slash', '/quote"back\\slash'],
    ['line\nfeed', '/line\nfeed'],
    ['\u0000', '/\u0000'],
    ['__proto__', '/__proto__'],
    ['constructor', '/constructor'],
    ['sidecarset.kruise.io/injected-list', '/sidecarset.kruise.io~1injected-list'],
  ])('points to the name %j by %j', (name, path) => {
    expect(patch({ at: [], do: 'put', name, value: 1 })).toEqual([{ op: 'add', path, value: 1 }]);
    const inside = JSON.parse(module.edit('{"x":{}}', [{ at: ['x'], do: 'put', name, value: 1 }]).patch);
    expect(inside).toEqual([{ op: 'add', path: `/x${path}`, value: 1 }]);
  });

  it('points through names that were written with escapes', () => {
    const text = '{"a\\u002fb":{"\\u007e":{"k":[1,2]}}}';
    const { patch } = module.edit(text, [{ at: ['a/b', '~', 'k'], do: 'drop', index: 1 }]);
    expect(JSON.parse(patch)).toEqual([{ op: 'remove', path: '/a~1b/~0/k/1' }]);
  });
});
